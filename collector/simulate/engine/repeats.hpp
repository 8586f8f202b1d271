// Launches that would do again what an earlier one did: programs repeat their kernels to take the time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/simulate/engine/device_memory.hpp"
#include "collector/simulate/engine/engine.hpp"

namespace gpuproj::simulate {

/// 128 bits of a stretch of memory: equal contents have equal digests, others practically never.
struct Digest {
    std::uint64_t low = 0, high = 0;
    bool operator==(const Digest&) const = default;
};
Digest digest_of(std::span<const std::byte> bytes);

/// What a launch touched, once it is over.
struct LaunchTrace {
    std::vector<Range> ranges;       // allocations it read or wrote, each once, by address
    bool repeatable = false;         // false: it read a clock, or did what is seen outside of its memory
    std::uint64_t instructions = 0;  // of warps, as they were interpreted
};

/// A launch that is not the first of its kernel, shape and arguments is remembered together with the contents of all
/// memory that it touched, before and after. One that finds the same contents before it would leave the same behind it
/// and count the same: it gets both from there. What the caches held when it began is not compared; so that they are
/// warm, a launch is remembered only if its DRAM traffic is that of the one before, or after a few.
class Repeats {
public:
    /// All that a launch is given, in bytes.
    struct Key {
        std::string kind;  // kernel, blocks' size and the like
        std::uint64_t blocks = 0;
        std::string arguments;  // with the shape of the grid
        auto operator<=>(const Key&) const = default;
    };
    static Key key_of(const LaunchRequest& request);

    /// The report of an earlier launch that this one would repeat, its results put in place; nullptr: it has to run,
    /// and `executed` has to be told.
    const LaunchReport* repeat(const Key& key, DeviceMemory& memory);
    void executed(const Key& key, const LaunchTrace& trace, const LaunchReport& report, const DeviceMemory& memory);

private:
    struct Saved {
        std::size_t range = 0;  // index
        Digest digest;
        std::vector<std::byte> contents;
    };
    /// The digest of memory while nothing was written there since.
    struct Known {
        std::uint64_t version = 0, bytes = 0;  // of DeviceMemory
        Digest digest;
    };
    struct Entry {
        std::vector<Range> ranges;   // of the last launch; empty: not worth it, or not possible
        std::vector<Digest> before;  // of the launch that is about to run, and then of the one that is remembered
        std::vector<Saved> after;    // of the ranges that it changed
        bool remembered = false;
        double dram_sectors = -1;  // of the last launch that was executed
        LaunchReport report;
        std::uint32_t launches = 0, look_again = 0;  // not before this launch, after what was in vain
        std::uint32_t misses = 0;
    };
    void forget(Entry& entry);
    void know(const Range& range, const Digest& digest, const DeviceMemory& memory);
    Digest digest_now(const Range& range, const DeviceMemory& memory);

    std::map<Key, Entry> entries_;
    std::unordered_map<std::uint64_t, Known> known_;  // by where the memory begins
    std::size_t saved_bytes_ = 0;
};

}  // namespace gpuproj::simulate
