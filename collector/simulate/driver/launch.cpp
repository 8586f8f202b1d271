// Launches, and how many blocks are resident.
#include <cstddef>
#include <optional>
#include <span>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"
#include "collector/simulate/runtime/kernels.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate::driver {

namespace {

struct Config {  // CUlaunchConfig
    cuda::Dim grid, block;
    unsigned dynamic_shared_bytes;
    void* stream;
    const cuda::LaunchAttribute* attributes;
    unsigned attribute_count;
};

std::optional<cuda::LaunchConfig> config_of(const Config* config) {
    if (config == nullptr) return std::nullopt;
    return cuda::LaunchConfig{config->grid,   config->block,      config->dynamic_shared_bytes,
                              config->stream, config->attributes, config->attribute_count};
}

CudaError launch_function(Runtime& runtime, LaunchCall wanted, void* stream, void** extra) {
    const Kernel* const kernel = Registry::instance().kernel(wanted.function);
    if (kernel == nullptr) return cuda::invalid_resource_handle;
    if (const auto code = set_packed(wanted, extra); code != cuda::success) return code;
    // Drivers take a buffer of arguments only if it ends with the last parameter (llvm/llvm-project, issue 143323).
    if (!wanted.packed.empty() &&
        wanted.packed.size() != info_of(kernel->owner->module(runtime.memory()), *kernel).parameter_bytes)
        return cuda::launch_out_of_resources;
    return launch(runtime, wanted, stream);
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuLaunchKernel(const void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                          unsigned by, unsigned bz, unsigned shared, void* stream, void** arguments,
                                          void** extra) {
    return call(__func__, [&](Runtime& runtime) {
        return launch_function(runtime, {function, {gx, gy, gz}, {bx, by, bz}, arguments, shared, false}, stream,
                               extra);
    });
}
GPUPROJ_CUDA_API CudaError cuLaunchKernel_ptsz(const void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                               unsigned by, unsigned bz, unsigned shared, void* stream,
                                               void** arguments, void** extra) {
    note_default_stream_per_thread();
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
}

GPUPROJ_CUDA_API CudaError cuLaunchCooperativeKernel(const void* function, unsigned gx, unsigned gy, unsigned gz,
                                                     unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                                     void* stream, void** arguments) {
    return call(__func__, [&](Runtime& runtime) {
        return launch_function(runtime, {function, {gx, gy, gz}, {bx, by, bz}, arguments, shared, true}, stream,
                               nullptr);
    });
}
GPUPROJ_CUDA_ALIAS(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel);

GPUPROJ_CUDA_API CudaError cuLaunchKernelEx(const Config* config, const void* function, void** arguments,
                                            void** extra) {
    return call(__func__, [&](Runtime& runtime) {
        if (config == nullptr) return cuda::invalid_value;
        LaunchCall wanted{function, config->grid, config->block, arguments, config->dynamic_shared_bytes, false};
        apply_attributes(wanted, {config->attributes, config->attribute_count});
        return launch_function(runtime, wanted, config->stream, extra);
    });
}
GPUPROJ_CUDA_ALIAS(cuLaunchKernelEx_ptsz, cuLaunchKernelEx);

GPUPROJ_CUDA_API CudaError cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
    return call(__func__, [&](Runtime&) { return cudaLaunchHostFunc(stream, function, data); });
}
GPUPROJ_CUDA_ALIAS(cuLaunchHostFunc_ptsz, cuLaunchHostFunc);

GPUPROJ_CUDA_API CudaError cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                                       std::size_t shared) {
    return call(__func__, [&](Runtime&) {
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
    });
}
GPUPROJ_CUDA_API CudaError cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                                int threads, std::size_t shared,
                                                                                unsigned) {
    return call(__func__, [&](Runtime&) {
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
    });
}
GPUPROJ_CUDA_API CudaError cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                                                   int threads) {
    return call(__func__,
                [&](Runtime&) { return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads); });
}

// The size of block with the most resident threads, the largest of several, and the fewest blocks that fill the device.
GPUPROJ_CUDA_API CudaError cuOccupancyMaxPotentialBlockSize(int* fewest_blocks, int* threads, const void* function,
                                                            std::size_t (*shared_of)(int), std::size_t shared,
                                                            int limit) {
    return call(__func__, [&](Runtime& runtime) {
        if (fewest_blocks == nullptr || threads == nullptr) return cuda::invalid_value;
        cuda::FunctionAttributes12 attributes{};
        if (const auto code = gpuproj_v12_cudaFuncGetAttributes(&attributes, function); code != cuda::success)
            return cuda::invalid_resource_handle;
        constexpr int warp = 32;
        int most = attributes.max_threads_per_block, best = -1;
        if (limit > 0) most = std::min(most, limit);
        for (int size = (most + warp - 1) / warp * warp; size > 0; size -= warp) {
            const int tried = std::min(size, most);
            int blocks = 0;
            const auto code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                &blocks, function, tried, shared_of == nullptr ? shared : shared_of(tried));
            if (code != cuda::success) return code;
            if (blocks * tried <= best) continue;
            best = blocks * tried;
            *threads = tried;
            *fewest_blocks = blocks * runtime.device().sm_count;
        }
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuOccupancyMaxPotentialBlockSizeWithFlags(int* fewest_blocks, int* threads,
                                                                     const void* function,
                                                                     std::size_t (*shared_of)(int), std::size_t shared,
                                                                     int limit, unsigned) {
    return cuOccupancyMaxPotentialBlockSize(fewest_blocks, threads, function, shared_of, shared, limit);
}
GPUPROJ_CUDA_API CudaError cuOccupancyMaxPotentialClusterSize(int* blocks, const void* function, const Config* config) {
    return call(__func__, [&](Runtime&) {
        const auto as_runtime = config_of(config);
        return as_runtime ? cudaOccupancyMaxPotentialClusterSize(blocks, function, &*as_runtime) : cuda::invalid_value;
    });
}
GPUPROJ_CUDA_API CudaError cuOccupancyMaxActiveClusters(int* clusters, const void* function, const Config* config) {
    return call(__func__, [&](Runtime&) {
        const auto as_runtime = config_of(config);
        return as_runtime ? cudaOccupancyMaxActiveClusters(clusters, function, &*as_runtime) : cuda::invalid_value;
    });
}

}  // namespace gpuproj::simulate::driver
