#include "model/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "model/parallel.hpp"
#include "model/total_interval.hpp"

namespace gpuproj {

namespace {

Estimate estimate_of(const Outcome& outcome) {
    const auto* const p = std::get_if<Prediction>(&outcome);
    if (p == nullptr) return {};
    Estimate estimate;
    estimate.applies = true;
    estimate.bounded = p->spread || (p->low && p->high);
    estimate.duration = p->duration.value;
    estimate.least = p->from_l2.value_or(p->duration).value;
    if (p->spread) {
        estimate.spread = *p->spread;
    } else if (estimate.bounded) {
        // Bounds of a model that does not say what they consist of: as if all errors went together.
        estimate.spread.common = std::log(ratio(*p->high, *p->low)) / (2 * normal_90);
    }
    return estimate;
}

/// Sums one model's predictions on one GPU, kernel by kernel.
class Sum {
public:
    void add(const Estimate& estimate, double weight) {
        if (!estimate.applies) {
            ++refused_;
            return;
        }
        ++predicted_;
        covered_ += weight;
        duration_ += estimate.duration;
        least_ += estimate.least;
        bounded_ = bounded_ && estimate.bounded;
        interval_.add(estimate.duration, estimate.spread);
    }
    void end_kernel() { interval_.end_kernel(); }

    void add(const Sum& more) {
        predicted_ += more.predicted_;
        refused_ += more.refused_;
        covered_ += more.covered_;
        duration_ += more.duration_;
        least_ += more.least_;
        bounded_ = bounded_ && more.bounded_;
        interval_.add(more.interval_);
    }

    EvaluationTotal total(std::size_t target, std::size_t model) const {
        EvaluationTotal total;
        total.target = target;
        total.model = model;
        total.kernels_predicted = predicted_;
        total.kernels_refused = refused_;
        if (predicted_ == 0) return total;
        total.duration = Seconds{duration_};
        total.concentration = interval_.duration_squares() / (duration_ * duration_);
        // Weights add up to 1 only within rounding; nothing refused is all of it.
        total.covered_share = refused_ == 0 ? 1 : std::min(covered_, 1.0);
        if (const auto bounds = interval_.bounds(); bounds && bounded_)
            total.low = std::min(bounds->low, Seconds{least_}), total.high = bounds->high;
        return total;
    }

private:
    double duration_ = 0, least_ = 0, covered_ = 0;
    TotalInterval interval_;
    std::uint64_t predicted_ = 0, refused_ = 0;
    bool bounded_ = true;
};

/// The records of a profile with those of one kernel together, cut into pieces of about equal length.
class Pieces {
public:
    struct Piece {
        std::size_t begin, end;
        bool goes_on;  // its last kernel does, in the next piece
    };

    explicit Pieces(const std::vector<KernelRecord>& kernels) {
        order_.reserve(kernels.size());
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            order_.emplace_back(std::hash<std::string_view>{}(kernels[i].kernel), i);
        }
        std::sort(order_.begin(), order_.end());
        for (std::size_t begin = 0; begin < order_.size();) {
            const std::size_t end = end_of_piece(begin);
            pieces_.push_back({begin, end, !is_last(end - 1)});
            begin = end;
        }
    }

    std::span<const Piece> all() const { return pieces_; }
    std::size_t record(std::size_t i) const { return order_[i].second; }
    /// The record is the last one of its kernel.
    bool is_last(std::size_t i) const { return i + 1 == order_.size() || order_[i].first != order_[i + 1].first; }

private:
    static constexpr std::size_t records_each = 4096;

    /// Whole kernels, or a part of one.
    std::size_t end_of_piece(std::size_t begin) const {
        const std::size_t longest = std::min(begin + records_each, order_.size());
        if (begin > 0 && !is_last(begin - 1)) {
            std::size_t end = begin + 1;
            while (end < longest && !is_last(end - 1)) ++end;
            return end;
        }
        std::size_t end = longest;
        while (end > begin && !is_last(end - 1)) --end;
        return end > begin ? end : longest;
    }

