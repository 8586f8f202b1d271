// Long launches: what their blocks do to memory is simulated in windows, once these agree with each other.
#pragma once

#include <array>
#include <cstdint>

#include "collector/simulate/engine/launch/traffic.hpp"
#include "collector/simulate/engine/window_sizes.hpp"

namespace gpuproj::simulate {

/// A launch begins with its memory simulated, window after window. Each lasts while twice as many blocks begin as run
/// at once, or several times that: blocks that began together mostly go through the kernel together, and end together.
/// Once three windows after each other had the same traffic per instruction within 5 %, memory is left out for two;
/// then half a window warms the caches, and one is measured. If that still agrees, more is left out behind it, up to 17
/// windows; otherwise nothing is until three agree again. What was left out gets the traffic per instruction of the
/// windows on both sides of it. The last window is never left out: blocks end there while none begin, and what they do
/// last is then more of all. Everything is decided by counts, so that every run gives the same.
class Windows {
public:
    /// `simulated`: simulation_work of the program's launches before, with their memory simulated. `blocks`: of the
    /// launch, `at_once` of which run at once.
    Windows(const WindowSizes& sizes, double simulated, std::uint64_t blocks, std::uint64_t at_once)
        : sizes_(sizes), before_(sizes.program - simulated), blocks_(blocks), at_once_(at_once), end_(3 * at_once) {}

    /// Whether `go_on` has to be called when all SMs are at rest. `next`: the first block that has not begun.
    bool wants_rest(std::uint64_t next) const { return next >= end_; }
    /// Instructions of warps and traffic are of the launch so far; L2's dirty sectors count as written.
    void go_on(std::uint64_t next, double instructions, const Traffic& simulated);
    /// Whether memory is simulated from here on.
    bool simulates() const { return doing_ != Doing::executes; }

    /// Of the whole launch, which is over.
    Traffic total(double instructions, const Traffic& simulated);
    /// The share of its instructions whose traffic is not counted, but that of the windows beside them.
    double estimated_share(double instructions) const { return instructions > 0 ? estimated_ / instructions : 0; }

private:
    enum class Doing : std::uint8_t { measures, executes, warms };
    using Counts = std::array<double, simulated_counters.size() + l2_counters.size() + other_counters>;

    static Counts counts_of(const Traffic& traffic);
    static bool agree(const Counts& a, const Counts& b);
    void end_window(double instructions, const Counts& now);
    /// How many blocks from `next` on may be left out now.
    std::uint64_t next_gap(std::uint64_t next) const;
    /// Adds the traffic of so many instructions: the mean of the windows before and, if that is known, behind them.
    void fill_gap(double instructions, const Counts* behind);

    WindowSizes sizes_;
    double before_;
    std::uint64_t blocks_, at_once_;
    Doing doing_ = Doing::measures;
    std::uint64_t end_;        // of what it does: the block that begins there
    std::uint64_t width_ = 0;  // of windows, in blocks; 0: not known yet
    double begin_ = 0;         // of the window, or of the gap, in instructions
    Counts at_begin_{};        // of the window
    Counts total_{};
    Counts last_{};                // of the last window, per instruction
    int agreeing_ = 0;             // windows after each other, the last of them
    std::size_t gap_ = 0;          // which of `gaps` comes next
    double gap_instructions_ = 0;  // in front of the window; 0: there is no gap
    double estimated_ = 0;
};

}  // namespace gpuproj::simulate
