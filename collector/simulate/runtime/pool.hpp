// What allocations ask of memory pools.
#pragma once

#include <cstddef>
#include <optional>

#include "collector/simulate/runtime/abi.hpp"

namespace gpuproj::simulate {

/// Whose memory it gives; nullopt if there is no such pool.
std::optional<cuda::PointerType> memory_of_pool(void* pool);

/// The one that cudaMallocAsync takes from.
void* current_pool();

/// Counts an allocation as the pool's; false, and it is not, if there is no such pool or it may not hold that much.
bool take_from_pool(void* pool, std::size_t bytes);

/// Gives back what take_from_pool() counted; nothing, if the pool is gone.
void give_to_pool(void* pool, std::size_t bytes);

}  // namespace gpuproj::simulate
