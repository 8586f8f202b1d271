// From an instruction's address operand to one address per lane.
#pragma once

#include <bit>
#include <cstdint>

#include "collector/simulate/engine/checks.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// Base register `a` (a_width bytes; absent for absolute addresses) plus `imm`.
inline void lane_addresses(const Warp& warp, const Inst& inst, std::uint64_t* address) {
    const auto imm = static_cast<std::uint64_t>(inst.imm);
    if (!inst.has_base) {
        for (int lane = 0; lane < lanes; ++lane) address[lane] = imm;
    } else if (inst.a_width == 8) {
        const auto* a = source<std::uint64_t>(warp, inst.a);
        for (int lane = 0; lane < lanes; ++lane) address[lane] = a[lane] + imm;
    } else {
        const auto* a = source<std::uint32_t>(warp, inst.a);
        for (int lane = 0; lane < lanes; ++lane) address[lane] = a[lane] + imm;
    }
}
/// Of one lane.
inline std::uint64_t lane_address(const Warp& warp, const Inst& inst, std::uint32_t lane) {
    const auto imm = static_cast<std::uint64_t>(inst.imm);
    if (!inst.has_base) return imm;
    return imm + (inst.a_width == 8 ? source<std::uint64_t>(warp, inst.a)[lane]
                                    : std::uint64_t{source<std::uint32_t>(warp, inst.a)[lane]});
}
/// The same for spaces whose addresses are small; what generic windows add is cut off.
inline void lane_offsets(const Warp& warp, const Inst& inst, std::uint32_t* offset) {
    const auto imm = static_cast<std::uint32_t>(inst.imm);
    if (!inst.has_base) {
        for (int lane = 0; lane < lanes; ++lane) offset[lane] = imm;
    } else if (inst.a_width == 8) {
        const auto* a = source<std::uint64_t>(warp, inst.a);
        for (int lane = 0; lane < lanes; ++lane) offset[lane] = static_cast<std::uint32_t>(a[lane]) + imm;
    } else {
        const auto* a = source<std::uint32_t>(warp, inst.a);
        for (int lane = 0; lane < lanes; ++lane) offset[lane] = a[lane] + imm;
    }
}
/// Whether the lanes of `mask`, which is not 0, have the same address or offset.
template <class A>
inline bool is_one_place(const A* at, std::uint32_t mask) {
    const A first = at[std::countr_zero(mask)];
    if (at[31 - std::countl_zero(mask)] != first) return false;  // as most that differ do
    A differing = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        differing |= (at[lane] ^ first) & (A{0} - static_cast<A>(mask >> lane & 1U));
    return differing == 0;
}

struct GenericSplit {
    std::uint32_t global = 0, shared = 0, local = 0;
    std::uint32_t cluster = 0;  // of these in shared memory, the ones that name a block of the cluster
};
inline GenericSplit split_generic(const std::uint64_t* address, std::uint32_t mask) {
    GenericSplit split;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint64_t window = address[lane] & window_mask;
        split.shared |= static_cast<std::uint32_t>(window == shared_window) << lane;
        split.local |= static_cast<std::uint32_t>(window == local_window) << lane;
    }
    split.shared &= mask;
    split.local &= mask;
    if (split.shared != 0) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            split.cluster |= static_cast<std::uint32_t>((address[lane] >> rank_shift & 0xFFU) != 0) << lane;
        split.cluster &= split.shared;
    }
    split.global = mask & ~split.shared & ~split.local;
    return split;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
