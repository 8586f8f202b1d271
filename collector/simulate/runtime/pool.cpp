// Memory pools: every allocation is served from the one memory there is; a pool only keeps account of its own.
#include "collector/simulate/runtime/pool.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "collector/simulate/runtime/api.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;
using cuda::PointerType;

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

// What cuMemGetAllocationGranularity says: a pool has its memory by whole pages of this size.
constexpr std::uint64_t page = std::uint64_t{2} << 20;

std::uint64_t in_pages(std::uint64_t bytes) {
    return bytes > UINT64_MAX - page ? UINT64_MAX / page * page : (bytes + page - 1) / page * page;
}

// cudaMemPoolProps from CUDA 12.2 on; before that the rest was zeros.
struct BoundedPoolProperties {
    cuda::PoolProperties start;
    void* security;
    std::size_t most_bytes;
};

// An amount and the most that it was since it was last asked to forget that.
struct Amount {
    std::uint64_t current = 0, high = 0;

    void set(std::uint64_t bytes) {
        current = bytes;
        high = std::max(high, bytes);
    }
};

struct Pool {
    PointerType memory = PointerType::device;
    std::uint64_t most_bytes = 0;          // 0: as many as there are
    std::array<int, 4> flags{0, 1, 1, 1};  // by number
    std::uint64_t release_threshold = 0;
    Amount used{}, reserved{};

    // What is not used goes back, but for `kept` bytes. A GPU does so at the next synchronization.
    void trim(std::uint64_t kept) {
        reserved.set(std::max(in_pages(used.current), std::min(reserved.current, in_pages(kept))));
    }
};

Handles<Pool>& pools() {
    static auto* const all = new Handles<Pool>;
    return *all;
}

constexpr std::array memories{PointerType::host, PointerType::device, PointerType::managed};

void* default_pool(PointerType memory) {
    static const std::array<void*, memories.size()> all{pools().add({memories[0]}), pools().add({memories[1]}),
                                                        pools().add({memories[2]})};
    return all[static_cast<std::size_t>(memory) - 1];
}

// nullptr: the default one.
std::atomic<void*>& chosen_pool(PointerType memory) {
    static std::array<std::atomic<void*>, memories.size()> all{};
    return all[static_cast<std::size_t>(memory) - 1];
}

void* pool_for(PointerType memory) {
    void* const chosen = chosen_pool(memory);
    return chosen == nullptr ? default_pool(memory) : chosen;
}

CudaError choose(void* pool, PointerType memory) {
    if (memory_of_pool(pool) != memory) return cuda::invalid_value;
    chosen_pool(memory) = pool;
    return cuda::success;
}

enum LocationType : int { none, device, host, host_numa, host_numa_current };

// What memory of this kind and place is; the GPU is the only device, and the host one place.
CudaError find_memory(const cuda::Location& location, int allocation_type, PointerType& memory) {
    constexpr int pinned = 1, managed = 2;  // cudaMemAllocationType
    if (location.type == device && location.id != 0) return cuda::invalid_device;
    if (location.type < none || location.type > host_numa_current) return cuda::invalid_value;
    memory = allocation_type == managed ? PointerType::managed
             : location.type == device  ? PointerType::device
                                        : PointerType::host;
    const bool somewhere = location.type != none || allocation_type == managed;
    return somewhere && (allocation_type == pinned || allocation_type == managed) ? cuda::success : cuda::invalid_value;
}

// `use` gets the kind of memory.
template <class Use>
CudaError with_memory(const char* name, const cuda::Location* location, int allocation_type, Use&& use) {
    return api(name, [&](Runtime&) {
        PointerType memory{};
        if (location == nullptr) return cuda::invalid_value;
        const CudaError code = find_memory(*location, allocation_type, memory);
        return code == cuda::success ? use(memory) : code;
    });
}

CudaError give(void** out, void* pool) {
    if (out == nullptr) return cuda::invalid_value;
    *out = pool;
    return cuda::success;
}

// Of the amounts, nullptr for what is none.
Amount* amount(Pool& pool, int attribute) {
    switch (attribute) {
        case reserved_current:
        case reserved_high:
            return &pool.reserved;
        case used_current:
        case used_high:
            return &pool.used;
        default:
            return nullptr;
    }
}

bool read(Pool& pool, int attribute, void* value) {
    switch (attribute) {
        case reuse_follow_event:
        case reuse_allow_opportunistic:
        case reuse_allow_internal_dependencies:
            *static_cast<int*>(value) = pool.flags[static_cast<std::size_t>(attribute)];
            return true;
        case release_threshold:
            *static_cast<std::uint64_t*>(value) = pool.release_threshold;
            return true;
        default:
            break;
    }
    const Amount* const asked = amount(pool, attribute);
    if (asked == nullptr) return false;
    const bool highest = attribute == reserved_high || attribute == used_high;
    *static_cast<std::uint64_t*>(value) = highest ? asked->high : asked->current;
    return true;
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
        case used_high: {
            if (*static_cast<const std::uint64_t*>(value) != 0) return false;
            Amount* const reset = amount(pool, attribute);
            reset->high = reset->current;
            return true;
        }
        default:
            return false;
    }
}

}  // namespace

