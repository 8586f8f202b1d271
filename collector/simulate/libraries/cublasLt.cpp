// cuBLASLt: handles can be made, and everything else is refused by name.
#include "collector/simulate/libraries/refused_functions.hpp"

namespace {

constexpr int success = 0, invalid_value = 7, version = 120000;
int any_handle = 0;

}  // namespace

GPUPROJ_LIBRARY_API int cublasLtCreate(void** handle) {
    if (handle == nullptr) return invalid_value;
    *handle = &any_handle;
    return success;
}
GPUPROJ_LIBRARY_API int cublasLtDestroy(void*) {
    return success;
}
GPUPROJ_LIBRARY_API std::size_t cublasLtGetVersion() {
    return version;
}

#define GPUPROJ_REFUSED_LIBRARY "cuBLASLt"
#define GPUPROJ_REFUSED_STATUS 15  // CUBLAS_STATUS_NOT_SUPPORTED

#include "collector/simulate/libraries/cublasLt_unsupported_names.inc"
