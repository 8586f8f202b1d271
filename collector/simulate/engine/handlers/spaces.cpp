// Addresses of shared memory in a cluster, and which space a generic address is in (PTX ISA 9.7.9).
#include "collector/simulate/engine/handlers/lanes.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// mapa d, a, b: the address that a has in block b of the cluster, generic if mode is 1.
template <class T>
void map_rank(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const auto* b = source<std::uint32_t>(warp, inst.b);
    const std::uint32_t own = warp.block->rank;
    each_lane(destination<T>(warp, inst.d), warp.exec, [&](int lane) {
        const T rank = b[lane] == own ? 0 : static_cast<T>(b[lane] + 1);
        const T offset = static_cast<T>(a[lane] & shared_offset_mask);
        return static_cast<T>(rank << rank_shift | offset | (inst.mode == 1 ? static_cast<T>(shared_window) : 0));
    });
}
/// getctarank d, a: which block of the cluster a shared-memory address belongs to.
template <class T>
void rank_of(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const std::uint32_t own = warp.block->rank;
    each_lane(destination<std::uint32_t>(warp, inst.d), warp.exec, [&](int lane) {
        const auto rank = static_cast<std::uint32_t>(a[lane] >> rank_shift & 0xFFU);
        return rank == 0 ? own : rank - 1;
    });
}

/// isspacep.space d, a. mode: 0 global, 1 shared of the cluster, 2 local, 3 const or param, 4 shared of the block.
void is_space(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint64_t>(warp, inst.a);
    std::uint32_t bits = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        const std::uint64_t window = a[lane] & window_mask;
        const bool holds = inst.mode == 0   ? window == 0
                           : inst.mode == 1 ? window == shared_window
                           : inst.mode == 4 ? window == shared_window && (a[lane] >> rank_shift & 0xFFU) == 0
                           : inst.mode == 2 ? window == local_window
                                            : false;
        bits |= static_cast<std::uint32_t>(holds) << lane;
    }
    commit_predicate(warp, inst.d, bits);
}

}  // namespace

Handler select_spaces(const Spec& spec) {
    switch (spec.op) {
        case Op::map_rank:
            return size_of(spec.type) == 8 ? map_rank<std::uint64_t> : map_rank<std::uint32_t>;
        case Op::rank_of:
            return size_of(spec.type) == 8 ? rank_of<std::uint64_t> : rank_of<std::uint32_t>;
        case Op::is_space:
            return is_space;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
