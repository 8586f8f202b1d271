// What the stand-in for NVML is made of: its numbers and structures, and the frame of its functions.
#pragma once

#include <cstddef>
#include <string_view>

#include "collector/simulate/libraries/device_facts.hpp"
#include "collector/simulate/libraries/host_library.hpp"

namespace gpuproj::simulate::libraries::nvml {

/// nvmlReturn_t, the codes that are given here.
enum Status : int {
    success = 0,
    uninitialized = 1,
    invalid_argument = 2,
    not_supported = 3,
    not_found = 6,
    insufficient_size = 7,
    driver_not_loaded = 9,
    argument_version_mismatch = 25,
    unknown = 999,
};

/// What an nvmlDevice_t points to; there is one.
struct Device {};

struct Memory {
    unsigned long long total, free, used;
};

struct Memory2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
inline constexpr unsigned memory2_version = sizeof(Memory2) | 2U << 24;

/// As far as the first version goes; what a program of that time has room for.
struct PciInfo1 {
    char bus_id[16];
    unsigned domain, bus, device, device_id;
};
/// Four reserved numbers follow, which are left alone.
struct PciInfo2 : PciInfo1 {
    unsigned subsystem_id;
};
struct PciInfo3 : PciInfo2 {
    char long_bus_id[32];
};
static_assert(sizeof(PciInfo3) == 68);

Device* only_device() noexcept;

/// Between nvmlInit and the nvmlShutdown that belongs to it?
bool initialised() noexcept;

/// Writes `text` with its end if it goes into `size` bytes.
Status give_text(char* out, unsigned size, std::string_view text);

/// NVML_ERROR_NOT_SUPPORTED, which a note in the profile says of `function` when the process ends.
Status unsupported(const char* function) noexcept;

/// Runs `body(const DeviceFacts&)`, which gives a Status.
template <class Body>
int ask(Body&& body) noexcept {
    if (!initialised()) return uninitialized;
    DeviceFacts facts;
    return gpuproj_device_facts(&facts) ? body(facts) : unknown;
}

/// The same, for a function of `device` that gives something at `out`.
template <class T, class Body>
int ask_device(const Device* device, const T* out, Body&& body) noexcept {
    return ask([&](const DeviceFacts& facts) {
        return device != only_device() || out == nullptr ? invalid_argument : body(facts);
    });
}

/// Gives a number that is 0 where it is not known.
template <class T>
Status give_known(const char* function, T* out, T value) {
    if (value == 0) return unsupported(function);
    *out = value;
    return success;
}

}  // namespace gpuproj::simulate::libraries::nvml
