// Where the real reference GPU would refuse what the program does: it runs here all the same, and the reader is told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/gpu.hpp"
#include "model/profile.hpp"

namespace gpuproj::simulate {

/// What of this launch is beyond the reference's compute capability: grid, block, shared memory. Empty if nothing, or
/// if its limits are not known.
std::vector<std::string> launch_refusals(const Gpu& reference, const KernelRecord& record);

/// Empty, or that the program needs more memory than the reference has.
std::vector<std::string> memory_refusals(const Gpu& reference, std::optional<Bytes> peak);

}  // namespace gpuproj::simulate
