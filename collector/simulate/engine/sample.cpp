#include "collector/simulate/engine/sample.hpp"

#include <algorithm>
#include <utility>

namespace gpuproj::simulate {

namespace {

// Fewer waves miss what differs over the grid; docs/long_runs.md has the error of these two.
constexpr std::uint64_t least_waves = 4;
constexpr std::uint64_t share = 20;  // one block in so many
constexpr double enough_work = 0x1p24;

/// Phases, one behind the other.
class Phases {
public:
    void add(std::uint64_t end, Phase::Kind kind) {
        if (end > done_) phases_.push_back({done_, end, kind});
        done_ = std::max(done_, end);
    }
    /// Leaves out the blocks up to here.
    void skip(std::uint64_t to) { done_ = std::max(done_, to); }
    std::vector<Phase> take() { return std::move(phases_); }

private:
    std::vector<Phase> phases_;
    std::uint64_t done_ = 0;
};

/// Counted blocks in the middle of one of `parts` of the grid, and those in front of them that warm the caches: what
/// grows along the grid is met with its mean.
struct Run {
    std::uint64_t warming = 0, first = 0, end = 0;
};
Run run_in(std::uint64_t part, std::uint64_t parts, std::uint64_t blocks, std::uint64_t at_once, std::uint64_t length) {
    const std::uint64_t first = (2 * part + 1) * blocks / (2 * parts) - length / 2;
    return {first - std::min(first, at_once), first, first + length};
}
void add(Phases& phases, const Run& run) {
    phases.add(run.first, Phase::Kind::warming);
    phases.add(run.end, Phase::Kind::counted);
}

}  // namespace

std::vector<Phase> plan_phases(std::uint64_t blocks, std::uint64_t at_once, const Sample& sample) {
    const bool suits_grid = sample.blocks == 0;
    const std::uint64_t least = least_waves * at_once;
    const std::uint64_t fitting = sample.only ? least : std::max(least, blocks / share);
    const std::uint64_t wanted = suits_grid ? fitting : sample.blocks;
    const std::uint64_t runs = std::max<std::uint64_t>(1, wanted / at_once);
    const std::uint64_t length = (wanted + runs - 1) / runs;
    if (2 * runs * length > blocks) return {{0, blocks, Phase::Kind::counted}};
    Phases phases;
    for (std::uint64_t part = 0; part < (sample.only && suits_grid ? 1 : runs); ++part) {
        const Run run = run_in(part, runs, blocks, at_once, length);
        if (sample.only)
            phases.skip(run.warming);
        else
            phases.add(run.warming, Phase::Kind::plain);
        add(phases, run);
    }
    if (!sample.only) phases.add(blocks, Phase::Kind::plain);
    return phases.take();
}

std::vector<Phase> other_runs(std::uint64_t blocks, std::uint64_t at_once, double work) {
    // The middle of a part is the middle of the second of its three thirds, so that the first run stays one of them.
    std::uint64_t parts = least_waves, first = 0;
    while (static_cast<double>(3 * parts) * work <= enough_work && 3 * parts * at_once <= blocks / share) {
        parts *= 3;
        first = 3 * first + 1;
    }
    Phases phases;
    for (std::uint64_t part = 0; part < parts; ++part) {
        const Run run = run_in(part, parts, blocks, at_once, at_once);
        phases.skip(part == first ? run.end : run.warming);
        if (part != first) add(phases, run);
    }
    return phases.take();
}

}  // namespace gpuproj::simulate
