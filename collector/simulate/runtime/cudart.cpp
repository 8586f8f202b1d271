// libcudart.so.N: has the name and the version tag that a program of CUDA N asks the loader for, and the functions
// whose interface differs between versions. All others come from libgpuproj_simulate.so, which goes before it.
#include "collector/simulate/runtime/abi.hpp"

#define GPUPROJ_JOIN(version, name) gpuproj_v##version##_##name
#define GPUPROJ_VERSIONED(version, name) GPUPROJ_JOIN(version, name)
#define GPUPROJ_OF(name) GPUPROJ_VERSIONED(GPUPROJ_CUDART, name)

using gpuproj::simulate::cuda::CudaError;

extern "C" {
CudaError GPUPROJ_OF(cudaGetDeviceProperties)(void* properties, int device);
CudaError GPUPROJ_OF(cudaFuncGetAttributes)(void* attributes, const void* function);
CudaError GPUPROJ_OF(cudaRuntimeGetVersion)(int* version);
}

GPUPROJ_CUDA_API CudaError cudaGetDeviceProperties(void* properties, int device) {
    return GPUPROJ_OF(cudaGetDeviceProperties)(properties, device);
}

GPUPROJ_CUDA_API CudaError cudaFuncGetAttributes(void* attributes, const void* function) {
    return GPUPROJ_OF(cudaFuncGetAttributes)(attributes, function);
}

GPUPROJ_CUDA_API CudaError cudaRuntimeGetVersion(int* version) {
    return GPUPROJ_OF(cudaRuntimeGetVersion)(version);
}
