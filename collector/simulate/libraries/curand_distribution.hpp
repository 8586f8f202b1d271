// What is made of random bits: `fill(source, out, n)` of each.
#pragma once

#include <cmath>
#include <numbers>

#include "collector/simulate/libraries/curand_source.hpp"

namespace gpuproj::simulate::libraries::curand {

/// The x below which a normal variable is with probability `p`, from 0 to 1.
double inverse_normal(double p);

struct Bits {
    template <class Source>
    void fill(Source& source, unsigned* out, std::size_t n) const {
        for (std::size_t i = 0; i < n; ++i) out[i] = source.bits32(i);
    }
    template <class Source>
    void fill(Source& source, unsigned long long* out, std::size_t n) const {
        for (std::size_t i = 0; i < n; ++i) out[i] = source.bits64(i);
    }
};

/// 0 < x <= 1
struct Uniform {
    template <class Source>
    void fill(Source& source, float* out, std::size_t n) const {
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(source.fraction32(i));
    }
    template <class Source>
    void fill(Source& source, double* out, std::size_t n) const {
        for (std::size_t i = 0; i < n; ++i) out[i] = source.uniform(i);
    }
};

/// With `exponential`, log-normal.
struct Normal {
    double mean, deviation;
    bool exponential;

    template <class Source, class Real>
    void fill(Source& source, Real* out, std::size_t n) const {
        const auto fraction = [&](std::size_t i) {
            return sizeof(Real) == sizeof(float) ? source.fraction32(i) : source.fraction64(i);
        };
        const auto put = [&](std::size_t i, double normal) {
            const double value = mean + deviation * normal;
            out[i] = static_cast<Real>(exponential ? std::exp(value) : value);
        };
        if constexpr (Source::is_quasi) {
            for (std::size_t i = 0; i < n; ++i) put(i, inverse_normal(fraction(i)));
            return;
        }
        // G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates", 1958.
        for (std::size_t i = 0; i < n; i += 2) {
            const double radius = std::sqrt(-2 * std::log(fraction(i)));
            const double angle = 2 * std::numbers::pi * fraction(i + 1);
            put(i, radius * std::cos(angle));
            if (i + 1 < n) put(i + 1, radius * std::sin(angle));
        }
    }
};

/// By inversion, so that each result takes one place in the sequence, and quasi-random ones stay evenly spread.
class Poisson {
public:
    /// `mean` > 0
    explicit Poisson(double mean);

    template <class Source>
    void fill(Source& source, unsigned* out, std::size_t n) const {
        for (std::size_t i = 0; i < n; ++i) out[i] = at(source.uniform(i));
    }
    /// The least number that is not exceeded with probability `p`.
    unsigned at(double p) const;

private:
    unsigned least_;
    std::vector<double> cumulative_;  // of least_ and the numbers behind it
};

}  // namespace gpuproj::simulate::libraries::curand
