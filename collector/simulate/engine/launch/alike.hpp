// Whether two launches counted much the same.
#pragma once

#include "collector/simulate/engine/counted.hpp"

namespace gpuproj::simulate {

/// Whether what the launches did to memory, as far as it is only known where that is simulated, is within `share`
/// (0.01: 1 %); what is rare, within that share of a quarter of all counts of its kind.
bool alike_traffic(const KernelMetrics& a, const KernelMetrics& b, double share);
/// Whether all else is: the instructions. What is rare, within that share of a tenth of all instructions.
bool alike_instructions(const KernelMetrics& a, const KernelMetrics& b, double share);
/// Whether they executed the same instructions.
bool same_instructions(const KernelMetrics& a, KernelMetrics b);
/// `to` gets the traffic of `from`, and the shares that go with it.
void take_traffic(Counted& to, const Counted& from);

}  // namespace gpuproj::simulate
