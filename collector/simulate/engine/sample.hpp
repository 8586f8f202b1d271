// Which blocks of a grid are counted when not all are, and what their counters say of all of them.
#pragma once

#include <cstdint>
#include <vector>

namespace gpuproj::simulate {

/// What the user asked for.
struct Sample {
    std::uint64_t blocks = 0;  // counted per launch, at least; 0: a share that suits the grid
    bool only = false;         // the others are not executed at all, and the program's results are wrong
};

/// Consecutive blocks that are treated alike.
struct Phase {
    enum class Kind : std::uint8_t {
        plain,    // executed, neither counted nor seen by the caches
        warming,  // fill the caches as the blocks before a counted run would
        counted
    };
    std::uint64_t first = 0, end = 0;
    Kind kind = Kind::counted;

    bool operator==(const Phase&) const = default;
};

/// Covers [0, blocks) in order. The counted blocks are runs of neighbours, spread evenly over the grid, each of as many
/// blocks as run at once (`at_once`), because neighbours share what is in the caches; before each run, as many warm the
/// caches. One phase of counted blocks where sampling would not save half of the work. `at_once` is at least 1.
std::vector<Phase> plan_phases(std::uint64_t blocks, std::uint64_t at_once, const Sample& sample);

}  // namespace gpuproj::simulate
