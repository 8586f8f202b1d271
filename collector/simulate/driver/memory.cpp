// Memory: allocation, linear copies and fills.
#include <algorithm>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"
#include "collector/simulate/runtime/advice.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate::driver {

namespace {

// For `get`, which fills a void*.
template <class Get>
CudaError address_from(DevicePointer* address, Get&& get) {
    if (address == nullptr) return cuda::invalid_value;
    void* memory = nullptr;
    const CudaError code = get(&memory);
    *address = reinterpret_cast<DevicePointer>(memory);
    return code;
}

CudaError linear(Runtime& runtime, void* to, const void* from, std::size_t bytes, CopyKind kind, void* stream) {
    return submit(runtime, stream, CopyWork{{to, bytes, 0}, {const_cast<void*>(from), bytes, 0}, {bytes, 1, 1}, kind});
}

CudaError set(const char* name, DevicePointer to, std::uint32_t value, std::uint32_t element_bytes, std::size_t pitch,
              std::size_t width, std::size_t height, void* stream) {
    return call(name, [&](Runtime& runtime) {
        const std::size_t bytes = width * element_bytes;
        if (to % element_bytes != 0) return cuda::invalid_value;
        return submit(runtime, stream,
                      FillWork{{pointer(to), pitch == 0 ? bytes : pitch, 0}, value, element_bytes, {bytes, height, 1}});
    });
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
    return in_context(__func__, [&](Runtime&) {
        if (bytes == 0) return cuda::invalid_value;
        return address_from(address, [&](void** memory) { return cudaMalloc(memory, bytes); });
    });
}
GPUPROJ_CUDA_API CudaError cuMemAllocPitch_v2(DevicePointer* address, std::size_t* pitch, std::size_t width,
                                              std::size_t height, unsigned) {
    return in_context(__func__, [&](Runtime&) {
        return address_from(address, [&](void** memory) { return cudaMallocPitch(memory, pitch, width, height); });
    });
}
GPUPROJ_CUDA_API CudaError cuMemAllocManaged(DevicePointer* address, std::size_t bytes, unsigned flags) {
    return in_context(__func__, [&](Runtime&) {
        return address_from(address, [&](void** memory) { return cudaMallocManaged(memory, bytes, flags); });
    });
}
GPUPROJ_CUDA_API CudaError cuMemAllocAsync(DevicePointer* address, std::size_t bytes, void* stream) {
    return call(__func__, [&](Runtime&) {
        return address_from(address, [&](void** memory) { return cudaMallocAsync(memory, bytes, stream); });
    });
}
GPUPROJ_CUDA_ALIAS(cuMemAllocAsync_ptsz, cuMemAllocAsync);
GPUPROJ_CUDA_API CudaError cuMemFree_v2(DevicePointer address) {
    return call(__func__, [&](Runtime&) { return cudaFree(pointer(address)); });
}
GPUPROJ_CUDA_API CudaError cuMemFreeAsync(DevicePointer address, void* stream) {
    return call(__func__, [&](Runtime&) { return cudaFreeAsync(pointer(address), stream); });
}
GPUPROJ_CUDA_ALIAS(cuMemFreeAsync_ptsz, cuMemFreeAsync);

GPUPROJ_CUDA_API CudaError cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
    return in_context(__func__, [&](Runtime&) { return cudaHostAlloc(memory, bytes, flags); });
}
GPUPROJ_CUDA_API CudaError cuMemAllocHost_v2(void** memory, std::size_t bytes) {
    return in_context(__func__, [&](Runtime&) { return cudaHostAlloc(memory, bytes, 0); });
}
GPUPROJ_CUDA_API CudaError cuMemFreeHost(void* memory) {
    return call(__func__, [&](Runtime&) { return cudaFreeHost(memory); });
}
GPUPROJ_CUDA_API CudaError cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned flags) {
    return call(__func__, [&](Runtime&) { return cudaHostRegister(memory, bytes, flags); });
}
GPUPROJ_CUDA_ALIAS(cuMemHostRegister, cuMemHostRegister_v2);
GPUPROJ_CUDA_API CudaError cuMemHostUnregister(void* memory) {
    return call(__func__, [&](Runtime&) { return cudaHostUnregister(memory); });
}
GPUPROJ_CUDA_API CudaError cuMemHostGetDevicePointer_v2(DevicePointer* address, void* host, unsigned flags) {
    return call(__func__, [&](Runtime&) {
        return address_from(address, [&](void** memory) { return cudaHostGetDevicePointer(memory, host, flags); });
    });
}
GPUPROJ_CUDA_API CudaError cuMemHostGetFlags(unsigned* flags, void* host) {
    return call(__func__, [&](Runtime&) { return cudaHostGetFlags(flags, host); });
}
GPUPROJ_CUDA_API CudaError cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    return call(__func__, [&](Runtime&) { return cudaMemGetInfo(free, total); });
}
GPUPROJ_CUDA_API CudaError cuMemPrefetchAsync(DevicePointer address, std::size_t bytes, int place, void*) {
    return call(__func__,
                [&](Runtime& runtime) { return prefetch(runtime, pointer(address), bytes, location_of(place)); });
}
GPUPROJ_CUDA_ALIAS(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync);
GPUPROJ_CUDA_API CudaError cuMemPrefetchAsync_v2(DevicePointer address, std::size_t bytes, cuda::Location place,
                                                 unsigned, void*) {
    return call(__func__, [&](Runtime& runtime) { return prefetch(runtime, pointer(address), bytes, place); });
}
GPUPROJ_CUDA_ALIAS(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2);
GPUPROJ_CUDA_API CudaError cuMemAdvise(DevicePointer address, std::size_t bytes, int advice, int place) {
    return call(__func__,
                [&](Runtime& runtime) { return advise(runtime, pointer(address), bytes, advice, location_of(place)); });
}
GPUPROJ_CUDA_API CudaError cuMemAdvise_v2(DevicePointer address, std::size_t bytes, int advice, cuda::Location place) {
    return call(__func__, [&](Runtime& runtime) { return advise(runtime, pointer(address), bytes, advice, place); });
}
GPUPROJ_CUDA_API CudaError cuMemRangeGetAttribute(void* data, std::size_t bytes, int attribute, DevicePointer address,
                                                  std::size_t count) {
    return call(__func__,
                [&](Runtime&) { return cudaMemRangeGetAttribute(data, bytes, attribute, pointer(address), count); });
}
GPUPROJ_CUDA_API CudaError cuMemRangeGetAttributes(void** data, std::size_t* bytes, const int* attributes,
                                                   std::size_t attribute_count, DevicePointer address,
                                                   std::size_t count) {
    return call(__func__, [&](Runtime&) {
        return cudaMemRangeGetAttributes(data, bytes, attributes, attribute_count, pointer(address), count);
    });
}
GPUPROJ_CUDA_API CudaError cuStreamAttachMemAsync(void* stream, DevicePointer address, std::size_t bytes,
                                                  unsigned flags) {
    return call(__func__, [&](Runtime&) { return cudaStreamAttachMemAsync(stream, pointer(address), bytes, flags); });
}
GPUPROJ_CUDA_ALIAS(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync);

