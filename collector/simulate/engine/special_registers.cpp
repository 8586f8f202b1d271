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
    Row{"%cluster_ctaid.x", cluster_ctaid_x},
    Row{"%cluster_nctaid.x", cluster_nctaid_x},
    Row{"%clusterid.x", clusterid_x},
    Row{"%nclusterid.x", nclusterid_x},
    Row{"%cluster_ctaid.y", cluster_ctaid_y},
    Row{"%cluster_nctaid.y", cluster_nctaid_y},
    Row{"%clusterid.y", clusterid_y},
    Row{"%nclusterid.y", nclusterid_y},
    Row{"%cluster_ctaid.z", cluster_ctaid_z},
    Row{"%cluster_nctaid.z", cluster_nctaid_z},
    Row{"%clusterid.z", clusterid_z},
    Row{"%nclusterid.z", nclusterid_z},
    Row{"%cluster_ctarank", cluster_ctarank},
    Row{"%cluster_nctarank", cluster_nctarank},
    Row{"%is_explicit_cluster", is_explicit_cluster},
    Row{"%reserved_smem_offset_begin", reserved_smem_begin},
    Row{"%reserved_smem_offset_end", reserved_smem_end},
    Row{"%reserved_smem_offset_cap", reserved_smem_cap},
    Row{"%reserved_smem_offset_0", reserved_smem_begin},
    Row{"%reserved_smem_offset_1", reserved_smem_begin},
    Row{"%pm0", zero},  // no performance monitor is set up
    Row{"%pm1", zero},
    Row{"%pm2", zero},
    Row{"%pm3", zero},
    Row{"%pm4", zero},
    Row{"%pm5", zero},
    Row{"%pm6", zero},
    Row{"%pm7", zero},
    Row{"%pm0_64", zero},
    Row{"%pm1_64", zero},
    Row{"%pm2_64", zero},
    Row{"%pm3_64", zero},
    Row{"%pm4_64", zero},
    Row{"%pm5_64", zero},
    Row{"%pm6_64", zero},
    Row{"%pm7_64", zero},
    Row{"%current_graph_exec", zero},  // kernels launch no graphs, and those of graphs are like others
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

/// Cycles of the SM. Between two readings of a loop that waits, as a warp alone on its SM runs it, some 40 pass: each
/// instruction takes 4 to 20 from the one before, by generation. Other warps fill them with theirs.
std::uint64_t read_clock(SmContext& sm) {
    constexpr std::uint64_t of_lone_warp = 32;
    sm.waited += of_lone_warp / std::max(sm.alive_warps, 1U);
    return sm.clock + sm.waited;
}

/// Nanoseconds since 1970, as GPUs count them; they never go back, whatever is done to the host's clock meanwhile.
std::uint64_t unix_nanoseconds() {
    using std::chrono::nanoseconds, std::chrono::steady_clock, std::chrono::system_clock;
    static const nanoseconds ahead = system_clock::now().time_since_epoch() - steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>((ahead + steady_clock::now().time_since_epoch()) / nanoseconds(1));
}

}  // namespace

std::uint64_t uniform_special(const Warp& warp, SpecialRegister reg) {
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
            return read_clock(*warp.sm) & 0xFFFFFFFFU;
        case clock_hi:
            return read_clock(*warp.sm) >> 32;
        case clock64:
            return read_clock(*warp.sm);
        case dynamic_smem_size:
            return launch.dynamic_shared_bytes;
        case total_smem_size:
            return launch.shared_bytes;
        // Cooperative groups find the grid's workspace through these two.
        case envreg1:
            return launch.grid_workspace >> 32;
        case envreg2:
            return launch.grid_workspace & 0xFFFFFFFFU;
        case cluster_ctaid_x:
        case cluster_ctaid_y:
        case cluster_ctaid_z: {
            const auto d = static_cast<std::size_t>(reg) - static_cast<std::size_t>(cluster_ctaid_x);
            return block.id[d] % launch.cluster[d];
        }
        case cluster_nctaid_x:
        case cluster_nctaid_y:
        case cluster_nctaid_z:
            return launch.cluster[static_cast<std::size_t>(reg) - static_cast<std::size_t>(cluster_nctaid_x)];
        case clusterid_x:
        case clusterid_y:
        case clusterid_z: {
            const auto d = static_cast<std::size_t>(reg) - static_cast<std::size_t>(clusterid_x);
            return block.id[d] / launch.cluster[d];
        }
        case nclusterid_x:
        case nclusterid_y:
        case nclusterid_z: {
            const auto d = static_cast<std::size_t>(reg) - static_cast<std::size_t>(nclusterid_x);
            return launch.grid[d] / launch.cluster[d];
        }
        case cluster_ctarank:
            return block.rank;
        case cluster_nctarank:
            return launch.cluster_blocks;
        case is_explicit_cluster:
            return launch.explicit_cluster ? 1 : 0;
        case reserved_smem_begin:
            return launch.reserved_offset;
        case reserved_smem_end:
        case reserved_smem_cap:
            return launch.reserved_offset + reserved_shared_bytes;
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
        const std::uint64_t now = unix_nanoseconds();
        return reg == globaltimer_hi ? now >> 32 : reg == globaltimer_lo ? now & 0xFFFFFFFFU : now;
    }
    return 0;
}

std::optional<SpecialRegister> find_special(std::string_view name) {
    for (const Row& row : table) {
        if (row.name == name) return row.reg;
    }
    return std::nullopt;
}

bool is_free(SpecialRegister reg) {
    return (reg >= ntid_x && reg <= ntid_z) || (reg >= nctaid_x && reg <= nctaid_z) || reg == zero || reg == one ||
           reg == local_base || reg == param_base || (reg >= cluster_nctaid_x && reg <= cluster_nctarank) ||
           (reg >= nclusterid_x && reg <= reserved_smem_cap);
}

bool is_of_sm(SpecialRegister reg) {
    return reg == smid || (reg >= clock && reg <= clock64);
}

bool is_uniform(SpecialRegister reg) {
    return reg > tid_z && reg != laneid && (reg < lanemask_eq || reg > lanemask_gt);
}

void read_special(const Warp& warp, SpecialRegister reg, std::uint64_t* values) {
    if (is_uniform(reg)) {
        std::fill_n(values, lanes, uniform_special(warp, reg));
    } else if (reg <= tid_z) {
        std::ranges::copy((*warp.tid)[static_cast<std::size_t>(reg)], values);
    } else if (reg == laneid) {
        for (unsigned lane = 0; lane < lanes; ++lane) values[lane] = lane;
    } else {
        for (unsigned lane = 0; lane < lanes; ++lane) values[lane] = lane_mask(reg, lane);
    }
}

}  // namespace gpuproj::simulate
