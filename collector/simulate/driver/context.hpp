// Contexts of the driver API, as far as others ask for them.
#pragma once

#include "collector/simulate/runtime/abi.hpp"

extern "C" gpuproj::simulate::cuda::CudaError cuCtxGetId(void* context, unsigned long long* id);

namespace gpuproj::simulate::driver {

/// The primary one, or made and not destroyed.
bool is_context(void* context);
void* primary_context();

/// Green contexts are contexts as well, those that asked for some of the multiprocessors. They keep the primary one.
void* make_green_context(unsigned multiprocessors);
bool unmake_green_context(void* context);
/// How many it asked for; 0: it is no green context.
unsigned green_multiprocessors(void* context);

}  // namespace gpuproj::simulate::driver
