// A sample of the lines, that caches can be simulated for alone.
#pragma once

#include <cstdint>

#include "collector/simulate/memory/set_index.hpp"

namespace gpuproj::simulate {

/// One line in `one_in`, whole sets of L2: what is in a set depends on the lines of that set alone (set sampling;
/// Kessler, Hill and Wood, A Comparison of Trace-Sampling Techniques for Multi-Megabyte Caches, 1994).
class LineSample {
public:
    /// `bits`: of L2's classes, from 1 to class_bits().
    LineSample(const SetIndex& l2, std::uint32_t bits) : l2_(l2), bits_(bits) {}
    bool has(std::uint64_t line) const { return (l2_.class_of(line) & (one_in() - 1)) == 0; }
    bool has_set(std::uint32_t set) const { return (l2_.class_of_set(set) & (one_in() - 1)) == 0; }
    std::uint32_t one_in() const { return 1U << bits_; }
    /// Lines of the sample, one in each stretch of one_in(), are told apart by what is above these.
    std::uint32_t bits() const { return bits_; }

private:
    SetIndex l2_;
    std::uint32_t bits_;
};

}  // namespace gpuproj::simulate
