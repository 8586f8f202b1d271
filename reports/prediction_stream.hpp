// Predictions as text of any length: evaluated and written some GPUs at a time.
#pragma once

#include <functional>
#include <string_view>

#include "model/evaluate_blocks.hpp"

namespace gpuproj {

inline constexpr int predictions_version = 1;

/// Takes a text's parts one after the other.
using TakeText = std::function<void(std::string_view part)>;

/// {"schema":"gpuproj.predictions","version":1,"provenance":{...},"predictions":[...],"totals":[...],"applications":
/// [...]}: durations in seconds, fractions not in percent, null for what is not known or infinite. "applications" is
/// the whole application by model and GPU (application.hpp), empty where the profile knows of its kernels alone.
/// `rows`: as for evaluate_in_blocks; the text is the same whatever it is.
void write_predictions_json(const EvaluationInput& input, std::size_t rows, const TakeText& take);

/// prediction_table (predictions.hpp) with intermediate values as CSV.
void write_predictions_csv(const EvaluationInput& input, std::size_t rows, const TakeText& take);

}  // namespace gpuproj
