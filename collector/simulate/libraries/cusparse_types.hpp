// The numbers of cuSPARSE's interface, and what its handles point to.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "collector/simulate/libraries/data_type.hpp"
#include "collector/simulate/libraries/host_library.hpp"
#include "collector/simulate/libraries/library_handle.hpp"
#include "collector/simulate/libraries/numbers.hpp"

namespace gpuproj::simulate::libraries::cusparse {

enum Status : int {
    success = 0,
    not_initialized = 1,
    allocation_failed = 2,
    invalid_value = 3,
    execution_failed = 6,
    zero_pivot = 9,
    not_supported = 10,
    insufficient_resources = 11
};
inline constexpr Statuses statuses{success, allocation_failed, execution_failed, not_supported};
inline constexpr const char* library = "cuSPARSE";

enum class Operation : int { none, transpose, conjugate };
enum class IndexType : int { i32 = 2, i64 = 3 };
enum class Order : int { column = 1, row = 2 };
enum class Format : int { csr = 1, csc = 2, coo = 3, blocked_ell = 5, bsr = 6, sliced_ell = 7 };

/// Programs allocate what they are told, and some take 0 for a failure; the host needs none of it.
inline constexpr std::size_t buffer_bytes = 256;

/// What cusparseHandle_t points to.
struct Handle : LibraryHandle {
    static constexpr std::uint64_t alive = 0x6770756a73707273;
    static constexpr HandleCodes codes{success, not_initialized, allocation_failed, invalid_value, execution_failed};
    int pointer_mode = 0;  // 1: scalars and results are in device memory
};

/// nullptr if the application's pointer is none of ours.
inline Handle* handle_of(void* handle) noexcept {
    return live_handle<Handle>(handle);
}

// Descriptors, which functions read when they are called, not when their work is done.

struct SparseVector {
    std::int64_t size = 0, nonzeros = 0;
    void* indices = nullptr;
    void* values = nullptr;
    IndexType index_type = IndexType::i32;
    int base = 0;
    DataType type = DataType::f32;
};

struct DenseVector {
    std::int64_t size = 0;
    void* values = nullptr;
    DataType type = DataType::f32;
};

struct SparseMatrix {
    Format format = Format::csr;
    std::int64_t rows = 0, columns = 0, nonzeros = 0;
    void* offsets = nullptr;  // of coordinates: row indices
    void* indices = nullptr;  // of rows in a column for compressed columns, otherwise of columns
    void* values = nullptr;
    IndexType offset_type = IndexType::i32, index_type = IndexType::i32;
    int base = 0;
    DataType type = DataType::f32;
    int fill = 0;      // 0: lower, 1: upper
    int diagonal = 0;  // 1: unit
    int batches = 1;
    std::int64_t offset_stride = 0, value_stride = 0;  // from one matrix of a batch to the next
    std::int64_t block_rows = 1, block_columns = 1;    // of blocks; `block_rows` of a slice, too
    Order block_order = Order::row;
    std::int64_t width = 0;  // columns of a blocked ELL matrix that are stored
};

struct DenseMatrix {
    std::int64_t rows = 0, columns = 0, leading = 0;
    void* values = nullptr;
    DataType type = DataType::f32;
    Order order = Order::column;
    int batches = 1;
    std::int64_t stride = 0;
};

/// Does `work()` in the stream of a handle. Without memory for it the function, or what waits for the stream, fails.
template <class Work>
int submit(const char* function, void* handle, Work&& work) noexcept {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    return do_in_stream(statuses, library, function, known->stream, std::forward<Work>(work));
}

/// For types and layouts that are not there: the application may well not look at the status.
inline int refuse(const char* function) noexcept {
    gpuproj_library_refuses(library, function);
    return not_supported;
}

/// Waits for the handle's stream, where the host needs to know what came out.
inline int finish(void* handle) noexcept {
    return wait_for_handle<Handle>(handle);
}

/// What every ..._bufferSize comes to.
template <class Size>
int give_buffer_size(void* handle, Size* bytes) noexcept {
    if (handle_of(handle) == nullptr) return not_initialized;
    if (bytes == nullptr) return invalid_value;
    *bytes = static_cast<Size>(buffer_bytes);
    return success;
}

}  // namespace gpuproj::simulate::libraries::cusparse
