// Runs warps and blocks of one launch on one SM.
#pragma once

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Runs until the warp accesses global memory, waits, ends, or has had its share. Throws LaunchFault.
void run_warp(Warp& warp);

/// Places block `linear` of the grid in `block`, reusing its memory.
void start_block(SmContext& sm, BlockContext& block, std::uint64_t linear);

/// Lets every warp of every resident block run once; frees barriers. True while any block is left.
bool step_sm(SmContext& sm);

}  // namespace gpuproj::simulate
