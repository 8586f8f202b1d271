// The GPU of a profile, as the profile's counters know it.
#pragma once

#include "model/gpu.hpp"
#include "model/profile.hpp"

namespace gpuproj {

/// `gpu` with ECC on or off as the counters of `provenance` saw it: simulated ones hold no ECC traffic, whatever the
/// GPU has; measured ones do if the profile says so, and as `gpu` says where the profile does not.
Gpu as_counted(Gpu gpu, const Provenance& provenance);

}  // namespace gpuproj
