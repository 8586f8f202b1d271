#include "model/calibrated_interval.hpp"

#include <cmath>

namespace gpuproj::calibrated {

namespace {

constexpr double sd_of_guessed_parameters = 0.15;  // of ln(time); judgement, not measured
constexpr double sd_of_partial_counters = 0.8;     // HeCBench's kernels on an RTX 3080 against themselves
constexpr double sd_of_repetition = 0.03;          // of one kernel on one GPU, measured again; judgement
constexpr double sd_of_logistic = 1.8138;          // standard deviation of the logistic distribution of scale 1

}  // namespace

LimiterClass limiter_class(Resource limiter) {
    switch (limiter) {
        case Resource::l1:
        case Resource::l2:
            return LimiterClass::cache;
        case Resource::dram:
            return LimiterClass::dram;
        case Resource::latency:
            return LimiterClass::latency;
        default:
            return LimiterClass::pipe;
    }
}

Spread spread_of(const ErrorClass& error, const Calibration& calibration) {
    // On the GPU that the time comes from, it is the time of the reference run again.
    if (error.relation == Relation::itself && error.reference_time) return {0, 0, sd_of_repetition};
    const auto& table = error.reference_time ? calibration.interval_time : calibration.interval_counters;
    const auto& shares = error.reference_time ? calibration.shares_time : calibration.shares_counters;
    const auto& row = error.relation == Relation::other ? table.other : table.same;
    const double sd = row[static_cast<std::size_t>(error.limiter)] / normal_90;
    const double guessed = error.uncertain ? sd_of_guessed_parameters : 0;
    const double partial = error.partial_counters && !error.reference_time ? sd_of_partial_counters : 0;
    const double own = 1 - shares.common - shares.kernel;
    return {std::hypot(sd * std::sqrt(shares.common), guessed), std::hypot(sd * std::sqrt(shares.kernel), partial),
            sd * std::sqrt(own)};
}

Intervals::Intervals(const Calibration& calibration) {
    for (const auto relation : {Relation::itself, Relation::same_architecture, Relation::other}) {
        for (std::size_t limiter = 0; limiter < limiter_classes; ++limiter) {
            for (const bool time : {false, true}) {
                for (const bool uncertain : {false, true}) {
                    for (const bool partial : {false, true}) {
                        const ErrorClass error{static_cast<LimiterClass>(limiter), relation, time, uncertain, partial};
                        const Spread spread = spread_of(error, calibration);
                        all_[index(error)] = {spread, std::exp(normal_90 * std::sqrt(variance(spread))),
                                              std::exp(variance(spread) / 2)};
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
