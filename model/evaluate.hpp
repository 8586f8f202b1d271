// Predictions of a whole profile: every kernel on every GPU by every model, as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/model.hpp"
#include "model/warnings.hpp"

namespace gpuproj {

/// What is to be predicted. The pointed-to objects outlive the evaluation; `reference` is the GPU of the profile, null
/// where its parameters are not known.
struct EvaluationInput {
    const Profile& profile;
    std::span<const Gpu* const> targets;
    std::span<const Model* const> models;
    const Gpu* reference = nullptr;
    ModelOptions options = {};
};

/// One kernel on one GPU by one model; indices into the profile's kernels, the targets and the models.
struct EvaluationRow {
    std::size_t kernel = 0, target = 0, model = 0;
    Outcome outcome;
};

/// A model's answer for all kernels of the profile on one GPU.
struct EvaluationTotal {
    std::size_t target = 0, model = 0;
    std::optional<Seconds> duration;   // of the kernels predicted; absent if none was
    std::optional<Seconds> low, high;  // 80 % interval (total_interval.hpp); absent unless every prediction has one
    double concentration = 1;          // sum of squares of the kernels' shares of the duration: 1 for one kernel
    double covered_share = 0;          // 0 to 1: how much of the profile the predicted kernels are, see kernel_weights
    std::uint64_t kernels_predicted = 0;
    std::uint64_t kernels_refused = 0;
};

struct Evaluation {
    std::vector<EvaluationRow> rows;      // by target, then model, then kernel
    std::vector<EvaluationTotal> totals;  // by target, then model
};

/// Each kernel's share of the profile, adding up to 1: of its measured time if all kernels were timed, else of its
/// launches.
std::vector<double> kernel_weights(const Profile& profile);

/// All rows and totals, on all cores; the same to the digit however many they are. A row takes about half a kilobyte.
Evaluation evaluate(const EvaluationInput& input);

/// The totals alone: no memory beyond them and the weights, for profiles of millions of kernels.
std::vector<EvaluationTotal> evaluate_totals(const EvaluationInput& input);

}  // namespace gpuproj
