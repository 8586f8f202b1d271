// How lanes of a warp that have gone different ways wait for each other.
#pragma once

#include <cstdint>

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Lets the other ways of the warp run as far as they get, wherever they are. Whether the lanes at this instruction are
/// all of the `wanted` ones that come there together; false: others are next, or have come, too, and the instruction is
/// executed again.
bool wait_for_others(Warp& warp, const Inst& inst, std::uint32_t wanted);
/// The same, at little cost where all lanes are here, as they mostly are.
inline bool all_here(Warp& warp, const Inst& inst, std::uint32_t wanted = full_mask) {
    return (warp.alive & wanted & ~warp.active) == 0 || wait_for_others(warp, inst, wanted);
}
/// Whether a path, all of whose lanes are `wanted`, waits for others and can be taken along. Where a guard counts, what
/// it counts of a waiting path was taken back: that comes to its instruction again.
inline bool can_be_taken_along(const StackEntry& path, std::uint32_t wanted) {
    return path.parked && (path.mask & ~wanted) == 0 && path.pc->guard == no_ref;
}
/// Calls f(path) for such paths of the current activation.
template <class F>
void for_waiting_paths(Warp& warp, std::uint32_t wanted, F&& f) {
    for (std::size_t i = warp.stack_base; i + 1 < warp.stack.size(); ++i) {
        if (can_be_taken_along(warp.stack[i], wanted)) f(warp.stack[i]);
    }
}
/// The path has what it waited for.
inline void go_on_behind(StackEntry& path) {
    path.parked = false;
    ++path.pc;
}
/// Whether lanes that wait at one instruction have what those at another wait for.
using SameWait = bool (*)(const Inst&, const Inst&);
/// Lanes that `inst` has waited for and that wait somewhere else, in other activations, too, for the `same` go on
/// behind what they wait at. For instructions that have no result, behind all_here.
void let_others_go(Warp& warp, const Inst& inst, std::uint32_t wanted, SameWait same);

}  // namespace gpuproj::simulate
