#include "model/misprediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "model/occupancy.hpp"
#include "model/warnings.hpp"

namespace gpuproj {

namespace {

constexpr double few_warps = 0.25;      // of the most, resident or achieved
constexpr double few_lanes = 0.7;       // of a warp, at work on the mean
constexpr double many_conflicts = 0.2;  // of the passes through the banks
constexpr double many_sectors = 8;      // per access of a warp: twice those of a coalesced one
constexpr double many_atomics = 0.02;   // of the accesses of warps: one in each of a block may do
constexpr double few_channels = 0.5;    // at work at any one time, of those of DRAM
constexpr double low_utilization = 0.7;
constexpr Seconds short_launch{50e-6};  // starting and ending take several microseconds

/// Share of the most warps that a multiprocessor of `gpu` has of this kernel; absent if unknown.
std::optional<double> warps_there(const KernelRecord& kernel, const Gpu& gpu) {
    if (kernel.metrics.achieved_occupancy) return *kernel.metrics.achieved_occupancy;
    const auto blocks = kernel.blocks(), threads = kernel.threads_per_block();
    if (!blocks || !threads || *threads == 0 || !gpu.sm_count) return std::nullopt;
    const double shared = kernel.static_shared.value_or({}).value + kernel.dynamic_shared.value_or({}).value;
    const auto possible = occupancy(gpu, static_cast<std::uint32_t>(*threads), kernel.registers_per_thread.value_or(0),
                                    static_cast<std::uint64_t>(shared));
    if (!possible || possible->blocks_per_sm == 0) return std::nullopt;
    const double per_sm = static_cast<double>(*blocks) / gpu.sm_count->value;
    return possible->fraction * std::min(1.0, per_sm / possible->blocks_per_sm);
}

template <class Q>
std::optional<double> share(const Maybe<Q>& part, const Maybe<Q>& whole) {
    if (!part || !whole || whole->value <= 0) return std::nullopt;
    return ratio(*part, *whole);
}

std::vector<std::string> why_too_fast(const KernelRecord& kernel, const Gpu& gpu, Seconds launch) {
    const KernelMetrics& m = kernel.metrics;
    std::vector<std::string> reasons;
    const auto percent = [](double fraction) { return 100 * fraction; };
    if (const auto warps = warps_there(kernel, gpu); warps && *warps < few_warps) {
        reasons.push_back(fmt::format("latency bound, {:.0f} % of the warps", percent(*warps)));
    }
    if (launch < short_launch) reasons.push_back(fmt::format("short launch, {:.0f} us", 1e6 * launch.value));
    if (const auto top = top_utilization(m); top && *top < low_utilization) {
        reasons.push_back(fmt::format("latency bound, no unit above {:.0f} % of its peak", percent(*top)));
    }
    if (m.thread_inst && m.warp_inst) {
        const double lanes = ratio(*m.thread_inst, *m.warp_inst) / threads_per_warp;
        if (lanes < few_lanes) reasons.push_back(fmt::format("divergence, {:.0f} % of the lanes", percent(lanes)));
    }
    if (const auto conflicts = share(m.shared_bank_conflict, m.shared_wavefront);
        conflicts && *conflicts > many_conflicts) {
        reasons.push_back(fmt::format("bank conflicts, {:.0f} % of the passes", percent(*conflicts)));
    }
    const double sectors = m.global_load.value_or({}).value + m.global_store.value_or({}).value;
    const double requests = m.warp_inst_global_load.value_or({}).value + m.warp_inst_global_store.value_or({}).value;
    if (requests > 0 && sectors / requests > many_sectors) {
        reasons.push_back(fmt::format("scattered accesses, {:.0f} sectors each", sectors / requests));
    }
    // How often they meet, no counter of the hardware says.
    const double atomics = m.thread_atomic_hottest ? 0 : m.warp_inst_atomic.value_or({}).value;
    if (atomics > 0 && atomics > many_atomics * (requests + atomics)) {
        reasons.push_back(fmt::format("atomic operations, {:.0f} % of the accesses, may wait for each other",
                                      percent(atomics / (requests + atomics))));
    }
    if (m.dram_channel_balance && *m.dram_channel_balance < few_channels)
        reasons.push_back(fmt::format("{:.0f} % of the DRAM channels at a time", percent(*m.dram_channel_balance)));
    return reasons;
}

std::string why_too_slow(Limiter limiter) {
    switch (limiter) {
        case Limiter::dram:
        case Limiter::l1:
        case Limiter::l2:
        case Limiter::load_store:
        case Limiter::memory:
            return "caches serve more than the counters say";
        case Limiter::atomic:
            return "atomic operations on one word take less than a clock each";
        case Limiter::latency:
        case Limiter::launch:
            return "latency is hidden better than the model knows";
        default:
            return "the instructions counted are not those that ran, or units overlap more than the model knows";
    }
}

}  // namespace

std::string misprediction(const KernelRecord& kernel, const Gpu& reference, const Prediction& predicted,
                          Seconds measured) {
    const double factor = ratio(measured, predicted.duration);
    if (factor > clear_miss) {
        const auto reasons = why_too_fast(kernel, reference, measured / static_cast<double>(kernel.launches));
        return fmt::format("{:.1f} x too fast: {}", factor,
                           reasons.empty() ? "why, no counter says" : fmt::format("{}", fmt::join(reasons, "; ")));
    }
    if (factor < 1 / clear_miss)
        return fmt::format("{:.1f} x too slow: {}", 1 / factor, why_too_slow(predicted.limiter));
    return {};
}

}  // namespace gpuproj
