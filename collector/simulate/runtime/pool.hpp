// What allocations ask of memory pools.
#pragma once

#include <optional>

#include "collector/simulate/runtime/abi.hpp"

namespace gpuproj::simulate {

/// Whose memory it gives; nullopt if there is no such pool.
std::optional<cuda::PointerType> memory_of_pool(void* pool);

/// The one that cudaMallocAsync takes from.
void* current_pool();

}  // namespace gpuproj::simulate