std::optional<PointerType> memory_of_pool(void* pool) {
    std::optional<PointerType> memory;
    pools().with(pool, [&](const Pool& found) { memory = found.memory; });
    return memory;
}

void* current_pool() {
    return pool_for(PointerType::device);
}

bool take_from_pool(void* pool, std::size_t bytes) {
    bool taken = false;
    pools().with(pool, [&](Pool& from) {
        if (from.most_bytes != 0 && (bytes > from.most_bytes || from.used.current > from.most_bytes - bytes)) return;
        from.used.set(from.used.current + bytes);
        from.reserved.set(std::max(from.reserved.current, in_pages(from.used.current)));
        taken = true;
    });
    return taken;
}

void give_to_pool(void* pool, std::size_t bytes) {
    pools().with(pool, [&](Pool& to) {
        to.used.set(to.used.current - bytes);
        to.trim(to.release_threshold);
    });
}

GPUPROJ_CUDA_API CudaError cudaMemGetDefaultMemPool(void** pool, const cuda::Location* location, int type) {
    return with_memory(__func__, location, type, [&](PointerType memory) { return give(pool, default_pool(memory)); });
}
GPUPROJ_CUDA_API CudaError cudaMemGetMemPool(void** pool, const cuda::Location* location, int type) {
    return with_memory(__func__, location, type, [&](PointerType memory) { return give(pool, pool_for(memory)); });
}
GPUPROJ_CUDA_API CudaError cudaMemSetMemPool(const cuda::Location* location, int type, void* pool) {
    return with_memory(__func__, location, type, [&](PointerType memory) { return choose(pool, memory); });
}

GPUPROJ_CUDA_API CudaError cudaDeviceGetDefaultMemPool(void** pool, int number) {
    return api(__func__, [&](Runtime&) {
        return number == 0 ? give(pool, default_pool(PointerType::device)) : cuda::invalid_device;
    });
}
GPUPROJ_CUDA_API CudaError cudaDeviceGetMemPool(void** pool, int number) {
    return api(__func__, [&](Runtime&) { return number == 0 ? give(pool, current_pool()) : cuda::invalid_device; });
}
GPUPROJ_CUDA_API CudaError cudaDeviceSetMemPool(int number, void* pool) {
    return api(__func__,
               [&](Runtime&) { return number == 0 ? choose(pool, PointerType::device) : cuda::invalid_device; });
}

GPUPROJ_CUDA_API CudaError cudaMemPoolCreate(void** pool, const cuda::PoolProperties* properties) {
    return api(__func__, [&](Runtime&) {
        PointerType memory{};
        if (pool == nullptr || properties == nullptr) return cuda::invalid_value;
        const auto* const bounded = reinterpret_cast<const BoundedPoolProperties*>(properties);
        const CudaError code = find_memory(properties->location, properties->allocation_type, memory);
        return code == cuda::success ? give(pool, pools().add({memory, bounded->most_bytes})) : code;
    });
}

// Where it was the current one, the default pool is.
GPUPROJ_CUDA_API CudaError cudaMemPoolDestroy(void* pool) {
    return api(__func__, [&](Runtime&) {
        const auto memory = memory_of_pool(pool);
        if (!memory || pool == default_pool(*memory) || !pools().remove(pool)) return cuda::invalid_value;
        void* was = pool;
        chosen_pool(*memory).compare_exchange_strong(was, nullptr);
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaMemPoolTrimTo(void* pool, std::size_t bytes) {
    return api(__func__, [&](Runtime&) {
        return pools().with(pool, [&](Pool& trimmed) { trimmed.trim(bytes); }) ? cuda::success : cuda::invalid_value;
    });
}

GPUPROJ_CUDA_API CudaError cudaMemPoolGetAttribute(void* pool, int attribute, void* value) {
    return api(__func__, [&](Runtime&) {
        bool known = false;
        if (value != nullptr) pools().with(pool, [&](Pool& p) { known = read(p, attribute, value); });
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

// The host reaches all but what is the device's alone.
GPUPROJ_CUDA_API CudaError cudaMemPoolGetAccess(int* flags, void* pool, const cuda::Location* location) {
    return api(__func__, [&](Runtime&) {
        constexpr int no_access = 0, read_and_write = 3;
        const auto memory = memory_of_pool(pool);
        if (flags == nullptr || location == nullptr || !memory) return cuda::invalid_value;
        const bool reached = location->type == device || memory != PointerType::device;
        *flags = reached ? read_and_write : no_access;
        return cuda::success;
    });
}

}  // namespace gpuproj::simulate
