// Predictions as flat tables.
#pragma once

#include <span>
#include <vector>

#include "model/evaluate.hpp"
#include "reports/table.hpp"

namespace gpuproj {

/// Of each kernel, as no target changes them; nullptr where no prediction has them.
std::vector<const KernelParameters*> known_parameters(const EvaluationInput& input, const Evaluation& evaluation);

/// One row per prediction of `rows`; where asked for, with kernel parameters and intermediate values.
Table prediction_table(const EvaluationInput& input, std::span<const EvaluationRow> rows, bool with_intermediates);

/// One row per kernel: Konstantinidis 2017, (4.1)-(4.8), which no target changes; empty cells where no prediction has
/// them.
Table kernel_table(const EvaluationInput& input, const Evaluation& evaluation);

/// One row per GPU and model, as evaluated.
Table total_table(const EvaluationInput& input, const Evaluation& evaluation);

/// One row per kernel with a measured time: the prediction for the profile's own GPU beside it. `input` has that GPU as
/// its only target.
Table self_check_table(const EvaluationInput& input, const Evaluation& evaluation);

}  // namespace gpuproj
