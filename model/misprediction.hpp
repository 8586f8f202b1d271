// Why a prediction for the GPU that the counters come from misses the time measured there.
#pragma once

#include <string>

#include "model/gpu.hpp"
#include "model/prediction.hpp"
#include "model/profile.hpp"

namespace gpuproj {

/// Misses beyond this factor, either way, are worth an explanation.
inline constexpr double clear_miss = 2;

/// One line on a kernel that `predicted`, on the GPU of the profile and uncorrected, misses by more than clear_miss:
/// how far, and what the counters make likely. Too fast: few warps, a short launch, no unit above 70 % of its peak
/// (latency bound, Konstantinidis 2017, section 5.2.5), divergence, bank conflicts, scattered accesses. Too slow: work
/// that the counters count and caches or overlap absorb. Empty for a prediction that is nearer.
std::string misprediction(const KernelRecord& kernel, const Gpu& reference, const Prediction& predicted,
                          Seconds measured);

}  // namespace gpuproj
