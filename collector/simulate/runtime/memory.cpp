// Allocation: device, pinned, managed, registered; what a pointer points to.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "collector/simulate/engine/held_memory.hpp"
#include "collector/simulate/runtime/advice.hpp"
#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/capture.hpp"
#include "collector/simulate/runtime/kernels.hpp"
#include "collector/simulate/runtime/pool.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;
using cuda::PointerType;

constexpr std::size_t pitch_alignment = 512;  // what cudaMallocPitch gives on current GPUs

std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

CudaError allocate(Runtime& runtime, void** pointer, std::size_t bytes, PointerType type, void* pool = nullptr) {
    if (pointer == nullptr) return cuda::invalid_value;
    *pointer = nullptr;
    if (bytes == 0) return cuda::success;
    if (pool == nullptr)
        if (const CudaError code = Captures::instance().refuse_unsafe(); code != cuda::success) return code;
    const auto total = runtime.device().memory_bytes;
    if (bytes > total || runtime.memory().allocated() > total - bytes) return cuda::memory_allocation;
    if (pool != nullptr && !take_from_pool(pool, bytes)) return cuda::memory_allocation;
    void* memory = runtime.memory().allocate(bytes, type == PointerType::device ? Writers::device : Writers::anyone);
    if (memory == nullptr) {
        if (pool != nullptr) give_to_pool(pool, bytes);
        return cuda::memory_allocation;
    }
    runtime.allocations().add({.type = type, .begin = address_of(memory), .bytes = bytes, .pool = pool});
    runtime.recorder().peak_device_memory(runtime.memory().peak());
    *pointer = memory;
    return cuda::success;
}

// By cudaFree.
bool is_freed_alone(const Allocation& a) {
    return (a.type != PointerType::host || a.pool != nullptr) && !a.of_module && !a.of_graph && !a.opened;
}

CudaError release(Runtime& runtime, void* pointer) {
    if (pointer == nullptr) return cuda::success;
    if (free_graph_memory(pointer)) return cuda::success;
    const auto taken = runtime.allocations().take(pointer, is_freed_alone);
    if (!taken) return cuda::invalid_value;
    if (taken->type == PointerType::managed) forget_advice(taken->begin, taken->bytes);
    if (taken->pool != nullptr) give_to_pool(taken->pool, taken->bytes);
    runtime.released(pointer, taken->bytes);
    runtime.memory().release(pointer);
    return cuda::success;
}

CudaError allocate_in(Runtime& runtime, void** pointer, std::size_t bytes, void* pool, void* stream) {
    if (!is_stream(runtime, stream)) return cuda::invalid_resource_handle;
    const auto memory = memory_of_pool(pool);
    if (!memory) return cuda::invalid_value;
    if (const auto code = Captures::instance().take_allocation(runtime, stream, bytes, pointer)) return *code;
    return allocate(runtime, pointer, bytes, *memory, pool);
}

CudaError release_in(Runtime& runtime, void* pointer, void* stream) {
    if (!is_stream(runtime, stream)) return cuda::invalid_resource_handle;
    Work work = FreeWork{pointer};
    if (const auto code = Captures::instance().take(stream, work)) return *code;
    return release(runtime, pointer);
}

CudaError allocate_host(Runtime& runtime, void** pointer, std::size_t bytes, unsigned flags) {
    constexpr unsigned known_flags = 7;  // cudaHostAllocPortable, -Mapped, -WriteCombined
    if (pointer == nullptr || (flags & ~known_flags) != 0) return cuda::invalid_value;
    *pointer = nullptr;
    if (bytes == 0) return cuda::success;
    if (const CudaError code = Captures::instance().refuse_unsafe(); code != cuda::success) return code;
    void* const memory = hold(runtime.memory(), bytes);
    if (memory == nullptr) return cuda::memory_allocation;
    runtime.memory().add(memory, bytes);
    runtime.allocations().add({PointerType::host, address_of(memory), bytes, flags});
    *pointer = memory;
    return cuda::success;
}

bool overflows(std::size_t a, std::size_t b) {
    return b != 0 && a > SIZE_MAX / b;
}

CudaError allocate_pitched(Runtime& runtime, void** pointer, std::size_t* pitch, std::size_t width, std::size_t rows) {
    if (pointer == nullptr || pitch == nullptr || width > SIZE_MAX - pitch_alignment) return cuda::invalid_value;
    *pitch = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
    if (overflows(*pitch, rows)) return cuda::memory_allocation;
    return allocate(runtime, pointer, *pitch * rows, PointerType::device);
}

}  // namespace

void release_all(Runtime& runtime) {
    for (void* pointer : runtime.allocations().all(is_freed_alone)) static_cast<void>(release(runtime, pointer));
}

GPUPROJ_CUDA_API CudaError cudaMalloc(void** pointer, std::size_t bytes) {
    return api(__func__, [&](Runtime& runtime) { return allocate(runtime, pointer, bytes, PointerType::device); });
}

GPUPROJ_CUDA_API CudaError cudaFree(void* pointer) {
    return api(__func__, [&](Runtime& runtime) {
        const CudaError code = pointer == nullptr ? cuda::success : Captures::instance().refuse_unsafe();
        return code == cuda::success ? release(runtime, pointer) : code;
    });
}

GPUPROJ_CUDA_API CudaError cudaMallocAsync(void** pointer, std::size_t bytes, void* stream) {
    return api(__func__,
               [&](Runtime& runtime) { return allocate_in(runtime, pointer, bytes, current_pool(), stream); });
}
GPUPROJ_CUDA_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);

