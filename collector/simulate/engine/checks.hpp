// Checks of small address spaces; in interpreter.cpp.
#pragma once

#include <cstdint>

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Throw LaunchFault for the first lane outside its memory, or misaligned.
void check_shared(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes);
/// Gives whether all lanes have the same offset.
bool check_local(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes);

}  // namespace gpuproj::simulate
