// Handles, their settings, and copies of vectors and matrices between host and device.
#include <cstring>

#include "collector/simulate/libraries/cublas_other_interfaces.hpp"

extern "C" {
// Of the CUDA runtime's stand-in.
int cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                 std::size_t height, int kind);
int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                      std::size_t height, int kind, void* stream);
}

namespace gpuproj::simulate::libraries::cublas {

namespace {

constexpr int version = 120000, mapping_error = 11;

enum Direction { to_device = 1, to_host = 2 };

// `height` rows of one element, or columns of a matrix.
int copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
         std::size_t height, Direction direction, void* stream, bool async) {
    if (width == 0 || height == 0) return success;
    const int code = async ? cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, direction, stream)
                           : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, direction);
    return code == 0 ? success : mapping_error;
}

int copy_vector(int n, int element, const void* from, int from_step, void* to, int to_step, Direction direction,
                void* stream, bool async) {
    if (n < 0 || element <= 0 || from_step <= 0 || to_step <= 0) return invalid_value;
    const auto bytes = static_cast<std::size_t>(element);
    if (from_step == 1 && to_step == 1)
        return copy(to, bytes * static_cast<std::size_t>(n), from, bytes * static_cast<std::size_t>(n),
                    bytes * static_cast<std::size_t>(n), n > 0 ? 1 : 0, direction, stream, async);
    return copy(to, bytes * static_cast<std::size_t>(to_step), from, bytes * static_cast<std::size_t>(from_step), bytes,
                static_cast<std::size_t>(n), direction, stream, async);
}

int copy_matrix(int rows, int columns, int element, const void* from, int from_leading, void* to, int to_leading,
                Direction direction, void* stream, bool async) {
    if (rows < 0 || columns < 0 || element <= 0 || from_leading < rows || to_leading < rows) return invalid_value;
    const auto bytes = static_cast<std::size_t>(element);
    return copy(to, bytes * static_cast<std::size_t>(to_leading), from, bytes * static_cast<std::size_t>(from_leading),
                bytes * static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), direction, stream, async);
}

const char* name_of(int status) {
    switch (status) {
        case success:
            return "CUBLAS_STATUS_SUCCESS";
        case not_initialized:
            return "CUBLAS_STATUS_NOT_INITIALIZED";
        case allocation_failed:
            return "CUBLAS_STATUS_ALLOC_FAILED";
        case invalid_value:
            return "CUBLAS_STATUS_INVALID_VALUE";
        case mapping_error:
            return "CUBLAS_STATUS_MAPPING_ERROR";
        case execution_failed:
            return "CUBLAS_STATUS_EXECUTION_FAILED";
        case not_supported:
            return "CUBLAS_STATUS_NOT_SUPPORTED";
        default:
            return "CUBLAS_STATUS_INTERNAL_ERROR";
    }
}

}  // namespace

