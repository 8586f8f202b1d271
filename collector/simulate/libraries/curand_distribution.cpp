#include "collector/simulate/libraries/curand_distribution.hpp"

namespace gpuproj::simulate::libraries::curand {

double inverse_normal(double p) {
    if (p > 0.5) return -inverse_normal(std::max(1 - p, two_to_minus_53 / 2));  // 1 is a rounded fraction
    // M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 26.2.23: right to 4.5e-4.
    const double t = std::sqrt(-2 * std::log(p));
    double x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    // Halley's iteration, which triples the digits.
    constexpr int iterations = 2;
    for (int i = 0; i < iterations; ++i) {
        const double error = std::erfc(-x / std::numbers::sqrt2) / 2 - p;
        const double step = error * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
        x -= step / (1 + x * step / 2);
    }
    return x;
}

// Of the probabilities p(k) = p(k-1) mean / k, those within 12 standard deviations (and 40, where the mean is small):
// what lies outside is less than can be told from 0.
Poisson::Poisson(double mean) {
    const double reach = 12 * std::sqrt(mean) + 40;
    least_ = static_cast<unsigned>(std::max(0.0, std::floor(mean - reach)));
    const auto mode = static_cast<unsigned>(mean);
    const auto last = static_cast<unsigned>(mean + reach);
    cumulative_.resize(last - least_ + 1);
    cumulative_[mode - least_] = 1;
    for (unsigned k = mode; k > least_; --k) cumulative_[k - 1 - least_] = cumulative_[k - least_] * k / mean;
    for (unsigned k = mode + 1; k <= last; ++k) cumulative_[k - least_] = cumulative_[k - 1 - least_] * mean / k;
    for (std::size_t i = 1; i < cumulative_.size(); ++i) cumulative_[i] += cumulative_[i - 1];
    const double all = cumulative_.back();
    for (double& probability : cumulative_) probability /= all;
}

unsigned Poisson::at(double p) const {
    const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end() - 1, p);
    return least_ + static_cast<unsigned>(found - cumulative_.begin());
}

}  // namespace gpuproj::simulate::libraries::curand
