// What the activity of a process on its GPUs adds up to: how long none was busy, and how much memory it held at most.
// Knows nothing of CUPTI.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "model/quantity.hpp"

namespace gpuproj::cupti {

/// Records in any order; times are nanoseconds of one clock. Not for several threads at once.
class Timeline {
public:
    /// A kernel, copy or memset that ran from `start` to `end`; ignored if it did not end behind its start.
    void ran(std::uint64_t start, std::uint64_t end);
    /// Device memory that was taken (above 0) or given back (below 0) at `time`.
    void took(std::uint64_t time, double bytes);

    /// Between the first start and the last end: how long nothing ran. None if nothing ever did.
    std::optional<Seconds> idle() const;
    /// The most that was held at once; none if no memory was ever taken.
    std::optional<Bytes> peak_memory() const;

private:
    std::map<std::uint64_t, std::uint64_t> busy_;  // end by start; apart from one another
    std::multimap<std::uint64_t, double> memory_;  // change by time
};

}  // namespace gpuproj::cupti
