// Initialising, the one device, contexts. All contexts share what the device holds; what differs is which of them is
// current to a thread.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "collector/simulate/driver/context.hpp"
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"
#include "collector/simulate/engine/of_thread.hpp"
#include "collector/simulate/runtime/device_identity.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate::driver {

namespace {

std::atomic<bool> was_initialised{false};

struct DriverProperties {  // CUdevprop
    int max_threads_per_block;
    int max_threads_dim[3];
    int max_grid_size[3];
    int shared_per_block;
    int total_constant_memory;
    int warp_size;
    int memory_pitch;
    int registers_per_block;
    int clock_rate_khz;
    int texture_alignment;
};

struct Context {
    unsigned flags = 0;
    unsigned long long id = 1;     // the primary one's
    unsigned multiprocessors = 0;  // that a green context asked for; 0: it is none
    unsigned uses = 1;             // cuCtxAttach, cuCtxDetach
};

class Contexts {
public:
    static Contexts& instance() {
        static auto* const all = new Contexts;
        return *all;
    }
    void* make(unsigned flags, unsigned multiprocessors = 0) { return made_.add({flags, next_id_++, multiprocessors}); }
    bool unmake(void* context) { return made_.remove(context); }
    // How often it is in use from now on; none where there is no such context that the program made.
    std::optional<unsigned> use(void* context, int more) {
        std::optional<unsigned> uses;
        made_.with(context, [&](Context& found) { uses = found.uses += static_cast<unsigned>(more); });
        return uses;
    }
    bool knows(void* context) {
        return context == &primary || made_.with(context, [](const Context&) {});
    }
    bool set_flags(void* context, unsigned flags) {
        if (context == &primary) primary.flags = flags;
        return context == &primary || made_.with(context, [&](Context& found) { found.flags = flags; });
    }
    // The primary one's where there is no such context.
    Context about(void* context) {
        Context about = primary;
        made_.with(context, [&](const Context& found) { about = found; });
        return about;
    }
    Context primary;
    std::atomic<int> primary_uses{0};

private:
    std::atomic<unsigned long long> next_id_{2};
    Handles<Context> made_;
};

// Of the calling thread, the current one last.
struct ContextStack {
    std::vector<void*> contexts;
};
std::vector<void*>& stack() {
    return of_thread<ContextStack>().contexts;
}

CudaError make_context(void** context, unsigned flags, int device) {
    if (context == nullptr) return cuda::invalid_value;
    if (device != 0) return cuda::invalid_device;
    *context = Contexts::instance().make(flags);
    stack().push_back(*context);
    return cuda::success;
}

// Replaces the current one; nullptr leaves none.
CudaError set_current(void* context) {
    if (context != nullptr && !is_context(context)) return cuda::invalid_context;
    if (!stack().empty()) stack().pop_back();
    if (context != nullptr) stack().push_back(context);
    return cuda::success;
}

CudaError destroy(void* context) {
    if (green_multiprocessors(context) != 0 || !Contexts::instance().unmake(context)) return cuda::invalid_context;
    std::erase(stack(), context);
    return cuda::success;
}

CudaError of_device(const char* name, int device) {
    return call(name, [&](Runtime&) { return device == 0 ? cuda::success : cuda::invalid_device; });
}

CudaError nothing_to_do(const char* name) {
    return call(name, [](Runtime&) { return cuda::success; });
}

CudaError synchronized(const char* name) {
    return in_context(name, [](Runtime&) { return cuda::success; });
}

}  // namespace

}  // namespace gpuproj::simulate::driver

void* gpuproj::simulate::current_context() noexcept {
    const auto& contexts = driver::stack();
    return contexts.empty() ? &driver::Contexts::instance().primary : contexts.back();
}

