// Tables of GPU parameters.
#pragma once

#include <span>
#include <string>

#include "model/gpu.hpp"
#include "reports/table.hpp"

namespace gpuproj {

/// How the rates that predictions rest on are known: the worst of the six of Konstantinidis 2017, table 4.3. Empty if
/// the GPU has none.
std::string rates_quality(const Gpu& gpu);

/// One row per GPU: what one looks for in a list of GPUs.
Table gpu_table(std::span<const Gpu> gpus);

/// One row per known parameter: key, value in the unit of the key, how it is known; with `provenance` also what it
/// means, its source and its relative uncertainty.
Table gpu_parameter_table(const Gpu& gpu, bool provenance);

/// The same for the screen, values with prefixes and units.
std::string gpu_to_terminal(const Gpu& gpu, bool provenance, const Screen& screen);

}  // namespace gpuproj
