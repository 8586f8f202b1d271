// Measurements of other tools: gpuroofperf's gpus.csv, clpeak's logs and XML, mixbench's output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/bench.hpp"

namespace gpuproj {

/// One result per device in `text`, which is recognised by its content. Bandwidths of clpeak and of mixbench's
/// read-only variant are of reads; mixbench's others are left out. Throws Error naming `where`: not recognised,
/// nothing in it, or, with line and column, a figure that is no number as a whole (310,7).
std::vector<BenchResults> import_measurements(std::string_view text, const std::string& where);

}  // namespace gpuproj
