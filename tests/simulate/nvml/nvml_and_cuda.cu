// NVML beside CUDA: both know the same device. Opened by name, because few toolkits come with what to link with.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstring>
#include <string>

#include "../checks.hpp"

namespace {

struct Device;
struct Memory {
    unsigned long long total, free, used;
};
struct Memory2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
struct PciInfo {
    char short_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char id[32];
};

enum {
    success,
    uninitialized,
    invalid_argument,
    not_supported,
    not_found = 6,
    insufficient_size,
    version_mismatch = 25
};

void* library = nullptr;

template <class... Arguments>
int call(const char* name, Arguments... arguments) {
    auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
    if (function == nullptr) std::printf("no %s\n", name);
    return function == nullptr ? -1 : function(arguments...);
}

__global__ void fill(int* out) {
    out[threadIdx.x] = static_cast<int>(threadIdx.x);
}

void check_beginning(Device*& device) {
    unsigned count = 0;
    CHECK(call("nvmlDeviceGetCount_v2", &count) == uninitialized);
    CHECK(call("nvmlDeviceGetPowerUsage", device, &count) == uninitialized);
    CHECK(call("nvmlShutdown") == uninitialized);
    CHECK(call("nvmlInit_v2") == success);
    CHECK(call("nvmlInitWithFlags", 0U) == success);
    CHECK(call("nvmlShutdown") == success);  // the first still holds
    CHECK(call("nvmlDeviceGetCount_v2", static_cast<unsigned*>(nullptr)) == invalid_argument);
    CHECK(call("nvmlDeviceGetCount_v2", &count) == success && count == 1);
    CHECK(call("nvmlDeviceGetHandleByIndex_v2", 1U, &device) == invalid_argument);
    CHECK(call("nvmlDeviceGetHandleByIndex_v2", 0U, &device) == success);
}

void check_versions() {
    int version = 0, of_cuda = 0;
    CHECK(call("nvmlSystemGetCudaDriverVersion", &version) == success);
    CHECK(cudaDriverGetVersion(&of_cuda) == cudaSuccess && version == of_cuda);
    char text[80];
    CHECK(call("nvmlSystemGetDriverVersion", text, 80U) == success && std::strchr(text, '.') != nullptr);
    CHECK(call("nvmlSystemGetNVMLVersion", text, 80U) == success);
    const auto error_text = reinterpret_cast<const char* (*)(int)>(dlsym(library, "nvmlErrorString"));
    CHECK(error_text != nullptr && std::strcmp(error_text(not_supported), "Not Supported") == 0);
}

void check_identity(Device* device, const cudaDeviceProp& properties) {
    char text[96];
    CHECK(call("nvmlDeviceGetName", device, text, 96U) == success && std::strcmp(text, properties.name) == 0);
    const auto length = static_cast<unsigned>(std::strlen(properties.name));
    CHECK(call("nvmlDeviceGetName", device, text, length) == insufficient_size);
    CHECK(call("nvmlDeviceGetName", static_cast<Device*>(nullptr), text, 96U) == invalid_argument);

    char uuid[80];
    CHECK(call("nvmlDeviceGetUUID", device, uuid, 80U) == success);
    std::string expected = "GPU-";
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) expected += '-';
        std::snprintf(text, sizeof text, "%02x", static_cast<unsigned char>(properties.uuid.bytes[i]));
        expected += text;
    }
    CHECK(uuid == expected);
    CHECK(call("nvmlDeviceGetUUID", device, uuid, 40U) == insufficient_size);
    Device* found = nullptr;
    CHECK(call("nvmlDeviceGetHandleByUUID", static_cast<const char*>(uuid), &found) == success && found == device);
    CHECK(call("nvmlDeviceGetHandleByUUID", "GPU-1", &found) == not_found);

    PciInfo pci{};
    CHECK(call("nvmlDeviceGetPciInfo_v3", device, &pci) == success);
    CHECK(static_cast<int>(pci.domain) == properties.pciDomainID && static_cast<int>(pci.bus) == properties.pciBusID &&
          static_cast<int>(pci.device) == properties.pciDeviceID);
    char of_cuda[16];
    CHECK(cudaDeviceGetPCIBusId(of_cuda, sizeof of_cuda, 0) == cudaSuccess);
    CHECK(std::strcmp(pci.short_id, of_cuda) == 0);
    for (const char* id : {static_cast<const char*>(pci.id), static_cast<const char*>(of_cuda), "1:0"}) {
        found = nullptr;
        CHECK(call("nvmlDeviceGetHandleByPciBusId_v2", id, &found) == success && found == device);
    }
    for (const char* id : {"0000:02:00.0", "0000:01:00.1", "1", "", "0:0:1:0"})
        CHECK(call("nvmlDeviceGetHandleByPciBusId_v2", id, &found) == not_found);
    int number = -1;
    CHECK(cudaDeviceGetByPCIBusId(&number, pci.id) == cudaSuccess && number == 0);
    unsigned index = 7;
    CHECK(call("nvmlDeviceGetIndex", device, &index) == success && index == 0);

    struct {
        char id[16];
        unsigned domain, bus, device, device_id, untouched = 7;
    } old;
    CHECK(call("nvmlDeviceGetPciInfo", device, static_cast<void*>(&old)) == success);
    CHECK(old.bus == pci.bus && old.untouched == 7);
}

