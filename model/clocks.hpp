// A GPU at other clocks than those that its stored rates hold for.
#pragma once

#include <optional>

#include "model/gpu.hpp"

namespace gpuproj {

/// Clocks that are set; absent: as stored.
struct Clocks {
    std::optional<Hertz> core, memory;

    friend bool operator==(const Clocks&, const Clocks&) = default;
};

/// The memory clock that the GPU's file states, in the convention of `memory`: datasheets state the clock of the
/// commands, drivers (nvidia-smi) half the data rate, which is 2 to 8 times that by type of memory. Whichever is nearer
/// is taken. Throws Error if the file states none.
Hertz stated_memory_clock(const Gpu& gpu, Hertz memory);

/// The memory clock that at_clocks takes for `factor` times the one that the GPU's file states. Throws Error if it
/// states none.
Hertz memory_clock_times(const Gpu& gpu, double factor);

/// Core rates (arithmetic, shared memory, caches) in proportion to the core clock, DRAM bandwidth in proportion to the
/// memory clock; of the DRAM latency 15 % is memory clocks, the rest core clocks (Wang & Chu 2020: 12 to 22 % on three
/// GPUs). Peaks are taken at the boost clock; base and boost clock become the clock that is set; own_boost_clock
/// keeps the file's. The sources of the values say so. Values that are set one by one (--set) are set after it. Throws
/// Error if the GPU's file lacks the clock, or if a clock is under a tenth or over twice of what it states: most often
/// a wrong unit.
Gpu at_clocks(Gpu gpu, const Clocks& clocks);

}  // namespace gpuproj
