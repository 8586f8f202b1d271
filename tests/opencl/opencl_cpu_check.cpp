// opencl_cpu_check PROGRAM: runs the OpenCL micro-benchmarks on the CPU and measures fp32 multiply-adds and memory in
// plain C++ with as many threads. They have to agree within 20 %. Other programs on the machine disturb both; a
// disturbed try is repeated, because a wrong benchmark is wrong in every try.
#include <sys/times.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "collector/launch/launch.hpp"
#include "targets/bench.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr int skipped = 77;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Runs work(thread) on every thread at once; seconds.
template <class Work>
double on_threads(int threads, Work work) {
    std::vector<std::thread> pool;
    pool.reserve(static_cast<std::size_t>(threads));
    const auto start = Clock::now();
    for (int i = 0; i < threads; ++i) pool.emplace_back(work, i);
    for (auto& thread : pool) thread.join();
    return seconds_since(start);
}

// Vectors as wide as the machine has them (GCC keeps wider ones in memory), and as many chains as two pipes need for
// latencies of four, or more, as far as there are registers for them.
#ifdef __AVX512F__
constexpr int lanes = 16, chains = 8;
#elif defined(__AVX__)
constexpr int lanes = 8, chains = 12;
#else
constexpr int lanes = 4, chains = 12;
#endif
using Vector = float __attribute__((vector_size(lanes * sizeof(float))));

double multiply_add_rate(int threads) {
    constexpr long rounds = 20'000'000;
    std::vector<float> results(static_cast<std::size_t>(threads));
    volatile float half = 0.5F;
    volatile float one = 1.0F;
    const double seconds = on_threads(threads, [&](int thread) {
        const Vector a = Vector{} + half;
        const Vector b = Vector{} + one;
        // Chains that begin alike are one chain to the compiler.
        const volatile float step = 0.25F;
        std::array<Vector, chains> x{};
        for (std::size_t chain = 0; chain < chains; ++chain) x[chain] = Vector{} + static_cast<float>(chain) * step;
        for (long round = 0; round < rounds; ++round) {
            for (auto& value : x) value = value * a + b;
        }
        for (const auto& value : x) results[static_cast<std::size_t>(thread)] += value[0];
    });
    for (const float result : results) {
        if (result != 2.0F * chains) std::abort();
    }
    return 2.0 * lanes * chains * rounds * threads / seconds;
}

// Median of some passes. The first is not counted: it pays for the pages that the arrays' making left to do, and for
// the clock that has to rise, and took up to three times as long.
template <class Pass>
double median_seconds(Pass pass) {
    pass();
    std::array<double, 9> seconds{};
    for (auto& each : seconds) each = pass();
    std::ranges::nth_element(seconds, seconds.begin() + seconds.size() / 2);
    return seconds[seconds.size() / 2];
}

// Mean of read, write and copy, each thread on a piece of its own, as in STREAM.
double memory_rate(int threads, std::size_t bytes) {
    const std::size_t count = bytes / sizeof(float);
    std::vector<float> from(count, 0.25F);
    std::vector<float> to(count, 0.0F);
    std::vector<float> sums(static_cast<std::size_t>(threads));
    const std::size_t piece = count / static_cast<std::size_t>(threads);
    const auto size = static_cast<double>(piece * sizeof(float) * static_cast<std::size_t>(threads));
    const auto read = [&](int thread) {
        const float* at = from.data() + static_cast<std::size_t>(thread) * piece;
        std::array<float, 64> sum{};
        for (std::size_t i = 0; i + 64 <= piece; i += 64) {
            for (std::size_t k = 0; k < 64; ++k) sum[k] += at[i + k];
        }
        for (const float s : sum) sums[static_cast<std::size_t>(thread)] += s;
    };
    const auto write = [&](int thread) {
        float* at = to.data() + static_cast<std::size_t>(thread) * piece;
        for (std::size_t i = 0; i < piece; ++i) at[i] = static_cast<float>(thread);
    };
    const auto copy = [&](int thread) {
        const auto first = static_cast<std::size_t>(thread) * piece;
        for (std::size_t i = first; i < first + piece; ++i) to[i] = from[i] + 1.0F;
    };
    const double reading = median_seconds([&] { return on_threads(threads, read); });
    const double writing = median_seconds([&] { return on_threads(threads, write); });
    const double copying = median_seconds([&] { return on_threads(threads, copy); });
    if (!(sums[0] > 0) || to[0] != 1.25F) std::abort();
    return (size / reading + size / writing + 2 * size / copying) / 3;
}

