// CUDA arrays behind their opaque handle.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "collector/simulate/runtime/abi.hpp"
#include "collector/simulate/runtime/channel_format.hpp"
#include "collector/simulate/runtime/transfers.hpp"

namespace gpuproj::simulate {

struct CudaArray {
    void* data = nullptr;
    std::size_t width = 0, height = 1, depth = 1;  // texels; depth also counts layers and faces
    std::size_t texel_bytes = 4;
    cuda::ChannelFormat format{};
    cuda::Extent extent{};  // as asked for: 0 where there is no such dimension
    unsigned flags = 0;
    std::size_t row_bytes() const { return width * texel_bytes; }
    std::size_t slice_bytes() const { return row_bytes() * height; }
};

/// A mipmapped array: each level half as large as the one before, as long as a side is.
struct CudaMipmaps {
    std::vector<std::unique_ptr<CudaArray>> levels;
};

/// Gives an array with memory of the device. nullptr and the error where there is none, or the format is none.
cuda::CudaError make_array(Runtime& runtime, std::unique_ptr<CudaArray>& array, const cuda::ChannelFormat& format,
                           const cuda::Extent& extent, unsigned flags);

/// Where a copy begins in an array; `array` is its handle.
Block array_block(const void* array, const cuda::Position& position);
std::size_t array_texel_bytes(const void* array);

}  // namespace gpuproj::simulate
