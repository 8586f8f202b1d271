// Kernel launches.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "collector/records/kernel_names.hpp"
#include "collector/simulate/engine/launch_limits.hpp"
#include "collector/simulate/engine/of_thread.hpp"
#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/capture.hpp"
#include "collector/simulate/runtime/kernels.hpp"
#include "collector/simulate/runtime/refused_launches.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;
using cuda::Dim;

// What <<<...>>> sets and the launch stub takes; nested only by the arguments' own launches.
struct CallConfiguration {
    Dim grid, block;
    std::size_t shared;
    void* stream;
    std::vector<std::byte> arguments;  // set one by one by programs of CUDA 9.1 and older
};
std::vector<CallConfiguration>& configurations() {
    return of_thread<std::vector<CallConfiguration>>();
}

std::vector<std::byte> parameters_of(const KernelInfo& info, const LaunchCall& call) {
    std::vector<std::byte> buffer(info.parameter_bytes);
    if (!call.packed.empty()) {
        std::copy_n(call.packed.begin(), std::min(call.packed.size(), buffer.size()), buffer.begin());
        return buffer;
    }
    void** const arguments = call.arguments;
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const auto& parameter = info.parameters[i];
        if (arguments == nullptr || arguments[i] == nullptr)
            throw Refused(cuda::invalid_value, "a launch of " + info.name + " without its arguments", "",
                          records::kernel_fault);
        std::memcpy(buffer.data() + parameter.offset, arguments[i], parameter.bytes);
    }
    return buffer;
}

std::string text_of(const Dim& d) {
    return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

Dim3 dim3_of(const Dim& d) {
    return {d.x, d.y, d.z};
}

// The limits of the GPU that the program was compiled for.
LaunchRefusal check(const DeviceDescription& device, const Kernel& kernel, const KernelInfo& info,
                    const LaunchCall& call) {
    const Dim cluster = call.cluster.x != 0 ? call.cluster : Dim{info.cluster[0], info.cluster[1], info.cluster[2]};
    LaunchRefusal refusal =
        refusal_of_shape(dim3_of(call.grid), dim3_of(call.block), dim3_of(cluster),
                         static_cast<std::uint64_t>(device.max_threads_per_block), info.max_threads);
    if (refusal.code != cuda::success) return refusal;
    // What every GPU with clusters has room for, and what some have (CUDA C++ Programming Guide).
    const std::uint64_t most_blocks = kernel.large_clusters ? 16 : 8;
    if (const std::uint64_t blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z; blocks > most_blocks)
        return {cuda::invalid_cluster_size,
                fmt::format("clusters of {} blocks, of which the kernel takes {}", blocks, most_blocks)};
    const std::uint64_t most_dynamic = kernel.max_dynamic_shared_bytes.value_or(
        device.shared_per_block - std::min<std::uint64_t>(info.static_shared_bytes, device.shared_per_block));
    if (call.dynamic_shared_bytes > most_dynamic)
        return {cuda::invalid_value,
                fmt::format("{} bytes of dynamic shared memory, of which the kernel has {} unless cudaFuncSetAttribute "
                            "raises it",
                            call.dynamic_shared_bytes, most_dynamic)};
    return {};
}

// Blocks that wait for each other are all resident, as many as cudaOccupancyMaxActiveBlocksPerMultiprocessor says.
bool fits_at_once(const Runtime& runtime, const KernelInfo& info, const LaunchCall& call) {
    const auto [gx, gy, gz] = call.grid;
    const auto resident = resident_blocks(runtime, info, static_cast<int>(call.block.x * call.block.y * call.block.z),
                                          call.dynamic_shared_bytes);
    if (!resident) return true;
    return std::uint64_t{gx} * gy * gz <= static_cast<std::uint64_t>(*resident) * runtime.device().sm_count;
}

CudaError refuse(Runtime& runtime, const KernelInfo& info, const LaunchRefusal& refusal) {
    note_refused_launch(runtime.recorder(), records::demangle(info.name), "", refusal);
    return static_cast<CudaError>(refusal.code);
}

// Attributes that launches do not depend on; a captured launch is asked for them.
void keep_hints(const LaunchCall& call, KernelWork& work) {
    using Attribute = cuda::LaunchAttribute;
    for (const Attribute& attribute : call.attributes) {
        if (attribute.id == Attribute::id_cooperative || attribute.id == Attribute::id_cluster) continue;
        std::memcpy(work.hints[attribute.id].data(), attribute.value.bytes, sizeof attribute.value.bytes);
    }
}

}  // namespace

