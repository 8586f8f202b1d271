// What long launches do to memory is simulated for a sample of the lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "collector/simulate/engine/launch/traffic.hpp"
#include "collector/simulate/engine/window_sizes.hpp"

namespace gpuproj::simulate {

/// A launch is simulated in full until there has been enough work, of the program and of the launch itself, and from
/// then on for one line in eight, or in four or two where the sets of the caches divide so. What is known of every
/// access is counted of all lines; misses stand for those of the others. Everything is decided by counts. Windows
/// (windows.hpp) may leave out some of it besides; they need many blocks, and this does not.
class SampledLines {
public:
    /// `simulated`: simulation_work of the program's launches before.
    SampledLines(const WindowSizes& sizes, double simulated)
        : enough_(std::max(sizes.program - simulated, sizes.lines)),
          next_(enough_ > sizes.lines ? first_look_from_afar : 2) {}

    /// After each round: whether `begins` has to be asked when all SMs are at rest.
    bool wants_rest();
    /// Traffic of the launch so far, without what is dirty in L2; whether the sample begins here.
    bool begins(double instructions, const Traffic& simulated);
    bool begun() const { return until_.has_value(); }

    /// Of the launch so far, whose traffic behind the beginning was simulated for one line in `one_in`. `l1`: of any
    /// SM.
    Traffic total(const Traffic& simulated, const L1Cache& l1, std::uint32_t one_in) const;

private:
    /// Rounds that all SMs together do in far less than a program has to: each rest takes time of those on the way.
    static constexpr std::uint64_t first_look_from_afar = 32;

    double enough_;
    std::uint64_t rounds_ = 0, next_;  // when it is looked at
    std::optional<Traffic> until_;     // it began
};

}  // namespace gpuproj::simulate
