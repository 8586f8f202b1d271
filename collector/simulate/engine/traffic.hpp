// What a launch does to memory, as far as it is simulated.
#pragma once

#include <array>

#include "collector/simulate/engine/warp.hpp"
#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {

struct Traffic {
    MemoryCounters memory;  // of all SMs
    L2Counters l2;
};

/// The counters that know only of blocks whose memory is simulated; the others count in any case.
inline constexpr std::array simulated_counters{
    &MemoryCounters::global_loads,     &MemoryCounters::global_stores,    &MemoryCounters::locals,
    &MemoryCounters::atomics,          &MemoryCounters::constants,        &MemoryCounters::textures,
    &MemoryCounters::shared_loads,     &MemoryCounters::shared_stores,    &MemoryCounters::shared_passes,
    &MemoryCounters::shared_conflicts, &MemoryCounters::constant_replays, &MemoryCounters::load_sectors,
    &MemoryCounters::store_sectors,    &MemoryCounters::load_bytes,       &MemoryCounters::store_bytes,
    &MemoryCounters::coalesced,        &MemoryCounters::uncoalesced,      &MemoryCounters::uncoalesced_sectors,
    &MemoryCounters::l1_hits,          &MemoryCounters::thread_loads,     &MemoryCounters::thread_stores};
inline constexpr std::array l2_counters{&L2Counters::read_sectors,           &L2Counters::write_sectors,
                                        &L2Counters::atomic_sectors,         &L2Counters::dram_read_sectors,
                                        &L2Counters::dram_write_sectors,     &L2Counters::channel_sectors,
                                        &L2Counters::busiest_channel_sectors};

}  // namespace gpuproj::simulate
