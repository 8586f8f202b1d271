// What `calibrated` reaches on data it was not fitted on.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tools/dev/fit/fit.hpp"

namespace gpuproj::fit {

/// One left-out group: pairs to predict, by constants fitted on the pairs to learn from.
struct Fold {
    Selection learn, predict;
};

/// Every value of `names` is left out in turn.
std::vector<Fold> families_left_out(const Data& data);
std::vector<Fold> gpus_left_out(const Data& data);           // learnt without the GPU, predicted for it
std::vector<Fold> architectures_left_out(const Data& data);  // learnt inside the others alone
/// Every pairing of folds of two kinds: left out of both.
std::vector<Fold> crossed(const std::vector<Fold>& a, const std::vector<Fold>& b);

/// Errors of data.pairs, in their order. Pairs that no fold predicts keep NaN errors; there are none in the folds
/// above.
std::vector<Errors> cross_validate(const Data& data, std::span<const Pair> thin, const std::vector<Fold>& folds,
                                   double shrinkage);

std::vector<Errors> errors_of_all(const Data& data, const calibrated::Constants& constants);

/// ln(predicted / measured) of the median ratio of times of the other kernels on the same two GPUs: one number per pair
/// of GPUs, the kernel left out. Needs the reference time.
std::vector<double> one_ratio_errors(const Data& data);

/// ln(predicted / measured) by another model of the table; NaN where it does not apply.
std::vector<double> model_errors(const Data& data, std::string_view model, bool use_reference_time);

}  // namespace gpuproj::fit
