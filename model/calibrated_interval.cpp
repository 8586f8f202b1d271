#include "model/calibrated_interval.hpp"

#include <cmath>

namespace gpuproj::calibrated {

namespace {

constexpr double sd_of_guessed_parameters = 0.15;  // of ln(time); judgement, not measured
constexpr double sd_of_partial_counters = 0.8;     // HeCBench's kernels on an RTX 3080 against themselves
constexpr double sd_of_repetition = 0.03;          // of one kernel on one GPU, measured again; judgement
constexpr double sd_of_logistic = 1.8138;          // standard deviation of the logistic distribution of scale 1

}  // namespace

Spread spread_of(const ErrorClass& error, double sd, const Calibration& calibration) {
    // On the GPU that the time comes from, it is the time of the reference run again.
    if (error.relation == Relation::itself && error.reference_time) return {0, 0, sd_of_repetition};
    const auto& widths = error.reference_time ? calibration.interval_time : calibration.interval_counters;
    const auto& shares = error.reference_time ? calibration.shares_time : calibration.shares_counters;
    const double all = sd * (error.relation == Relation::other ? widths.other : widths.same) / normal_90;
    const double own = all * std::sqrt(1 - shares.common - shares.kernel);
    // The same GPU at other clocks: what is guessed of it is wrong in the same way.
    if (error.relation == Relation::itself_at_other_clocks && error.reference_time) {
        return {all * std::sqrt(shares.common), all * std::sqrt(shares.kernel), std::hypot(own, sd_of_repetition)};
    }
    const double guessed = error.uncertain ? sd_of_guessed_parameters : 0;
    const double partial = error.partial_counters && !error.reference_time ? sd_of_partial_counters : 0;
    return {std::hypot(all * std::sqrt(shares.common), guessed), std::hypot(all * std::sqrt(shares.kernel), partial),
            own};
}

Intervals::Intervals(const Calibration& calibration) {
    for (const auto relation :
         {Relation::itself, Relation::itself_at_other_clocks, Relation::same_architecture, Relation::other}) {
        for (const bool time : {false, true}) {
            for (const bool uncertain : {false, true}) {
                for (const bool partial : {false, true}) {
                    const ErrorClass error{relation, time, uncertain, partial};
                    for (std::size_t step = 0; step < steps; ++step) {
                        const Spread spread = spread_of(error, static_cast<double>(step) * step_width, calibration);
                        all_[index(error) * steps + step] = {spread, std::exp(normal_90 * std::sqrt(variance(spread)))};
                    }
                }
            }
        }
    }
}

double probability_faster(Seconds time_a, Seconds time_b, const Comparison& comparison,
                          const Calibration& calibration) {
    const auto& scales = comparison.reference_time ? calibration.ratio_time : calibration.ratio_counters;
    const double one_kernel = !comparison.same_architecture       ? scales.different
                              : comparison.reference_architecture ? scales.both_same
                                                                  : scales.both_other;
    const double many = std::sqrt(scales.common + (1 - scales.common) * comparison.concentration);
    const double guessed = sd_of_guessed_parameters * std::sqrt(comparison.uncertain) / sd_of_logistic;
    return 1 / (1 + std::exp(std::log(ratio(time_a, time_b)) / std::hypot(one_kernel * many, guessed)));
}

}  // namespace gpuproj::calibrated
