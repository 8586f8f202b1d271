// Handles, descriptions of matrices for the functions of old, and what is said of a status.
#include "collector/simulate/libraries/cusparse_matrix_description.hpp"
#include "collector/simulate/libraries/cusparse_types.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

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

GPUPROJ_LIBRARY_API int cusparseCreate(void** handle) {
    return create_handle<Handle>(handle);
}
GPUPROJ_LIBRARY_API int cusparseDestroy(void* handle) {
    return destroy_handle<Handle>(handle);
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
    return set_in_handle<Handle>(handle, &Handle::stream, stream);
}
GPUPROJ_LIBRARY_API int cusparseGetStream(void* handle, void** stream) {
    return get_from_handle<Handle>(handle, &Handle::stream, stream);
}
GPUPROJ_LIBRARY_API int cusparseSetPointerMode(void* handle, int mode) {
    if (handle_of(handle) != nullptr && (mode < 0 || mode > 1)) return invalid_value;
    return set_in_handle<Handle>(handle, &Handle::pointer_mode, mode);
}
GPUPROJ_LIBRARY_API int cusparseGetPointerMode(void* handle, int* mode) {
    return get_from_handle<Handle>(handle, &Handle::pointer_mode, mode);
}
GPUPROJ_NO_LOG(cusparseLogger)

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
        return description_at(description).member;                               \
    }
GPUPROJ_DESCRIBED(Type, type, 3)
GPUPROJ_DESCRIBED(FillMode, fill, 1)
GPUPROJ_DESCRIBED(DiagType, diagonal, 1)
GPUPROJ_DESCRIBED(IndexBase, base, 1)

}  // namespace gpuproj::simulate::libraries::cusparse
