// Handles of the dense and the sparse half, and their settings.
#include "collector/simulate/libraries/cusolver_types.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

constexpr int version = 11000;

}  // namespace

#define GPUPROJ_HANDLES(Half)                                                        \
    GPUPROJ_LIBRARY_API int cusolver##Half##Create(void** handle) {                  \
        return create_handle<Handle>(handle);                                        \
    }                                                                                \
    GPUPROJ_LIBRARY_API int cusolver##Half##Destroy(void* handle) {                  \
        return destroy_handle<Handle>(handle);                                       \
    }                                                                                \
    GPUPROJ_LIBRARY_API int cusolver##Half##SetStream(void* handle, void* stream) {  \
        return set_in_handle<Handle>(handle, &Handle::stream, stream);               \
    }                                                                                \
    GPUPROJ_LIBRARY_API int cusolver##Half##GetStream(void* handle, void** stream) { \
        return get_from_handle<Handle>(handle, &Handle::stream, stream);             \
    }
GPUPROJ_HANDLES(Dn)
GPUPROJ_HANDLES(Sp)

GPUPROJ_LIBRARY_API int cusolverGetVersion(int* out) {
    if (out == nullptr) return invalid_value;
    *out = version;
    return success;
}
GPUPROJ_LIBRARY_API int cusolverGetProperty(int type, int* value) {
    if (value == nullptr || type < 0 || type > 2) return invalid_value;
    *value = type == 0 ? version / 1000 : 0;
    return success;
}
// What is calculated here is the same each time.
GPUPROJ_LIBRARY_API int cusolverDnSetDeterministicMode(void* handle, int mode) {
    return set_in_handle<Handle>(handle, &Handle::deterministic_mode, mode);
}
GPUPROJ_LIBRARY_API int cusolverDnGetDeterministicMode(void* handle, int* mode) {
    return get_from_handle<Handle>(handle, &Handle::deterministic_mode, mode);
}
GPUPROJ_NO_LOG(cusolverDnLogger)

}  // namespace gpuproj::simulate::libraries::cusolver
