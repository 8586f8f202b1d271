// What the application has said about where managed memory should be. There is only one place here: it is kept for
// whoever asks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/simulate/runtime/abi.hpp"

namespace gpuproj::simulate {

class Runtime;

/// Notes cudaMemAdvise or cudaMemPrefetchAsync for the pages that hold these bytes. invalid_value: not all of them are
/// managed memory, or there is no such advice; invalid_device: no such place.
cuda::CudaError advise(Runtime& runtime, const void* pointer, std::size_t bytes, int advice,
                       const cuda::Location& place);
cuda::CudaError prefetch(Runtime& runtime, const void* pointer, std::size_t bytes, const cuda::Location& place);

/// A place as older functions name it: a device, or -1 for the host.
cuda::Location location_of(int device);

/// Nothing was said of memory that is released.
void forget_advice(std::uint64_t begin, std::size_t bytes);

}  // namespace gpuproj::simulate
