// Tables of GPU parameters.
#pragma once

#include <span>
#include <string>

#include "model/gpu.hpp"
#include "reports/table.hpp"

namespace gpuproj {

/// The unit in which people know a parameter: that of its key, but sizes of memories in binary prefixes.
Unit parameter_unit(std::string_view key);

/// How the rates that predictions rest on are known: the worst of the six of Konstantinidis 2017, table 4.3. Empty if
/// the GPU has none.
std::string rates_quality(const Gpu& gpu);

/// One row per GPU: what one looks for in a list of GPUs.
Table gpu_table(std::span<const Gpu> gpus);

/// One row per known parameter: key, value in the unit of the key, how it is known; with `provenance` also what it
/// means, its source and its relative uncertainty.
Table gpu_parameter_table(const Gpu& gpu, bool provenance);

/// One row per parameter that differs among the GPUs by more than `tolerance` (relative), a column per GPU; with two
/// GPUs also the second over the first. What only one of them has differs.
Table gpu_differences(std::span<const Gpu> gpus, double tolerance = 0.005);

/// The same, values with prefixes and units.
Table gpu_differences_for_people(std::span<const Gpu> gpus);

/// One GPU's parameters for the screen, values with prefixes and units.
std::string gpu_to_terminal(const Gpu& gpu, bool provenance, const Screen& screen);

}  // namespace gpuproj
