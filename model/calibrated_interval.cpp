#include "model/calibrated_interval.hpp"

#include <cmath>

namespace gpuproj::calibrated {

namespace {

constexpr double sd_of_guessed_parameters = 0.15;  // of ln(time); judgement, not measured
constexpr double sd_of_partial_counters = 0.8;     // HeCBench's kernels on an RTX 3080 against themselves
constexpr double normal_90 = 1.2816;               // quantile of the standard normal: 80 % lie within +- this

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

double half_width(const ErrorClass& error, const Calibration& calibration) {
    const auto& table = error.reference_time ? calibration.interval_time : calibration.interval_counters;
    const auto& row = error.same_architecture ? table.same : table.other;
    const double width = row[static_cast<std::size_t>(error.limiter)];
    const double guessed = error.uncertain ? sd_of_guessed_parameters * normal_90 : 0;
    const double partial = error.partial_counters && !error.reference_time ? sd_of_partial_counters * normal_90 : 0;
    return std::hypot(width, guessed, partial);
}

double probability_faster(Seconds time_a, Seconds time_b, const Comparison& comparison,
                          const Calibration& calibration) {
    const auto& scales = comparison.reference_time ? calibration.ratio_time : calibration.ratio_counters;
    const double scale = !comparison.same_architecture       ? scales.different
                         : comparison.reference_architecture ? scales.both_same
                                                             : scales.both_other;
    return 1 / (1 + std::exp(std::log(ratio(time_a, time_b)) / scale));
}

}  // namespace gpuproj::calibrated
