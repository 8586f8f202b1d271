#include "collector/simulate/runtime/device_description.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "model/occupancy.hpp"

namespace gpuproj::simulate {

namespace {

constexpr std::uint64_t usual_memory = std::uint64_t{16} << 30;

// Of the compute capability; of the newest that is known where the program asks for a newer one: 1.0 always is.
OccupancyRules rules_of(int major, int minor) {
    std::optional<OccupancyRules> rules;
    for (major = std::max(major, 1); !rules && major > 0; --major, minor = 9)
        rules = occupancy_rules(std::to_string(major) + "." + std::to_string(minor));
    return rules.value_or(OccupancyRules{});
}

template <class Q>
double value_or(const MaybeKnown<Q>& known, double otherwise) {
    if (!known) return otherwise;
    if constexpr (requires { known->value.value; })
        return known->value.value;
    else
        return static_cast<double>(known->value);
}

// Bits of the memory bus, where bandwidth and clock are both known (double data rate).
int bus_width(const Gpu& gpu) {
    if (!gpu.dram_bandwidth_peak || !gpu.memory_clock) return 0;
    const double bits = gpu.dram_bandwidth_peak->value.value * 8 / (2 * gpu.memory_clock->value.value);
    return static_cast<int>(std::lround(bits / 32)) * 32;
}

}  // namespace

DeviceDescription describe_device(const Gpu& reference, int target, std::uint64_t host_memory) {
    DeviceDescription device;
    device.name = reference.name;
    device.major = target / 10;
    device.minor = target % 10;
    const auto rules = rules_of(device.major, device.minor);
    const auto reference_memory = static_cast<std::uint64_t>(value_or(reference.memory, 0));
    device.memory_bytes = std::min(std::max(reference_memory, usual_memory), host_memory);
    device.sm_count = static_cast<int>(value_or(reference.sm_count, 1));
    const double clock = value_or(reference.boost_clock, value_or(reference.core_clock, 1e9));
    device.clock_khz = static_cast<int>(clock / 1e3);
    device.memory_clock_khz = static_cast<int>(value_or(reference.memory_clock, 1e9) / 1e3);
    device.bus_width_bits = bus_width(reference);
    device.l2_bytes = static_cast<std::uint64_t>(value_or(reference.l2_size, 0));
    device.global_l1 = reference.l1_size.has_value();
    device.ecc = reference.ecc && reference.ecc->value;
    device.max_threads_per_block = static_cast<int>(rules.max_threads_per_block());
    device.shared_per_block_opt_in = rules.shared_per_block;
    device.shared_per_block = std::min(device.shared_per_block, device.shared_per_block_opt_in);
    device.reserved_shared_per_block = rules.shared_reserved;
    device.registers_per_block = static_cast<int>(rules.registers_per_block);
    // How much of a grid is resident is the reference's; programs build barriers on it. One block always fits.
    const int reference_number = capability_number(reference.compute_capability);
    const auto resident = rules_of(reference_number / 10, reference_number % 10);
    device.max_threads_per_sm =
        std::max(static_cast<int>(resident.max_warps) * threads_per_warp, device.max_threads_per_block);
    device.max_blocks_per_sm = static_cast<int>(resident.max_blocks);
    device.shared_per_sm = std::max<std::uint64_t>(resident.shared, device.shared_per_block_opt_in);
    device.registers_per_sm = std::max(static_cast<int>(resident.registers), device.registers_per_block);
    const double fp64 = value_or(reference.fp64_peak, value_or(reference.fp64, 0));
    const double fp32 = value_or(reference.fp32_peak, value_or(reference.fp32, 0));
    if (fp64 > 0 && fp32 > 0) device.fp32_to_fp64 = std::max(1, static_cast<int>(std::lround(fp32 / fp64)));
    return device;
}

}  // namespace gpuproj::simulate