CudaError set_packed(LaunchCall& call, void** extra) {
    constexpr std::uintptr_t buffer_pointer = 1, buffer_size = 2;  // CU_LAUNCH_PARAM_*
    if (extra == nullptr) return cuda::success;
    if (call.arguments != nullptr) return cuda::invalid_value;
    const void* begin = nullptr;
    std::size_t bytes = 0;
    for (; *extra != nullptr; extra += 2) {
        const auto key = reinterpret_cast<std::uintptr_t>(*extra);
        if (key == buffer_pointer)
            begin = extra[1];
        else if (key == buffer_size)
            bytes = *static_cast<const std::size_t*>(extra[1]);
        else
            return cuda::invalid_value;
    }
    call.packed = {static_cast<const std::byte*>(begin), begin == nullptr ? 0 : bytes};
    return cuda::success;
}

CudaError make_kernel_work(Runtime& runtime, const LaunchCall& call, KernelWork& work) {
    Kernel* kernel = Registry::instance().kernel(call.function);
    if (kernel == nullptr) return cuda::invalid_device_function;
    const Module& module = kernel->owner->module(runtime.memory());
    const KernelInfo& info = info_of(module, *kernel);
    if (const LaunchRefusal refusal = check(runtime.device(), *kernel, info, call); refusal.code != cuda::success)
        return refuse(runtime, info, refusal);
    if (call.cooperative && !fits_at_once(runtime, info, call))
        return refuse(runtime, info,
                      {cuda::cooperative_launch_too_large,
                       fmt::format("its {} blocks wait for each other, and the GPU does not hold all at once",
                                   text_of(call.grid))});
    work = {
        kernel,           call.function, call.grid, call.block, call.dynamic_shared_bytes, parameters_of(info, call),
        call.cooperative, call.cluster};
    keep_hints(call, work);
    return cuda::success;
}

CudaError launch(Runtime& runtime, const LaunchCall& call, void* stream) {
    KernelWork work;
    const CudaError code = make_kernel_work(runtime, call, work);
    if (code != cuda::success) return code;
    if (Captures::instance().any()) inherit_attributes(runtime, stream, work.hints);
    return submit(runtime, stream, std::move(work));
}

void apply_attributes(LaunchCall& call, std::span<const cuda::LaunchAttribute> attributes) {
    call.attributes = attributes;
    for (const cuda::LaunchAttribute& attribute : attributes) {
        if (attribute.id == cuda::LaunchAttribute::id_cooperative) call.cooperative = attribute.value.flag != 0;
        const auto& cluster = attribute.value.cluster;
        if (attribute.id == cuda::LaunchAttribute::id_cluster) call.cluster = {cluster[0], cluster[1], cluster[2]};
    }
}

GPUPROJ_CUDA_API unsigned __cudaPushCallConfiguration(Dim grid, Dim block, std::size_t shared, void* stream) {
    try {
        configurations().push_back({grid, block, shared, stream, {}});
        return 0;
    } catch (const std::bad_alloc&) {
        return remember(cuda::memory_allocation);
    }
}

