// What blocks and grids every GPU takes.
#pragma once

#include <cstdint>
#include <string>

#include "model/profile.hpp"

namespace gpuproj::simulate {

/// Why a launch is not made.
struct LaunchRefusal {
    int code = 0;     // a cudaError_t; 0 if it is made
    std::string why;  // for people
};

/// What a launch is refused for by its shape. `cluster`: blocks of one, {0, 0, 0} without; `most_threads` of a block:
/// those that the GPU takes, and those that the kernel does.
LaunchRefusal refusal_of_shape(const Dim3& grid, const Dim3& block, const Dim3& cluster,
                               std::uint64_t most_threads_of_gpu, std::uint64_t most_threads_of_kernel);

}  // namespace gpuproj::simulate
