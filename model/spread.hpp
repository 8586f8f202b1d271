// How sure a prediction is, in parts that go together among predictions and parts that do not.
#pragma once

namespace gpuproj {

/// The error of a prediction, ln(measured / predicted), as a sum of independent normal errors: standard deviations.
struct Spread {
    double common = 0;  // the same for all kernels on a GPU
    double kernel = 0;  // the same for all launch configurations of one kernel
    double own = 0;     // of this record alone
};

constexpr double variance(const Spread& s) {
    return s.common * s.common + s.kernel * s.kernel + s.own * s.own;
}

/// Quantile of the standard normal: 80 % lie within +- this.
inline constexpr double normal_90 = 1.2816;

}  // namespace gpuproj
