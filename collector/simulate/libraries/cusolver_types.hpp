// The numbers of cuSOLVER's interface, and what a handle holds.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/simulate/libraries/host_library.hpp"
#include "collector/simulate/libraries/library_handle.hpp"
#include "collector/simulate/libraries/numbers.hpp"

namespace gpuproj::simulate::libraries::cusolver {

enum Status : int {
    success = 0,
    not_initialized = 1,
    allocation_failed = 2,
    invalid_value = 3,
    execution_failed = 6,
    not_supported = 9
};
inline constexpr Statuses statuses{success, allocation_failed, execution_failed, not_supported};
inline constexpr const char* library = "cuSOLVER";

enum class Operation : int { none, transpose, conjugate };
enum class Fill : int { lower, upper };
enum class Diagonal : int { given, unit };
enum class Side : int { left, right };

/// Programs allocate what they are told, and some take 0 for a failure. LAPACK's workspace is the host's own.
inline constexpr int workspace_elements = 64;

/// What cusolverDnHandle_t and cusolverSpHandle_t point to.
struct Handle : LibraryHandle {
    static constexpr std::uint64_t alive = 0x6770756a736f6c76;
    static constexpr HandleCodes codes{success, not_initialized, allocation_failed, invalid_value, execution_failed};
    int deterministic_mode = 1;
};

/// nullptr if the application's pointer is none of ours.
inline Handle* handle_of(void* handle) noexcept {
    return live_handle<Handle>(handle);
}

/// Waits for the handle's stream, where the host needs to know what came out.
inline int finish(void* handle) noexcept {
    return wait_for_handle<Handle>(handle);
}

/// Does `work()` in the stream of a handle. Without memory for it the function, or what waits for the stream, fails.
template <class Work>
int submit(const char* function, void* handle, Work&& work) noexcept {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    return do_in_stream(statuses, library, function, known->stream, std::forward<Work>(work));
}

template <class T>
void wrote(const T* begin, std::int64_t count) {
    if (begin != nullptr && count > 0) gpuproj_library_wrote(begin, static_cast<std::size_t>(count) * sizeof(T));
}
template <class T>
void wrote(const T* begin, std::int64_t rows, std::int64_t columns, std::int64_t leading) {
    if (rows > 0 && columns > 0) wrote(begin, (columns - 1) * leading + rows);
}

/// What LAPACK has to say of a calculation.
inline void give(int* info, int value) {
    if (info == nullptr) return;
    *info = value;
    wrote(info, 1);
}

/// What every ..._bufferSize comes to.
inline int give_workspace(void* handle, int* elements) noexcept {
    if (handle_of(handle) == nullptr) return not_initialized;
    if (elements == nullptr) return invalid_value;
    *elements = workspace_elements;
    return success;
}

}  // namespace gpuproj::simulate::libraries::cusolver
