// A model's error on measured data: pairs of GPUs, predicted from one of them, compared with the other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.hpp"
#include "model/observations.hpp"

namespace gpuproj {

/// An ordered pair of observations of one kernel, input and launch configuration on two GPUs; indices into the
/// observations.
struct ObservedPair {
    std::size_t reference = 0, target = 0;
};

/// All ordered pairs. Observations that are alone are added to `skipped`.
std::vector<ObservedPair> pairs_of(std::span<const Observation> observations, std::vector<Skipped>& skipped);

/// What was predicted for a pair's target from its reference.
struct PredictedPair {
    ObservedPair pair;
    Seconds predicted;
    std::optional<Seconds> low, high;
    Limiter limiter = Limiter::compute;
    bool same_architecture = true;
    std::optional<double> peak_ratio = {};  // fp32 of the datasheet: the reference's over the target's
};

/// A table with its predictions.
struct Validation {
    std::vector<Observation> observations;
    std::vector<PredictedPair> pairs;
    std::vector<Skipped> skipped;
    std::size_t rows = 0;
};

/// Predicts every pair's target from the counters of its reference and the target's launch configuration (which is the
/// same), at the clocks that the table states. A GPU that the table spells in several ways is one, called as where it
/// comes first. Rows of unknown GPUs, rows that are alone, pairs of rows of one GPU and pairs to which the model does
/// not apply are counted in `skipped`. Throws Error, with the line, for a clock that the GPU cannot have.
Validation validate(ObservationTable table, const GpuByName& gpu_by_name, const Model& model,
                    const ModelOptions& options);

/// Errors of p against m, of a set of pairs. "Macro" is the mean over kernels of the mean over a kernel's pairs.
struct ValidationFigures {
    std::size_t pairs = 0, kernels = 0;
    double mape = 0, macro_mape = 0;          // |p/m - 1|
    double macro_abs_ln = 0;                  // |ln(p/m)|: does not reward predicting too little
    double bias_ln = 0;                       // macro mean of ln(p/m)
    std::optional<double> r;                  // correlation of ln p and ln m; absent below 3 pairs
    double median_ape = 0;                    // of |p/m - 1|
    double within_25 = 0;                     // share of pairs with |p/m - 1| of at most 0.25
    double geomean_error_factor = 1;          // exp(mean |ln(p/m)|)
    std::optional<double> faster_gpu_right;   // order of p and the reference's time, where m differs by more than 10 %
    std::optional<double> interval_coverage;  // share of pairs inside the 80 % interval
    std::optional<double> interval_width;     // mean of ln(high/low)
    std::optional<double> interval_score;     // mean of width + 10 x distance outside (Gneiting & Raftery 2007), in ln
    std::optional<double> best_gpu_hit_rate;  // reference rows whose predicted fastest other GPU is the fastest
    std::optional<double> regret;             // macro mean of the time lost by following that recommendation
    std::size_t peak_wrong = 0;               // pairs, m differing by more than 10 %, that the fp32 peak ranks wrongly
    std::optional<double> peak_wrong_right;   // share of these in the right order
};

ValidationFigures figures(std::span<const Observation> observations, std::span<const PredictedPair> pairs);

/// The pairs of one value of what they are grouped by.
struct PairGroup {
    std::string name;
    std::vector<PredictedPair> pairs;
};

/// Groups in the order of their names.
std::vector<PairGroup> grouped(std::span<const PredictedPair> pairs,
                               const std::function<std::string(const PredictedPair&)>& name_of_pair);

/// A mean over kernels, with a 95 % interval from drawing kernels with replacement.
struct Bootstrap {
    double mean = 0, low = 0, high = 0;
    double below_0 = 0;  // share of the draws
};

/// `values` holds one value per kernel. Repeatable: the draws do not depend on the machine.
Bootstrap bootstrap(std::span<const double> values);

/// Another way of predicting the same pairs.
struct Baseline {
    std::string name;
    std::size_t pairs = 0;        // predicted by both
    double ours = 0, theirs = 0;  // macro mean |ln(p/m)| on these
    Bootstrap difference;         // ours - theirs, kernels drawn: below 0 we are ahead
};

/// What needs no model: the time on the reference times one number per ordered pair of GPUs, the median over the other
/// kernels of their median ratio of times. Pairs of GPUs with one kernel are left out.
std::vector<PredictedPair> one_ratio_per_gpus(std::span<const Observation> observations,
                                              std::span<const ObservedPair> pairs);

/// `ours` against `theirs` on the pairs that both predict.
Baseline compare_errors(std::string name, std::span<const Observation> observations,
                        std::span<const PredictedPair> ours, std::span<const PredictedPair> theirs);

/// `validation` against every other model of the table, with and without the reference time, and against one ratio per
/// pair of GPUs: nearest to us or ahead of us first.
std::vector<Baseline> baselines(const Validation& validation, const GpuByName& gpu_by_name, std::string_view model);

/// Macro parts: a kernel's mean |ln(p/m)|, in the order of the kernels' names.
std::vector<double> abs_ln_by_kernel(std::span<const Observation> observations, std::span<const PredictedPair> pairs);

}  // namespace gpuproj
