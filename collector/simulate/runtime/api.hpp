// The frame of every function of the stand-in: nothing thrown leaves it, and every error is remembered for
// cudaGetLastError.
#pragma once

#include <exception>
#include <new>

#include "collector/simulate/runtime/abi.hpp"
#include "collector/simulate/runtime/refused.hpp"
#include "collector/simulate/runtime/runtime.hpp"

namespace gpuproj::simulate {

/// The calling thread's last error, for cudaGetLastError.
cuda::CudaError& last_error() noexcept;

/// Gives `code` back, remembered if it is an error.
cuda::CudaError remember(cuda::CudaError code) noexcept;

/// Writes down that `function` was refused, or failed inside.
void report(const char* function, const Refused& refused) noexcept;
void report(const char* function, const std::exception& error) noexcept;

/// Runs `body(Runtime&)`, which gives a CudaError, after whatever `function` has to wait for. A kernel's fault does not
/// keep it from that: the device can still be asked about.
template <class Body>
cuda::CudaError answered(const char* function, Body&& body) noexcept {
    try {
        Runtime& runtime = Runtime::instance();
        if (DeviceQueue::refuses(function)) return cuda::not_permitted;
        runtime.queue().wait_before(function);
        return body(runtime);
    } catch (const Refused& refused) {
        report(function, refused);
        return refused.code();
    } catch (const std::bad_alloc&) {
        return cuda::memory_allocation;
    } catch (const std::exception& error) {
        report(function, error);
        return cuda::unknown;
    }
}

/// `body`, but after a kernel's fault the code of that.
template <class Body>
auto unless_failed(Body& body) {
    return [&body](Runtime& runtime) -> cuda::CudaError {
        return runtime.sticky_error() != cuda::success ? runtime.sticky_error() : body(runtime);
    };
}

/// The same as answered(); but after a kernel's fault every call gives its code instead.
template <class Body>
cuda::CudaError guarded(const char* function, Body&& body) noexcept {
    return answered(function, unless_failed(body));
}

/// Has the calling thread called a function of the runtime API?
bool& used_runtime_api() noexcept;

/// The same for a function of the runtime, where errors are remembered.
///   cudaError_t cudaFoo(...) { return api(__func__, [&](Runtime& runtime) { ...; return cuda::success; }); }
template <class Body>
cuda::CudaError api(const char* function, Body&& body) noexcept {
    used_runtime_api() = true;
    return remember(guarded(function, body));
}

/// The same for one that only asks about the device.
template <class Body>
cuda::CudaError query(const char* function, Body&& body) noexcept {
    used_runtime_api() = true;
    return remember(answered(function, body));
}

}  // namespace gpuproj::simulate
