// How much stack the threads of kernels have, for calls within calls.
#pragma once

#include <cstddef>

namespace gpuproj::simulate {

/// Bytes for each thread, from the next call on (cudaLimitStackSize): of the process, as the limits of CUDA are.
/// Thread-safe.
void set_thread_stack(std::size_t bytes);

}  // namespace gpuproj::simulate
