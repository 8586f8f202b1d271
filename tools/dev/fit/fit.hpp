// Fitting the constants of `calibrated`.
#pragma once

#include <span>
#include <vector>

#include "model/calibrated_constants.hpp"
#include "model/calibrated_time.hpp"
#include "tools/dev/fit/data.hpp"

namespace gpuproj::fit {

/// What a constant is taken for before any data: a median from micro-benchmarks or judgement, and the standard
/// deviation of its logarithm.
struct Prior {
    std::string_view name;
    double calibrated::Constants::*constant;
    double median, sd;
};
std::span<const Prior> priors();

/// All constants at their medians.
calibrated::Constants prior_constants();

/// ln(predicted / measured) of a pair.
struct Errors {
    double counters = 0;                  // from the counters alone
    double time = 0;                      // with the reference time
    double sd_counters = 0, sd_time = 0;  // standard deviations that the model expects of them
};
Errors errors(const Pair& pair, const calibrated::Constants& constants);

/// Minimises the mean of sqrt(e^2 + 0.05^2) over both errors of all pairs (families weigh the same, in them kernels, in
/// them pairs) plus `shrinkage` x the sum of squares of the constants' distances from their priors, in standard
/// deviations. Gauss-Newton on reweighted squares.
calibrated::Constants fit(std::span<const Pair> pairs, double shrinkage);

/// Weights that add up to 1: families weigh the same, in them kernels, in them pairs.
std::vector<double> family_weights(std::span<const Pair> pairs);

}  // namespace gpuproj::fit
