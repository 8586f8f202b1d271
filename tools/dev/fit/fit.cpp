#include "tools/dev/fit/fit.hpp"

#include <array>
#include <cmath>
#include <set>

#include "model/calibrated_time.hpp"
#include "model/calibrated_transfer.hpp"

namespace gpuproj::fit {

namespace {

using calibrated::Constants;

constexpr std::array prior_table{
    Prior{"multiply_share", &Constants::multiply_share, 0.3, 0.3},
    Prior{"arithmetic", &Constants::arithmetic, 0.9, 0.05},
    Prior{"integer", &Constants::integer, 0.9, 0.1},
    Prior{"issue_kepler", &Constants::issue_kepler, 0.8, 0.1},
    Prior{"issue_maxwell", &Constants::issue_maxwell, 0.9, 0.1},
    Prior{"l2", &Constants::l2, 1, 0.07},
    Prior{"lines", &Constants::lines, 1, 0.07},
    Prior{"shared", &Constants::shared, 0.9, 0.07},
    Prior{"dram", &Constants::dram, 1, 0.05},
    Prior{"short_runs", &Constants::short_runs, 0.7, 0.3},
    Prior{"latency_kepler", &Constants::latency_kepler, 1.25, 0.15},
    Prior{"latency_maxwell", &Constants::latency_maxwell, 1, 0.15},
    Prior{"memory_parallelism", &Constants::memory_parallelism, 2, 0.2},
    Prior{"instruction_parallelism", &Constants::instruction_parallelism, 1.5, 0.3},
    Prior{"sd_pipe", &Constants::sd_pipe, 0.15, 0.5},
    Prior{"sd_memory", &Constants::sd_memory, 0.15, 0.5},
    Prior{"sd_dram", &Constants::sd_dram, 0.15, 0.5},
    Prior{"sd_latency", &Constants::sd_latency, 0.5, 0.5},
    Prior{"sd_same", &Constants::sd_same, 0.08, 0.5},
    Prior{"sd_other", &Constants::sd_other, 0.15, 0.5},
    Prior{"sd_scattered", &Constants::sd_scattered, 0.8, 0.5},
};
constexpr std::size_t unknowns = prior_table.size();
using Vector = std::array<double, unknowns>;  // distances from the priors, in standard deviations
using Matrix = std::array<Vector, unknowns>;

constexpr double smoothing = 0.05;  // of |e| near 0
constexpr double step = 0.02;       // for the derivatives, in standard deviations
constexpr int iterations = 15;
constexpr double longest_step = 0.5;

Constants constants_at(const Vector& v) {
    Constants c;
    for (std::size_t i = 0; i < unknowns; ++i) {
        c.*prior_table[i].constant = prior_table[i].median * std::exp(v[i] * prior_table[i].sd);
    }
    return c;
}

/// Solves A x = b for a symmetric positive definite A, by Cholesky's factors.
Vector solve(Matrix a, Vector b) {
    for (std::size_t j = 0; j < unknowns; ++j) {
        for (std::size_t i = j; i < unknowns; ++i) {
            double sum = a[i][j];
            for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
        }
    }
    for (std::size_t i = 0; i < unknowns; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (std::size_t i = unknowns; i-- > 0;) {
        for (std::size_t k = i + 1; k < unknowns; ++k) b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
    return b;
}

std::vector<Errors> all_errors(std::span<const Pair> pairs, const Constants& constants) {
    std::vector<Errors> all;
    all.reserve(pairs.size());
    for (const Pair& pair : pairs) all.push_back(errors(pair, constants));
    return all;
}

double smooth(double e) {
    return std::sqrt(e * e + smoothing * smoothing);
}

double loss(std::span<const Errors> all, std::span<const double> weights, const Vector& v, double shrinkage) {
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) sum += weights[i] * (smooth(all[i].counters) + smooth(all[i].time));
    for (const double x : v) sum += shrinkage * x * x;
    return sum;
}

}  // namespace

std::span<const Prior> priors() {
    return prior_table;
}

Constants prior_constants() {
    return constants_at({});
}

Errors errors(const Pair& pair, const Constants& constants) {
    const Row& r = *pair.reference;
    const Row& t = *pair.target;
    const auto prepared = calibrated::prepare(r.work, *r.chip, constants);
    const auto there = calibrated::times_on(prepared, *r.chip, constants);
    const auto here = calibrated::times_on(prepared, *t.chip, constants);
    const auto relation =
        pair.same_architecture ? calibrated::Relation::same_architecture : calibrated::Relation::other;
    const calibrated::TransferOfError transfer(there, r.work, constants);
    const double counters = std::log(here.total) - t.ln_time;
    const double with_time = counters - transfer.alpha(here, relation) * (std::log(there.total) - r.ln_time);
    return {counters, calibrated::in_order(with_time, r.ln_time - t.ln_time, here, there, relation),
            std::sqrt(transfer.variance(here, relation, false)), std::sqrt(transfer.variance(here, relation, true))};
}

std::vector<double> family_weights(std::span<const Pair> pairs) {
    std::map<std::string, std::map<std::string, std::size_t>> families;
    for (const Pair& pair : pairs) ++families[pair.reference->family][pair.reference->kernel];
    std::vector<double> weights;
    weights.reserve(pairs.size());
    for (const Pair& pair : pairs) {
        const auto& kernels = families.at(pair.reference->family);
        weights.push_back(1 / (static_cast<double>(families.size()) * static_cast<double>(kernels.size()) *
                               static_cast<double>(kernels.at(pair.reference->kernel))));
    }
    return weights;
}

Constants fit(std::span<const Pair> pairs, double shrinkage) {
    const auto weights = family_weights(pairs);
    Vector v{};
    auto now = all_errors(pairs, constants_at(v));
    double least = loss(now, weights, v, shrinkage);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        std::array<std::vector<Errors>, unknowns> moved;
        for (std::size_t i = 0; i < unknowns; ++i) {
            Vector there = v;
            there[i] += step;
            moved[i] = all_errors(pairs, constants_at(there));
        }
        // |e| is e^2 / |e|, with the divisor of the last step: a weighted problem of least squares.
        Matrix normal{};
        Vector gradient{};
        for (std::size_t n = 0; n < pairs.size(); ++n) {
            for (const auto member : {&Errors::counters, &Errors::time}) {
                const double e = now[n].*member;
                const double weight = weights[n] / smooth(e);
                Vector slope;
                for (std::size_t i = 0; i < unknowns; ++i) slope[i] = (moved[i][n].*member - e) / step;
                for (std::size_t i = 0; i < unknowns; ++i) {
                    gradient[i] -= weight * slope[i] * e;
                    for (std::size_t j = 0; j <= i; ++j) normal[i][j] += weight * slope[i] * slope[j];
                }
            }
        }
        for (std::size_t i = 0; i < unknowns; ++i) {
            normal[i][i] += 2 * shrinkage;
            gradient[i] -= 2 * shrinkage * v[i];
        }
        Vector change = solve(normal, gradient);
        double longest = 0;
        for (const double x : change) longest = std::max(longest, std::abs(x));
        double scale = longest > longest_step ? longest_step / longest : 1;
        bool better = false;
        for (int halving = 0; halving < 6 && !better; ++halving, scale /= 2) {
            Vector next = v;
            for (std::size_t i = 0; i < unknowns; ++i) next[i] += scale * change[i];
            auto there = all_errors(pairs, constants_at(next));
            const double value = loss(there, weights, next, shrinkage);
            if (value < least - 1e-7) {
                v = next;
                now = std::move(there);
                least = value;
                better = true;
            }
        }
        if (!better) break;
    }
    return constants_at(v);
}

}  // namespace gpuproj::fit
