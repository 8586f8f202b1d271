// What the configuration of this build knew; the values are written by cmake/CudaToolkit.cmake.
#pragma once

#include <span>
#include <string_view>

namespace gpuproj {

extern const std::string_view version;

/// Parts that were left out of this build, each with its reason.
std::span<const std::string_view> left_out_parts();

/// The one command that gets a CUDA toolkit on Debian 12.
extern const std::string_view get_cuda_command;

}  // namespace gpuproj
