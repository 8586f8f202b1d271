#include "collector/simulate/engine/sample.hpp"

#include <algorithm>

namespace gpuproj::simulate {

namespace {

// Fewer waves miss what differs over the grid; docs/long_runs.md has the error of these two.
constexpr std::uint64_t least_waves = 4;
constexpr std::uint64_t share = 20;  // one block in so many

}  // namespace

std::vector<Phase> plan_phases(std::uint64_t blocks, std::uint64_t at_once, const Sample& sample) {
    const std::uint64_t wanted = sample.blocks != 0 ? sample.blocks : std::max(least_waves * at_once, blocks / share);
    const std::uint64_t runs = std::max<std::uint64_t>(1, wanted / at_once);
    const std::uint64_t length = (wanted + runs - 1) / runs;
    if (2 * runs * length > blocks) return {{0, blocks, Phase::Kind::counted}};
    std::vector<Phase> phases;
    std::uint64_t done = 0;
    const auto add = [&](std::uint64_t end, Phase::Kind kind) {
        if (end > done) phases.push_back({done, end, kind});
        done = std::max(done, end);
    };
    for (std::uint64_t run = 0; run < runs; ++run) {
        // In the middle of its part of the grid: what grows along the grid is met with its mean.
        const std::uint64_t first = (2 * run + 1) * blocks / (2 * runs) - length / 2;
        add(std::max(done, first - std::min(first, at_once)), Phase::Kind::plain);
        add(first, Phase::Kind::warming);
        add(first + length, Phase::Kind::counted);
    }
    add(blocks, Phase::Kind::plain);
    return phases;
}

}  // namespace gpuproj::simulate
