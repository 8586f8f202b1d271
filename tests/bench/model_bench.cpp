// How fast predictions are: kernels times GPUs per second, and the reading of their inputs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/evaluate.hpp"
#include "model/profile_io.hpp"
#include "targets/catalog.hpp"

using namespace gpuproj;

namespace {

const std::string rodinia = std::string(GPUPROJ_SOURCE_DIR) + "/examples/profiles/rodinia.json";

void read_profile_file(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(read_profile(rodinia));
}
BENCHMARK(read_profile_file);

void read_all_gpus(benchmark::State& state) {
    const Catalog catalog{{}};
    for (auto _ : state) benchmark::DoNotOptimize(catalog.select("all"));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(catalog.gpus().size()));
}
BENCHMARK(read_all_gpus);

void predict(benchmark::State& state, const char* name) {
    const Profile profile = read_profile(rodinia);
    const std::vector<Gpu> gpus = Catalog{{}}.select("all");
    std::vector<const Gpu*> targets(gpus.size());
    std::ranges::transform(gpus, targets.begin(), [](const Gpu& gpu) { return &gpu; });
    const std::vector<const Model*> chosen{&find_model(name)};
    for (auto _ : state)
        benchmark::DoNotOptimize(evaluate_totals({.profile = profile, .targets = targets, .models = chosen}));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(gpus.size() * profile.kernels.size()));
}
BENCHMARK_CAPTURE(predict, quantitative_roofline, "quantitative-roofline");
BENCHMARK_CAPTURE(predict, roofline, "roofline");

}  // namespace
