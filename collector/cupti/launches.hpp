// From what the runs under CUPTI recorded to the records of a profile. Knows nothing of CUPTI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/metric_names/metric_names.hpp"
#include "collector/records/choose_gpu.hpp"
#include "model/profile.hpp"

namespace gpuproj::cupti {

/// Of how many warps counters are: what tells whether they stand beside the launch that they are of.
inline constexpr std::string_view warps_metric = "smsp__warps_launched.sum";

/// A value of the Host API in base units: it gives times in nanoseconds and percentages as such.
double base_value(std::string_view metric, double value);

/// One launch as counted: its metrics by name in base units become counters, its time in the profiled run its duration.
KernelRecord counted_launch(KernelRecord launch, VendorMetrics values);

/// Whether counters (as above) can be of a launch: of as many warps as it has, where they say of how many they are.
bool can_be_of(const KernelRecord& launch, const VendorMetrics& values);

/// Keeps the launches on the GPU that was chosen: counts of different GPUs do not belong in one profile. `gpus` names
/// each launch's GPU, empty where nobody said. Says how many were left out, and of which GPUs; none where all were
/// kept.
std::optional<std::string> keep_one_gpu(std::vector<KernelRecord>& launches, std::span<const std::string> gpus,
                                        const records::ChosenGpu& chosen);

/// Adds to each counted launch what it lacks of the counters that its partner in the other run has: the n-th launch of
/// that kernel, size and GPU. Returns how many have no partner.
std::size_t add_counts(std::vector<KernelRecord>& counted, std::span<const KernelRecord> others);

struct JoinedRuns {
    std::vector<KernelRecord> launches;  // as counted, one record per launch, with the times of the other run
    std::vector<std::string> notes;
};

/// Joins the run that counted and the run that timed, each one record per launch in the order of launch: each launch
/// gets the registers, static shared and local memory of its kernel there, and the n-th launch of a kernel gets the
/// time of its n-th launch if grid and block agree, else the mean of those that agree, else keeps the time it took
/// while profiled, which is told.
JoinedRuns join_runs(std::vector<KernelRecord> counted, std::span<const KernelRecord> timed);

}  // namespace gpuproj::cupti
