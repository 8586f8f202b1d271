// Launches that would do again what an earlier one did: programs repeat their kernels to take the time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/simulate/engine/device_memory.hpp"
#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/engine/launch/digest.hpp"

namespace gpuproj::simulate {

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
///
/// Where launches of one kernel find something else each time, only digests are noted, now and then. If one comes
/// again, the program does again what it did since: what the launches change is kept for as long as that took, and
/// found when it comes for the third time.
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
    struct State {
        std::vector<Saved> after;  // of the ranges that the launch changed
        LaunchReport report;
        std::uint64_t last = 0;  // the launch of the program that found it, or made it
    };
    struct Entry {
        std::vector<Range> ranges;             // that its launches touched; empty: not worth it, or not possible
        std::map<Digest, State> states;        // by the digest of all ranges before a launch
        std::map<Digest, std::uint64_t> seen;  // and which launches of the program met these last
        std::optional<Digest> guess;           // the state that was kept without having come again
        std::vector<Digest> before;            // of the launch that is about to run; empty: it was not looked at
        bool keep = false;                     // what it changes
        double dram_sectors = -1;              // of the last launch that was executed
        std::uint64_t instructions = 0;        // the same
        std::uint64_t launches = 0, misses = 0, look_again = 0;  // not before this launch, after what was in vain
    };
    const LaunchReport* put_in_place(Entry& entry, State& state, DeviceMemory& memory);
    void met_new(Entry& entry, std::uint64_t bytes);
    void note(Entry& entry, const Digest& all, std::uint64_t bytes, bool expected);
    void keep_state(Entry& entry, const LaunchReport& report, const DeviceMemory& memory);
    void erase(Entry& entry, std::map<Digest, State>::iterator state);
    void expect(std::uint64_t period);
    void forget_unused(std::uint64_t period);
    void forget(Entry& entry);
    void know(const Range& range, const Digest& digest, const DeviceMemory& memory);
    bool is_known(const Range& range, const DeviceMemory& memory) const;
    Digest digest_now(const Range& range, const DeviceMemory& memory);

    std::map<Key, Entry> entries_;
    std::unordered_map<std::uint64_t, Known> known_;  // by where the memory begins
    std::size_t saved_bytes_ = 0, states_ = 0, seen_ = 0;
    std::uint64_t number_ = 0;          // of the launch, in the program
    std::uint64_t expected_until_ = 0;  // launches before this one probably come again
    // Instructions: of all launches that were executed, of those that were looked at because they were expected, and of
    // those that were not executed.
    std::uint64_t executed_ = 0, kept_ = 0, spared_ = 0;
};

}  // namespace gpuproj::simulate
