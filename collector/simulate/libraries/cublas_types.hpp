// The numbers of cuBLAS' interface, and what a handle holds.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "collector/simulate/libraries/data_type.hpp"
#include "collector/simulate/libraries/host_library.hpp"
#include "collector/simulate/libraries/library_handle.hpp"
#include "collector/simulate/libraries/numbers.hpp"

namespace gpuproj::simulate::libraries::cublas {

enum Status : int {
    success = 0,
    not_initialized = 1,
    allocation_failed = 3,
    invalid_value = 7,
    execution_failed = 13,
    not_supported = 15
};
inline constexpr Statuses statuses{success, allocation_failed, execution_failed, not_supported};
inline constexpr const char* library = "cuBLAS";

enum class Operation : int { none, transpose, conjugate };
enum class Fill : int { lower, upper, full };
enum class Diagonal : int { given, unit };
enum class Side : int { left, right };

/// What cublasHandle_t points to.
struct Handle : LibraryHandle {
    static constexpr std::uint64_t alive = 0x6770756a626c6173;
    static constexpr HandleCodes codes{success, not_initialized, allocation_failed, invalid_value, execution_failed};
    int pointer_mode = 0;  // 1: scalars and results are in device memory
    int math_mode = 0;
    int atomics_mode = 0;
    int sm_count_target = 0;
    int emulation_strategy = 0, emulated_special_values = 0, mantissa_control = 0, most_mantissa_bits = 0;
    int mantissa_bit_offset = 0;
    int* mantissa_bit_count = nullptr;
};
/// nullptr if the application's pointer is none of ours.
inline Handle* handle_of(void* handle) noexcept {
    return live_handle<Handle>(handle);
}

/// Bytes from the first to the last element of a matrix by columns.
template <class T>
std::size_t bytes_of(std::int64_t rows, std::int64_t columns, std::int64_t leading) {
    if (rows <= 0 || columns <= 0) return 0;
    return static_cast<std::size_t>((columns - 1) * leading + rows) * sizeof(T);
}
template <class T>
std::size_t bytes_of(std::int64_t n, std::int64_t increment) {
    if (n <= 0) return 0;
    return static_cast<std::size_t>((n - 1) * (increment < 0 ? -increment : increment) + 1) * sizeof(T);
}

/// Is there no place for what is to be written? Then the function fails; null where a matrix is only read is the
/// device's fault later, on a GPU.
inline bool lacks_place(const void* to, std::size_t written) {
    return to == nullptr && written > 0;
}

/// Checks the handle, the pointers to scalars and the place for the result, and does `work()` in its stream; `written`
/// bytes at `to` are changed by it.
template <class Work>
int submit(const char* function, void* handle, std::initializer_list<const void*> scalars, void* to,
           std::size_t written, Work&& work) noexcept {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    for (const void* scalar : scalars)
        if (scalar == nullptr) return invalid_value;
    if (lacks_place(to, written)) return invalid_value;
    return do_in_stream(statuses, library, function, known->stream, [work = std::forward<Work>(work), to, written] {
        work();
        if (written > 0) gpuproj_library_wrote(to, written);
    });
}

}  // namespace gpuproj::simulate::libraries::cublas
