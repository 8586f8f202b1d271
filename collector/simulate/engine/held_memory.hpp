// Memory at addresses of the simulated GPU that is not of its own: pinned host memory and variables of modules.
#pragma once

#include <cstddef>

#include "collector/simulate/engine/device_memory.hpp"

namespace gpuproj::simulate {

/// `bytes` zeros at addresses that are the same in every run, as the sets of the caches depend on them; not counted as
/// the GPU's memory, and for kernels to see once DeviceMemory::add() says so. release_held() gives them back, and ends
/// what was added there. nullptr: no addresses or no memory.
void* hold(DeviceMemory& memory, std::size_t bytes);
void release_held(DeviceMemory& memory, const void* begin);

}  // namespace gpuproj::simulate
