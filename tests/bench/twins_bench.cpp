// Two algorithms as nvcc compiles them from examples/, all counting on: thread instructions per second (items), and
// work per second, to compare with what Oclgrind does with their OpenCL twins (oclgrind.py).
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "collector/simulate/engine/engine.hpp"
#include "targets/catalog.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;

namespace {

std::string ptx_of(const char* program) {
    std::ifstream file(std::string(GPUPROJ_BENCH_PTX) + "/" + program + ".ptx");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Kernel parameters side by side; pointers first, so that all are aligned.
class Parameters {
public:
    template <class T>
    void add(T value) {
        const auto bytes = std::as_bytes(std::span(&value, 1));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

struct Twin {
    const char* program;
    const char* kernel;  // part of its mangled name
    Dim3 grid, block;
    double work;  // multiply-adds, or points updated
};

void run(benchmark::State& state, const Twin& twin, DeviceMemory& memory, const Parameters& parameters) {
    const std::string text = ptx_of(twin.program);
    if (text.empty()) {
        state.SkipWithError("no PTX: the CUDA toolkit was not found");
        return;
    }
    const Module module(text, twin.program, memory);
    std::string kernel;
    for (const KernelInfo* info : module.kernels())
        if (info->name.find(twin.kernel) != std::string::npos) kernel = info->name;
    EngineOptions options;
    options.threads = static_cast<int>(state.range(0));
    options.count_every_launch = true;  // every launch here is the same
    Engine engine(Catalog{{}}.get("GTX480"), memory, options);
    double instructions = 0;
    for (auto _ : state) {
        const LaunchReport report = engine.launch({.module = &module,
                                                   .kernel = kernel,
                                                   .grid = twin.grid,
                                                   .block = twin.block,
                                                   .parameters = parameters.bytes()});
        if (report.fault) state.SkipWithError(report.fault->message.c_str());
        instructions += report.counted.metrics.warp_inst.value_or(Instructions{0}).value * threads_per_warp;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
    state.counters["work"] =
        benchmark::Counter(twin.work * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void sgemm(benchmark::State& state) {
    constexpr std::uint32_t n = 256, tile = 16;
    DeviceMemory memory;
    Parameters parameters;
    std::array<void*, 3> matrices{};
    for (void*& matrix : matrices) {
        matrix = memory.allocate(std::size_t{n} * n * sizeof(float));
        std::fill_n(static_cast<float*>(matrix), std::size_t{n} * n, 0.5F);
        parameters.add(matrix);
    }
    parameters.add(n);
    parameters.add(n);
    run(state,
        {"matrix_multiply", "matrix_multiplyILi16E", {n / tile, n / tile, 1}, {tile, tile, 1}, double{n} * n * n},
        memory, parameters);
    for (void* matrix : matrices) memory.release(matrix);
}

void sor(benchmark::State& state) {
    constexpr std::uint32_t side = 1024, points = side + 2;
    DeviceMemory memory;
    Parameters parameters;
    std::array<void*, 2> colours{};
    for (void*& colour : colours) {
        constexpr std::size_t count = std::size_t{points} * points / 2;
        colour = memory.allocate(count * sizeof(double));
        std::fill_n(static_cast<double*>(colour), count, 0.5);
        parameters.add(colour);
    }
    parameters.add(points / 2);
    parameters.add(std::uint32_t{0});
    parameters.add(1.5);
    run(state, {"red_black_sor", "relax", {side / 64, side / 8, 1}, {32, 8, 1}, double{side} * side / 2}, memory,
        parameters);
    for (void* colour : colours) memory.release(colour);
}

// 0: all host threads.
BENCHMARK(sgemm)->Arg(1)->Arg(0)->UseRealTime()->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sor)->Arg(1)->Arg(0)->UseRealTime()->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

}  // namespace
