// The answer in plain words: which GPU, how long, how sure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "model/evaluate.hpp"

namespace gpuproj {

/// The targets in order of their totals: those that cover most kernels first, then the fastest.
std::vector<std::size_t> fastest_first(std::span<const EvaluationTotal> totals);

/// The chance that each target is slower than `best`, absent where none is known (comparison_probability.hpp) or where
/// another model than `calibrated` predicts; 0.5 for `best` itself. `totals` are of one model, by target.
std::vector<std::optional<double>> chance_best_is_faster(const EvaluationInput& input, const Model& model,
                                                         std::span<const EvaluationTotal> totals, std::size_t best);

/// {"title","sentence","details":[...],"best","measured_s","chance"}: `title` names the application, `sentence` and
/// `details` are for people. `totals` are of `model`, by target, over all kernels of the profile.
nlohmann::ordered_json answer_to_json(const EvaluationInput& input, const Model& model,
                                      std::span<const EvaluationTotal> totals, const std::string& title);

}  // namespace gpuproj