/// Seconds of all cores, by everybody and by this program with what it has started.
struct Work {
    double all = 0, own = 0;

    static Work now() {
        const auto tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
        std::ifstream stat("/proc/stat");
        std::string cpu;
        stat >> cpu;
        Work work;
        double value = 0;
        // user, nice, system, idle, waiting for a disk, interrupts (2), stolen by other machines on this one
        for (int column = 0; column < 8 && stat >> value; ++column)
            if (column != 3 && column != 4) work.all += value * tick;
        tms own{};
        times(&own);
        work.own = static_cast<double>(own.tms_utime + own.tms_stime + own.tms_cutime + own.tms_cstime) * tick;
        return work;
    }
    double of_others_since(const Work& before) const { return (all - before.all) - (own - before.own); }
};

// Plain C++ before and after; a machine that changed by more than 15 % in between was disturbed, and proves nothing.
struct Judgement {
    const char* what;
    bool agreed = false;
    int disagreed = 0;

    /// `others`: what other programs did meanwhile, in cores. The benchmark tells its own spread.
    void judge(double before, const gpuproj::BenchValue& opencl, double after, double others) {
        const double plain = (before + after) / 2;
        const bool disturbed = opencl.spread > 0.1 || std::abs(before / after - 1) > 0.15 || others > 0.1;
        std::printf("%-8s OpenCL %.4g, plain C++ %.4g before, %.4g after%s\n", what, opencl.value, before, after,
                    disturbed ? ": disturbed" : "");
        if (disturbed) return;
        if (std::abs(opencl.value / plain - 1) <= 0.2) {
            agreed = true;
        } else {
            ++disagreed;
        }
    }
};

}  // namespace

int main(int, char** argv) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("opencl-check-" + std::to_string(Clock::now().time_since_epoch().count()));
    gpuproj::launch::Command command;
    command.words = {argv[1], "--list", "--output", file.string()};
    if (gpuproj::launch::run(command).status != 0) return 1;
    const auto devices = gpuproj::read_bench_devices(file);
    std::size_t cpu = 0;
    while (cpu < devices.size() && !devices[cpu].cpu) ++cpu;
    if (cpu == devices.size()) {
        std::puts("no OpenCL device that is a CPU: skipped");
        return skipped;
    }
    constexpr int tries = 6;
    // As large as the benchmark's arrays, so that a large last cache holds as much of either.
    const auto bytes = static_cast<std::size_t>(std::max(256e6, devices[cpu].last_cache_byte.value_or(0)));
    const int threads = devices[cpu].units;
    Judgement arithmetic{"fp32"};
    Judgement memory{"memory"};
    for (int attempt = 0; attempt < tries && !(arithmetic.agreed && memory.agreed); ++attempt) {
        const auto begin = Clock::now();
        const Work work_before = Work::now();
        const double rate_before = multiply_add_rate(threads);
        const double bandwidth_before = memory_rate(threads, bytes);
        command.words = {argv[1], "--device", std::to_string(cpu), "--quick", "--quiet", "--output", file.string()};
        if (gpuproj::launch::run(command).status != 0) return 1;
        const auto results = gpuproj::read_bench_results(file);
        const double rate_after = multiply_add_rate(threads);
        const double bandwidth_after = memory_rate(threads, bytes);
        const double others = Work::now().of_others_since(work_before) / seconds_since(begin);
        for (const auto& value : results.values) {
            if (value.parameter == "fp32_op_per_s") arithmetic.judge(rate_before, value, rate_after, others);
            if (value.parameter == "dram_bandwidth_byte_per_s")
                memory.judge(bandwidth_before, value, bandwidth_after, others);
        }
    }
    std::filesystem::remove(file);
    if (arithmetic.agreed && memory.agreed) return 0;
    // Wrong benchmarks are wrong whenever the machine is quiet.
    if ((!arithmetic.agreed && arithmetic.disagreed >= 3) || (!memory.agreed && memory.disagreed >= 3)) return 1;
    std::puts("the machine was too busy to judge: skipped");
    return skipped;
}
