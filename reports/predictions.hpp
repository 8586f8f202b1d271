// Predictions as reports: the `gpuproj.predictions` JSON, flat tables, and the page on the terminal.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <vector>

#include "model/evaluate.hpp"
#include "reports/table.hpp"

namespace gpuproj {

inline constexpr int predictions_version = 1;

/// {"schema":"gpuproj.predictions","version":1,"provenance":{...},"predictions":[...],"totals":[...],"applications":
/// [...]}: durations in seconds, fractions not in percent, null for what is not known or infinite. "applications" is
/// the whole application by model and GPU (application.hpp), empty where the profile knows of its kernels alone.
nlohmann::ordered_json predictions_to_json(const EvaluationInput& input, const Evaluation& evaluation);

/// Of each kernel, as no target changes them; nullptr where no prediction has them.
std::vector<const KernelParameters*> known_parameters(const EvaluationInput& input, const Evaluation& evaluation);

/// One row per prediction; where asked for, with kernel parameters and intermediate values.
Table prediction_table(const EvaluationInput& input, const Evaluation& evaluation, bool with_intermediates);

/// One row per kernel: Konstantinidis 2017, (4.1)-(4.8), which no target changes; empty cells where no prediction has
/// them.
Table kernel_table(const EvaluationInput& input, const Evaluation& evaluation);

/// One row per GPU and model, as evaluated.
Table total_table(const EvaluationInput& input, const Evaluation& evaluation);

/// One row per kernel with a measured time: the prediction for the profile's own GPU beside it. `input` has that GPU as
/// its only target.
Table self_check_table(const EvaluationInput& input, const Evaluation& evaluation);

}  // namespace gpuproj
