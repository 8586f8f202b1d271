// Evaluations too large to be held at once: some GPUs after the others.
#pragma once

#include <functional>

#include "model/evaluate.hpp"

namespace gpuproj {

/// Rows of an evaluation that are held at once, about: half a kilobyte each.
inline constexpr std::size_t rows_held = 16'384;

/// What is evaluated, with some of the targets alone, and what came out: its indices are of those targets. Returns
/// whether to go on.
using UseBlock = std::function<bool(const EvaluationInput& block, const Evaluation& evaluation)>;

/// evaluate() of as many targets at a time as have `rows` rows, of one at least, in their order. Gives all totals with
/// the input's indices: the same to the digit as those of evaluate(), as are the rows that `use` saw one after another;
/// fewer where `use` ended it.
std::vector<EvaluationTotal> evaluate_in_blocks(const EvaluationInput& input, std::size_t rows, const UseBlock& use);

}  // namespace gpuproj
