// What programs of the driver API begin with, of every version of its header.
#pragma once

#include <cuda.h>

#include "../checks.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // programs still call them
/// Of both APIs.
#define OK(call) CHECK(static_cast<int>(call) == 0)

/// A new context, which is current from here on.
[[maybe_unused]] static CUcontext new_context(unsigned flags = 0) {
    CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
    OK(cuCtxCreate(&context, nullptr, flags, 0));
#else
    OK(cuCtxCreate(&context, flags, 0));
#endif
    return context;
}

/// Initializes the API and uses the first device's primary context.
[[maybe_unused]] static void use_primary_context() {
    CUdevice device = -1;
    CUcontext context = nullptr;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
}
