// What the driver API's arrays and textures have in common; array.cpp has it.
#pragma once

#include <cstddef>
#include <optional>

#include "collector/simulate/runtime/array.hpp"

namespace gpuproj::simulate::driver {

struct ArrayDescriptor {  // CUDA_ARRAY_DESCRIPTOR
    std::size_t width, height;
    int format;
    unsigned channels;
};

/// The bits and the cudaChannelFormatKind of 1, 2 or 4 channels of a CUarray_format; none where there is no such
/// format.
std::optional<cuda::ChannelFormat> format_of(int format, unsigned channels);

}  // namespace gpuproj::simulate::driver
