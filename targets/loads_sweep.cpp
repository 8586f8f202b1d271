#include "targets/loads_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/occupancy.hpp"
#include "targets/parameters.hpp"

namespace gpuproj {
namespace {

constexpr int most_loads = 64;
constexpr int unrolled = 4;
constexpr double word = 4;             // bytes
constexpr double untested_rule = 0.2;  // against no measurement yet

}  // namespace

std::vector<LoadsBandwidth> loads_sweep(const LoadsSweepInput& input) {
    std::vector<LoadsBandwidth> sweep;
    for (int loads = 1; loads <= most_loads; loads *= 2) {
        const double supply = input.threads * std::min(loads, unrolled) * word / input.latency.value;
        const double shared_with_writes = input.bandwidth.value * loads / (loads + 1);
        sweep.push_back({loads, BytesPerSecond{to_five_digits(std::min(supply, shared_with_writes))}});
    }
    return sweep;
}

void put_loads_sweep(Gpu& gpu) {
    if (gpu.bandwidth_by_loads && gpu.bandwidth_by_loads->quality == Quality::measured) return;
    if (!gpu.max_warps_per_sm || !gpu.sm_count || !gpu.core_clock || !gpu.dram_latency || !gpu.dram_bandwidth) return;
    const LoadsSweepInput input{
        .threads = static_cast<double>(gpu.max_warps_per_sm->value) * threads_per_wave(gpu) * gpu.sm_count->value,
        .latency = gpu.dram_latency->value / gpu.core_clock->value,
        .bandwidth = gpu.dram_bandwidth->value,
    };
    const double uncertainty = std::hypot(untested_rule, gpu.dram_latency->uncertainty.value_or(untested_rule),
                                          gpu.dram_bandwidth->uncertainty.value_or(0));
    gpu.bandwidth_by_loads = {
        loads_sweep(input), Quality::unverified,
        fmt::format("Little's law: {:g} threads with up to {} loads in flight for {:.0f} ns each, "
                    "reads and one write within dram_bandwidth_byte_per_s; not measured",
                    input.threads, unrolled, 1e9 * input.latency.value),
        std::round(uncertainty * 1000) / 1000};
}

}  // namespace gpuproj
