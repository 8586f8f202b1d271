// The 80 % interval of a sum of predictions whose errors go together in part.
#pragma once

#include <optional>

#include "model/quantity.hpp"
#include "model/spread.hpp"

namespace gpuproj {

/// Collects a total kernel by kernel, each with its records together. Its interval is as wide, in ln, as draws of the
/// errors would make it: covariances to first order, the sum taken for lognormal (Fenton 1960). It lies around the sum
/// of the predictions: measured totals do (docs/calibrated.md). One record's own interval, and that of errors which all
/// go together, come out exactly.
class TotalInterval {
public:
    /// A record of the kernel at hand.
    void add(double duration, const Spread& spread) {
        duration_ += duration;
        common_ += duration * spread.common;
        kernel_ += duration * spread.kernel;
        kernel_duration_ += duration;
        own_squares_ += duration * spread.own * duration * spread.own;
    }
    /// What follows belongs to another kernel.
    void end_kernel() {
        kernel_squares_ += kernel_ * kernel_;
        duration_squares_ += kernel_duration_ * kernel_duration_;
        kernel_ = kernel_duration_ = 0;
    }
    /// Takes in records that follow; they begin with the kernel at hand.
    void add(const TotalInterval& more);

    struct Bounds {
        Seconds low, high;
    };
    /// Of what was added, every kernel ended; absent if that is nothing.
    std::optional<Bounds> bounds() const;
    /// Sum of the squares of the durations of kernels; every kernel ended.
    double duration_squares() const { return duration_squares_; }

private:
    double duration_ = 0, common_ = 0, own_squares_ = 0;
    double kernel_ = 0, kernel_squares_ = 0;
    double kernel_duration_ = 0, duration_squares_ = 0;
};

}  // namespace gpuproj