GPUPROJ_CUDA_API CudaError cuMemGetAddressRange_v2(DevicePointer* begin, std::size_t* bytes, DevicePointer address) {
    return call(__func__, [&](Runtime& runtime) {
        const auto range = runtime.memory().find(address);
        if (!range) return cuda::symbol_not_found;
        if (begin != nullptr) *begin = range->begin;
        if (bytes != nullptr) *bytes = range->end - range->begin;
        return cuda::success;
    });
}

// ---- copies

GPUPROJ_CUDA_API CudaError cuMemcpy(DevicePointer to, DevicePointer from, std::size_t bytes) {
    return call(__func__, [&](Runtime& runtime) {
        return linear(runtime, pointer(to), pointer(from), bytes, CopyKind::automatic, nullptr);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpy_ptds, cuMemcpy);
GPUPROJ_CUDA_API CudaError cuMemcpyAsync(DevicePointer to, DevicePointer from, std::size_t bytes, void* stream) {
    return call(__func__, [&](Runtime& runtime) {
        return linear(runtime, pointer(to), pointer(from), bytes, CopyKind::automatic, stream);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyAsync_ptsz, cuMemcpyAsync);

GPUPROJ_CUDA_API CudaError cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
    return call(__func__, [&](Runtime& runtime) {
        return linear(runtime, pointer(to), from, bytes, CopyKind::host_to_device, nullptr);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2);
GPUPROJ_CUDA_API CudaError cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, void* stream) {
    return call(__func__, [&](Runtime& runtime) {
        return linear(runtime, pointer(to), from, bytes, CopyKind::host_to_device, stream);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2);

GPUPROJ_CUDA_API CudaError cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
    return call(__func__, [&](Runtime& runtime) {
        return linear(runtime, to, pointer(from), bytes, CopyKind::device_to_host, nullptr);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2);
GPUPROJ_CUDA_API CudaError cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, void* stream) {
    return call(__func__, [&](Runtime& runtime) {
        return linear(runtime, to, pointer(from), bytes, CopyKind::device_to_host, stream);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2);

GPUPROJ_CUDA_API CudaError cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, std::size_t bytes) {
    return call(__func__, [&](Runtime& runtime) {
        return linear(runtime, pointer(to), pointer(from), bytes, CopyKind::device_to_device, nullptr);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2);
GPUPROJ_CUDA_API CudaError cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, void* stream) {
    return call(__func__, [&](Runtime& runtime) {
        return linear(runtime, pointer(to), pointer(from), bytes, CopyKind::device_to_device, stream);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2);

// One device: its contexts share all memory.
GPUPROJ_CUDA_API CudaError cuMemcpyPeer(DevicePointer to, void*, DevicePointer from, void*, std::size_t bytes) {
    return call(__func__, [&](Runtime& runtime) {
        return linear(runtime, pointer(to), pointer(from), bytes, CopyKind::device_to_device, nullptr);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyPeer_ptds, cuMemcpyPeer);
GPUPROJ_CUDA_API CudaError cuMemcpyPeerAsync(DevicePointer to, void*, DevicePointer from, void*, std::size_t bytes,
                                             void* stream) {
    return call(__func__, [&](Runtime& runtime) {
        return linear(runtime, pointer(to), pointer(from), bytes, CopyKind::device_to_device, stream);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync);

// ---- fills; widths count elements

GPUPROJ_CUDA_API CudaError cuMemsetD8_v2(DevicePointer to, unsigned char value, std::size_t count) {
    return set(__func__, to, value, 1, 0, count, 1, nullptr);
}
GPUPROJ_CUDA_API CudaError cuMemsetD16_v2(DevicePointer to, unsigned short value, std::size_t count) {
    return set(__func__, to, value, 2, 0, count, 1, nullptr);
}
GPUPROJ_CUDA_API CudaError cuMemsetD32_v2(DevicePointer to, unsigned value, std::size_t count) {
    return set(__func__, to, value, 4, 0, count, 1, nullptr);
}
GPUPROJ_CUDA_API CudaError cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t count, void* stream) {
    return set(__func__, to, value, 1, 0, count, 1, stream);
}
GPUPROJ_CUDA_API CudaError cuMemsetD16Async(DevicePointer to, unsigned short value, std::size_t count, void* stream) {
    return set(__func__, to, value, 2, 0, count, 1, stream);
}
GPUPROJ_CUDA_API CudaError cuMemsetD32Async(DevicePointer to, unsigned value, std::size_t count, void* stream) {
    return set(__func__, to, value, 4, 0, count, 1, stream);
}
GPUPROJ_CUDA_API CudaError cuMemsetD2D8_v2(DevicePointer to, std::size_t pitch, unsigned char value, std::size_t width,
                                           std::size_t height) {
    return set(__func__, to, value, 1, pitch, width, height, nullptr);
}
GPUPROJ_CUDA_API CudaError cuMemsetD2D16_v2(DevicePointer to, std::size_t pitch, unsigned short value,
                                            std::size_t width, std::size_t height) {
    return set(__func__, to, value, 2, pitch, width, height, nullptr);
}
GPUPROJ_CUDA_API CudaError cuMemsetD2D32_v2(DevicePointer to, std::size_t pitch, unsigned value, std::size_t width,
                                            std::size_t height) {
    return set(__func__, to, value, 4, pitch, width, height, nullptr);
}

GPUPROJ_CUDA_API CudaError cuMemsetD2D8Async(DevicePointer to, std::size_t pitch, unsigned char value,
                                             std::size_t width, std::size_t height, void* stream) {
    return set(__func__, to, value, 1, pitch, width, height, stream);
}
GPUPROJ_CUDA_ALIAS(cuMemsetD2D8Async_ptsz, cuMemsetD2D8Async);
GPUPROJ_CUDA_API CudaError cuMemsetD2D16Async(DevicePointer to, std::size_t pitch, unsigned short value,
                                              std::size_t width, std::size_t height, void* stream) {
    return set(__func__, to, value, 2, pitch, width, height, stream);
}
GPUPROJ_CUDA_ALIAS(cuMemsetD2D16Async_ptsz, cuMemsetD2D16Async);
GPUPROJ_CUDA_API CudaError cuMemsetD2D32Async(DevicePointer to, std::size_t pitch, unsigned value, std::size_t width,
                                              std::size_t height, void* stream) {
    return set(__func__, to, value, 4, pitch, width, height, stream);
}
GPUPROJ_CUDA_ALIAS(cuMemsetD2D32Async_ptsz, cuMemsetD2D32Async);

GPUPROJ_CUDA_ALIAS(cuMemsetD8_v2_ptds, cuMemsetD8_v2);
GPUPROJ_CUDA_ALIAS(cuMemsetD16_v2_ptds, cuMemsetD16_v2);
GPUPROJ_CUDA_ALIAS(cuMemsetD32_v2_ptds, cuMemsetD32_v2);
GPUPROJ_CUDA_ALIAS(cuMemsetD8Async_ptsz, cuMemsetD8Async);
GPUPROJ_CUDA_ALIAS(cuMemsetD16Async_ptsz, cuMemsetD16Async);
GPUPROJ_CUDA_ALIAS(cuMemsetD32Async_ptsz, cuMemsetD32Async);
GPUPROJ_CUDA_ALIAS(cuMemsetD2D8_v2_ptds, cuMemsetD2D8_v2);
GPUPROJ_CUDA_ALIAS(cuMemsetD2D16_v2_ptds, cuMemsetD2D16_v2);
GPUPROJ_CUDA_ALIAS(cuMemsetD2D32_v2_ptds, cuMemsetD2D32_v2);
}  // namespace gpuproj::simulate::driver
