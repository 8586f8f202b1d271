// What the stand-in for NVML asks of the runtime's: what is known of the device, without using CUDA for it.
#pragma once

#include <cstdint>

namespace gpuproj::simulate::libraries {

/// 0 or empty: not known.
struct DeviceFacts {
    char name[96];
    unsigned char uuid[16];
    unsigned pci_domain, pci_bus, pci_device;
    int major, minor;
    std::uint64_t memory_bytes, memory_used;
    unsigned cores;  // fp32 lanes of the whole GPU
    unsigned clock_mhz, max_clock_mhz, memory_clock_mhz;
};

}  // namespace gpuproj::simulate::libraries

// Of libgpuproj_simulate.so.
extern "C" {
/// False where there is no device: the process was not started by gpuproj.
bool gpuproj_device_facts(gpuproj::simulate::libraries::DeviceFacts* facts);
/// A note in the profile; none where the process has not used CUDA. Each text once.
void gpuproj_note(const char* text);
}