GPUPROJ_LIBRARY_API int cublasCreate_v2(void** handle) {
    return create_handle<Handle>(handle);
}
GPUPROJ_LIBRARY_API int cublasDestroy_v2(void* handle) {
    return destroy_handle<Handle>(handle);
}
GPUPROJ_LIBRARY_API int cublasGetVersion(int* out) {
    if (out == nullptr) return invalid_value;
    *out = version;
    return success;
}
GPUPROJ_LIBRARY_API int cublasGetVersion_v2(void*, int* out) {
    return cublasGetVersion(out);
}
GPUPROJ_LIBRARY_API int cublasGetProperty(int type, int* value) {
    if (value == nullptr || type < 0 || type > 2) return invalid_value;
    *value = type == 0 ? version / 10000 : 0;
    return success;
}
GPUPROJ_LIBRARY_API std::size_t cublasGetCudartVersion() {
    return version / 10;
}
GPUPROJ_LIBRARY_API int cublasSetStream_v2(void* handle, void* stream) {
    return set_in_handle<Handle>(handle, &Handle::stream, stream);
}
GPUPROJ_LIBRARY_API int cublasGetStream_v2(void* handle, void** stream) {
    return get_from_handle<Handle>(handle, &Handle::stream, stream);
}
GPUPROJ_LIBRARY_API int cublasSetPointerMode_v2(void* handle, int mode) {
    return set_in_handle<Handle>(handle, &Handle::pointer_mode, mode);
}
GPUPROJ_LIBRARY_API int cublasGetPointerMode_v2(void* handle, int* mode) {
    return get_from_handle<Handle>(handle, &Handle::pointer_mode, mode);
}
GPUPROJ_LIBRARY_API int cublasSetMathMode(void* handle, int mode) {
    return set_in_handle<Handle>(handle, &Handle::math_mode, mode);
}
GPUPROJ_LIBRARY_API int cublasGetMathMode(void* handle, int* mode) {
    return get_from_handle<Handle>(handle, &Handle::math_mode, mode);
}
GPUPROJ_LIBRARY_API int cublasSetAtomicsMode(void* handle, int mode) {
    return set_in_handle<Handle>(handle, &Handle::atomics_mode, mode);
}
GPUPROJ_LIBRARY_API int cublasGetAtomicsMode(void* handle, int* mode) {
    return get_from_handle<Handle>(handle, &Handle::atomics_mode, mode);
}
GPUPROJ_LIBRARY_API int cublasSetSmCountTarget(void* handle, int count) {
    return set_in_handle<Handle>(handle, &Handle::sm_count_target, count);
}
GPUPROJ_LIBRARY_API int cublasGetSmCountTarget(void* handle, int* count) {
    return get_from_handle<Handle>(handle, &Handle::sm_count_target, count);
}
// The host needs no workspace.
GPUPROJ_LIBRARY_API int cublasSetWorkspace_v2(void* handle, void*, std::size_t) {
    return handle_of(handle) != nullptr ? success : not_initialized;
}
GPUPROJ_LIBRARY_API const char* cublasGetStatusName(int status) {
    return name_of(status);
}
GPUPROJ_LIBRARY_API const char* cublasGetStatusString(int status) {
    return name_of(status);
}
GPUPROJ_LIBRARY_API int cublasLoggerConfigure(int, int, int, const char*) {
    return success;
}

GPUPROJ_LIBRARY_API int cublasSetVector(int n, int element, const void* x, int incx, void* y, int incy) {
    return copy_vector(n, element, x, incx, y, incy, to_device, nullptr, false);
}
GPUPROJ_LIBRARY_API int cublasGetVector(int n, int element, const void* x, int incx, void* y, int incy) {
    return copy_vector(n, element, x, incx, y, incy, to_host, nullptr, false);
}
GPUPROJ_LIBRARY_API int cublasSetVectorAsync(int n, int element, const void* x, int incx, void* y, int incy,
                                             void* stream) {
    return copy_vector(n, element, x, incx, y, incy, to_device, stream, true);
}
GPUPROJ_LIBRARY_API int cublasGetVectorAsync(int n, int element, const void* x, int incx, void* y, int incy,
                                             void* stream) {
    return copy_vector(n, element, x, incx, y, incy, to_host, stream, true);
}
GPUPROJ_LIBRARY_API int cublasSetMatrix(int rows, int columns, int element, const void* a, int lda, void* b, int ldb) {
    return copy_matrix(rows, columns, element, a, lda, b, ldb, to_device, nullptr, false);
}
GPUPROJ_LIBRARY_API int cublasGetMatrix(int rows, int columns, int element, const void* a, int lda, void* b, int ldb) {
    return copy_matrix(rows, columns, element, a, lda, b, ldb, to_host, nullptr, false);
}
GPUPROJ_LIBRARY_API int cublasSetMatrixAsync(int rows, int columns, int element, const void* a, int lda, void* b,
                                             int ldb, void* stream) {
    return copy_matrix(rows, columns, element, a, lda, b, ldb, to_device, stream, true);
}
GPUPROJ_LIBRARY_API int cublasGetMatrixAsync(int rows, int columns, int element, const void* a, int lda, void* b,
                                             int ldb, void* stream) {
    return copy_matrix(rows, columns, element, a, lda, b, ldb, to_host, stream, true);
}

GPUPROJ_64(cublasSetVector)
GPUPROJ_64(cublasGetVector)
GPUPROJ_64(cublasSetVectorAsync)
GPUPROJ_64(cublasGetVectorAsync)
GPUPROJ_64(cublasSetMatrix)
GPUPROJ_64(cublasGetMatrix)
GPUPROJ_64(cublasSetMatrixAsync)
GPUPROJ_64(cublasGetMatrixAsync)

}  // namespace gpuproj::simulate::libraries::cublas