GPUPROJ_CUDA_API CudaError cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, void* pool, void* stream) {
    return api(__func__, [&](Runtime& runtime) { return allocate_in(runtime, pointer, bytes, pool, stream); });
}
GPUPROJ_CUDA_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

GPUPROJ_CUDA_API CudaError cudaFreeAsync(void* pointer, void* stream) {
    return api(__func__, [&](Runtime& runtime) { return release_in(runtime, pointer, stream); });
}
GPUPROJ_CUDA_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);

GPUPROJ_CUDA_API CudaError cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
    return api(__func__, [&](Runtime& runtime) {
        constexpr unsigned attach_global = 1, attach_host = 2;
        if (bytes == 0 || (flags != attach_global && flags != attach_host)) return cuda::invalid_value;
        return allocate(runtime, pointer, bytes, PointerType::managed);
    });
}

GPUPROJ_CUDA_API CudaError cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
    return api(__func__, [&](Runtime& runtime) { return allocate_pitched(runtime, pointer, pitch, width, height); });
}

GPUPROJ_CUDA_API CudaError cudaMalloc3D(cuda::PitchedPointer* pitched, cuda::Extent extent) {
    return api(__func__, [&](Runtime& runtime) {
        if (pitched == nullptr) return cuda::invalid_value;
        if (overflows(extent.height, extent.depth)) return cuda::memory_allocation;
        pitched->width = extent.width;
        pitched->height = extent.height;
        return allocate_pitched(runtime, &pitched->pointer, &pitched->pitch, extent.width,
                                extent.height * extent.depth);
    });
}

GPUPROJ_CUDA_API CudaError cudaMallocHost(void** pointer, std::size_t bytes) {
    return api(__func__, [&](Runtime& runtime) { return allocate_host(runtime, pointer, bytes, 0); });
}

GPUPROJ_CUDA_API CudaError cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    return api(__func__, [&](Runtime& runtime) { return allocate_host(runtime, pointer, bytes, flags); });
}

GPUPROJ_CUDA_API CudaError cudaFreeHost(void* pointer) {
    return api(__func__, [&](Runtime& runtime) {
        if (pointer == nullptr) return cuda::success;
        if (const CudaError code = Captures::instance().refuse_unsafe(); code != cuda::success) return code;
        const auto taken = runtime.allocations().take(pointer, [](const Allocation& a) {
            return a.type == PointerType::host && !a.registered && a.pool == nullptr;
        });
        if (!taken) return cuda::invalid_value;
        release_held(runtime.memory(), pointer);
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    return api(__func__, [&](Runtime& runtime) {
        constexpr unsigned known_flags = 15;  // cudaHostRegisterPortable, -Mapped, -IoMemory, -ReadOnly
        if (pointer == nullptr || bytes == 0 || (flags & ~known_flags) != 0) return cuda::invalid_value;
        if (runtime.allocations().overlaps(pointer, bytes)) return cuda::host_memory_already_registered;
        runtime.memory().add(pointer, bytes);
        runtime.allocations().add({PointerType::host, address_of(pointer), bytes, flags, true});
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaHostUnregister(void* pointer) {
    return api(__func__, [&](Runtime& runtime) {
        if (!runtime.allocations().take(pointer, [](const Allocation& a) { return a.registered; }))
            return cuda::host_memory_not_registered;
        runtime.memory().remove(pointer);
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaHostGetDevicePointer(void** device, void* host, unsigned) {
    return api(__func__, [&](Runtime& runtime) {
        if (device == nullptr || !runtime.allocations().find(host)) return cuda::invalid_value;
        *device = host;  // one address space
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaHostGetFlags(unsigned* flags, void* host) {
    return api(__func__, [&](Runtime& runtime) {
        const auto found = runtime.allocations().find(host);
        if (flags == nullptr || !found || found->type != PointerType::host) return cuda::invalid_value;
        constexpr unsigned mapped = 2;  // all pinned memory is, in one address space
        *flags = found->flags | mapped;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    return api(__func__, [&](Runtime& runtime) {
        const std::size_t all = runtime.device().memory_bytes;
        if (total != nullptr) *total = all;  // NVIDIA's own programs ask for one of the two
        if (free != nullptr) *free = all - std::min<std::size_t>(all, runtime.memory().allocated());
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaPointerGetAttributes(cuda::PointerAttributes* attributes,
                                                                const void* pointer) {
    return api("cudaPointerGetAttributes", [&](Runtime& runtime) {
        if (attributes == nullptr) return cuda::invalid_value;
        const auto found = runtime.allocations().find(pointer);
        const auto type = found                                        ? found->type
                          : runtime.memory().find(address_of(pointer)) ? PointerType::device  // a module's variable
                                                                       : PointerType::unregistered;
        const bool on_device = type != PointerType::unregistered;
        void* const plain = const_cast<void*>(pointer);
        *attributes = {type, on_device ? 0 : -2, on_device ? plain : nullptr,  // -2: cudaInvalidDeviceId
                       type == PointerType::device ? nullptr : plain};
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaPointerGetAttributes, gpuproj_v11_cudaPointerGetAttributes);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaPointerGetAttributes, gpuproj_v11_cudaPointerGetAttributes);

// A hint about who uses memory, when.
GPUPROJ_CUDA_API CudaError cudaStreamAttachMemAsync(void*, void* pointer, std::size_t, unsigned) {
    return api(__func__, [&](Runtime& runtime) {
        return runtime.memory().find(address_of(pointer)) ? cuda::success : cuda::invalid_value;
    });
}
GPUPROJ_CUDA_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

}  // namespace gpuproj::simulate
