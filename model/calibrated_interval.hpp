// How sure a prediction of `calibrated` is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "model/calibrated_constants.hpp"
#include "model/calibrated_time.hpp"
#include "model/calibrated_transfer.hpp"
#include "model/spread.hpp"

namespace gpuproj::calibrated {

/// What the error of a prediction is known to depend on, beside the variance that the model expects of it.
struct ErrorClass {
    Relation relation = Relation::same_architecture;
    bool reference_time = false;
    bool uncertain = false;         // guessed parameters, estimated counters, or an architecture not fitted on
    bool partial_counters = false;  // of memory accesses nothing was counted but DRAM traffic
};

/// The error of ln(time): `sd`, what the model expects (TransferOfError::variance), as many times as cross-validated
/// errors say, more where the class is uncertain. What is common to all kernels on a GPU and to all launches of a
/// kernel is the cross-validated errors' too; guessed parameters are
/// common to all kernels, missing counters to all launches of one.
Spread spread_of(const ErrorClass& error, double sd, const Calibration& calibration);

/// A spread and what follows from it.
struct Interval {
    Spread spread;
    double factor = 1;  // high / time, time / low: of the 80 % interval
};

/// The intervals of all classes and of standard deviations in small steps, worked out once.
class Intervals {
public:
    explicit Intervals(const Calibration& calibration);
    /// `variance` of ln(time), as the model expects it.
    const Interval& of(const ErrorClass& error, double variance) const {
        constexpr double half = 0.5;  // to the nearest; never negative, and std::lround is a call
        const auto step = static_cast<std::size_t>(std::sqrt(variance) / step_width + half);
        return all_[index(error) * steps + std::min(step, steps - 1)];
    }

private:
    static constexpr double step_width = 0.01;
    static constexpr std::size_t steps = 256;
    static constexpr std::size_t index(const ErrorClass& e) {
        return static_cast<std::size_t>(e.relation) * 8 + (e.reference_time ? 1U : 0U) + (e.uncertain ? 2U : 0U) +
               (e.partial_counters ? 4U : 0U);
    }
    std::array<Interval, relations * 8 * steps> all_;
};

/// How three GPUs relate: A and B are compared, the reference is where the counters come from.
struct Comparison {
    bool same_architecture = true;       // of A and B
    bool reference_architecture = true;  // A and B have the reference's
    bool reference_time = false;
    int uncertain = 0;         // how many of A and B have guessed parameters or an architecture not fitted on
    double concentration = 1;  // sum of squares of the kernels' shares of the times: 1 for one kernel
};

/// The probability that A is faster than B, from the left-out errors of the ratio of two predictions of one kernel (not
/// from two independent intervals): logistic in ln(time_a / time_b). Of many kernels' errors, the part that is not
/// common to all of them averages out. Times above 0, of the same launches.
double probability_faster(Seconds time_a, Seconds time_b, const Comparison& comparison, const Calibration& calibration);

}  // namespace gpuproj::calibrated
