// What the stand-in for NVML asks for: libraries/device_facts.hpp. A program may ask NVML and then fork, or never use
// CUDA at all, so the runtime is not begun here.
#include "collector/simulate/libraries/device_facts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "collector/records/session.hpp"
#include "collector/simulate/runtime/device_identity.hpp"
#include "collector/simulate/runtime/runtime.hpp"

namespace gpuproj::simulate {

namespace {

// Read once: programs that measure ask every few milliseconds.
const Gpu& reference_of_session() {
    // There until the very end of a process.
    static const auto& reference = *new Gpu(records::read_config(std::getenv(records::session_variable)).reference);
    return reference;
}

unsigned megahertz(const MaybeKnown<Hertz>& clock) {
    return clock ? static_cast<unsigned>(std::lround(clock->value.value / 1e6)) : 0;
}

void fill(libraries::DeviceFacts& facts, const Gpu& reference, const DeviceDescription& device, std::uint64_t used) {
    facts = {};
    device.name.copy(facts.name, sizeof facts.name - 1);
    std::copy(device_uuid.begin(), device_uuid.end(), facts.uuid);
    facts.pci_domain = pci_domain;
    facts.pci_bus = pci_bus;
    facts.pci_device = pci_device;
    facts.major = device.major;
    facts.minor = device.minor;
    facts.memory_bytes = device.memory_bytes;
    facts.memory_used = std::min(used, device.memory_bytes);
    if (reference.sm_count && reference.lanes_per_sm)
        facts.cores = static_cast<unsigned>(reference.sm_count->value * reference.lanes_per_sm->value);
    facts.clock_mhz = megahertz(reference.core_clock ? reference.core_clock : reference.boost_clock);
    // GPUs run above the boost clock of their datasheets where they stay cool.
    facts.max_clock_mhz = std::max(megahertz(reference.boost_clock), facts.clock_mhz);
    facts.memory_clock_mhz = megahertz(reference.memory_clock);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) bool gpuproj_device_facts(libraries::DeviceFacts* facts) {
    if (std::getenv(records::session_variable) == nullptr) return false;
    try {
        if (Runtime* const runtime = Runtime::existing())
            fill(*facts, runtime->reference(), runtime->device(), runtime->memory().allocated());
        else
            fill(*facts, reference_of_session(), describe_for_process(reference_of_session()), 0);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

extern "C" __attribute__((visibility("default"))) void gpuproj_note(const char* text) {
    if (Runtime* const runtime = Runtime::existing()) runtime->recorder().note(text);
}

}  // namespace gpuproj::simulate
