// From counters of blocks and instructions to the metrics of a kernel.
#pragma once

#include <span>

#include "collector/simulate/engine/warp.hpp"
#include "model/kernel_metrics.hpp"

namespace gpuproj::simulate {

/// Sums the SMs' counters; `l2` is what this launch did to L2 and DRAM; `occupancy` the mean active warps over the
/// most. `capability` of the GPU that is imitated, as find_expansion takes it.
KernelMetrics metrics_of(const LaunchContext& launch, int capability, std::span<const SmContext> sms,
                         const L2Counters& l2, double occupancy);

}  // namespace gpuproj::simulate
