// The old interface: its only handle, memory, and what went wrong last.
#include <atomic>

#include "collector/simulate/libraries/cublas_other_interfaces.hpp"

extern "C" {
// Of the CUDA runtime's stand-in.
int cudaMalloc(void** out, std::size_t bytes);
}

namespace gpuproj::simulate::libraries::cublas {

namespace {

std::atomic<void*> handle{nullptr};
std::atomic<int> last_status{success};

}  // namespace

void* default_handle() {
    return handle;
}
int keep_status(int status) {
    if (status != success) last_status = status;
    return status;
}

GPUPROJ_LIBRARY_API int cublasInit() {
    if (handle != nullptr) return success;
    void* made = nullptr;
    const int code = create_handle<Handle>(&made);
    if (code == success) handle = made;
    return keep_status(code);
}
GPUPROJ_LIBRARY_API int cublasShutdown() {
    return keep_status(destroy_handle<Handle>(handle.exchange(nullptr)));
}
/// What went wrong since it was asked last.
GPUPROJ_LIBRARY_API int cublasGetError() {
    return last_status.exchange(success);
}
GPUPROJ_LIBRARY_API int cublasSetKernelStream(void* stream) {
    return keep_status(set_in_handle<Handle>(handle, &Handle::stream, stream));
}
GPUPROJ_LIBRARY_API int cublasAlloc(int n, int element, void** out) {
    if (handle == nullptr) return keep_status(not_initialized);
    if (n <= 0 || element <= 0 || out == nullptr) return keep_status(invalid_value);
    const int code = cudaMalloc(out, static_cast<std::size_t>(n) * static_cast<std::size_t>(element));
    return keep_status(code == 0 ? success : allocation_failed);
}
GPUPROJ_LIBRARY_API int cublasFree(void* memory) {
    if (handle == nullptr) return keep_status(not_initialized);
    return keep_status(cudaFree(memory) == 0 ? success : execution_failed);
}

}  // namespace gpuproj::simulate::libraries::cublas
