#include "collector/import/device_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gpuproj::import {

namespace {

constexpr double operations_per_multiply_add = 2;
/// Below it nothing counts as busy.
constexpr double little = 0.1;

/// A unit: its share of a sample, the GPU's peak of it, how much of that one count of the metric is, and what it is
/// called in a record's name, as limiters are.
template <class Metric, class Rate>
struct Unit {
    std::string_view name;
    std::optional<double> DeviceSample::*share;
    MaybeKnown<Rate> Gpu::*peak;
    double per_count;
    Maybe<Metric> KernelMetrics::*metric;
};

constexpr auto pipes = std::to_array<Unit<Instructions, OperationsPerSecond>>({
    {"fp64", &DeviceSample::fp64, &Gpu::fp64_peak, operations_per_multiply_add, &KernelMetrics::thread_inst_fp64},
    {"fp32", &DeviceSample::fp32, &Gpu::fp32_peak, operations_per_multiply_add, &KernelMetrics::thread_inst_fp32},
    {"fp16", &DeviceSample::fp16, &Gpu::fp16_peak, operations_per_multiply_add, &KernelMetrics::thread_inst_fp16},
    {"int", &DeviceSample::integer, &Gpu::int_add, 1, &KernelMetrics::thread_inst_integer},
});
constexpr auto tensor_types = std::to_array<Unit<Operations, OperationsPerSecond>>({
    {"tensor", &DeviceSample::tensor_half, &Gpu::tensor_fp16, 1, &KernelMetrics::tensor_fp16},
    {"tensor", &DeviceSample::tensor_int8, &Gpu::tensor_int8, 1, &KernelMetrics::tensor_int8},
    {"tensor", &DeviceSample::tensor_fp64, &Gpu::tensor_fp64, 1, &KernelMetrics::tensor_fp64},
});
/// Where the types were not sampled.
constexpr Unit<Operations, OperationsPerSecond> any_tensor{"tensor", &DeviceSample::tensor, &Gpu::tensor_fp16, 1,
                                                           &KernelMetrics::tensor_fp16};
constexpr Unit<Sectors, BytesPerSecond> dram{"dram", &DeviceSample::dram, &Gpu::dram_bandwidth_peak,
                                             bytes_per_sector.value, &KernelMetrics::dram_read};

/// One sample on its way to a record.
class Conversion {
public:
    Conversion(const DeviceSample& sample, Seconds interval, const Gpu& gpu, Findings& findings)
        : sample_(sample), interval_(interval), gpu_(gpu), findings_(findings) {
        if (sample.core_clock && gpu.boost_clock) clock_ = ratio(*sample.core_clock, gpu.boost_clock->value);
    }

    KernelRecord record();

private:
    /// Fills the unit's counter, and remembers the busiest.
    template <class Metric, class Rate>
    void count(const Unit<Metric, Rate>& unit, double at_clock, std::optional<double>& busiest) {
        const auto& share = sample_.*unit.share;
        if (!share) return;
        if (busiest < share) busiest = share;
        if (*share > busiest_share_) {
            busiest_share_ = *share;
            busiest_unit_ = unit.name;
        }
        const auto& peak = gpu_.*unit.peak;
        if (!peak && *share > 0)
            findings_.warn(
                {}, fmt::format("{} has no known peak rate for {}, whose share is left out", gpu_.name, unit.name));
        if (peak)
            record_.metrics.*unit.metric =
                Metric{*share * peak->value.value * at_clock * interval_.value / unit.per_count};
    }

    const DeviceSample& sample_;
    Seconds interval_;
    const Gpu& gpu_;
    Findings& findings_;
    double clock_ = 1;  // over that of the peak rates
    double busiest_share_ = 0;
    std::string_view busiest_unit_;
    KernelRecord record_;
};

KernelRecord Conversion::record() {
    const double active = sample_.active.value_or(1);
    std::optional<double> compute, memory;
    for (const auto& pipe : pipes) count(pipe, clock_, compute);
    const bool typed =
        std::ranges::any_of(tensor_types, [&](const auto& unit) { return (sample_.*unit.share).has_value(); });
    for (const auto& unit : tensor_types) count(unit, clock_, compute);
    if (!typed) count(any_tensor, clock_, compute);
    count(dram, 1, memory);

    const auto of_active = [&](std::optional<double> share, double of) -> Maybe<double> {
        if (!share || of <= 0) return std::nullopt;
        return std::min(*share / of, 1.0);
    };
    record_.metrics.compute_utilization = of_active(compute, active);
    record_.metrics.dram_utilization = of_active(memory, active);
    record_.metrics.achieved_occupancy = of_active(sample_.occupancy, sample_.sm_active.value_or(active));
    record_.device = sample_.device;
    record_.duration = Duration{1, active * interval_, active * interval_, active * interval_};
    const bool busy = busiest_share_ >= little * active;
    record_.kernel =
        fmt::format("gpu{}_{}", sample_.device, busy ? fmt::format("{}_busiest", busiest_unit_) : "little_busy");
    return std::move(record_);
}

}  // namespace

std::vector<KernelRecord> records_of(std::span<const DeviceSample> samples, Seconds interval, const Gpu& gpu,
                                     Findings& findings) {
    std::vector<KernelRecord> records;
    for (const auto& sample : samples)
        if (sample.active.value_or(1) > 0) records.push_back(Conversion(sample, interval, gpu, findings).record());
    return records;
}

}  // namespace gpuproj::import
