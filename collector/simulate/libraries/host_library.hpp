// What the stand-ins for closed libraries (cuBLAS, cuFFT, cuRAND, cuSPARSE, cuSOLVER) are made of. Their kernels exist
// as machine code only, so that they cannot be simulated: what their functions calculate is calculated on the host
// instead, in the order of the stream, and the profile says that these kernels are not among those counted.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#define GPUPROJ_LIBRARY_API extern "C" __attribute__((visibility("default")))

// Of libgpuproj_simulate.so.
extern "C" {
/// Does `work(data)` in the order of `stream`, and notes that `function` of `library` was done on the host; then
/// `drop(data)`, whether it was done or not. Gives a cudaError_t.
int gpuproj_library_work(const char* library, const char* function, void* stream, void (*work)(void*),
                         void (*drop)(void*), void* data);
/// Writes down that the application has called a function that the stand-in does not have.
void gpuproj_library_refuses(const char* library, const char* function);
/// The host has written these bytes, for the simulated caches. Called by the work.
void gpuproj_library_wrote(const void* begin, std::size_t bytes);
/// Another number whenever something may have been written to the memory from cudaMalloc that holds these bytes; 0: not
/// known, or other memory. Called by the work.
unsigned long long gpuproj_library_version(const void* begin, std::size_t bytes);
}

namespace gpuproj::simulate::libraries {

/// What a function of a library comes to, in the library's own numbers.
struct Statuses {
    int success, allocation_failed, execution_failed, not_supported;
};

/// Does `work()` on the host in the order of `stream`. What it throws (memory) becomes the function's status, or, where
/// the stream is held up, that of what waits for it.
template <class Work>
int do_in_stream(const Statuses& statuses, const char* library, const char* function, void* stream,
                 Work&& work) noexcept {
    try {
        using Kept = std::decay_t<Work>;
        auto kept = std::make_unique<Kept>(std::forward<Work>(work));
        const auto call = [](void* data) { (*static_cast<Kept*>(data))(); };
        const auto drop = [](void* data) { delete static_cast<Kept*>(data); };
        constexpr int no_memory = 2;  // cudaErrorMemoryAllocation
        const int code = gpuproj_library_work(library, function, stream, call, drop, kept.release());
        return code == 0           ? statuses.success
               : code == no_memory ? statuses.allocation_failed
                                   : statuses.execution_failed;
    } catch (const std::bad_alloc&) {
        return statuses.allocation_failed;
    } catch (const std::exception&) {
        return statuses.execution_failed;
    }
}

}  // namespace gpuproj::simulate::libraries