GPUPROJ_CUDA_API CudaError __cudaPopCallConfiguration(Dim* grid, Dim* block, std::size_t* shared, void* stream) {
    if (configurations().empty()) return remember(cuda::missing_configuration);
    const auto configuration = configurations().back();
    configurations().pop_back();
    *grid = configuration.grid;
    *block = configuration.block;
    *shared = configuration.shared;
    *static_cast<void**>(stream) = configuration.stream;
    return cuda::success;
}

// Up to CUDA 9.1 the stub sets each argument where the kernel finds it, and then launches.
GPUPROJ_CUDA_API CudaError cudaConfigureCall(Dim grid, Dim block, std::size_t shared, void* stream) {
    return static_cast<CudaError>(__cudaPushCallConfiguration(grid, block, shared, stream));
}

GPUPROJ_CUDA_API CudaError cudaSetupArgument(const void* argument, std::size_t bytes, std::size_t offset) {
    return api(__func__, [&](Runtime&) {
        if (configurations().empty()) return cuda::missing_configuration;
        constexpr std::size_t most = 4096;  // a kernel's parameters (CUDA C++ Programming Guide)
        if (argument == nullptr || offset > most || bytes > most - offset) return cuda::invalid_value;
        auto& arguments = configurations().back().arguments;
        arguments.resize(std::max(arguments.size(), offset + bytes));
        std::memcpy(arguments.data() + offset, argument, bytes);
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaLaunch(const void* function) {
    return api(__func__, [&](Runtime& runtime) {
        if (configurations().empty()) return cuda::missing_configuration;
        const auto configuration = std::move(configurations().back());
        configurations().pop_back();
        LaunchCall call{function, configuration.grid, configuration.block, nullptr, configuration.shared, false};
        call.packed = configuration.arguments;
        return launch(runtime, call, configuration.stream);
    });
}
GPUPROJ_CUDA_ALIAS(cudaLaunch_ptsz, cudaLaunch);

GPUPROJ_CUDA_API CudaError cudaLaunchKernel(const void* function, Dim grid, Dim block, void** arguments,
                                            std::size_t shared, void* stream) {
    return api(__func__, [&](Runtime& runtime) {
        return launch(runtime, {function, grid, block, arguments, shared, false}, stream);
    });
}
GPUPROJ_CUDA_API CudaError cudaLaunchKernel_ptsz(const void* function, Dim grid, Dim block, void** arguments,
                                                 std::size_t shared, void* stream) {
    note_default_stream_per_thread();
    return cudaLaunchKernel(function, grid, block, arguments, shared, stream);
}
// Takes what __cudaGetKernel gave; the registry knows both.
GPUPROJ_CUDA_ALIAS(__cudaLaunchKernel, cudaLaunchKernel);
GPUPROJ_CUDA_ALIAS(__cudaLaunchKernel_ptsz, cudaLaunchKernel_ptsz);

GPUPROJ_CUDA_API CudaError cudaLaunchCooperativeKernel(const void* function, Dim grid, Dim block, void** arguments,
                                                       std::size_t shared, void* stream) {
    return api(__func__, [&](Runtime& runtime) {
        return launch(runtime, {function, grid, block, arguments, shared, true}, stream);
    });
}
GPUPROJ_CUDA_ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);

GPUPROJ_CUDA_API CudaError cudaLaunchKernelExC(const cuda::LaunchConfig* config, const void* function,
                                               void** arguments) {
    return api(__func__, [&](Runtime& runtime) {
        if (config == nullptr) return cuda::invalid_value;
        LaunchCall call{function, config->grid, config->block, arguments, config->dynamic_shared_bytes, false};
        apply_attributes(call, {config->attributes, config->attribute_count});
        return launch(runtime, call, config->stream);
    });
}
GPUPROJ_CUDA_API CudaError cudaLaunchKernelExC_ptsz(const cuda::LaunchConfig* config, const void* function,
                                                    void** arguments) {
    note_default_stream_per_thread();
    return cudaLaunchKernelExC(config, function, arguments);
}

}  // namespace gpuproj::simulate
