#include "model/warp_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/occupancy.hpp"
#include "model/registers.hpp"

namespace gpuproj {

namespace {

constexpr double full_access_byte = 4 * threads_per_warp;  // 4 bytes per lane: "typically 4B", Hong & Kim, table 1
constexpr double counting_slack = 1.05;

template <class Counter>
double or_0(const Counter& counter) {
    return counter ? counter->value : 0;
}

Inapplicable lacks(std::string_view counter) {
    return {fmt::format("the profile lacks the counter {}", counter)};
}

/// Warp instructions that access global or local memory, of all launches.
std::variant<double, Inapplicable> memory_instructions(const KernelMetrics& m) {
    if (m.warp_inst_global_load && m.warp_inst_global_store) {
        return m.warp_inst_global_load->value + m.warp_inst_global_store->value + or_0(m.warp_inst_atomic) +
               or_0(m.warp_inst_local);
    }
    const bool shared_counted = (m.warp_inst_shared_load && m.warp_inst_shared_store) || m.shared_wavefront;
    if (!m.thread_inst_load_store || !shared_counted) return lacks("warp_inst_global_load");
    // Of a warp's lanes, as many take part in loads and stores as in other instructions.
    const double lanes = m.thread_inst ? std::clamp(m.thread_inst->value / (threads_per_warp * m.warp_inst->value),
                                                    1.0 / threads_per_warp, 1.0)
                                       : 1;
    const double all = m.thread_inst_load_store->value / threads_per_warp / lanes;
    const double shared = m.warp_inst_shared_load && m.warp_inst_shared_store
                              ? m.warp_inst_shared_load->value + m.warp_inst_shared_store->value
                              : m.shared_wavefront->value;
    return std::max(all - shared, 0.0);
}

/// 32-byte sectors that the memory instructions need, of all launches.
std::optional<double> sectors(const KernelMetrics& m) {
    if (m.global_load && m.global_store) return m.global_load->value + m.global_store->value;
    if (m.l2_read && m.l2_write) return m.l2_read->value + m.l2_write->value;
    return std::nullopt;
}

}  // namespace

std::variant<WarpProgram, Inapplicable> warp_program(const KernelRecord& kernel) {
    const KernelMetrics& m = kernel.metrics;
    const auto blocks = kernel.blocks(), threads = kernel.threads_per_block();
    if (!blocks || !threads) return Inapplicable{"the launch configuration (grid, block) is not known"};
    if (*blocks == 0 || *threads == 0) return Inapplicable{"the profile says that the grid or a block is empty"};
    if (!m.warp_inst) return lacks("warp_inst");
    if (m.warp_inst->value == 0) return Inapplicable{"the profile says that no instruction was executed (warp_inst)"};
    const auto memory = memory_instructions(m);
    if (const auto* no = std::get_if<Inapplicable>(&memory)) return *no;

    WarpProgram warp;
    warp.blocks = static_cast<double>(*blocks);
    warp.threads_per_block = static_cast<double>(*threads);
    warp.warps_per_block = std::ceil(warp.threads_per_block / threads_per_warp);
    const double warps = warp.blocks * warp.warps_per_block * static_cast<double>(kernel.launches);
    warp.instructions = m.warp_inst->value / warps;
    warp.barriers = or_0(m.warp_inst_barrier) / warps;
    const double accesses = std::min(std::get<double>(memory), m.warp_inst->value);
    if (accesses == 0) return warp;

    const bool requested_counted = m.global_load_requested && m.global_store_requested;
    const double requested = or_0(m.global_load_requested) + or_0(m.global_store_requested);
    if (requested_counted && requested > 0) warp.bytes_per_access = requested / accesses;
    if (m.warp_inst_coalesced && m.warp_inst_uncoalesced && m.uncoalesced) {
        const double all = m.warp_inst_coalesced->value + m.warp_inst_uncoalesced->value;
        const double share = all > 0 ? m.warp_inst_uncoalesced->value / all : 0;
        warp.uncoalesced = share * accesses / warps;
        warp.coalesced = (1 - share) * accesses / warps;
        if (m.warp_inst_uncoalesced->value > 0) {
            warp.transactions_per_uncoalesced = std::max(m.uncoalesced->value / m.warp_inst_uncoalesced->value, 1.0);
        }
        return warp;
    }
    const auto counted = sectors(m);
    if (!counted) return lacks("global_load_sector");
    const double per_access = std::clamp(*counted / accesses, 1.0, double{threads_per_warp});
    if (!requested_counted) warp.bytes_per_access = std::min(full_access_byte, per_access * bytes_per_sector.value);
    const double least = std::ceil(warp.bytes_per_access / bytes_per_sector.value);
    if (per_access <= counting_slack * least) {
        warp.coalesced = accesses / warps;
    } else {
        warp.uncoalesced = accesses / warps;
        warp.transactions_per_uncoalesced = per_access;
    }
    return warp;
}

std::variant<Residency, Inapplicable> residency(const ModelInput& input, const WarpProgram& warp) {
    const KernelRecord& kernel = input.kernel;
    const Gpu& gpu = input.target;
    if (!gpu.sm_count) return Inapplicable{fmt::format("{} has no sm_count", gpu.name)};
    const double shared = or_0(kernel.dynamic_shared) + or_0(kernel.static_shared);
    const auto most = occupancy(gpu, static_cast<std::uint32_t>(warp.threads_per_block),
                                registers_on(kernel, input.reference, gpu), static_cast<std::uint64_t>(shared));
    if (!most) return Inapplicable{fmt::format("no occupancy rules are known for {}", gpu.name)};
    if (most->blocks_per_sm == 0) {
        return Inapplicable{fmt::format("a block does not fit on {} (limited by {})", gpu.name, most->limited_by)};
    }
    Residency r;
    r.active_sms = std::min(static_cast<double>(gpu.sm_count->value), warp.blocks);
    r.active_blocks = std::min(static_cast<double>(most->blocks_per_sm), std::ceil(warp.blocks / r.active_sms));
    r.active_warps = r.active_blocks * warp.warps_per_block;
    r.rounds = warp.blocks / (r.active_blocks * r.active_sms);
    return r;
}

}  // namespace gpuproj
