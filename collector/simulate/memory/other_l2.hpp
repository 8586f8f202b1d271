// What L2 caches of other sizes would make of the same requests, by a sample of the lines.
//
// One line in 64 is kept in a cache of a 64th of each size: what is in a set depends on the lines of that set alone, so
// that a random share of the lines in as large a share of the cache meets as many hits and misses, share for share (set
// sampling; Kessler, Hill and Wood, A Comparison of Trace-Sampling Techniques for Multi-Megabyte Caches, 1994). They
// are of one class of the L2 that is simulated (SetIndex), so that any LineSample of it has all of them, and chosen
// from it by a hash that spreads neighbours evenly: arrays are sampled better than by chance.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/l2_lines.hpp"
#include "collector/simulate/memory/set_index.hpp"

namespace gpuproj::simulate {

/// Caches of all sizes in other_l2_sizes, for a share of the lines that nobody else serves: the sets of one of
/// `shares` parts of an L2. Deterministic for one order of requests.
class alignas(128) OtherL2 {  // several threads have neighbours
public:
    /// The lines that are served.
    class Sample {
    public:
        /// `l2`: of the cache that is simulated.
        explicit Sample(const SetIndex& l2)
            : l2_(l2), bits_(l2.class_bits()), below_(std::uint64_t{1} << (64 - share_bits + bits_)) {}
        /// `set`: of the line in the cache that is simulated. The hash comes first, as most lines end there.
        bool has(std::uint64_t line, std::uint32_t set) const {
            return (line >> bits_) * 0xD1342543DE82EF95ULL < below_ && l2_.class_of_set(set) == 0;
        }
        bool has(std::uint64_t line) const { return has(line, l2_(line)); }

    private:
        SetIndex l2_;
        std::uint32_t bits_;
        std::uint64_t below_;
    };

    OtherL2(const Sample& sample, std::uint32_t shares);

    /// A request of an SM whose line is in the sample.
    void serve(LineRequest request, std::uint32_t sm);
    /// The same, and counts nowhere.
    void pass(LineRequest request, std::uint32_t sm);
    /// As those of L2Cache.
    void charge();
    void drop(std::uint64_t first_sector, std::uint64_t sectors);
    void reset() { counted_ = {}; }
    /// By size, for all that they stand for.
    OtherL2Sectors dirty_sectors() const;
    /// Of all lines, as far as the sample tells.
    const OtherL2Sectors& counters() const { return counted_; }

private:
    static constexpr std::uint32_t share_bits = 6;

    /// One cache.
    struct Cache {
        L2Lines lines;
        std::uint32_t halves;               // 1: there are none
        SetIndex index;                     // of each
        std::array<std::uint32_t, 2> last;  // place that each half served
        std::vector<std::uint32_t> dirtied;

        /// Of an array about one line in each stretch of 64 is in the sample: by the number of the stretch they spread
        /// over the sets as evenly as all lines do over those of a whole cache.
        std::uint32_t set_of(std::uint64_t line, std::uint32_t half) const {
            return index(line >> share_bits) + half * (lines.sets / halves);
        }
    };

    Sample sample_;
    std::vector<Cache> caches_;  // by size
    OtherL2Sectors counted_{};
};

}  // namespace gpuproj::simulate
