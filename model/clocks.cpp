#include "model/clocks.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "model/error.hpp"

namespace gpuproj {

namespace {

constexpr double mega = 1e6;
constexpr double memory_share_of_latency = 0.15;
constexpr double least_ratio = 0.1, most_ratio = 2;

/// Half the data rate over the clock of the commands.
struct MemoryType {
    std::string_view name;
    double driver_clock;
};
constexpr std::array memory_types{MemoryType{"GDDR5", 2},  MemoryType{"GDDR5X", 4}, MemoryType{"GDDR6", 4},
                                  MemoryType{"GDDR6X", 8}, MemoryType{"GDDR7", 8},  MemoryType{"HBM3", 2},
                                  MemoryType{"HBM3e", 2},  MemoryType{"LPDDR5", 4}};

double driver_clock(const Gpu& gpu) {
    for (const auto& type : memory_types) {
        if (gpu.dram_type && gpu.dram_type->value == type.name) return type.driver_clock;
    }
    return 1;
}

double checked_ratio(const Gpu& gpu, std::string_view which, Hertz clock, Hertz stated) {
    const double ratio_of_clocks = ratio(clock, stated);
    const bool plausible = ratio_of_clocks >= least_ratio && ratio_of_clocks <= most_ratio;  // NaN is not
    if (!plausible) {
        throw Error(
            fmt::format("{}: a {} clock of {:g} MHz is implausible, its file states {:g} MHz; clocks are in MHz",
                        gpu.name, which, clock.value / mega, stated.value / mega));
    }
    return ratio_of_clocks;
}

template <class Q>
void scale(MaybeKnown<Q>& parameter, double factor, const std::string& why) {
    if (!parameter) return;
    parameter->value = factor * parameter->value;
    if (parameter->quality == Quality::measured) parameter->quality = Quality::derived;
    parameter->source += why;
}

void scale_core(Gpu& gpu, Hertz clock) {
    if (!gpu.core_clock) {
        throw Error(fmt::format("{} has no core_clock_hz: it cannot be predicted at another core clock", gpu.name));
    }
    const double factor = checked_ratio(gpu, "core", clock, gpu.core_clock->value);
    const auto why = fmt::format("; at {:g} of {:g} MHz", clock.value / mega, gpu.core_clock->value.value / mega);
    for (const auto rate :
         {&Gpu::fp32, &Gpu::fp64, &Gpu::int_mad, &Gpu::int_add, &Gpu::int_logic, &Gpu::int_shift, &Gpu::int_compare,
          &Gpu::bit_count, &Gpu::fp16, &Gpu::special, &Gpu::tensor_fp16, &Gpu::tensor_bf16, &Gpu::tensor_tf32,
          &Gpu::tensor_fp64, &Gpu::tensor_fp8, &Gpu::tensor_int8}) {
        scale(gpu.*rate, factor, why);
    }
    for (const auto bandwidth : {&Gpu::l2_bandwidth, &Gpu::l1_bandwidth, &Gpu::constant_bandwidth}) {
        scale(gpu.*bandwidth, factor, why);
    }
    for (const auto rate : {&Gpu::shared_rate, &Gpu::shared_64_rate, &Gpu::shared_128_rate})
        scale(gpu.*rate, factor, why);
    const double peak = gpu.boost_clock ? ratio(clock, gpu.boost_clock->value) : factor;
    for (const auto rate : {&Gpu::fp32_peak, &Gpu::fp64_peak, &Gpu::fp16_peak}) scale(gpu.*rate, peak, why);
    scale(gpu.core_clock, factor, why);
    if (gpu.boost_clock && !gpu.own_boost_clock) gpu.own_boost_clock = gpu.boost_clock->value;
    // A clock that is set is the clock that it runs at, whatever it would choose itself.
    for (const auto chosen : {&Gpu::boost_clock, &Gpu::base_clock}) {
        if (gpu.*chosen) scale(gpu.*chosen, ratio(clock, (gpu.*chosen)->value), why);
    }
}

Hertz file_memory_clock(const Gpu& gpu) {
    if (!gpu.memory_clock) {
        throw Error(fmt::format("{} has no memory_clock_hz: it cannot be predicted at another memory clock", gpu.name));
    }
    return gpu.memory_clock->value;
}

}  // namespace

Hertz stated_memory_clock(const Gpu& gpu, Hertz memory) {
    const Hertz stated = file_memory_clock(gpu);
    const Hertz by_driver = driver_clock(gpu) * stated;
    const auto distance = [&](Hertz clock) { return std::abs(std::log(ratio(memory, clock))); };
    return distance(by_driver) < distance(stated) ? by_driver : stated;
}

Hertz memory_clock_times(const Gpu& gpu, double factor) {
    // In the convention that is the nearer one whatever the factor: twice the file's may be what the driver states.
    const double convention = factor < 1 ? 1 : driver_clock(gpu);
    return factor * convention * file_memory_clock(gpu);
}

Gpu at_clocks(Gpu gpu, const Clocks& clocks) {
    const double core_before = gpu.core_clock ? gpu.core_clock->value.value : 0;
    if (clocks.core) scale_core(gpu, *clocks.core);
    double memory = 1;
    if (clocks.memory) {
        const Hertz stated = stated_memory_clock(gpu, *clocks.memory);
        memory = checked_ratio(gpu, "memory", *clocks.memory, stated);
        const auto why = fmt::format("; at {:g} of {:g} MHz", clocks.memory->value / mega, stated.value / mega);
        scale(gpu.dram_bandwidth, memory, why);
        scale(gpu.dram_bandwidth_peak, memory, why);
        scale(gpu.memory_clock, memory, why);
    }
    const double core = clocks.core ? clocks.core->value / core_before : 1;
    if (gpu.dram_latency && (clocks.core || clocks.memory)) {
        scale(gpu.dram_latency, 1 - memory_share_of_latency + memory_share_of_latency * core / memory,
              "; at other clocks");
    }
    return gpu;
}

}  // namespace gpuproj
