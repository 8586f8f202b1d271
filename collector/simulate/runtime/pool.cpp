// Memory pools: every allocation is served from the one memory there is, so a pool has attributes, but no pages.
#include <array>

#include "collector/simulate/runtime/api.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;

// cudaMemPoolAttr: three int flags, then 64-bit amounts, of which those used and reserved are read or reset to zero.
enum PoolAttribute : int {
    reuse_follow_event = 1,
    reuse_allow_opportunistic = 2,
    reuse_allow_internal_dependencies = 3,
    release_threshold = 4,
    reserved_current = 5,
    reserved_high = 6,
    used_current = 7,
    used_high = 8,
};

struct Pool {
    std::array<int, 4> flags{0, 1, 1, 1};  // by number
    std::uint64_t release_threshold = 0;
};

Handles<Pool>& pools() {
    static auto* const all = new Handles<Pool>;
    return *all;
}

void* default_pool() {
    static void* const pool = pools().add({});
    return pool;
}

CudaError give_default(const char* name, void** pool, int device) {
    return api(name, [&](Runtime&) {
        if (pool == nullptr) return cuda::invalid_value;
        if (device != 0) return cuda::invalid_device;
        *pool = default_pool();
        return cuda::success;
    });
}

bool read(Runtime& runtime, const Pool& pool, int attribute, void* value) {
    switch (attribute) {
        case reuse_follow_event:
        case reuse_allow_opportunistic:
        case reuse_allow_internal_dependencies:
            *static_cast<int*>(value) = pool.flags[static_cast<std::size_t>(attribute)];
            return true;
        case release_threshold:
            *static_cast<std::uint64_t*>(value) = pool.release_threshold;
            return true;
        case reserved_current:
        case used_current:
            *static_cast<std::uint64_t*>(value) = runtime.memory().allocated();
            return true;
        case reserved_high:
        case used_high:
            *static_cast<std::uint64_t*>(value) = runtime.memory().peak();
            return true;
        default:
            return false;
    }
}

bool write(Pool& pool, int attribute, const void* value) {
    switch (attribute) {
        case reuse_follow_event:
        case reuse_allow_opportunistic:
        case reuse_allow_internal_dependencies:
            pool.flags[static_cast<std::size_t>(attribute)] = *static_cast<const int*>(value);
            return true;
        case release_threshold:
            pool.release_threshold = *static_cast<const std::uint64_t*>(value);
            return true;
        case reserved_high:
        case used_high:
            return *static_cast<const std::uint64_t*>(value) == 0;  // "reset"; the peak is the process's
        default:
            return false;
    }
}

}  // namespace

GPUPROJ_CUDA_API CudaError cudaDeviceGetDefaultMemPool(void** pool, int device) {
    return give_default(__func__, pool, device);
}

GPUPROJ_CUDA_API CudaError cudaDeviceGetMemPool(void** pool, int device) {
    return give_default(__func__, pool, device);
}

GPUPROJ_CUDA_API CudaError cudaDeviceSetMemPool(int device, void* pool) {
    return api(__func__, [&](Runtime&) {
        if (device != 0) return cuda::invalid_device;
        return pools().with(pool, [](const Pool&) {}) ? cuda::success : cuda::invalid_value;
    });
}

GPUPROJ_CUDA_API CudaError cudaMemPoolCreate(void** pool, const void* properties) {
    return api(__func__, [&](Runtime&) {
        if (pool == nullptr || properties == nullptr) return cuda::invalid_value;
        *pool = pools().add({});
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaMemPoolDestroy(void* pool) {
    return api(__func__, [&](Runtime&) {
        const bool destroyed = pool != default_pool() && pools().remove(pool);
        return destroyed ? cuda::success : cuda::invalid_value;
    });
}

GPUPROJ_CUDA_API CudaError cudaMemPoolTrimTo(void* pool, std::size_t) {
    return api(__func__,
               [&](Runtime&) { return pools().with(pool, [](const Pool&) {}) ? cuda::success : cuda::invalid_value; });
}

GPUPROJ_CUDA_API CudaError cudaMemPoolGetAttribute(void* pool, int attribute, void* value) {
    return api(__func__, [&](Runtime& runtime) {
        bool known = false;
        if (value != nullptr) pools().with(pool, [&](const Pool& p) { known = read(runtime, p, attribute, value); });
        return known ? cuda::success : cuda::invalid_value;
    });
}

GPUPROJ_CUDA_API CudaError cudaMemPoolSetAttribute(void* pool, int attribute, void* value) {
    return api(__func__, [&](Runtime&) {
        bool known = false;
        if (value != nullptr) pools().with(pool, [&](Pool& p) { known = write(p, attribute, value); });
        return known ? cuda::success : cuda::invalid_value;
    });
}

// There is one device, and all memory is its own.
GPUPROJ_CUDA_API CudaError cudaMemPoolSetAccess(void* pool, const void*, std::size_t) {
    return api(__func__,
               [&](Runtime&) { return pools().with(pool, [](const Pool&) {}) ? cuda::success : cuda::invalid_value; });
}

GPUPROJ_CUDA_API CudaError cudaMemPoolGetAccess(int* flags, void* pool, const void*) {
    return api(__func__, [&](Runtime&) {
        constexpr int read_and_write = 3;
        if (flags == nullptr || !pools().with(pool, [](const Pool&) {})) return cuda::invalid_value;
        *flags = read_and_write;
        return cuda::success;
    });
}

}  // namespace gpuproj::simulate
