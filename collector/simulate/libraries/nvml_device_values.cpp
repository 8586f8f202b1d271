// NVML: memory, compute capability, cores and clocks of the device, as far as they are known.
#include "collector/simulate/libraries/nvml_types.hpp"

namespace gpuproj::simulate::libraries::nvml {

namespace {

// nvmlClockType_t
enum Clock : int { graphics = 0, multiprocessor = 1, memory = 2, video = 3 };

int clock_of(const char* function, const Device* device, int type, unsigned* clock,
             unsigned DeviceFacts::*of_cores) noexcept {
    return ask_device(device, clock, [&](const DeviceFacts& facts) {
        switch (type) {
            case graphics:
            case multiprocessor:
                return give_known(function, clock, facts.*of_cores);
            case memory:
                return give_known(function, clock, facts.memory_clock_mhz);
            case video:
                return unsupported(function);
            default:
                return invalid_argument;
        }
    });
}

}  // namespace

GPUPROJ_LIBRARY_API int nvmlDeviceGetMemoryInfo(const Device* device, Memory* memory) {
    return ask_device(device, memory, [&](const DeviceFacts& facts) {
        *memory = {facts.memory_bytes, facts.memory_bytes - facts.memory_used, facts.memory_used};
        return success;
    });
}

GPUPROJ_LIBRARY_API int nvmlDeviceGetMemoryInfo_v2(const Device* device, Memory2* memory) {
    return ask_device(device, memory, [&](const DeviceFacts& facts) {
        if (memory->version != memory2_version) return argument_version_mismatch;
        *memory = {memory2_version, facts.memory_bytes, 0, facts.memory_bytes - facts.memory_used, facts.memory_used};
        return success;
    });
}

GPUPROJ_LIBRARY_API int nvmlDeviceGetCudaComputeCapability(const Device* device, int* major, int* minor) {
    return ask_device(device, major, [&](const DeviceFacts& facts) {
        if (minor == nullptr) return invalid_argument;
        *major = facts.major;
        *minor = facts.minor;
        return success;
    });
}

GPUPROJ_LIBRARY_API int nvmlDeviceGetNumGpuCores(const Device* device, unsigned* cores) {
    return ask_device(device, cores, [&](const DeviceFacts& facts) {
        return give_known("nvmlDeviceGetNumGpuCores", cores, facts.cores);
    });
}

// The clock at which the GPU's rates were measured, or else its boost clock: what a kernel is taken to run at.
GPUPROJ_LIBRARY_API int nvmlDeviceGetClockInfo(const Device* device, int type, unsigned* clock) {
    return clock_of(__func__, device, type, clock, &DeviceFacts::clock_mhz);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetApplicationsClock(const Device* device, int type, unsigned* clock) {
    return clock_of(__func__, device, type, clock, &DeviceFacts::clock_mhz);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetMaxClockInfo(const Device* device, int type, unsigned* clock) {
    return clock_of(__func__, device, type, clock, &DeviceFacts::max_clock_mhz);
}

}  // namespace gpuproj::simulate::libraries::nvml
