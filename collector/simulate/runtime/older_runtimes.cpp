// What the runtimes before CUDA 11 have otherwise than that: layouts and error numbers. A gpuproj_vN_ name is
// for programs of CUDA N up to the next N there is: 5 (5.0 and 5.5), 6 (6.0 to 7.5), 8, 9 (9.0 to 9.2) and 10; those of
// cudaGetDeviceProperties and cudaRuntimeGetVersion are beside the newer ones.
#include <cstddef>
#include <cstring>

#include "collector/simulate/runtime/api.hpp"

// The newer functions that these are made of.
extern "C" {
gpuproj::simulate::cuda::CudaError gpuproj_v11_cudaPointerGetAttributes(gpuproj::simulate::cuda::PointerAttributes*,
                                                                        const void*);
gpuproj::simulate::cuda::CudaError gpuproj_v11_cudaFuncGetAttributes(gpuproj::simulate::cuda::FunctionAttributes*,
                                                                     const void*);
gpuproj::simulate::cuda::CudaError gpuproj_v10_cudaStreamQuery(void*);
gpuproj::simulate::cuda::CudaError gpuproj_v10_cudaEventQuery(void*);
}

// That of CUDA 10 does what CUDA 11's does.
#define GPUPROJ_AS_IN_11(name)                                                                                         \
    asm(".text\n.globl gpuproj_v10_" #name "\n.type gpuproj_v10_" #name                                                \
        ", @function\n"                                                                                                \
        "gpuproj_v10_" #name ":\n\tjmp gpuproj_v11_" #name "@PLT\n.size gpuproj_v10_" #name ", . - gpuproj_v10_" #name \
        "\n")

GPUPROJ_AS_IN_11(cudaGraphAddDependencies);
GPUPROJ_AS_IN_11(cudaGraphExecUpdate);
GPUPROJ_AS_IN_11(cudaGraphGetEdges);
GPUPROJ_AS_IN_11(cudaGraphInstantiate);
GPUPROJ_AS_IN_11(cudaGraphNodeGetDependencies);
GPUPROJ_AS_IN_11(cudaGraphNodeGetDependentNodes);
GPUPROJ_AS_IN_11(cudaGraphRemoveDependencies);
GPUPROJ_AS_IN_11(cudaStreamGetCaptureInfo);
GPUPROJ_AS_IN_11(cudaStreamGetCaptureInfo_ptsz);

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;

/// `bytes`: of what the caller has room for, the beginning of CUDA 11's.
CudaError function_attributes(void* attributes, const void* function, std::size_t bytes) {
    cuda::FunctionAttributes all{};
    const CudaError code = gpuproj_v11_cudaFuncGetAttributes(attributes == nullptr ? nullptr : &all, function);
    if (attributes != nullptr && code == cuda::success) std::memcpy(attributes, &all, bytes);
    return code;
}

enum class MemoryType : int { host = 1, device = 2 };  // cudaMemoryType without what came later

struct PointerAttributes5 {
    MemoryType type;
    int device;
    void* device_pointer;
    void* host_pointer;
};
struct PointerAttributes6 : PointerAttributes5 {
    int managed;
};
struct PointerAttributes10 {
    MemoryType memory_type;
    cuda::PointerType type;
    int device;
    void* device_pointer;
    void* host_pointer;
    int managed;
};

MemoryType memory_type(cuda::PointerType type) {
    return type == cuda::PointerType::host || type == cuda::PointerType::unregistered ? MemoryType::host
                                                                                      : MemoryType::device;
}

template <class Attributes>
CudaError pointer_attributes(Attributes* attributes, const void* pointer) {
    cuda::PointerAttributes now{};
    const CudaError code = gpuproj_v11_cudaPointerGetAttributes(attributes == nullptr ? nullptr : &now, pointer);
    if (attributes == nullptr || code != cuda::success) return code;
    // Up to CUDA 10 it is an error to ask about what the runtime does not know.
    if (now.type == cuda::PointerType::unregistered) return remember(cuda::invalid_value);
    *attributes = {};
    if constexpr (requires { attributes->memory_type; }) {
        attributes->memory_type = memory_type(now.type);
        attributes->type = now.type;
    } else {
        attributes->type = memory_type(now.type);
    }
    attributes->device = now.device;
    attributes->device_pointer = now.device_pointer;
    attributes->host_pointer = now.host_pointer;
    if constexpr (requires { attributes->managed; }) attributes->managed = now.type == cuda::PointerType::managed;
    return code;
}

