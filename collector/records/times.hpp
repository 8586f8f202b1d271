// Measured times for records whose launches were counted elsewhere.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/profile.hpp"

namespace gpuproj::records {

/// Gives `counted` the durations of `timed`, records of the same kernel and launch configuration. Where the numbers of
/// launches differ the mean is used, and what to tell the user of it comes back. Nothing changes if none is timed.
std::optional<std::string> add_times(KernelRecord& counted, std::span<const KernelRecord> timed);

struct TimesJoined {
    Profile profile;
    std::size_t timed = 0;  // kernels that got a time
    std::vector<std::string> warnings;
};

/// Joins the times of `measured` to the counters of `counted`, by kernel and launch configuration; names that tools
/// write differently are the same if their base names and launch configurations are. What was timed and not counted
/// is added without counters, with a warning. Throws Error if they are of different GPUs or have no kernel in common.
TimesJoined join_times(Profile counted, const Profile& measured);

}  // namespace gpuproj::records
