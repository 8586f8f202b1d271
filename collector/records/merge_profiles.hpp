// Profiles of processes, ranks or inputs become one.
#pragma once

#include <span>
#include <string>

#include "model/profile.hpp"

namespace gpuproj::records {

struct NamedProfile {
    std::string name;  // its file
    Profile profile;
};

/// Launches, counters and times are summed by kernel and launch configuration; the peak of memory is that of the
/// process which needed most; host time is not known, as the processes may have run side by side. Partial if one of
/// them is. Throws Error, naming the files: fewer than one, different reference GPUs, counters known in different ways.
Profile merge_profiles(std::span<const NamedProfile> profiles);

}  // namespace gpuproj::records
