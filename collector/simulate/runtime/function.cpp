// Kernels as objects: attributes, handles, names.
#include <algorithm>
#include <cstring>

#include "collector/simulate/fatbin/ptx_advice.hpp"
#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate {

using cuda::CudaError;

const KernelInfo& info_of(const Module& module, const Kernel& kernel) {
    const KernelInfo* info = module.kernel(kernel.name);
    const std::string name = records::demangle(kernel.name);
    if (info == nullptr) {
        const int target = kernel.owner->target();
        throw Refused(cuda::invalid_device_function,
                      "kernel " + name + " is not in the PTX of " + kernel.owner->origin(),
                      rebuild_with_ptx({&target, 1}));
    }
    if (info->unsupported) throw Refused(cuda::not_supported, "kernel " + name + " uses " + *info->unsupported, "");
    return *info;
}

namespace {

enum class FunctionAttribute : int {
    max_dynamic_shared = 8,
    shared_carveout = 9,
    large_clusters = 14  // of more blocks than every GPU has room for
};

template <class Attributes>
void fill(Runtime& runtime, const Kernel& kernel, Attributes& attributes) {
    const Module& module = kernel.owner->module(runtime.memory());
    const KernelInfo& info = info_of(module, kernel);
    const auto& device = runtime.device();
    attributes = {};
    attributes.shared_bytes = info.static_shared_bytes;
    attributes.local_bytes = info.local_bytes;
    attributes.max_threads_per_block = static_cast<int>(
        std::min<std::uint32_t>(info.max_threads, static_cast<std::uint32_t>(device.max_threads_per_block)));
    attributes.registers = static_cast<int>(info.registers);
    attributes.ptx_version = module.target();
    attributes.binary_version = device.major * 10 + device.minor;
    const auto left =
        device.shared_per_block - std::min<std::uint64_t>(device.shared_per_block, info.static_shared_bytes);
    attributes.max_dynamic_shared_bytes =
        static_cast<int>(kernel.max_dynamic_shared_bytes.value_or(static_cast<std::uint32_t>(left)));
    attributes.preferred_shared_carveout = kernel.preferred_carveout;
}

// What there was not up to CUDA 11.
void fill_clusters(Runtime&, const Kernel&, cuda::FunctionAttributes&) {}
void fill_clusters(Runtime& runtime, const Kernel& kernel, cuda::FunctionAttributes12& attributes) {
    const Dim3& cluster = info_of(kernel.owner->module(runtime.memory()), kernel).cluster;
    attributes.cluster_dimension_must_be_set = cluster[0] != 0 ? 1 : 0;
    for (std::size_t i = 0; i < cluster.size(); ++i) attributes.required_cluster[i] = static_cast<int>(cluster[i]);
    attributes.non_portable_cluster_size_allowed = kernel.large_clusters ? 1 : 0;
}

template <class Attributes>
CudaError get_attributes(const char* name, Attributes* attributes, const void* function) {
    return api(name, [&](Runtime& runtime) {
        const Kernel* kernel = Registry::instance().kernel(function);
        if (kernel == nullptr) return cuda::invalid_device_function;
        if (attributes == nullptr) return cuda::invalid_value;
        fill(runtime, *kernel, *attributes);
        fill_clusters(runtime, *kernel, *attributes);
        return cuda::success;
    });
}

CudaError get_handle(const char* name, void** handle, const void* function) {
    return api(name, [&](Runtime&) {
        Kernel* kernel = Registry::instance().kernel(function);
        if (kernel == nullptr) return cuda::invalid_device_function;
        *handle = kernel;
        return cuda::success;
    });
}

}  // namespace

// What nvcc 13 asks for in place of `kernel<<<...>>>`, and gives to __cudaLaunchKernel alone. It gets the host function
// itself, by which programs know the kernel again in the nodes of a captured graph.
GPUPROJ_CUDA_API CudaError __cudaGetKernel(void** handle, const void* function) {
    return api(__func__, [&](Runtime&) {
        if (Registry::instance().kernel(function) == nullptr) return cuda::invalid_device_function;
        *handle = const_cast<void*>(function);
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGetKernel(void** handle, const void* function) {
    return get_handle(__func__, handle, function);
}

GPUPROJ_CUDA_API CudaError cudaGetFuncBySymbol(void** handle, const void* function) {
    return get_handle(__func__, handle, function);
}

GPUPROJ_CUDA_API CudaError cudaFuncGetName(const char** name, const void* function) {
    return api(__func__, [&](Runtime&) {
        const Kernel* kernel = Registry::instance().kernel(function);
        if (kernel == nullptr || name == nullptr) return cuda::invalid_value;
        *name = kernel->name.c_str();
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                                std::size_t* bytes) {
    return api(__func__, [&](Runtime& runtime) {
        const Kernel* kernel = Registry::instance().kernel(function);
        if (kernel == nullptr) return cuda::invalid_device_function;
        const KernelInfo& info = info_of(kernel->owner->module(runtime.memory()), *kernel);
        if (offset == nullptr || index >= info.parameters.size()) return cuda::invalid_value;
        *offset = info.parameters[index].offset;
        if (bytes != nullptr) *bytes = info.parameters[index].bytes;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaFuncGetAttributes(cuda::FunctionAttributes* attributes,
                                                             const void* function) {
    return get_attributes("cudaFuncGetAttributes", attributes, function);
}

GPUPROJ_CUDA_API CudaError gpuproj_v12_cudaFuncGetAttributes(cuda::FunctionAttributes12* attributes,
                                                             const void* function) {
    return get_attributes("cudaFuncGetAttributes", attributes, function);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaFuncGetAttributes, gpuproj_v12_cudaFuncGetAttributes);

GPUPROJ_CUDA_API CudaError cudaFuncSetAttribute(const void* function, int attribute, int value) {
    return api(__func__, [&](Runtime& runtime) {
        Kernel* kernel = Registry::instance().kernel(function);
        if (kernel == nullptr) return cuda::invalid_device_function;
        switch (static_cast<FunctionAttribute>(attribute)) {
            case FunctionAttribute::max_dynamic_shared: {
                const KernelInfo& info = info_of(kernel->owner->module(runtime.memory()), *kernel);
                const auto most = runtime.device().shared_per_block_opt_in;
                if (value < 0 || static_cast<std::uint64_t>(value) + info.static_shared_bytes > most)
                    return cuda::invalid_value;
                kernel->max_dynamic_shared_bytes = static_cast<std::uint32_t>(value);
                return cuda::success;
            }
            case FunctionAttribute::shared_carveout:
                if (value < -1 || value > 100) return cuda::invalid_value;
                kernel->preferred_carveout = value;
                return cuda::success;
            case FunctionAttribute::large_clusters:
                if (value != 0 && value != 1) return cuda::invalid_value;
                kernel->large_clusters = value != 0;
                return cuda::success;
        }
        return cuda::invalid_value;
    });
}

GPUPROJ_CUDA_API CudaError cudaFuncSetCacheConfig(const void* function, int) {
    return api(__func__, [&](Runtime&) {
        return Registry::instance().kernel(function) == nullptr ? cuda::invalid_device_function : cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaFuncSetSharedMemConfig, cudaFuncSetCacheConfig);

}  // namespace gpuproj::simulate
