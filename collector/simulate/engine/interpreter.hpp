// Runs warps and blocks of one launch on one SM.
#pragma once

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Runs until the warp accesses global memory, waits, ends, or has had its share. Throws LaunchFault.
void run_warp(Warp& warp);

// In step.cpp:
/// Gives the `number`th block of the launch, cluster after cluster, a place of SmContext::places; it starts at the SM's
/// next step.
void place_block(SmContext& sm, std::uint32_t place, std::uint64_t number);

/// Lets every block of the SM run until its warps have had their share of accesses, and sends these to L1.
void step_sm(SmContext& sm);

}  // namespace gpuproj::simulate
