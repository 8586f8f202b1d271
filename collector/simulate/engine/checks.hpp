// What is known of memory that is accessed, and checks of small address spaces (interpreter.cpp).
#pragma once

#include <cstdint>

#include "collector/simulate/engine/device_memory.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Ranges that were met before some memory went away may be that memory.
inline void forget_old_ranges(SmContext& sm) {
    const std::uint64_t generation = sm.launch->memory->generation();
    if (sm.generation == generation) return;
    sm.ranges.forget();
    sm.generation = generation;
}
/// The range that this instruction met last; empty where it is not known to be alive still.
inline Range& recent_range(SmContext& sm, const Inst& inst) {
    forget_old_ranges(sm);
    return sm.ranges.of(inst);
}

/// Whether [address, address + bytes) is alive, of one allocation, however it is aligned: the range that this
/// instruction met last is then the one.
bool meet_stretch(Warp& warp, const Inst& inst, std::uint64_t address, std::uint32_t bytes);
/// Throw LaunchFault for the first lane outside its memory, or misaligned.
void check_shared(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes);
/// Gives whether all lanes have the same offset.
bool check_local(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes);

}  // namespace gpuproj::simulate
