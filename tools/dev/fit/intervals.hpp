// Intervals and probabilities from cross-validated errors.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "tools/dev/fit/fit.hpp"

namespace gpuproj::fit {

/// Which of the two errors.
using Which = double Errors::*;

/// Half widths of 80 % intervals, in standard deviations that the model expects: the 0.85 quantile with families
/// weighing the same (eight families make the 0.80 quantile too narrow for a ninth).
calibrated::HalfWidths half_widths(std::span<const Pair> pairs, std::span<const Errors> errors, Which which);

/// Shares of the variance of the errors that are common to kernels of different families on one ordered pair of GPUs,
/// and further to the rows of one kernel there: from products of errors of different families and rows.
calibrated::Shares shares(std::span<const Pair> pairs, std::span<const Errors> errors, Which which);

/// Scales of the logistic distribution of the error of ln(A/B), two targets of one reference row: the 0.80 quantile of
/// |error| / ln 9, kernels weigh the same.
calibrated::RatioScales ratio_scales(std::span<const Pair> pairs, std::span<const Errors> errors, Which which);

/// How intervals and probabilities do on a family that they were not made with.
struct IntervalFigures {
    struct Family {
        std::string name;
        double coverage = 0, width = 0, score = 0;  // width: of ln(high/low); score: Gneiting & Raftery 2007
    };
    std::vector<Family> families;
    double coverage = 0, width = 0, score = 0;           // means over families
    double one_width_coverage = 0, one_width_score = 0;  // for comparison: one half width for everything
    double brier = 0;                                    // of P(A faster than B), macro over families
    double wrong_order = 0;                              // share of pairs A, B in the wrong order, macro over families
};
IntervalFigures interval_figures(std::span<const Pair> pairs, std::span<const Errors> errors, Which which);

}  // namespace gpuproj::fit