/// Programs wait until it is another one.
CudaError with_old_number(CudaError code) {
    constexpr int not_ready = 34;  // cudaErrorNotReady up to CUDA 10.0
    return code == cuda::not_ready ? static_cast<CudaError>(not_ready) : code;
}

}  // namespace

GPUPROJ_CUDA_API CudaError gpuproj_v5_cudaFuncGetAttributes(void* attributes, const void* function) {
    return function_attributes(attributes, function, offsetof(cuda::FunctionAttributes, cache_mode_ca));
}
GPUPROJ_CUDA_API CudaError gpuproj_v6_cudaFuncGetAttributes(void* attributes, const void* function) {
    return function_attributes(attributes, function, offsetof(cuda::FunctionAttributes, max_dynamic_shared_bytes));
}
GPUPROJ_CUDA_ALIAS(gpuproj_v8_cudaFuncGetAttributes, gpuproj_v6_cudaFuncGetAttributes);
GPUPROJ_CUDA_API CudaError gpuproj_v9_cudaFuncGetAttributes(void* attributes, const void* function) {
    return function_attributes(attributes, function, sizeof(cuda::FunctionAttributes));
}
GPUPROJ_CUDA_ALIAS(gpuproj_v10_cudaFuncGetAttributes, gpuproj_v9_cudaFuncGetAttributes);

GPUPROJ_CUDA_API CudaError gpuproj_v5_cudaPointerGetAttributes(PointerAttributes5* attributes, const void* pointer) {
    return pointer_attributes(attributes, pointer);
}
GPUPROJ_CUDA_API CudaError gpuproj_v6_cudaPointerGetAttributes(PointerAttributes6* attributes, const void* pointer) {
    return pointer_attributes(attributes, pointer);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v8_cudaPointerGetAttributes, gpuproj_v6_cudaPointerGetAttributes);
GPUPROJ_CUDA_ALIAS(gpuproj_v9_cudaPointerGetAttributes, gpuproj_v6_cudaPointerGetAttributes);
GPUPROJ_CUDA_API CudaError gpuproj_v10_cudaPointerGetAttributes(PointerAttributes10* attributes, const void* pointer) {
    return pointer_attributes(attributes, pointer);
}

GPUPROJ_CUDA_API CudaError gpuproj_v5_cudaStreamQuery(void* stream) {
    return with_old_number(gpuproj_v10_cudaStreamQuery(stream));
}
GPUPROJ_CUDA_ALIAS(gpuproj_v6_cudaStreamQuery, gpuproj_v5_cudaStreamQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v8_cudaStreamQuery, gpuproj_v5_cudaStreamQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v9_cudaStreamQuery, gpuproj_v5_cudaStreamQuery);
// Per-thread default streams came with CUDA 7.
GPUPROJ_CUDA_ALIAS(gpuproj_v6_cudaStreamQuery_ptsz, gpuproj_v5_cudaStreamQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v8_cudaStreamQuery_ptsz, gpuproj_v5_cudaStreamQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v9_cudaStreamQuery_ptsz, gpuproj_v5_cudaStreamQuery);

GPUPROJ_CUDA_API CudaError gpuproj_v5_cudaEventQuery(void* event) {
    return with_old_number(gpuproj_v10_cudaEventQuery(event));
}
GPUPROJ_CUDA_ALIAS(gpuproj_v6_cudaEventQuery, gpuproj_v5_cudaEventQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v8_cudaEventQuery, gpuproj_v5_cudaEventQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v9_cudaEventQuery, gpuproj_v5_cudaEventQuery);

}  // namespace gpuproj::simulate
