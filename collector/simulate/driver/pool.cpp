// Memory pools: those of the runtime.
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"

namespace gpuproj::simulate::driver {

GPUPROJ_CUDA_API CudaError cuDeviceGetDefaultMemPool(void** pool, int device) {
    return call(__func__, [&](Runtime&) { return cudaDeviceGetDefaultMemPool(pool, device); });
}
GPUPROJ_CUDA_API CudaError cuDeviceGetMemPool(void** pool, int device) {
    return call(__func__, [&](Runtime&) { return cudaDeviceGetMemPool(pool, device); });
}
GPUPROJ_CUDA_API CudaError cuDeviceSetMemPool(int device, void* pool) {
    return call(__func__, [&](Runtime&) { return cudaDeviceSetMemPool(device, pool); });
}
GPUPROJ_CUDA_API CudaError cuMemGetDefaultMemPool(void** pool, const cuda::Location* location, int type) {
    return call(__func__, [&](Runtime&) { return cudaMemGetDefaultMemPool(pool, location, type); });
}
GPUPROJ_CUDA_API CudaError cuMemGetMemPool(void** pool, const cuda::Location* location, int type) {
    return call(__func__, [&](Runtime&) { return cudaMemGetMemPool(pool, location, type); });
}
GPUPROJ_CUDA_API CudaError cuMemSetMemPool(const cuda::Location* location, int type, void* pool) {
    return call(__func__, [&](Runtime&) { return cudaMemSetMemPool(location, type, pool); });
}
GPUPROJ_CUDA_API CudaError cuMemPoolCreate(void** pool, const cuda::PoolProperties* properties) {
    return call(__func__, [&](Runtime&) { return cudaMemPoolCreate(pool, properties); });
}
GPUPROJ_CUDA_API CudaError cuMemPoolDestroy(void* pool) {
    return call(__func__, [&](Runtime&) { return cudaMemPoolDestroy(pool); });
}
GPUPROJ_CUDA_API CudaError cuMemPoolTrimTo(void* pool, std::size_t bytes) {
    return call(__func__, [&](Runtime&) { return cudaMemPoolTrimTo(pool, bytes); });
}
GPUPROJ_CUDA_API CudaError cuMemPoolGetAttribute(void* pool, int attribute, void* value) {
    return call(__func__, [&](Runtime&) { return cudaMemPoolGetAttribute(pool, attribute, value); });
}
GPUPROJ_CUDA_API CudaError cuMemPoolSetAttribute(void* pool, int attribute, void* value) {
    return call(__func__, [&](Runtime&) { return cudaMemPoolSetAttribute(pool, attribute, value); });
}
GPUPROJ_CUDA_API CudaError cuMemPoolSetAccess(void* pool, const void* accesses, std::size_t count) {
    return call(__func__, [&](Runtime&) { return cudaMemPoolSetAccess(pool, accesses, count); });
}
GPUPROJ_CUDA_API CudaError cuMemPoolGetAccess(int* flags, void* pool, const cuda::Location* location) {
    return call(__func__, [&](Runtime&) { return cudaMemPoolGetAccess(flags, pool, location); });
}
GPUPROJ_CUDA_API CudaError cuMemAllocFromPoolAsync(DevicePointer* address, std::size_t bytes, void* pool,
                                                   void* stream) {
    return call(__func__, [&](Runtime&) {
        if (address == nullptr) return cuda::invalid_value;
        return cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool, stream);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync);

}  // namespace gpuproj::simulate::driver
