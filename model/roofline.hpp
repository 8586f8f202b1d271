// The roofline on datasheet peaks.
#pragma once

#include "model/model.hpp"

namespace gpuproj {

/// Konstantinidis 2017, (2.1)-(2.3): attained = min(peak, operational intensity x bandwidth), with the datasheet's
/// fp32 or fp64 peak and DRAM bandwidth. A lower bound on time. Inapplicable to integer kernels: datasheets state no
/// integer peak.
Outcome predict_roofline(const ModelInput& input);

}  // namespace gpuproj
