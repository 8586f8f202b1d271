// Occupancy queries: of the reference GPU, as product.md says.
#include "model/occupancy.hpp"

#include <algorithm>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/kernels.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;

CudaError active_blocks(const char* name, int* blocks, const void* function, int threads, std::size_t dynamic_shared) {
    return api(name, [&](Runtime& runtime) {
        if (blocks == nullptr || threads <= 0) return cuda::invalid_value;
        const Kernel* kernel = Registry::instance().kernel(function);
        if (kernel == nullptr) return cuda::invalid_device_function;
        const KernelInfo& info = info_of(kernel->owner->module(runtime.memory()), *kernel);
        const auto resident = resident_blocks(runtime, info, threads, dynamic_shared);
        if (!resident) throw Refused(cuda::not_supported, "occupancy of a GPU whose limits are not known", "");
        *blocks = *resident;
        return cuda::success;
    });
}

}  // namespace

std::optional<int> resident_blocks(const Runtime& runtime, const KernelInfo& info, int threads,
                                   std::size_t dynamic_shared_bytes) {
    const auto shared = info.static_shared_bytes + dynamic_shared_bytes;
    const auto resident = occupancy(runtime.reference(), static_cast<std::uint32_t>(threads), info.registers, shared);
    if (!resident) return std::nullopt;
    // What the GPU takes that the program was compiled for is launched, also where the reference has less shared
    // memory or registers than one block wants: then one block is what runs at a time.
    const auto& device = runtime.device();
    const bool launched = threads <= device.max_threads_per_block &&
                          shared <= std::max(device.shared_per_block, device.shared_per_block_opt_in);
    return std::max(launched ? 1 : 0, static_cast<int>(resident->blocks_per_sm));
}

GPUPROJ_CUDA_API CudaError cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                                         std::size_t dynamic_shared) {
    return active_blocks(__func__, blocks, function, threads, dynamic_shared);
}

GPUPROJ_CUDA_API CudaError cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                                  int threads,
                                                                                  std::size_t dynamic_shared,
                                                                                  unsigned) {
    return active_blocks(__func__, blocks, function, threads, dynamic_shared);
}

GPUPROJ_CUDA_API CudaError cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                                     int blocks, int threads) {
    return api(__func__, [&](Runtime& runtime) {
        if (bytes == nullptr || blocks <= 0 || threads <= 0) return cuda::invalid_value;
        const Kernel* kernel = Registry::instance().kernel(function);
        if (kernel == nullptr) return cuda::invalid_device_function;
        const KernelInfo& info = info_of(kernel->owner->module(runtime.memory()), *kernel);
        const auto& device = runtime.device();
        const auto share = device.shared_per_sm / static_cast<std::uint64_t>(blocks);
        const auto taken = info.static_shared_bytes + device.reserved_shared_per_block;
        *bytes = share > taken ? std::min(share - taken,
                                          device.shared_per_block - std::min<std::uint64_t>(device.shared_per_block,
                                                                                            info.static_shared_bytes))
                               : 0;
        return cuda::success;
    });
}

namespace {

std::uint32_t volume(const cuda::Dim& dim) {
    return dim.x * dim.y * dim.z;
}

}  // namespace

// All blocks of a cluster are on one SM here, and up to 8 are what every GPU with clusters takes.
GPUPROJ_CUDA_API CudaError cudaOccupancyMaxPotentialClusterSize(int* blocks, const void*, const cuda::LaunchConfig*) {
    return api(__func__, [&](Runtime& runtime) {
        constexpr int portable = 8, first_with_clusters = 9;
        if (blocks == nullptr) return cuda::invalid_value;
        *blocks = runtime.device().major >= first_with_clusters ? portable : 1;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                                          const cuda::LaunchConfig* config) {
    if (clusters == nullptr || config == nullptr) return cuda::invalid_value;
    int blocks = 0;
    const CudaError code = active_blocks(__func__, &blocks, function, static_cast<int>(volume(config->block)),
                                         config->dynamic_shared_bytes);
    if (code != cuda::success) return code;
    return api(__func__, [&](Runtime& runtime) {
        LaunchCall call;
        apply_attributes(call, {config->attributes, config->attribute_count});
        const auto size = static_cast<int>(std::max(volume(call.cluster), 1U));
        *clusters = blocks * runtime.device().sm_count / size;
        return cuda::success;
    });
}

}  // namespace gpuproj::simulate
