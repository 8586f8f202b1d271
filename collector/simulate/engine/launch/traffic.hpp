// What a launch does to memory, as far as it is simulated.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "collector/simulate/engine/warp.hpp"
#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {

struct Traffic {
    MemoryCounters memory;  // of all SMs
    L2Counters l2;
};

/// The counters that know only of blocks whose memory is simulated; the others count in any case.
inline constexpr std::array simulated_counters{
    &MemoryCounters::global_loads,      &MemoryCounters::global_stores,     &MemoryCounters::locals,
    &MemoryCounters::atomics,           &MemoryCounters::constants,         &MemoryCounters::textures,
    &MemoryCounters::shared_loads,      &MemoryCounters::shared_stores,     &MemoryCounters::shared_passes,
    &MemoryCounters::shared_conflicts,  &MemoryCounters::constant_replays,  &MemoryCounters::load_sectors,
    &MemoryCounters::store_sectors,     &MemoryCounters::load_bytes,        &MemoryCounters::store_bytes,
    &MemoryCounters::coalesced,         &MemoryCounters::uncoalesced,       &MemoryCounters::uncoalesced_sectors,
    &MemoryCounters::l1_hits,           &MemoryCounters::line_requests,     &MemoryCounters::thread_loads,
    &MemoryCounters::thread_stores,     &MemoryCounters::atomic_operations, &MemoryCounters::lines,
    &MemoryCounters::uncoalesced_lines, &MemoryCounters::shared_spared};
inline constexpr std::array l2_counters{&L2Counters::read_sectors,           &L2Counters::write_sectors,
                                        &L2Counters::atomic_sectors,         &L2Counters::dram_read_sectors,
                                        &L2Counters::dram_write_sectors,     &L2Counters::channel_sectors,
                                        &L2Counters::busiest_channel_sectors};

/// What caches of other GPUs make of the same: estimates by samples, too rough to tell launches apart by.
inline constexpr std::size_t other_counters = std::tuple_size_v<OtherL1Hits> + 2 * std::tuple_size_v<OtherL2Sectors>;
/// Calls visit(number, count) for each of them.
template <class AnyTraffic, class Visit>
void visit_other_counters(AnyTraffic& traffic, const Visit& visit) {
    std::size_t number = 0;
    for (auto& hits : traffic.memory.other_l1_hits) visit(number++, hits);
    for (auto& dram : traffic.l2.other) {
        visit(number++, dram.read);
        visit(number++, dram.write);
    }
}

/// An estimate as a count.
inline std::uint64_t whole(double estimate) {
    return static_cast<std::uint64_t>(std::llround(std::max(estimate, 0.0)));
}
/// Whether two counts are within this share of the greater of them, or of `least`.
inline bool within(double share, double a, double b, double least = 0) {
    return std::abs(a - b) <= share * std::max({a, b, least});
}
/// What counts are compared with where there are fewer, so that some more or less of what is rare do not matter.
/// `whole`: all counts of their kind; sectors of L2 for those of DRAM, which has a quarter of the throughput or more.
constexpr double least_of(double whole) {
    return whole / 4;
}

}  // namespace gpuproj::simulate
