// Two versions of a program on one GPU, kernel by kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/evaluate.hpp"
#include "reports/table.hpp"

namespace gpuproj {

/// All records of one kernel name in both versions. A time is absent where the version has no such kernel, or where one
/// of its records is not predicted (`reason`).
struct KernelDifference {
    std::string kernel;
    std::uint64_t launches_before = 0, launches_after = 0;
    std::optional<Seconds> before, after;
    std::optional<Limiter> limiter_before, limiter_after;  // of the longest record
    std::string reason;
};

struct ProfileDifference {
    std::string gpu, model;
    std::vector<KernelDifference> kernels;                // by how much time they gain or lose, most first
    Seconds before, after;                                // sums of what is predicted
    std::uint64_t refused_before = 0, refused_after = 0;  // records not predicted
};

/// Predictions of both by `model` on `target`; each with its own reference GPU (null: not known).
ProfileDifference difference(const Profile& before, const Gpu* reference_before, const Profile& after,
                             const Gpu* reference_after, const Gpu& target, const Model& model,
                             const ModelOptions& options);

Table difference_table(const ProfileDifference& difference);

}  // namespace gpuproj