void check_memory(Device* device) {
    size_t free = 0, total = 0;
    void* some = nullptr;
    Memory before{}, memory{};
    CHECK(call("nvmlDeviceGetMemoryInfo", device, &before) == success);
    CHECK(cudaMalloc(&some, 1 << 20) == cudaSuccess);
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(call("nvmlDeviceGetMemoryInfo", device, &memory) == success);
    CHECK(memory.total == total && memory.free == free && memory.used == total - free);
    CHECK(memory.used >= before.used + (1 << 20));
    Memory2 second{sizeof(Memory2) | 2U << 24};
    CHECK(call("nvmlDeviceGetMemoryInfo_v2", device, &second) == success);
    CHECK(second.total == total && second.free == free && second.reserved + second.used == total - free);
    second.version = 1;
    CHECK(call("nvmlDeviceGetMemoryInfo_v2", device, &second) == version_mismatch);
    CHECK(cudaFree(some) == cudaSuccess);
}

void check_values(Device* device, const cudaDeviceProp& properties) {
    int major = 0, minor = 0;
    CHECK(call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor) == success);
    CHECK(major == properties.major && minor == properties.minor);
    unsigned value = 0;
    CHECK(call("nvmlDeviceGetNumGpuCores", device, &value) == success);
    CHECK(value == 64U * static_cast<unsigned>(properties.multiProcessorCount));  // Turing
    CHECK(call("nvmlDeviceGetClockInfo", device, 1, &value) == success && value > 0);
    CHECK(call("nvmlDeviceGetApplicationsClock", device, 0, &value) == success && value > 0);
    unsigned highest = 0;
    CHECK(call("nvmlDeviceGetMaxClockInfo", device, 0, &highest) == success && highest >= value);
    CHECK(call("nvmlDeviceGetMaxClockInfo", device, 2, &value) == success && value > 0);
    CHECK(call("nvmlDeviceGetClockInfo", device, 3, &value) == not_supported);
    CHECK(call("nvmlDeviceGetClockInfo", device, 4, &value) == invalid_argument);
    CHECK(call("nvmlDeviceGetComputeMode", device, &value) == success && value == 0);
    value = 7;
    CHECK(call("nvmlDeviceGetPowerUsage", device, &value) == not_supported && value == 7);
    CHECK(call("nvmlDeviceGetTemperature", device, 0, &value) == not_supported);
}

}  // namespace

int main() {
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == nullptr) {
        std::printf("%s\n", dlerror());
        return 1;
    }
    void* const same = dlopen("libnvidia-ml.so", RTLD_NOW);
    CHECK(same == library);
    Device* device = nullptr;
    check_beginning(device);
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    check_versions();
    check_identity(device, properties);
    check_memory(device);
    check_values(device, properties);
    int *out = nullptr, last = 0;
    CHECK(cudaMalloc(&out, 32 * sizeof(int)) == cudaSuccess);
    fill<<<1, 32>>>(out);
    CHECK(cudaMemcpy(&last, out + 31, sizeof last, cudaMemcpyDeviceToHost) == cudaSuccess && last == 31);
    CHECK(call("nvmlShutdown") == success);
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
