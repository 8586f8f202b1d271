// The one device: selection, limits, synchronisation, peers.
#include <array>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>

#include "collector/simulate/engine/thread_stack.hpp"
#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/capture.hpp"
#include "collector/simulate/runtime/device_identity.hpp"
#include "collector/simulate/runtime/kernels.hpp"
#include "collector/simulate/runtime/registry.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;

std::atomic<int> cache_preference{0};  // cudaFuncCache

CudaError only_device(const char* name, int device) {
    return api(name, [&](Runtime&) { return device == 0 ? cuda::success : cuda::invalid_device; });
}

CudaError nothing_to_do(const char* name) {
    return api(name, [](Runtime&) { return cuda::success; });
}

template <class T>
CudaError give(const char* name, T* out, T value) {
    return query(name, [&](Runtime&) {
        if (out == nullptr) return cuda::invalid_value;
        *out = value;
        return cuda::success;
    });
}

// cudaLimit: stack size, printf buffer, malloc heap, sync depth, pending launches, L2 fetch, persisting L2. Kept, and
// given back; the engine bounds nothing by them but the heap and how deep calls go.
constexpr int stack_size = 0, malloc_heap = 2;
std::array<std::atomic<std::size_t>, 7> limits{1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

std::atomic<unsigned> device_flags{0};

}  // namespace

GPUPROJ_CUDA_API CudaError cudaGetDeviceCount(int* count) {
    return give(__func__, count, 1);
}
GPUPROJ_CUDA_API CudaError cudaGetDevice(int* device) {
    return give(__func__, device, 0);
}
GPUPROJ_CUDA_API CudaError cudaSetDevice(int device) {
    return only_device(__func__, device);
}
GPUPROJ_CUDA_API CudaError cudaInitDevice(int device, unsigned, unsigned) {
    return only_device(__func__, device);
}

GPUPROJ_CUDA_API CudaError cudaChooseDevice(int* device, const void*) {
    return give(__func__, device, 0);
}
GPUPROJ_CUDA_API CudaError cudaSetValidDevices(int*, int) {
    return nothing_to_do(__func__);
}

GPUPROJ_CUDA_API CudaError cudaGetDeviceFlags(unsigned* flags) {
    return give(__func__, flags, device_flags.load());
}

GPUPROJ_CUDA_API CudaError cudaSetDeviceFlags(unsigned flags) {
    return api(__func__, [&](Runtime&) {
        device_flags = flags;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaDeviceSynchronize() {
    return api(__func__, [](Runtime& runtime) {
        runtime.recorder().host_waited();
        return Captures::instance().refuse_waiting(nullptr);
    });
}
GPUPROJ_CUDA_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);

// Programs call it before they end, or between parts that leave their memory behind. Streams, events, arrays and pinned
// memory of the host stay as they are.
GPUPROJ_CUDA_API CudaError cudaDeviceReset() {
    return api(__func__, [](Runtime& runtime) {
        release_all(runtime);
        Registry::instance().reset_variables();
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaThreadExit, cudaDeviceReset);

GPUPROJ_CUDA_API CudaError cudaDeviceGetLimit(std::size_t* value, int limit) {
    return query(__func__, [&](Runtime&) {
        if (value == nullptr || limit < 0 || static_cast<std::size_t>(limit) >= limits.size())
            return cuda::invalid_value;
        *value = limits[static_cast<std::size_t>(limit)];
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaThreadGetLimit, cudaDeviceGetLimit);

GPUPROJ_CUDA_API CudaError cudaDeviceSetLimit(int limit, std::size_t value) {
    return api(__func__, [&](Runtime& runtime) {
        if (limit < 0 || static_cast<std::size_t>(limit) >= limits.size()) return cuda::invalid_value;
        // As much local memory as a thread can have (CUDA C++ Programming Guide).
        constexpr std::size_t most_stack = std::size_t{512} << 10;
        if (limit == stack_size && value > most_stack) return cuda::invalid_value;
        if (limit == stack_size) set_thread_stack(value);
        if (limit == malloc_heap && !runtime.memory().set_heap_bytes(value)) return cuda::invalid_value;
        limits[static_cast<std::size_t>(limit)] = value;
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaThreadSetLimit, cudaDeviceSetLimit);

// What was asked for is told, and has no effect here.
GPUPROJ_CUDA_API CudaError cudaDeviceGetCacheConfig(int* config) {
    return give(__func__, config, cache_preference.load());
}
GPUPROJ_CUDA_ALIAS(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);
GPUPROJ_CUDA_API CudaError cudaDeviceSetCacheConfig(int config) {
    return api(__func__, [&](Runtime&) {
        constexpr int last = 3;  // cudaFuncCachePreferEqual
        if (config < 0 || config > last) return cuda::invalid_value;
        cache_preference = config;
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);
GPUPROJ_CUDA_API CudaError cudaDeviceGetSharedMemConfig(int* config) {
    constexpr int four_byte_banks = 1;
    return give(__func__, config, four_byte_banks);
}
GPUPROJ_CUDA_API CudaError cudaDeviceSetSharedMemConfig(int) {
    return nothing_to_do(__func__);
}
GPUPROJ_CUDA_API CudaError cudaCtxResetPersistingL2Cache() {
    return nothing_to_do(__func__);
}

GPUPROJ_CUDA_API CudaError cudaDeviceGetPCIBusId(char* text, int size, int device) {
    return query(__func__, [&](Runtime&) {
        if (device != 0) return cuda::invalid_device;
        if (text == nullptr || size <= 0) return cuda::invalid_value;
        std::snprintf(text, static_cast<std::size_t>(size), "%s", pci_bus_id);
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaDeviceGetByPCIBusId(int* device, const char* text) {
    return query(__func__, [&](Runtime&) {
        if (device == nullptr || text == nullptr) return cuda::invalid_value;
        if (!is_pci_bus_id(text)) return cuda::invalid_device;
        *device = 0;
        return cuda::success;
    });
}

// There is no second device to be a peer.
GPUPROJ_CUDA_API CudaError cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return query(__func__, [&](Runtime&) {
        if (can == nullptr) return cuda::invalid_value;
        if (device != 0 || peer != 0) return cuda::invalid_device;
        *can = 0;
        return cuda::success;
    });
}
// NOLINTNEXTLINE(readability-non-const-parameter): the type is NVIDIA's
GPUPROJ_CUDA_API CudaError cudaDeviceGetP2PAttribute(int* value, int, int device, int peer) {
    return query(__func__, [&](Runtime&) {
        if (value == nullptr) return cuda::invalid_value;
        return device == 0 && peer == 0 ? cuda::invalid_value : cuda::invalid_device;
    });
}
GPUPROJ_CUDA_API CudaError cudaDeviceEnablePeerAccess(int, unsigned) {
    return api(__func__, [](Runtime&) { return cuda::invalid_device; });
}
GPUPROJ_CUDA_API CudaError cudaDeviceDisablePeerAccess(int) {
    return api(__func__, [](Runtime&) { return cuda::peer_access_not_enabled; });
}

}  // namespace gpuproj::simulate
