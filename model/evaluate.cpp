#include "model/evaluate.hpp"

#include <algorithm>
#include <utility>

namespace gpuproj {

namespace {

/// Sums one model's predictions on one GPU.
class Sum {
public:
    void add(const Outcome& outcome, double weight) {
        const auto* prediction = std::get_if<Prediction>(&outcome);
        if (!prediction) {
            ++refused_;
            return;
        }
        ++predicted_;
        covered_ += weight;
        duration_ += prediction->duration;
        bounded_ = bounded_ && prediction->low && prediction->high;
        if (!bounded_) return;
        low_ += *prediction->low;
        high_ += *prediction->high;
    }

    EvaluationTotal total(std::size_t target, std::size_t model) const {
        EvaluationTotal total{target, model, {}, {}, {}, 0, predicted_, refused_};
        if (predicted_ == 0) return total;
        total.duration = duration_;
        // Weights add up to 1 only within rounding; nothing refused is all of it.
        total.covered_share = refused_ == 0 ? 1 : std::min(covered_, 1.0);
        if (bounded_) total.low = low_, total.high = high_;
        return total;
    }

private:
    Seconds duration_, low_, high_;
    double covered_ = 0;
    std::uint64_t predicted_ = 0, refused_ = 0;
    bool bounded_ = true;
};

/// The model's own predictor of many kernels, or one that asks it kernel by kernel.
KernelPredictor predictor(const Model& model, const EvaluationInput& input) {
    if (model.prepare != nullptr) return model.prepare(input.targets, input.reference, input.options);
    return [&model, &input](const KernelRecord& kernel, std::span<Outcome> outcomes) {
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            outcomes[i] = model.predict({kernel, *input.targets[i], input.reference, input.options});
        }
    };
}

/// Calls `visit(kernel, target, model, outcome)` for every prediction; returns the totals by target, then model.
/// Kernels are the outer loop: there may be millions of them, and each is brought into the cache once.
template <class Visit>
std::vector<EvaluationTotal> for_each_prediction(const EvaluationInput& input, Visit visit) {
    const auto weights = kernel_weights(input.profile);
    const auto& kernels = input.profile.kernels;
    const std::size_t models = input.models.size();
    const std::size_t targets = input.targets.size();
    std::vector<KernelPredictor> predictors;
    predictors.reserve(models);
    for (const Model* const model : input.models) predictors.push_back(predictor(*model, input));
    std::vector<Sum> sums(targets * models);
    std::vector<Outcome> outcomes(targets);
    for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
        for (std::size_t model = 0; model < models; ++model) {
            predictors[model](kernels[kernel], outcomes);
            for (std::size_t target = 0; target < targets; ++target) {
                sums[target * models + model].add(outcomes[target], weights[kernel]);
                visit(kernel, target, model, std::move(outcomes[target]));
            }
        }
    }
    std::vector<EvaluationTotal> totals;
    totals.reserve(sums.size());
    for (std::size_t target = 0; target < input.targets.size(); ++target) {
        for (std::size_t model = 0; model < models; ++model) {
            totals.push_back(sums[target * models + model].total(target, model));
        }
    }
    return totals;
}

}  // namespace

std::vector<double> kernel_weights(const Profile& profile) {
    const auto& kernels = profile.kernels;
    const bool timed = std::all_of(kernels.begin(), kernels.end(),
                                   [](const KernelRecord& kernel) { return measured_duration(kernel).has_value(); });
    std::vector<double> weights;
    weights.reserve(kernels.size());
    double sum = 0;
    for (const auto& kernel : kernels) {
        weights.push_back(timed ? measured_duration(kernel).value_or(Seconds{}).value
                                : static_cast<double>(kernel.launches));
        sum += weights.back();
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

Evaluation evaluate(const EvaluationInput& input) {
    Evaluation result;
    const std::size_t kernels = input.profile.kernels.size();
    const std::size_t models = input.models.size();
    result.rows.resize(input.targets.size() * models * kernels);
    result.totals =
        for_each_prediction(input, [&](std::size_t kernel, std::size_t target, std::size_t model, Outcome&& outcome) {
            result.rows[(target * models + model) * kernels + kernel] = {kernel, target, model, std::move(outcome)};
        });
    return result;
}

std::vector<EvaluationTotal> evaluate_totals(const EvaluationInput& input) {
    return for_each_prediction(input, [](std::size_t, std::size_t, std::size_t, Outcome&&) {});
}

}  // namespace gpuproj
