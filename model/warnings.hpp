// Where the conditions of the throughput models do not hold.
#pragma once

#include <optional>

#include "model/gpu.hpp"
#include "model/prediction.hpp"
#include "model/profile.hpp"

namespace gpuproj {

/// Measured time of all launches of the record: the mean of the timed ones times the launches. Absent if none was
/// timed.
std::optional<Seconds> measured_duration(const KernelRecord& kernel);

/// The highest of the units' measured utilizations, 0 to 1; absent if none was measured.
std::optional<double> top_utilization(const KernelMetrics& metrics);

/// Whether K_type says what a kernel does: 5 % of the floating-point operations, and one instruction for a hundred
/// integer ones. By the printed rule a stray double makes a kernel fp64, and a stray float one that calculates with
/// integers alone fp32. Where floating-point operations are the work there are 17 integer instructions for each at most
/// in what was counted (Rodinia's Fan2).
bool is_of_its_type(const KernelParameters& parameters, const KernelMetrics& metrics);

/// Adds to `prediction` the conditions of Konstantinidis 2017, section 5.2 that `kernel` on `gpu` does not meet: a
/// launch of 0.5 ms, a block of 64 threads, 6 blocks per SM (90 on the GTX 480; on AMD 256 threads per compute unit),
/// a unit at 70 % of its peak where utilizations were measured. Adds rare_type and no_operations from the kernel
/// parameters. What is not known is not warned of.
void add_warnings(Prediction& prediction, const KernelRecord& kernel, const Gpu& gpu);

}  // namespace gpuproj
