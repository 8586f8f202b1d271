// Launches summed: one record per kernel and launch configuration.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/profile.hpp"

namespace gpuproj::records {

/// Counters are summed; where one side does not know a counter the sum does not either. Fractions are averaged,
/// weighted by launches.
void add_metrics(KernelMetrics& total, double launches, const KernelMetrics& more, double more_launches);

/// Launches, counters and durations of `more` into `total`; both are of one kernel and launch configuration. Notes are
/// united, the sampled fraction averaged.
void add_record(KernelRecord& total, const KernelRecord& more);

/// Is any counter known?
bool has_counters(const KernelRecord& record);

/// Same kernel, grid, block, dynamic shared memory and device.
bool same_launch(const KernelRecord& a, const KernelRecord& b);

/// For each record, which of the sums below it is in.
std::vector<std::size_t> sum_of_each(std::span<const KernelRecord> records);

/// In order of first launch. Means over launches have nine digits: the same whatever was summed first.
std::vector<KernelRecord> sum_records(std::span<const KernelRecord> records);

/// One row per direction, in order of first use.
std::vector<Transfer> sum_transfers(std::span<const Transfer> transfers);

}  // namespace gpuproj::records
