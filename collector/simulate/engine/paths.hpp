// How lanes of a warp that have gone different ways wait for each other.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Lets the other ways of the warp run as far as they get, wherever they are. Whether the lanes at this instruction are
/// all of the `wanted` ones that come there together; false: others are next, or have come, too, and the instruction is
/// executed again.
bool wait_for_others(Warp& warp, const Inst& inst, std::uint32_t wanted);
/// The same, at little cost where all lanes are here, as they mostly are.
inline bool all_here(Warp& warp, const Inst& inst, std::uint32_t wanted = full_mask) {
    if ((warp.alive & wanted & ~warp.active) != 0) return wait_for_others(warp, inst, wanted);
    if (warp.parted) warp.stack.back().parked = false;  // it was, if the others have come while it waited
    return true;
}
/// Whether lanes that wait at one instruction have what those at another wait for.
using SameWait = bool (*)(const Inst&, const Inst&);
/// A path that waits, and the activation that it is in.
struct WaitingPath {
    StackEntry* path = nullptr;
    const Frame* frame = nullptr;
};
/// Behind all_here: the lanes that `inst` has waited for and that wait somewhere else for the `same`, in this
/// activation and others; they can be taken along. Their paths are theirs alone. Good until paths change.
std::vector<WaitingPath> waiting_paths(Warp& warp, const Inst& inst, std::uint32_t wanted, SameWait same);
/// The path has what it waited for.
inline void go_on_behind(StackEntry& path) {
    path.parked = false;
    ++path.pc;
}
/// Such lanes go on behind what they wait at. For instructions that have no result.
void let_others_go(Warp& warp, const Inst& inst, std::uint32_t wanted, SameWait same);

}  // namespace gpuproj::simulate