    std::vector<std::pair<std::size_t, std::size_t>> order_;  // hash of the name, index of the record
    std::vector<Piece> pieces_;
};

/// Brings a record into this core's caches while the one before is predicted: by name they are in no order of memory.
void ask_for(const KernelRecord& kernel) {
    constexpr std::size_t cache_line = 64;
    const char* const begin = reinterpret_cast<const char*>(&kernel);
    for (std::size_t byte = 0; byte < sizeof(KernelRecord); byte += cache_line) __builtin_prefetch(begin + byte);
}

/// The model's own predictor of many kernels, or one that asks it kernel by kernel.
KernelPredictor predictor(const Model& model, const EvaluationInput& input) {
    if (model.prepare != nullptr) return model.prepare(input.targets, input.reference, input.options);
    return [&model, &input](const KernelRecord& kernel, std::span<Outcome> outcomes) {
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            outcomes[i] = model.predict({kernel, *input.targets[i], input.reference, input.options});
        }
    };
}

KernelEstimator estimator(const Model& model, const EvaluationInput& input) {
    if (model.prepare_estimates != nullptr) {
        return model.prepare_estimates(input.targets, input.reference, input.options);
    }
    return [predict = predictor(model, input)](const KernelRecord& kernel, std::span<Estimate> estimates) {
        std::vector<Outcome> outcomes(estimates.size());
        predict(kernel, outcomes);
        std::transform(outcomes.begin(), outcomes.end(), estimates.begin(), estimate_of);
    };
}

/// Calls `estimate(kernel, model, estimates)` for every record and model, on all cores; returns the totals by target,
/// then model. Sums are made piece by piece and added in the order of the pieces, so that rounding is the same whatever
/// runs where.
template <class EstimateAll>
std::vector<EvaluationTotal> sum_up(const EvaluationInput& input, const EstimateAll& estimate) {
    const auto& kernels = input.profile.kernels;
    const auto weights = kernel_weights(input.profile);
    const std::size_t models = input.models.size(), targets = input.targets.size();
    const Pieces pieces(kernels);
    std::vector<std::vector<Sum>> sums(pieces.all().size());
    for_each_in_parallel(sums.size(), [&](std::size_t at) {
        const auto& piece = pieces.all()[at];
        sums[at].resize(targets * models);
        std::vector<Estimate> estimates(targets);
        for (std::size_t i = piece.begin; i < piece.end; ++i) {
            const std::size_t kernel = pieces.record(i);
            if (i + 1 < piece.end) ask_for(kernels[pieces.record(i + 1)]);
            const bool ends = pieces.is_last(i) && i + 1 < piece.end;  // the last one may go on: ended below
            for (std::size_t model = 0; model < models; ++model) {
                estimate(kernel, model, std::span(estimates));
                for (std::size_t target = 0; target < targets; ++target) {
                    Sum& sum = sums[at][target * models + model];
                    sum.add(estimates[target], weights[kernel]);
                    if (ends) sum.end_kernel();
                }
            }
        }
    });
    std::vector<EvaluationTotal> totals;
    totals.reserve(targets * models);
    for (std::size_t target = 0; target < targets; ++target) {
        for (std::size_t model = 0; model < models; ++model) {
            Sum whole;
            for (std::size_t at = 0; at < sums.size(); ++at) {
                whole.add(sums[at][target * models + model]);
                if (!pieces.all()[at].goes_on) whole.end_kernel();
            }
            totals.push_back(whole.total(target, model));
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
    const auto& kernels = input.profile.kernels;
    const std::size_t models = input.models.size(), targets = input.targets.size();
    std::vector<KernelPredictor> predictors;
    for (const Model* const model : input.models) predictors.push_back(predictor(*model, input));
    result.rows.resize(targets * models * kernels.size());
    result.totals = sum_up(input, [&](std::size_t kernel, std::size_t model, std::span<Estimate> estimates) {
        std::vector<Outcome> outcomes(targets);
        predictors[model](kernels[kernel], outcomes);
        for (std::size_t target = 0; target < targets; ++target) {
            estimates[target] = estimate_of(outcomes[target]);
            result.rows[(target * models + model) * kernels.size() + kernel] = {kernel, target, model,
                                                                                std::move(outcomes[target])};
        }
    });
    return result;
}

std::vector<EvaluationTotal> evaluate_totals(const EvaluationInput& input) {
    std::vector<KernelEstimator> estimators;
    for (const Model* const model : input.models) estimators.push_back(estimator(*model, input));
    return sum_up(input, [&](std::size_t kernel, std::size_t model, std::span<Estimate> estimates) {
        estimators[model](input.profile.kernels[kernel], estimates);
    });
}

}  // namespace gpuproj
