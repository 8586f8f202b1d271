// cuBLASLt's handles, and what it says of itself.
#include <atomic>

#include "collector/simulate/libraries/cublasLt_types.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

namespace {

constexpr int version = 120000;
std::atomic<std::size_t> cache_capacity{8192};  // of algorithms found before; there is nothing to keep
std::atomic<unsigned> disabled_cpu_instructions{0};

struct StatusText {
    int status;
    const char *name, *text;
};
constexpr StatusText texts[] = {{success, "CUBLAS_STATUS_SUCCESS", "success"},
                                {not_initialized, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
                                {allocation_failed, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
                                {invalid_value, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was given"},
                                {8, "CUBLAS_STATUS_ARCH_MISMATCH", "the GPU lacks a feature that is needed"},
                                {11, "CUBLAS_STATUS_MAPPING_ERROR", "memory could not be accessed"},
                                {execution_failed, "CUBLAS_STATUS_EXECUTION_FAILED", "the GPU failed to execute"},
                                {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
                                {not_supported, "CUBLAS_STATUS_NOT_SUPPORTED", "the function is not supported"},
                                {16, "CUBLAS_STATUS_LICENSE_ERROR", "a license is missing"}};

StatusText text_of(int status) {
    for (const StatusText& known : texts)
        if (known.status == status) return known;
    return {status, "unrecognized status", "unrecognized status"};
}

}  // namespace

GPUPROJ_LIBRARY_API int cublasLtCreate(void** handle) {
    return create_handle<Handle>(handle);
}
GPUPROJ_LIBRARY_API int cublasLtDestroy(void* handle) {
    return handle == nullptr ? invalid_value : destroy_handle<Handle>(handle);
}
GPUPROJ_LIBRARY_API std::size_t cublasLtGetVersion() {
    return version;
}
GPUPROJ_LIBRARY_API std::size_t cublasLtGetCudartVersion() {
    return version / 10;
}
GPUPROJ_LIBRARY_API int cublasLtGetProperty(int type, int* value) {
    if (value == nullptr || type < 0 || type > 2) return invalid_value;
    *value = type == 0 ? version / 10000 : 0;
    return success;
}
GPUPROJ_LIBRARY_API const char* cublasLtGetStatusName(int status) {
    return text_of(status).name;
}
GPUPROJ_LIBRARY_API const char* cublasLtGetStatusString(int status) {
    return text_of(status).text;
}
GPUPROJ_LIBRARY_API int cublasLtHeuristicsCacheGetCapacity(std::size_t* capacity) {
    if (capacity == nullptr) return invalid_value;
    *capacity = cache_capacity;
    return success;
}
GPUPROJ_LIBRARY_API int cublasLtHeuristicsCacheSetCapacity(std::size_t capacity) {
    cache_capacity = capacity;
    return success;
}
GPUPROJ_LIBRARY_API unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask) {
    return disabled_cpu_instructions.exchange(mask);
}
GPUPROJ_NO_LOG(cublasLtLogger)

}  // namespace gpuproj::simulate::libraries::cublas_lt
