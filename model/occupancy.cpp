#include "model/occupancy.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <utility>

#include "model/quantity.hpp"

namespace gpuproj {

namespace {

constexpr std::uint32_t kib = 1024;

// Sorted by version. Shared memory is the largest that an SM can be set to. The registers of one block are fewer than
// those of the SM on 3.7, 5.3 and 6.2.
constexpr std::array<OccupancyRules, 29> rules{{
    {1, 0, 24, 8, 8192, 8192, 124, 256, 2, 16 * kib, 16 * kib, 512, 0},
    {1, 1, 24, 8, 8192, 8192, 124, 256, 2, 16 * kib, 16 * kib, 512, 0},
    {1, 2, 32, 8, 16384, 16384, 124, 512, 2, 16 * kib, 16 * kib, 512, 0},
    {1, 3, 32, 8, 16384, 16384, 124, 512, 2, 16 * kib, 16 * kib, 512, 0},
    {2, 0, 48, 8, 32768, 32768, 63, 64, 2, 48 * kib, 48 * kib, 128, 0},
    {2, 1, 48, 8, 32768, 32768, 63, 64, 2, 48 * kib, 48 * kib, 128, 0},
    {3, 0, 64, 16, 65536, 65536, 63, 256, 4, 48 * kib, 48 * kib, 256, 0},
    {3, 2, 64, 16, 65536, 65536, 255, 256, 4, 48 * kib, 48 * kib, 256, 0},
    {3, 5, 64, 16, 65536, 65536, 255, 256, 4, 48 * kib, 48 * kib, 256, 0},
    {3, 7, 64, 16, 131072, 65536, 255, 256, 4, 112 * kib, 48 * kib, 256, 0},
    {5, 0, 64, 32, 65536, 65536, 255, 256, 4, 64 * kib, 48 * kib, 256, 0},
    {5, 2, 64, 32, 65536, 65536, 255, 256, 4, 96 * kib, 48 * kib, 256, 0},
    {5, 3, 64, 32, 65536, 32768, 255, 256, 4, 64 * kib, 48 * kib, 256, 0},
    {6, 0, 64, 32, 65536, 65536, 255, 256, 2, 64 * kib, 48 * kib, 256, 0},
    {6, 1, 64, 32, 65536, 65536, 255, 256, 4, 96 * kib, 48 * kib, 256, 0},
    {6, 2, 64, 32, 65536, 32768, 255, 256, 4, 64 * kib, 48 * kib, 256, 0},
    {7, 0, 64, 32, 65536, 65536, 255, 256, 4, 96 * kib, 96 * kib, 256, 0},
    {7, 2, 64, 32, 65536, 65536, 255, 256, 4, 96 * kib, 96 * kib, 256, 0},
    {7, 5, 32, 16, 65536, 65536, 255, 256, 4, 64 * kib, 64 * kib, 256, 0},
    {8, 0, 64, 32, 65536, 65536, 255, 256, 4, 164 * kib, 163 * kib, 128, kib},
    {8, 6, 48, 16, 65536, 65536, 255, 256, 4, 100 * kib, 99 * kib, 128, kib},
    {8, 7, 48, 16, 65536, 65536, 255, 256, 4, 164 * kib, 163 * kib, 128, kib},
    {8, 9, 48, 24, 65536, 65536, 255, 256, 4, 100 * kib, 99 * kib, 128, kib},
    {9, 0, 64, 32, 65536, 65536, 255, 256, 4, 228 * kib, 227 * kib, 128, kib},
    {10, 0, 64, 32, 65536, 65536, 255, 256, 4, 228 * kib, 227 * kib, 128, kib},
    {10, 3, 64, 32, 65536, 65536, 255, 256, 4, 228 * kib, 227 * kib, 128, kib},
    {11, 0, 48, 24, 65536, 65536, 255, 256, 4, 228 * kib, 227 * kib, 128, kib},
    {12, 0, 48, 24, 65536, 65536, 255, 256, 4, 100 * kib, 99 * kib, 128, kib},
    {12, 1, 48, 24, 65536, 65536, 255, 256, 4, 100 * kib, 99 * kib, 128, kib},
}};

struct Version {
    std::uint32_t major = 0, minor = 0;
};

std::optional<Version> parse(std::string_view text) {
    Version version;
    const char* const end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, version.major);
    if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
    const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
    if (minor.ec != std::errc{} || minor.ptr != end) return std::nullopt;
    return version;
}

template <class T>
constexpr T rounded_up(T value, T unit) {
    return (value + unit - 1) / unit * unit;
}

/// What the GPU's file states goes before what its compute capability implies.
OccupancyRules limits_of(const Gpu& gpu, OccupancyRules limits) {
    const auto whole = [](double value) { return static_cast<std::uint32_t>(value); };
    if (gpu.max_warps_per_sm) limits.max_warps = whole(gpu.max_warps_per_sm->value);
    if (gpu.max_blocks_per_sm) limits.max_blocks = whole(gpu.max_blocks_per_sm->value);
    if (gpu.registers_per_sm) limits.registers = whole(gpu.registers_per_sm->value);
    if (gpu.shared_size) limits.shared = whole(gpu.shared_size->value.value);
    if (gpu.shared_per_block) limits.shared_per_block = whole(gpu.shared_per_block->value.value);
    return limits;
}

/// Blocks that the registers of an SM suffice for.
std::uint32_t blocks_by_registers(const OccupancyRules& rule, std::uint32_t warps, std::uint32_t per_thread) {
    if (per_thread > rule.registers_per_thread) return 0;
    const std::uint32_t per_warp = per_thread * threads_per_warp;
    // Warps of a block are counted in whole rounds over the partitions, by 1.x when it gives registers to a block and
    // later by the check of a launch.
    const std::uint32_t whole_warps = rounded_up(warps, rule.partitions);
    if (rule.registers_by_block()) return rule.registers / rounded_up(per_warp * whole_warps, rule.register_unit);
    const std::uint32_t unit_per_warp = rounded_up(per_warp, rule.register_unit);
    if (unit_per_warp * whole_warps > rule.registers_per_block) return 0;
    const std::uint32_t warps_per_partition = rule.registers / rule.partitions / unit_per_warp;
    return warps_per_partition * rule.partitions / warps;
}

}  // namespace

