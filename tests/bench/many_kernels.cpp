// many_kernels RECORDS TARGETS SAMPLE.json: RECORDS kernel records in memory, made from the profile of Rodinia by
// varying sizes and names, predicted by `calibrated` on TARGETS GPUs into totals. Prints times and memory as JSON, and
// writes what another implementation needs to predict the first records: their profile, the prepared GPUs, the
// constants, and the durations that came out here.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "model/calibrated_chip.hpp"
#include "model/calibrated_constants.hpp"
#include "model/calibrated_interval.hpp"
#include "model/evaluate.hpp"
#include "model/file_io.hpp"
#include "model/json_fields.hpp"
#include "model/profile_io.hpp"
#include "targets/catalog.hpp"

namespace {

using namespace gpuproj;
using Json = nlohmann::ordered_json;

constexpr std::size_t sampled = 200;

double seconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

/// Each record a kernel of its own or one of few configurations, of another size.
void grow(Profile& profile, std::size_t records) {
    const auto seeds = profile.kernels;
    profile.kernels.clear();
    profile.kernels.reserve(records);
    std::mt19937 random(1);
    for (std::size_t i = 0; i < records; ++i) {
        KernelRecord kernel = seeds[i % seeds.size()];
        const double size = 0.5 + static_cast<double>(random() % 1000) / 500;
        kernel.kernel = fmt::format("{}<{}>", kernel.kernel, i / 4);
        std::apply(
            [&](const auto&... field) {
                const auto vary = [&](auto& counter) {
                    if constexpr (!std::is_same_v<std::decay_t<decltype(counter)>, Maybe<double>>) {
                        if (counter) counter->value *= size;
                    }
                };
                (vary(kernel.metrics.*field.member), ...);
            },
            KernelMetrics::fields);
        profile.kernels.push_back(std::move(kernel));
    }
}

Json chip_json(const Gpu& gpu) {
    const auto chip = std::get<calibrated::Chip>(calibrated::chip_of(gpu));
    const auto& r = chip.rates;
    const auto& o = chip.occupancy;
    return {{"name", gpu.name},
            {"compute_capability", chip.compute_capability},
            {"sm_count", chip.sm_count},
            {"clock", chip.clock},
            {"dram_bandwidth", chip.dram_bandwidth},
            {"ecc_traffic", chip.ecc_traffic},
            {"wide_dram", chip.wide_dram},
            {"l1_bypassed", chip.l1_bypassed},
            {"fp32", r.fp32},
            {"fp64", r.fp64},
            {"int_add", r.int_add},
            {"int_multiply", r.int_multiply},
            {"special", r.special},
            {"conversion", r.conversion},
            {"fp16", r.fp16},
            {"lanes", r.lanes},
            {"tensor", r.tensor},
            {"tensor_integer", r.tensor_integer},
            {"tensor_bf16", r.tensor_bf16},
            {"tensor_tf32", r.tensor_tf32},
            {"tensor_fp8", r.tensor_fp8},
            {"tensor_fp64", r.tensor_fp64},
            {"tensor_warp_share", r.tensor_warp_share},
            {"blocks", r.blocks},
            {"issue", r.issue},
            {"shared_rate", r.shared},
            {"lines", r.lines},
            {"texels", r.texels},
            {"l1_byte", r.l1_byte},
            {"l2_byte", r.l2_byte},
            {"alu_latency", r.alu_latency},
            {"shared_latency", r.shared_latency},
            {"l1_latency", r.l1_latency},
            {"l2_latency", r.l2_latency},
            {"dram_latency", r.dram_latency},
            {"conflict_latency", r.conflict_latency},
            {"split_multiply_add", r.split_multiply_add},
            {"major", o.major},
            {"max_warps", o.max_warps},
            {"max_blocks", o.max_blocks},
            {"registers", o.registers},
            {"registers_per_block", o.registers_per_block},
            {"registers_per_thread", o.registers_per_thread},
            {"register_unit", o.register_unit},
            {"partitions", o.partitions},
            {"shared", o.shared},
            {"shared_unit", o.shared_unit},
            {"shared_reserved", o.shared_reserved}};
}

void write_sample(const Profile& profile, const std::vector<const Gpu*>& targets, const Gpu& reference,
                  const std::string& file) {
    Profile sample = profile;
    sample.kernels.resize(std::min(sample.kernels.size(), sampled));
    const std::vector<const Model*> chosen{&find_model("calibrated")};
    const auto evaluation =
        evaluate({.profile = sample, .targets = targets, .models = chosen, .reference = &reference});
    Json durations = Json::array();
    for (const auto& row : evaluation.rows) {
        const auto* const p = std::get_if<Prediction>(&row.outcome);
        durations.push_back(p != nullptr ? Json(p->duration.value) : Json(nullptr));
    }
    Json chips = Json::array();
    for (const Gpu* const gpu : targets) chips.push_back(chip_json(*gpu));
    Json constants;
    write_table(constants, calibrated::fitted.constants, calibrated::Constants::fields);
    write_file(file,
               Json{{"profile", profile_to_json(sample)},
                    {"reference", chip_json(reference)},
                    {"targets", chips},
                    {"constants", constants},
                    {"duration_s", durations}}
                   .dump(),
               true);
}

void run(std::size_t records, std::size_t gpus, const std::string& sample) {
    Profile profile = read_profile(GPUPROJ_SOURCE_DIR "/examples/profiles/rodinia.json");
    grow(profile, records);
    const Catalog catalog{{}};
    const Gpu reference = catalog.get(profile.gpu);
    std::vector<Gpu> all = catalog.select("all");
    std::erase_if(all, [](const Gpu& gpu) {
        return gpu.vendor != "NVIDIA" || std::holds_alternative<Inapplicable>(calibrated::chip_of(gpu));
    });
    std::vector<const Gpu*> targets;
    for (std::size_t i = 0; i < gpus; ++i) targets.push_back(&all[i * all.size() / gpus]);
    const std::vector<const Model*> chosen{&find_model("calibrated")};

    const double used = processor_seconds();
    std::vector<EvaluationTotal> totals;
    const double wall = seconds_of([&] {
        totals = evaluate_totals({.profile = profile, .targets = targets, .models = chosen, .reference = &reference});
    });
    Json result{{"records", records},
                {"targets", gpus},
                {"threads", std::thread::hardware_concurrency()},
                {"wall_s", wall},
                {"processor_s", processor_seconds() - used},
                {"record_byte", sizeof(KernelRecord)},
                {"peak_memory_byte", peak_memory()},
                {"slowest_total_s", std::max_element(totals.begin(), totals.end(), [](const auto& a, const auto& b) {
                                        return a.duration < b.duration;
                                    })->duration->value}};
    write_sample(profile, targets, reference, sample);
    const auto file = std::filesystem::path(sample).replace_filename("many_kernels_profile.json");
    profile.kernels.resize(std::min<std::size_t>(records, 100'000));
    write_profile(profile, file, true);
    result["file_records"] = profile.kernels.size();
    result["file_byte"] = std::filesystem::file_size(file);
    result["file_read_s"] = seconds_of([&] { (void)read_profile(file); });
    std::filesystem::remove(file);
    fmt::print("{}\n", result.dump());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: many_kernels RECORDS TARGETS SAMPLE.json\n");
        return 2;
    }
    run(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10), argv[3]);
    return 0;
}
