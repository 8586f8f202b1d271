#pragma once

namespace gpuproj::simulate {

/// When the memory of a long launch need not be simulated all the time (windows.hpp), in instructions of warps.
struct WindowSizes {
    double program = 0x1p27;  // executed by launches of the program with their memory simulated, before it is left out
    double launch = 0x1p25;   // by this one
    double window = 0x1p22;   // that a window has at least
};

}  // namespace gpuproj::simulate
