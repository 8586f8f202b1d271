// The chance that a program is faster on one GPU than on another.
#pragma once

#include <optional>

#include "model/gpu.hpp"

namespace gpuproj {

/// What `calibrated` predicts for a program, one kernel or many, on one GPU.
struct ComparedTotal {
    const Gpu& gpu;
    Seconds duration;          // above 0
    double concentration = 1;  // sum of squares of the kernels' shares of the time: 1 for one kernel
};

/// The probability, 0 to 1, that A is faster than B: from the errors, with the family of the kernel left out, of the
/// ratio of two predictions from the same counters (docs/calibrated.md), not from two independent intervals. Both are
/// predicted by `calibrated` from counters of `reference`, with or without its measured time, and are of the same
/// kernels. A GPU that `calibrated` does not cover has no such errors: absent.
std::optional<double> probability_faster(const ComparedTotal& a, const ComparedTotal& b, const Gpu& reference,
                                         bool reference_time);

}  // namespace gpuproj
