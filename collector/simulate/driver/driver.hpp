// The CUDA driver API on top of the runtime's stand-in: the frame of its functions, and what they share. CUresult and
// cudaError_t have the same numbers for the same errors; some errors are the runtime's alone.
#pragma once

#include "collector/simulate/runtime/api.hpp"

namespace gpuproj::simulate::driver {

using cuda::CudaError;
using DevicePointer = std::uint64_t;

/// Has cuInit been called, or has this thread used the runtime API, which does it?
bool initialised() noexcept;

/// What the driver API says where the runtime has an error of its own.
constexpr CudaError of_driver(CudaError code) {
    switch (code) {
        case cuda::invalid_configuration:
        case cuda::invalid_pitch_value:
        case cuda::invalid_symbol:
        case cuda::invalid_texture:
        case cuda::invalid_channel_descriptor:
        case cuda::invalid_memcpy_direction:
        case cuda::invalid_filter_setting:
        case cuda::invalid_norm_setting:
        case cuda::missing_configuration:
            return cuda::invalid_value;
        case cuda::invalid_device_function:
            return cuda::invalid_resource_handle;
        default:
            return code;
    }
}

/// Runs `body(Runtime&)` as simulate::query() does, but leaves the state of the runtime API alone.
template <class Body>
CudaError ask(const char* function, Body&& body) noexcept {
    if (!initialised()) return cuda::initialization_error;
    const CudaError kept = last_error();
    const bool used = used_runtime_api();
    const CudaError code = answered(function, body);
    last_error() = kept;
    used_runtime_api() = used;
    return of_driver(code);
}

/// The same; but after a kernel's fault every call gives its code instead.
template <class Body>
CudaError call(const char* function, Body&& body) noexcept {
    return ask(function, unless_failed(body));
}

/// Has the calling thread a current context?
bool has_context() noexcept;

/// The same; but invalid_context for a thread that has none.
template <class Body>
CudaError in_context(const char* function, Body&& body) noexcept {
    return call(function,
                [&](Runtime& runtime) -> CudaError { return has_context() ? body(runtime) : cuda::invalid_context; });
}

template <class T>
CudaError give(T* out, T value) {
    if (out == nullptr) return cuda::invalid_value;
    *out = value;
    return cuda::success;
}

inline void* pointer(DevicePointer address) {
    return reinterpret_cast<void*>(address);
}

}  // namespace gpuproj::simulate::driver

/// cuNAME, and cudaNAME, whose errors are remembered. ANSWER has the parameters, and `runtime`.
#define GPUPROJ_BOTH_INTERFACES(NAME, PARAMETERS, ANSWER)                                 \
    GPUPROJ_CUDA_API CudaError cu##NAME PARAMETERS {                                      \
        return call(__func__, [&]([[maybe_unused]] Runtime& runtime) { return ANSWER; }); \
    }                                                                                     \
    GPUPROJ_CUDA_API CudaError cuda##NAME PARAMETERS {                                    \
        return api(__func__, [&]([[maybe_unused]] Runtime& runtime) { return ANSWER; });  \
    }
