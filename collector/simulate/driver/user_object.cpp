// User objects: those of the runtime.
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"

namespace gpuproj::simulate::driver {

GPUPROJ_CUDA_API CudaError cuUserObjectCreate(void** object, void* data, void (*destroy)(void*), unsigned count,
                                              unsigned flags) {
    return call(__func__, [&](Runtime&) { return cudaUserObjectCreate(object, data, destroy, count, flags); });
}
GPUPROJ_CUDA_API CudaError cuUserObjectRetain(void* object, unsigned count) {
    return call(__func__, [&](Runtime&) { return cudaUserObjectRetain(object, count); });
}
GPUPROJ_CUDA_API CudaError cuUserObjectRelease(void* object, unsigned count) {
    return call(__func__, [&](Runtime&) { return cudaUserObjectRelease(object, count); });
}
GPUPROJ_CUDA_API CudaError cuGraphRetainUserObject(void* graph, void* object, unsigned count, unsigned flags) {
    return call(__func__, [&](Runtime&) { return cudaGraphRetainUserObject(graph, object, count, flags); });
}
GPUPROJ_CUDA_API CudaError cuGraphReleaseUserObject(void* graph, void* object, unsigned count) {
    return call(__func__, [&](Runtime&) { return cudaGraphReleaseUserObject(graph, object, count); });
}

}  // namespace gpuproj::simulate::driver
