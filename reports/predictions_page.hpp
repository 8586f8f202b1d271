// Predictions as a page on the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/evaluate.hpp"
#include "reports/table.hpp"

namespace gpuproj {

struct PageOptions {
    std::vector<std::size_t> models;  // of the evaluation: those to show
    bool full_names = false;          // whole kernel names
    bool explain = false;             // every intermediate value of every prediction
    // The profile on its own GPU; nullptr where that GPU is not known. Shown if times were measured.
    const EvaluationInput* self_check_input = nullptr;
    const Evaluation* self_check = nullptr;
};

/// What ran, self-check, kernel parameters, the time and limiter of every kernel on every GPU, totals, and in footnotes
/// every warning and refusal.
std::string predictions_page(const EvaluationInput& input, const Evaluation& evaluation, const PageOptions& options,
                             const Screen& screen);

}  // namespace gpuproj