namespace gpuproj::simulate::driver {

bool is_context(void* context) {
    return Contexts::instance().knows(context);
}

void* primary_context() {
    return &Contexts::instance().primary;
}

void* make_green_context(unsigned multiprocessors) {
    ++Contexts::instance().primary_uses;
    return Contexts::instance().make(0, multiprocessors);
}

bool unmake_green_context(void* context) {
    if (green_multiprocessors(context) == 0 || !Contexts::instance().unmake(context)) return false;
    std::erase(stack(), context);
    --Contexts::instance().primary_uses;
    return true;
}

unsigned green_multiprocessors(void* context) {
    return Contexts::instance().about(context).multiprocessors;
}

// A thread that has used the runtime API has the primary context.
bool has_context() noexcept {
    return !stack().empty() || used_runtime_api();
}

bool initialised() noexcept {
    return was_initialised.load(std::memory_order_relaxed) || used_runtime_api();
}

GPUPROJ_CUDA_API CudaError cuInit(unsigned flags) {
    if (flags != 0) return cuda::invalid_value;
    was_initialised = true;
    return call(__func__, [](Runtime&) { return cuda::success; });
}
GPUPROJ_CUDA_API CudaError cuDriverGetVersion(int* version) {
    return version == nullptr ? cuda::invalid_value : cudaDriverGetVersion(version);
}

GPUPROJ_CUDA_API CudaError cuDeviceGetCount(int* count) {
    return ask(__func__, [&](Runtime&) { return give(count, 1); });
}
GPUPROJ_CUDA_API CudaError cuDeviceGet(int* device, int ordinal) {
    return ask(__func__, [&](Runtime&) { return ordinal == 0 ? give(device, 0) : cuda::invalid_device; });
}
GPUPROJ_CUDA_API CudaError cuDeviceGetName(char* name, int bytes, int device) {
    return ask(__func__, [&](Runtime& runtime) {
        if (name == nullptr || bytes <= 0) return cuda::invalid_value;
        if (device != 0) return cuda::invalid_device;
        const std::string& full = runtime.device().name;
        const std::size_t length = std::min(full.size(), static_cast<std::size_t>(bytes) - 1);
        std::memcpy(name, full.data(), length);
        name[length] = '\0';
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuDeviceGetUuid(cuda::Uuid* uuid, int device) {
    return ask(__func__, [&](Runtime&) {
        if (uuid == nullptr) return cuda::invalid_value;
        if (device != 0) return cuda::invalid_device;
        std::copy(device_uuid.begin(), device_uuid.end(), uuid->bytes);
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid);
GPUPROJ_CUDA_API CudaError cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
    return ask(__func__, [&](Runtime& runtime) {
        return device == 0 ? give(bytes, static_cast<std::size_t>(runtime.device().memory_bytes))
                           : cuda::invalid_device;
    });
}
GPUPROJ_CUDA_API CudaError cuDeviceGetAttribute(int* value, int attribute, int device) {
    constexpr int virtual_memory = 102;  // CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    return ask(__func__, [&](Runtime&) {
        return attribute == virtual_memory && device == 0 ? give(value, 1)
                                                          : cudaDeviceGetAttribute(value, attribute, device);
    });
}
GPUPROJ_CUDA_API CudaError cuDeviceComputeCapability(int* major, int* minor, int device) {
    return ask(__func__, [&](Runtime& runtime) {
        if (major == nullptr || minor == nullptr) return cuda::invalid_value;
        if (device != 0) return cuda::invalid_device;
        *major = runtime.device().major;
        *minor = runtime.device().minor;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuDeviceGetProperties(DriverProperties* properties, int device) {
    return ask(__func__, [&](Runtime&) {
        if (properties == nullptr) return cuda::invalid_value;
        cuda::DeviceProperties12 all{};
        const CudaError code = cudaGetDeviceProperties_v2(&all, device);
        if (code != cuda::success) return code;
        properties->max_threads_per_block = all.max_threads_per_block;
        std::ranges::copy(all.max_threads_dim, properties->max_threads_dim);
        std::ranges::copy(all.max_grid_size, properties->max_grid_size);
        properties->shared_per_block = static_cast<int>(all.shared_per_block);
        properties->total_constant_memory = static_cast<int>(all.total_constant_memory);
        properties->warp_size = all.warp_size;
        properties->memory_pitch = static_cast<int>(all.memory_pitch);
        properties->registers_per_block = all.registers_per_block;
        properties->clock_rate_khz = all.clock_rate_khz;
        properties->texture_alignment = static_cast<int>(all.texture_alignment);
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuDeviceGetPCIBusId(char* text, int bytes, int device) {
    return ask(__func__, [&](Runtime&) { return cudaDeviceGetPCIBusId(text, bytes, device); });
}
GPUPROJ_CUDA_API CudaError cuDeviceGetByPCIBusId(int* device, const char* text) {
    return ask(__func__, [&](Runtime&) { return cudaDeviceGetByPCIBusId(device, text); });
}
GPUPROJ_CUDA_API CudaError cuDeviceCanAccessPeer(int* can, int device, int peer) {
    return ask(__func__, [&](Runtime&) { return cudaDeviceCanAccessPeer(can, device, peer); });
}
GPUPROJ_CUDA_API CudaError cuDeviceGetP2PAttribute(int* value, int attribute, int device, int peer) {
    return ask(__func__, [&](Runtime&) { return cudaDeviceGetP2PAttribute(value, attribute, device, peer); });
}

GPUPROJ_CUDA_API CudaError cuDevicePrimaryCtxRetain(void** context, int device) {
    return call(__func__, [&](Runtime&) -> CudaError {
        if (device != 0) return cuda::invalid_device;
        ++Contexts::instance().primary_uses;
        return give(context, static_cast<void*>(&Contexts::instance().primary));
    });
}
GPUPROJ_CUDA_API CudaError cuDevicePrimaryCtxRelease_v2(int device) {
    return call(__func__, [&](Runtime&) {
        if (device != 0) return cuda::invalid_device;
        auto& uses = Contexts::instance().primary_uses;
        if (uses == 0) return cuda::invalid_context;
        --uses;
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);
GPUPROJ_CUDA_API CudaError cuDevicePrimaryCtxReset_v2(int device) {
    return of_device(__func__, device);
}
GPUPROJ_CUDA_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);
GPUPROJ_CUDA_API CudaError cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
    return call(__func__, [&](Runtime&) {
        if (device != 0) return cuda::invalid_device;
        Contexts::instance().primary.flags = flags;
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);
GPUPROJ_CUDA_API CudaError cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
    return call(__func__, [&](Runtime&) {
        if (flags == nullptr || active == nullptr) return cuda::invalid_value;
        if (device != 0) return cuda::invalid_device;
        *flags = Contexts::instance().primary.flags;
        *active = Contexts::instance().primary_uses > 0 ? 1 : 0;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cuCtxCreate_v2(void** context, unsigned flags, int device) {
    return call(__func__, [&](Runtime&) { return make_context(context, flags, device); });
}
GPUPROJ_CUDA_ALIAS(cuCtxCreate, cuCtxCreate_v2);
GPUPROJ_CUDA_API CudaError cuCtxCreate_v3(void** context, const void*, int affinities, unsigned flags, int device) {
    return call(__func__,
                [&](Runtime&) { return affinities != 0 ? cuda::not_supported : make_context(context, flags, device); });
}
// The parameters say which share of the device it may use, which bounds nothing here.
GPUPROJ_CUDA_API CudaError cuCtxCreate_v4(void** context, const void*, unsigned flags, int device) {
    return call(__func__, [&](Runtime&) { return make_context(context, flags, device); });
}
GPUPROJ_CUDA_API CudaError cuCtxDestroy_v2(void* context) {
    return call(__func__, [&](Runtime&) { return destroy(context); });
}
GPUPROJ_CUDA_ALIAS(cuCtxDestroy, cuCtxDestroy_v2);
// Uses of the current context are counted, and the last one to go destroys it.
GPUPROJ_CUDA_API CudaError cuCtxAttach(void** context, unsigned flags) {
    return call(__func__, [&](Runtime&) -> CudaError {
        if (context == nullptr || flags != 0) return cuda::invalid_value;
        if (stack().empty() || !Contexts::instance().use(stack().back(), 1)) return cuda::invalid_context;
        *context = stack().back();
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuCtxDetach(void* context) {
    return call(__func__, [&](Runtime&) {
        const auto uses = Contexts::instance().use(context, -1);
        if (!uses) return cuda::invalid_context;
        return *uses == 0 ? destroy(context) : cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuCtxPushCurrent_v2(void* context) {
    return call(__func__, [&](Runtime&) {
        if (!is_context(context)) return cuda::invalid_context;
        stack().push_back(context);
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);
GPUPROJ_CUDA_API CudaError cuCtxPopCurrent_v2(void** context) {
    return call(__func__, [&](Runtime&) {
        if (stack().empty()) return cuda::invalid_context;
        if (context != nullptr) *context = stack().back();
        stack().pop_back();
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);
GPUPROJ_CUDA_API CudaError cuCtxSetCurrent(void* context) {
    return call(__func__, [&](Runtime&) { return set_current(context); });
}
// A thread that has used the runtime API has the primary context, unless it was given another.
GPUPROJ_CUDA_API CudaError cuCtxGetCurrent(void** context) {
    return ask(__func__, [&](Runtime&) -> CudaError {
        if (!stack().empty()) return give(context, stack().back());
        return give(context, used_runtime_api() ? static_cast<void*>(&Contexts::instance().primary) : nullptr);
    });
}
GPUPROJ_CUDA_API CudaError cuCtxGetDevice(int* device) {
    return ask(__func__, [&](Runtime&) { return has_context() ? give(device, 0) : cuda::invalid_context; });
}
// There is one device. Callers that find this by its name and take it for the form without a context (Numba) pass
// anything for that, and must be answered.
GPUPROJ_CUDA_API CudaError cuCtxGetDevice_v2(int* device, void*) {
    return cuCtxGetDevice(device);
}
GPUPROJ_CUDA_API CudaError cuCtxGetFlags(unsigned* flags) {
    return call(__func__, [&](Runtime&) {
        return give(flags, Contexts::instance().about(stack().empty() ? nullptr : stack().back()).flags);
    });
}
GPUPROJ_CUDA_API CudaError cuCtxSetFlags(unsigned flags) {
    return in_context(__func__, [&](Runtime&) -> CudaError {
        constexpr unsigned known_flags = 0xff;  // CU_CTX_FLAGS_MASK
        if ((flags & ~known_flags) != 0) return cuda::invalid_value;
        return Contexts::instance().set_flags(current_context(), flags) ? cuda::success : cuda::invalid_context;
    });
}
// nullptr: that of the current one.
GPUPROJ_CUDA_API CudaError cuCtxGetId(void* context, unsigned long long* id) {
    return call(__func__, [&](Runtime&) {
        if (context == nullptr && has_context()) context = current_context();
        return is_context(context) ? give(id, Contexts::instance().about(context).id) : cuda::invalid_context;
    });
}
GPUPROJ_CUDA_API CudaError cuCtxGetApiVersion(void*, unsigned* version) {
    constexpr unsigned current = 3020;
    return call(__func__, [&](Runtime&) { return give(version, current); });
}
GPUPROJ_CUDA_API CudaError cuCtxSynchronize() {
    return synchronized(__func__);
}
GPUPROJ_CUDA_API CudaError cuCtxSynchronize_v2(void*) {  // the same
    return synchronized(__func__);
}
GPUPROJ_CUDA_API CudaError cuCtxGetLimit(std::size_t* value, int limit) {
    return call(__func__, [&](Runtime&) { return cudaDeviceGetLimit(value, limit); });
}
GPUPROJ_CUDA_API CudaError cuCtxSetLimit(int limit, std::size_t value) {
    return call(__func__, [&](Runtime&) { return cudaDeviceSetLimit(limit, value); });
}
GPUPROJ_CUDA_API CudaError cuCtxGetCacheConfig(int* config) {
    return call(__func__, [&](Runtime&) { return cudaDeviceGetCacheConfig(config); });
}
GPUPROJ_CUDA_API CudaError cuCtxSetCacheConfig(int config) {
    return call(__func__, [&](Runtime&) { return cudaDeviceSetCacheConfig(config); });
}
GPUPROJ_CUDA_API CudaError cuCtxGetSharedMemConfig(int* config) {
    constexpr int four_byte_banks = 1;
    return call(__func__, [&](Runtime&) { return give(config, four_byte_banks); });
}
GPUPROJ_CUDA_API CudaError cuCtxSetSharedMemConfig(int) {
    return nothing_to_do(__func__);
}
// One device: its contexts are no peers of each other.
GPUPROJ_CUDA_API CudaError cuCtxEnablePeerAccess(void* context, unsigned flags) {
    return call(__func__, [&](Runtime&) {
        if (flags != 0) return cuda::invalid_value;
        return !is_context(context) || context == current_context() ? cuda::invalid_context
                                                                    : cuda::peer_access_unsupported;
    });
}
GPUPROJ_CUDA_API CudaError cuCtxDisablePeerAccess(void* context) {
    return call(__func__,
                [&](Runtime&) { return is_context(context) ? cuda::peer_access_not_enabled : cuda::invalid_context; });
}
GPUPROJ_CUDA_API CudaError cuCtxResetPersistingL2Cache() {
    return nothing_to_do(__func__);
}
GPUPROJ_CUDA_API CudaError cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return call(__func__, [&](Runtime&) { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
GPUPROJ_CUDA_API CudaError cuProfilerInitialize(const char*, const char*, int) {  // removed with CUDA 12
    return nothing_to_do(__func__);
}
GPUPROJ_CUDA_API CudaError cuProfilerStart() {
    return nothing_to_do(__func__);
}
GPUPROJ_CUDA_API CudaError cuProfilerStop() {
    return nothing_to_do(__func__);
}

}  // namespace gpuproj::simulate::driver
