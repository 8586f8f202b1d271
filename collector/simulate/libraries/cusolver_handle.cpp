// Handles of the dense and the sparse half, and their settings.
#include <cstdio>

#include "collector/simulate/libraries/cusolver_types.hpp"

extern "C" {
// Of the CUDA runtime's stand-in.
int cudaFree(void*);
int cudaStreamSynchronize(void*);
}

namespace gpuproj::simulate::libraries::cusolver {

namespace {

constexpr std::uint64_t alive = 0x6770756a736f6c76;
constexpr int version = 11000;

int create(void** handle) {
    if (handle == nullptr) return invalid_value;
    if (cudaFree(nullptr) != 0) return not_initialized;
    auto* const made = new (std::nothrow) Handle;
    if (made == nullptr) return allocation_failed;
    made->magic = alive;
    *handle = made;
    return success;
}

int destroy(void* handle) {
    Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    known->magic = 0;
    delete known;
    return success;
}

int set_stream(void* handle, void* stream) {
    Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    known->stream = stream;
    return success;
}

int get_stream(void* handle, void** stream) {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    if (stream == nullptr) return invalid_value;
    *stream = known->stream;
    return success;
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

#define GPUPROJ_HANDLES(Half)                                                        \
    GPUPROJ_LIBRARY_API int cusolver##Half##Create(void** handle) {                  \
        return create(handle);                                                       \
    }                                                                                \
    GPUPROJ_LIBRARY_API int cusolver##Half##Destroy(void* handle) {                  \
        return destroy(handle);                                                      \
    }                                                                                \
    GPUPROJ_LIBRARY_API int cusolver##Half##SetStream(void* handle, void* stream) {  \
        return set_stream(handle, stream);                                           \
    }                                                                                \
    GPUPROJ_LIBRARY_API int cusolver##Half##GetStream(void* handle, void** stream) { \
        return get_stream(handle, stream);                                           \
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
    Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    known->deterministic_mode = mode;
    return success;
}
GPUPROJ_LIBRARY_API int cusolverDnGetDeterministicMode(void* handle, int* mode) {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    if (mode == nullptr) return invalid_value;
    *mode = known->deterministic_mode;
    return success;
}

// There is no log to write.
GPUPROJ_LIBRARY_API int cusolverDnLoggerSetCallback(void*) {
    return success;
}
GPUPROJ_LIBRARY_API int cusolverDnLoggerSetFile(std::FILE*) {
    return success;
}
GPUPROJ_LIBRARY_API int cusolverDnLoggerOpenFile(const char*) {
    return success;
}
GPUPROJ_LIBRARY_API int cusolverDnLoggerSetLevel(int) {
    return success;
}
GPUPROJ_LIBRARY_API int cusolverDnLoggerSetMask(int) {
    return success;
}
GPUPROJ_LIBRARY_API int cusolverDnLoggerForceDisable() {
    return success;
}

}  // namespace gpuproj::simulate::libraries::cusolver
