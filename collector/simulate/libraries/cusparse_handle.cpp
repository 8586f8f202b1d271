// Handles, descriptions of matrices for the functions of old, and what is said of a status.
#include <cstdio>

#include "collector/simulate/libraries/cusparse_matrix_description.hpp"
#include "collector/simulate/libraries/cusparse_types.hpp"

extern "C" {
// Of the CUDA runtime's stand-in.
int cudaFree(void*);
int cudaStreamSynchronize(void*);
}

namespace gpuproj::simulate::libraries::cusparse {

namespace {

constexpr std::uint64_t alive = 0x6770756a73707273;
constexpr int version = 12000;

int set(void* description, int value, int most, int MatrixDescription::*member) {
    if (description == nullptr || value < 0 || value > most) return invalid_value;
    static_cast<MatrixDescription*>(description)->*member = value;
    return success;
}

struct Said {
    const char* name;
    const char* text;
};
Said said_of(int status) {
    switch (status) {
        case success:
            return {"CUSPARSE_STATUS_SUCCESS", "success"};
        case not_initialized:
            return {"CUSPARSE_STATUS_NOT_INITIALIZED", "no such handle"};
        case allocation_failed:
            return {"CUSPARSE_STATUS_ALLOC_FAILED", "no memory left"};
        case invalid_value:
            return {"CUSPARSE_STATUS_INVALID_VALUE", "invalid argument"};
        case execution_failed:
            return {"CUSPARSE_STATUS_EXECUTION_FAILED", "execution failed"};
        case zero_pivot:
            return {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"};
        case not_supported:
            return {"CUSPARSE_STATUS_NOT_SUPPORTED", "not supported"};
        case insufficient_resources:
            return {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"};
        default:
            return {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"};
    }
}

}  // namespace

Handle* handle_of(void* handle) noexcept {
    auto* const known = static_cast<Handle*>(handle);
    return known != nullptr && known->magic == alive ? known : nullptr;
}

int finish(void* handle) noexcept {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    return cudaStreamSynchronize(known->stream) == 0 ? success : execution_failed;
}

GPUPROJ_LIBRARY_API int cusparseCreate(void** handle) {
    if (handle == nullptr) return invalid_value;
    if (cudaFree(nullptr) != 0) return not_initialized;
    auto* const made = new (std::nothrow) Handle;
    if (made == nullptr) return allocation_failed;
    made->magic = alive;
    *handle = made;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseDestroy(void* handle) {
    Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    known->magic = 0;
    delete known;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseGetVersion(void*, int* out) {
    if (out == nullptr) return invalid_value;
    *out = version;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseGetProperty(int type, int* value) {
    if (value == nullptr || type < 0 || type > 2) return invalid_value;
    *value = type == 0 ? version / 1000 : 0;
    return success;
}
GPUPROJ_LIBRARY_API const char* cusparseGetErrorName(int status) {
    return said_of(status).name;
}
GPUPROJ_LIBRARY_API const char* cusparseGetErrorString(int status) {
    return said_of(status).text;
}
GPUPROJ_LIBRARY_API int cusparseSetStream(void* handle, void* stream) {
    Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    known->stream = stream;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseGetStream(void* handle, void** stream) {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    if (stream == nullptr) return invalid_value;
    *stream = known->stream;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSetPointerMode(void* handle, int mode) {
    Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    if (mode < 0 || mode > 1) return invalid_value;
    known->pointer_mode = mode;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseGetPointerMode(void* handle, int* mode) {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    if (mode == nullptr) return invalid_value;
    *mode = known->pointer_mode;
    return success;
}

// There is no log to write.
GPUPROJ_LIBRARY_API int cusparseLoggerSetCallback(void*) {
    return success;
}
GPUPROJ_LIBRARY_API int cusparseLoggerSetFile(std::FILE*) {
    return success;
}
GPUPROJ_LIBRARY_API int cusparseLoggerOpenFile(const char*) {
    return success;
}
GPUPROJ_LIBRARY_API int cusparseLoggerSetLevel(int) {
    return success;
}
GPUPROJ_LIBRARY_API int cusparseLoggerSetMask(int) {
    return success;
}
GPUPROJ_LIBRARY_API int cusparseLoggerForceDisable() {
    return success;
}

GPUPROJ_LIBRARY_API int cusparseCreateMatDescr(void** description) {
    if (description == nullptr) return invalid_value;
    *description = new (std::nothrow) MatrixDescription;
    return *description != nullptr ? success : allocation_failed;
}
GPUPROJ_LIBRARY_API int cusparseDestroyMatDescr(void* description) {
    delete static_cast<MatrixDescription*>(description);
    return success;
}
#define GPUPROJ_DESCRIBED(Name, member, most)                                    \
    GPUPROJ_LIBRARY_API int cusparseSetMat##Name(void* description, int value) { \
        return set(description, value, most, &MatrixDescription::member);        \
    }                                                                            \
    GPUPROJ_LIBRARY_API int cusparseGetMat##Name(const void* description) {      \
        return static_cast<const MatrixDescription*>(description)->member;       \
    }
GPUPROJ_DESCRIBED(Type, type, 3)
GPUPROJ_DESCRIBED(FillMode, fill, 1)
GPUPROJ_DESCRIBED(DiagType, diagonal, 1)
GPUPROJ_DESCRIBED(IndexBase, base, 1)

}  // namespace gpuproj::simulate::libraries::cusparse
