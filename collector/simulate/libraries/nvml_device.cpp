// NVML: the one device, and by what it is known.
#include <array>
#include <cstdio>
#include <string>

#include "collector/simulate/libraries/nvml_types.hpp"
#include "collector/simulate/runtime/device_identity.hpp"

namespace gpuproj::simulate::libraries::nvml {

namespace {

template <class T>
int give(T* out, T value) noexcept {
    return ask([&](const DeviceFacts&) {
        if (out == nullptr) return invalid_argument;
        *out = value;
        return success;
    });
}

// "GPU-" and the 16 bytes as any UUID is written.
std::array<char, 41> uuid_of(const DeviceFacts& facts) {
    std::array<char, 41> text{'G', 'P', 'U', '-'};
    std::size_t at = 4;
    for (std::size_t byte = 0; byte < sizeof facts.uuid; ++byte) {
        if (byte == 4 || byte == 6 || byte == 8 || byte == 10) text.at(at++) = '-';
        std::snprintf(&text.at(at), 3, "%02x", facts.uuid[byte]);
        at += 2;
    }
    return text;
}

// `matches(facts)`: does the text that was given name the device?
template <class Matches>
int find(const char* text, Device** device, Matches&& matches) noexcept {
    return ask([&](const DeviceFacts& facts) {
        if (text == nullptr || device == nullptr) return invalid_argument;
        if (!matches(facts)) return not_found;
        *device = only_device();
        return success;
    });
}

int find_by_index(unsigned index, Device** device) noexcept {
    return index == 0 ? give(device, only_device()) : initialised() ? invalid_argument : uninitialized;
}

int find_by_pci_bus_id(const char* text, Device** device) noexcept {
    return find(text, device, [&](const DeviceFacts&) { return is_pci_bus_id(text); });
}

// The device's and subsystem's numbers are not known: 0.
template <class Info>
int pci_info(const Device* device, Info* info) noexcept {
    return ask_device(device, info, [&](const DeviceFacts& facts) {
        *info = {};
        const unsigned domain = facts.pci_domain, bus = facts.pci_bus, number = facts.pci_device;
        std::snprintf(info->bus_id, sizeof info->bus_id, "%04X:%02X:%02X.0", domain, bus, number);
        info->domain = domain;
        info->bus = bus;
        info->device = number;
        if constexpr (requires { info->long_bus_id; })
            std::snprintf(info->long_bus_id, sizeof info->long_bus_id, "%08X:%02X:%02X.0", domain, bus, number);
        return success;
    });
}

// What is 0 of the only device: its index and number among the device files, compute mode (any number of processes),
// persistence mode (off).
int zero(const Device* device, unsigned* out) noexcept {
    return ask_device(device, out, [&](const DeviceFacts&) {
        *out = 0;
        return success;
    });
}

}  // namespace

Device* only_device() noexcept {
    static Device device;
    return &device;
}

GPUPROJ_LIBRARY_API int nvmlDeviceGetCount(unsigned* count) {
    return give(count, 1U);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetCount_v2(unsigned* count) {
    return give(count, 1U);
}

GPUPROJ_LIBRARY_API int nvmlDeviceGetHandleByIndex(unsigned index, Device** device) {
    return find_by_index(index, device);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device** device) {
    return find_by_index(index, device);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetHandleByPciBusId(const char* text, Device** device) {
    return find_by_pci_bus_id(text, device);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetHandleByPciBusId_v2(const char* text, Device** device) {
    return find_by_pci_bus_id(text, device);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetHandleByUUID(const char* text, Device** device) {
    return find(text, device,
                [&](const DeviceFacts& facts) { return std::string_view(text) == uuid_of(facts).data(); });
}

GPUPROJ_LIBRARY_API int nvmlDeviceGetName(const Device* device, char* name, unsigned length) {
    return ask_device(device, name, [&](const DeviceFacts& facts) { return give_text(name, length, facts.name); });
}

GPUPROJ_LIBRARY_API int nvmlDeviceGetUUID(const Device* device, char* uuid, unsigned length) {
    return ask_device(device, uuid,
                      [&](const DeviceFacts& facts) { return give_text(uuid, length, uuid_of(facts).data()); });
}

GPUPROJ_LIBRARY_API int nvmlDeviceGetIndex(const Device* device, unsigned* index) {
    return zero(device, index);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetMinorNumber(const Device* device, unsigned* number) {
    return zero(device, number);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetComputeMode(const Device* device, unsigned* mode) {
    return zero(device, mode);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetPersistenceMode(const Device* device, unsigned* mode) {
    return zero(device, mode);
}

GPUPROJ_LIBRARY_API int nvmlDeviceGetPciInfo(const Device* device, PciInfo1* info) {
    return pci_info(device, info);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetPciInfo_v2(const Device* device, PciInfo2* info) {
    return pci_info(device, info);
}
GPUPROJ_LIBRARY_API int nvmlDeviceGetPciInfo_v3(const Device* device, PciInfo3* info) {
    return pci_info(device, info);
}

}  // namespace gpuproj::simulate::libraries::nvml
