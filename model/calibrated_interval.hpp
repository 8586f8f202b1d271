// How sure a prediction of `calibrated` is.
#pragma once

#include "model/calibrated_constants.hpp"
#include "model/calibrated_time.hpp"

namespace gpuproj::calibrated {

/// What the error of a prediction is known to depend on.
struct ErrorClass {
    LimiterClass limiter = LimiterClass::pipe;
    bool same_architecture = true;
    bool reference_time = false;
    bool uncertain = false;         // guessed parameters, estimated counters, or an architecture not fitted on
    bool partial_counters = false;  // not even loads and stores were counted
};

LimiterClass limiter_class(Resource limiter);

/// Half width of the 80 % interval of ln(time): a quantile of cross-validated errors, wider where the class is
/// uncertain.
double half_width(const ErrorClass& error, const Calibration& calibration);

/// How three GPUs relate: A and B are compared, the reference is where the counters come from.
struct Comparison {
    bool same_architecture = true;       // of A and B
    bool reference_architecture = true;  // A and B have the reference's
    bool reference_time = false;
};

/// The probability that A is faster than B, from the left-out errors of the ratio of two predictions of one kernel (not
/// from two independent intervals): logistic in ln(time_a / time_b). Times above 0, of the same launches.
double probability_faster(Seconds time_a, Seconds time_b, const Comparison& comparison, const Calibration& calibration);

}  // namespace gpuproj::calibrated
