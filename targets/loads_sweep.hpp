// What DRAM gives by the number of independent loads of each thread, where nobody measured it (Zhang 2024, the variable
// M of its equation 1).
#pragma once

#include <vector>

#include "model/gpu.hpp"

namespace gpuproj {

/// What the sweep follows from: whole chip.
struct LoadsSweepInput {
    double threads = 0;  // resident at once
    Seconds latency{};   // of a load from DRAM
    BytesPerSecond bandwidth{};
};

/// The bytes per second that threads read from DRAM with 1, 2, 4, ..., 64 independent loads of 4 bytes each, one result
/// of 4 bytes written at the end, as the micro-benchmark has it. By Little's law the resident threads keep
/// threads x loads in flight x 4 bytes on their way for one latency, of at most four loads a thread, which is what
/// compilers unroll; reads and writes together are no faster than the bandwidth. Rises with the loads.
std::vector<LoadsBandwidth> loads_sweep(const LoadsSweepInput& input);

/// Puts the sweep into a description that has occupancy limits, a core clock, a latency and a bandwidth of DRAM; does
/// nothing where one is missing or where the sweep was measured.
void put_loads_sweep(Gpu& gpu);

}  // namespace gpuproj
