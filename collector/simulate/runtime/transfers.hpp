// Moving bytes, for all functions that do.
#pragma once

#include <cstdint>

#include "collector/simulate/runtime/runtime.hpp"

namespace gpuproj::simulate {

/// Rows of `width` bytes, `height` in a slice, `depth` slices; distances in bytes.
struct Block {
    void* begin = nullptr;
    std::size_t row_pitch = 0, slice_pitch = 0;
    std::size_t width = SIZE_MAX, height = SIZE_MAX, depth = SIZE_MAX;  // of an array: what it has from `begin` on
};
struct Shape {
    std::size_t width = 0, height = 1, depth = 1;
};

/// Copies and records it. The device's side has to lie within live memory, else invalid_value.
cuda::CudaError copy(Runtime& runtime, const Block& destination, const Block& source, const Shape& shape,
                     cuda::CopyKind kind);
cuda::CudaError copy(Runtime& runtime, void* destination, const void* source, std::size_t bytes, cuda::CopyKind kind);

/// Fills with the low 1, 2 or 4 bytes of `value` and records it.
cuda::CudaError fill(Runtime& runtime, const Block& destination, std::uint32_t value, std::uint32_t element_bytes,
                     const Shape& shape);

}  // namespace gpuproj::simulate