std::optional<OccupancyRules> occupancy_rules(std::string_view compute_capability) {
    const auto version = parse(compute_capability);
    if (!version) return std::nullopt;
    std::optional<OccupancyRules> nearest;
    for (const auto& rule : rules) {
        if (rule.major == version->major && rule.minor <= version->minor) nearest = rule;
    }
    return nearest;
}

int threads_per_wave(const Gpu& gpu) {
    if (gpu.vendor == "Intel") return 16;
    return gpu.architecture.starts_with("GCN") || gpu.architecture.starts_with("CDNA") ? 64 : 32;
}

std::optional<OccupancyRules> occupancy_rules(const Gpu& gpu) {
    const auto listed = occupancy_rules(std::string_view{gpu.compute_capability});
    if (!listed) return std::nullopt;
    return limits_of(gpu, *listed);
}

std::optional<Occupancy> occupancy(const Gpu& gpu, std::uint32_t threads_per_block, std::uint32_t registers,
                                   std::uint64_t shared_bytes) {
    const auto rules_of_gpu = occupancy_rules(gpu);
    if (!rules_of_gpu) return std::nullopt;
    return occupancy(*rules_of_gpu, threads_per_block, registers, shared_bytes);
}

Occupancy occupancy(const OccupancyRules& rule, std::uint32_t threads_per_block, std::uint32_t registers,
                    std::uint64_t shared_bytes) {
    assert(threads_per_block > 0);
    const std::uint32_t warps = (threads_per_block + threads_per_warp - 1) / threads_per_warp;

    using Limit = std::pair<std::uint32_t, std::string_view>;
    Limit least{rule.max_blocks, "blocks"};
    const auto limit = [&](std::uint32_t blocks, std::string_view by) {
        if (blocks < least.first) least = {blocks, by};
    };
    limit(threads_per_block > rule.max_threads_per_block() ? 0 : rule.max_warps / warps, "warps");
    if (registers > 0) limit(blocks_by_registers(rule, warps, registers), "registers");
    if (shared_bytes + rule.shared_reserved > 0) {
        const auto taken = rounded_up<std::uint64_t>(shared_bytes + rule.shared_reserved, rule.shared_unit);
        const std::uint64_t blocks = shared_bytes > rule.shared_per_block ? 0 : rule.shared / taken;
        limit(static_cast<std::uint32_t>(blocks), "shared");
    }

    Occupancy result;
    result.blocks_per_sm = least.first;
    result.warps_per_sm = least.first * warps;
    result.fraction = static_cast<double>(result.warps_per_sm) / rule.max_warps;
    result.limited_by = least.second;
    return result;
}

}  // namespace gpuproj
