// Two versions of a program on one GPU, kernel by kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/evaluate.hpp"
#include "reports/table.hpp"

namespace gpuproj {

/// How sure a difference is: 80 % intervals, and the probability that the version after is the faster one. From the
/// spreads of the predictions (model/spread.hpp): what all kernels on a GPU have in common is in both versions alike,
/// where both were counted on one GPU; a kernel whose records are predicted alike in both has not changed, and its
/// errors cancel; of all others the errors are taken for independent, which is the widest that they can be unless one
/// version misses one way and the other the other way.
struct DifferenceInterval {
    Seconds change_low, change_high;
    std::optional<double> speed_up_low, speed_up_high;  // absent where a version has nothing
    std::optional<double> probability_faster;           // absent without a change
};

/// All records of one kernel name in both versions. A time is absent where the version has no such kernel, or where one
/// of its records is not predicted (`reason`).
struct KernelDifference {
    std::string kernel;
    std::uint64_t launches_before = 0, launches_after = 0;
    std::optional<Seconds> before, after;
    std::optional<Limiter> limiter_before, limiter_after;  // of the longest record
    std::optional<DifferenceInterval> interval;            // absent where the model states no spread
    std::string reason;
};

struct ProfileDifference {
    std::string gpu, model;
    std::vector<KernelDifference> kernels;                // by how much time they gain or lose, most first
    Seconds before, after;                                // sums of what is predicted
    std::optional<DifferenceInterval> interval;           // absent if a record is not predicted
    std::uint64_t refused_before = 0, refused_after = 0;  // records not predicted
};

/// Predictions of both by `model` on `target`; each with its own reference GPU (null: not known).
ProfileDifference difference(const Profile& before, const Gpu* reference_before, const Profile& after,
                             const Gpu* reference_after, const Gpu& target, const Model& model,
                             const ModelOptions& options);

Table difference_table(const ProfileDifference& difference);

}  // namespace gpuproj
