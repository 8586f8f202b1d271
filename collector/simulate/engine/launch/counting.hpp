// From counters of blocks and instructions to the metrics of a kernel.
#pragma once

#include <optional>
#include <span>

#include "collector/simulate/engine/counted.hpp"
#include "collector/simulate/engine/launch/traffic.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Of all SMs; `l2` is what the launch did to L2 and DRAM.
Traffic traffic_of(std::span<const SmContext> sms, const L2Counters& l2);

/// Instructions of a warp on the mean over those of the longest; absent where no warp has ended.
std::optional<double> warp_balance(std::span<const SmContext> sms);

/// Adds what the SMs have executed to the traffic of all of it; `occupancy` is the mean active warps over the most.
/// `capability` of the GPU that is imitated, as find_expansion takes it.
Counted counted_of(const LaunchContext& launch, int capability, std::span<const SmContext> sms, const Traffic& traffic,
                   double occupancy);

}  // namespace gpuproj::simulate
