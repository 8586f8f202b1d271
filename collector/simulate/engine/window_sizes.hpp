#pragma once

namespace gpuproj::simulate {

/// What it takes to simulate what a launch does to memory, by counts, so that every run gives the same: an instruction
/// of a warp is 1, and each line that L1 is asked for as much as three of them (some 20 and 60 ns).
constexpr double simulation_work(double warp_instructions, double line_requests) {
    return warp_instructions + 3 * line_requests;
}

/// When the memory of a long launch need not be simulated all the time (windows.hpp), or for all lines
/// (sampled_lines.hpp), in simulation_work.
struct WindowSizes {
    double program = 0x1p27;  // done by launches of the program with their memory simulated, before it is left out
    double launch = 0x1p25;   // by this one
    double window = 0x1p22;   // that a window has at least
    double lines = 0x1p22;    // by this one, before it is simulated for a sample of the lines
};

}  // namespace gpuproj::simulate
