// Which blocks of a grid are counted when not all are, and what their counters say of all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace gpuproj::simulate {

/// What the user asked for.
struct Sample {
    std::uint64_t blocks = 0;  // counted per launch, at least; 0: a share that suits the grid
    bool only = false;         // the others are not executed at all, and the program's results are wrong
};

/// Whether blocks are left out altogether.
inline bool is_only(const std::optional<Sample>& sample) {
    return sample && sample->only;
}

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
/// Where the others are not executed (`only`), there are no plain phases, and of a share that suits the grid there is
/// one run, behind which come `other_runs`.
std::vector<Phase> plan_phases(std::uint64_t blocks, std::uint64_t at_once, const Sample& sample);
/// Of a share that suits the grid: the runs behind the first, which took so much simulation_work, with what warmed the
/// caches for it. Three at least; as many more as keep to a twentieth of the blocks and to 2^24 of work, some tenths of
/// a second.
std::vector<Phase> other_runs(std::uint64_t blocks, std::uint64_t at_once, double work);

}  // namespace gpuproj::simulate
