// Which of several GPUs is the fastest, and how surely.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/comparison_probability.hpp"

namespace gpuproj {

/// The probability of each to be the fastest; they add up to 1. A nested logit (McFadden 1978) over the architectures:
/// the one closed distribution of joint errors whose pairs are the logistic ones of probability_faster. Its scales are
/// those of pairs of one architecture within a nest, and of pairs of different architectures between nests. Empty if
/// `calibrated` does not cover one of them.
std::vector<double> probabilities_fastest(std::span<const ComparedTotal> totals, const Gpu& reference,
                                          bool reference_time);

/// The factor, above 1, within which the ratio of two predicted times lies of its prediction with a probability of
/// 80 %. Absent if `calibrated` does not cover one of them.
std::optional<double> ratio_interval(const Gpu& a, const Gpu& b, const Gpu& reference, bool reference_time);

}  // namespace gpuproj
