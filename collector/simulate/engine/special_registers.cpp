#include "collector/simulate/engine/special_registers.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

namespace {

using enum SpecialRegister;
struct Row {
    std::string_view name;
    SpecialRegister reg;
};
// A grid is one cluster of one block wherever clusters are asked about.
constexpr std::array table{
    Row{"%tid.x", tid_x},
    Row{"%tid.y", tid_y},
    Row{"%tid.z", tid_z},
    Row{"%ntid.x", ntid_x},
    Row{"%ntid.y", ntid_y},
    Row{"%ntid.z", ntid_z},
    Row{"%ctaid.x", ctaid_x},
    Row{"%ctaid.y", ctaid_y},
    Row{"%ctaid.z", ctaid_z},
    Row{"%nctaid.x", nctaid_x},
    Row{"%nctaid.y", nctaid_y},
    Row{"%nctaid.z", nctaid_z},
    Row{"%laneid", laneid},
    Row{"%warpid", warpid},
    Row{"%nwarpid", nwarpid},
    Row{"%smid", smid},
    Row{"%nsmid", nsmid},
    Row{"%gridid", gridid},
    Row{"%lanemask_eq", lanemask_eq},
    Row{"%lanemask_le", lanemask_le},
    Row{"%lanemask_lt", lanemask_lt},
    Row{"%lanemask_ge", lanemask_ge},
    Row{"%lanemask_gt", lanemask_gt},
    Row{"%clock", clock},
    Row{"%clock_hi", clock_hi},
    Row{"%clock64", clock64},
    Row{"%globaltimer", globaltimer},
    Row{"%globaltimer_lo", globaltimer_lo},
    Row{"%globaltimer_hi", globaltimer_hi},
    Row{"%dynamic_smem_size", dynamic_smem_size},
    Row{"%total_smem_size", total_smem_size},
    Row{"%envreg1", envreg1},
    Row{"%envreg2", envreg2},
    Row{"%envreg0", zero},
    Row{"%envreg3", zero},
    Row{"%cluster_ctaid.x", zero},
    Row{"%cluster_ctaid.y", zero},
    Row{"%cluster_ctaid.z", zero},
    Row{"%cluster_ctarank", zero},
    Row{"%cluster_nctaid.x", one},
    Row{"%cluster_nctaid.y", one},
    Row{"%cluster_nctaid.z", one},
    Row{"%cluster_nctarank", one},
    Row{"%clusterid.x", ctaid_x},
    Row{"%clusterid.y", ctaid_y},
    Row{"%clusterid.z", ctaid_z},
    Row{"%nclusterid.x", nctaid_x},
    Row{"%nclusterid.y", nctaid_y},
    Row{"%nclusterid.z", nctaid_z},
    Row{"%is_explicit_cluster", zero},
    Row{"%reserved_smem_offset_begin", zero},
};

std::uint64_t lane_mask(SpecialRegister reg, unsigned lane) {
    const std::uint32_t eq = 1U << lane;
    switch (reg) {
        case lanemask_eq:
            return eq;
        case lanemask_lt:
            return eq - 1;
        case lanemask_le:
            return eq | (eq - 1);
        case lanemask_ge:
            return ~(eq - 1);
        default:
            return ~(eq | (eq - 1));
    }
}

std::uint64_t uniform(const Warp& warp, SpecialRegister reg) {
    const LaunchContext& launch = *warp.sm->launch;
    const BlockContext& block = *warp.block;
    switch (reg) {
        case ntid_x:
            return launch.block[0];
        case ntid_y:
            return launch.block[1];
        case ntid_z:
            return launch.block[2];
        case ctaid_x:
            return block.id[0];
        case ctaid_y:
            return block.id[1];
        case ctaid_z:
            return block.id[2];
        case nctaid_x:
            return launch.grid[0];
        case nctaid_y:
            return launch.grid[1];
        case nctaid_z:
            return launch.grid[2];
        case warpid:
            return warp.index;
        case nwarpid:
            return 64;
        case smid:
            return static_cast<std::uint64_t>(warp.sm->index);
        case nsmid:
            return static_cast<std::uint64_t>(launch.sm_count);
        case gridid:
            warp.sm->repeatable = false;
            return launch.grid_id;
        case clock:
            return warp.sm->clock & 0xFFFFFFFFU;
        case clock_hi:
            return warp.sm->clock >> 32;
        case clock64:
            return warp.sm->clock;
        case dynamic_smem_size:
            return launch.dynamic_shared_bytes;
        case total_smem_size:
            return launch.shared_bytes;
        // Cooperative groups find the grid's workspace through these two.
        case envreg1:
            return launch.grid_workspace >> 32;
        case envreg2:
            return launch.grid_workspace & 0xFFFFFFFFU;
        case local_base:
            return warp.frames.back().local_base;
        case param_base:
            return reinterpret_cast<std::uint64_t>(launch.parameters);
        case one:
            return 1;
        default:
            break;
    }
    if (reg == globaltimer || reg == globaltimer_lo || reg == globaltimer_hi) {
        warp.sm->repeatable = false;
        const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                                    std::chrono::nanoseconds(1));
        return reg == globaltimer_hi ? now >> 32 : reg == globaltimer_lo ? now & 0xFFFFFFFFU : now;
    }
    return 0;
}

}  // namespace

std::optional<SpecialRegister> find_special(std::string_view name) {
    for (const Row& row : table) {
        if (row.name == name) return row.reg;
    }
    return std::nullopt;
}

bool is_free(SpecialRegister reg) {
    return (reg >= ntid_x && reg <= ntid_z) || (reg >= nctaid_x && reg <= nctaid_z) || reg == zero || reg == one ||
           reg == local_base || reg == param_base;
}

void read_special(const Warp& warp, SpecialRegister reg, std::uint64_t* values) {
    if (reg <= tid_z) {
        std::ranges::copy((*warp.tid)[static_cast<std::size_t>(reg)], values);
    } else if (reg == laneid) {
        for (unsigned lane = 0; lane < lanes; ++lane) values[lane] = lane;
    } else if (reg >= lanemask_eq && reg <= lanemask_gt) {
        for (unsigned lane = 0; lane < lanes; ++lane) values[lane] = lane_mask(reg, lane);
    } else {
        std::fill_n(values, lanes, uniform(warp, reg));
    }
}

}  // namespace gpuproj::simulate
