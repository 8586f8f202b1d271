#include "model/evaluate_blocks.hpp"

#include <algorithm>

namespace gpuproj {

std::vector<EvaluationTotal> evaluate_in_blocks(const EvaluationInput& input, std::size_t rows, const UseBlock& use) {
    const std::size_t rows_per_target = std::max<std::size_t>(input.profile.kernels.size() * input.models.size(), 1);
    const std::size_t targets_each = std::max<std::size_t>(rows / rows_per_target, 1);
    std::vector<EvaluationTotal> totals;
    totals.reserve(input.targets.size() * input.models.size());
    for (std::size_t first = 0; first < input.targets.size(); first += targets_each) {
        const std::size_t count = std::min(targets_each, input.targets.size() - first);
        const EvaluationInput block{input.profile, input.targets.subspan(first, count), input.models, input.reference,
                                    input.options};
        const auto evaluation = evaluate(block);
        for (auto total : evaluation.totals) {
            total.target += first;
            totals.push_back(total);
        }
        if (!use(block, evaluation)) break;
    }
    return totals;
}

}  // namespace gpuproj
