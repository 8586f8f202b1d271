#include "model/warnings.hpp"

#include <algorithm>
#include <array>

namespace gpuproj {

namespace {

constexpr Seconds shortest_launch{0.5e-3};
constexpr std::uint64_t smallest_block = 64;
constexpr std::uint64_t fewest_blocks_per_sm = 6;
constexpr std::uint64_t fewest_threads_per_compute_unit = 256;  // AMD
constexpr double least_type_share = 0.05;
constexpr double fewest_per_integer = 0.01;
constexpr double least_utilization = 0.7;

bool fills(const KernelRecord& kernel, const Gpu& gpu) {
    const auto blocks = kernel.blocks();
    if (!blocks || !gpu.sm_count) return true;
    const auto units = static_cast<std::uint64_t>(gpu.sm_count->value);
    const auto threads = kernel.threads_per_block();
    if (gpu.vendor == "AMD" && threads) return *blocks * *threads >= fewest_threads_per_compute_unit * units;
    return *blocks >= fewest_blocks_per_sm * units;
}

}  // namespace

std::optional<Seconds> measured_duration(const KernelRecord& kernel) {
    if (!kernel.duration || kernel.duration->count == 0) return std::nullopt;
    return static_cast<double>(kernel.launches) * kernel.duration->mean();
}

std::optional<double> top_utilization(const KernelMetrics& m) {
    std::optional<double> top;
    for (const auto& unit : {m.compute_utilization, m.load_store_utilization, m.shared_utilization, m.l1_utilization,
                             m.l2_utilization, m.dram_utilization}) {
        if (unit) top = std::max(top.value_or(0), *unit);
    }
    return top;
}

bool is_of_its_type(const KernelParameters& parameters, const KernelMetrics& metrics) {
    if (parameters.type_share < least_type_share) return false;
    if (parameters.k_type == KType::integer || !metrics.thread_inst_integer) return true;
    return (parameters.d_ops * parameters.i_total).value >= fewest_per_integer * metrics.thread_inst_integer->value;
}

void add_warnings(Prediction& prediction, const KernelRecord& kernel, const Gpu& gpu) {
    const auto warn = [&](bool holds, Warning warning) {
        if (!holds) prediction.warnings.push_back(warning);
    };
    if (prediction.kernel) {
        warn(is_of_its_type(*prediction.kernel, kernel.metrics), Warning::rare_type);
        warn(prediction.kernel->w_comp.value > 0, Warning::no_operations);
    }
    warn(prediction.duration / static_cast<double>(kernel.launches) >= shortest_launch, Warning::short_launch);
    warn(kernel.threads_per_block().value_or(smallest_block) >= smallest_block, Warning::small_block);
    warn(fills(kernel, gpu), Warning::few_blocks);
    warn(top_utilization(kernel.metrics).value_or(1) >= least_utilization, Warning::low_utilization);
}

std::string_view explanation(Warning warning) {
    switch (warning) {
        case Warning::rare_type:
            return "little of the work is of this type: under 5 % of the floating-point operations, or one "
                   "instruction for a hundred integer ones; choose another with --k-type";
        case Warning::no_operations:
            return "the kernel has no operations of any type: its time is that of its memory traffic or of its other "
                   "instructions";
        case Warning::short_launch:
            return "a launch under 0.5 ms: start and end weigh more than the model knows";
        case Warning::small_block:
            return "a block under 64 threads: the kernel is likely bound by latency";
        case Warning::few_blocks:
            return "too few blocks to fill the GPU: the prediction is a lower bound on time";
        case Warning::low_utilization:
            return "no unit was above 70 % of its peak on the reference GPU: the prediction is a lower bound on time";
        case Warning::outside_fit:
            return "calibrated was fitted on Kepler and Maxwell GPUs, and on no kernel bound by fp64, fp16, tensor or "
                   "special-function units: outside that its interval is wider, by judgement";
        case Warning::larger_l2:
            return "L2 there could hold all that a launch moved to and from DRAM on the reference GPU: where launches "
                   "find their data in it, the time is at the lower end of the interval or below";
    }
    return {};
}

}  // namespace gpuproj
