// Sparse systems of equations, solved as band matrices after a reordering of our own: by Cholesky's method where that
// is asked for, otherwise by LU, also in place of QR.
#pragma once

#include <algorithm>
#include <numeric>

#include "collector/simulate/libraries/cusolver_ordering.hpp"
#include "collector/simulate/libraries/cusolver_types.hpp"
#include "collector/simulate/libraries/lapack_band.hpp"

namespace gpuproj::simulate::libraries::cusolver {

inline constexpr int regular = -1;

template <class T>
struct System {
    Pattern pattern;
    const T *values, *right_side;
    double tolerance;
    T* solution;
};

/// The order of the unknowns, where each of them comes, and how far entries are from the diagonal then.
struct Ordering {
    std::vector<int> order, place;
    int below = 0, above = 0;

    Ordering(const Pattern& pattern, std::vector<int> given) : order(std::move(given)), place(order.size()) {
        for (int i = 0; i < pattern.order; ++i) place[order[i]] = i;
        for (int row = 0; row < pattern.order; ++row)
            for (int k = pattern.begin(row); k < pattern.end(row); ++k) {
                const int distance = place[row] - place[pattern.column(k)];
                below = std::max(below, distance);
                above = std::max(above, -distance);
            }
    }
};

inline Ordering ordering_of(const Pattern& pattern) {
    std::vector<int> as_given(static_cast<std::size_t>(pattern.order));
    std::iota(as_given.begin(), as_given.end(), 0);
    const Ordering given(pattern, std::move(as_given));
    const Ordering better(pattern, near_diagonal(pattern));
    return better.below + better.above < given.below + given.above ? better : given;
}

template <class T>
std::vector<T> ordered(const Ordering& ordering, const T* values) {
    std::vector<T> result;
    result.reserve(ordering.order.size());
    for (const int i : ordering.order) result.push_back(values[i]);
    return result;
}

/// A matrix, less `shift` on its diagonal, in factors that serve for any number of right sides.
template <class T>
class Factors {
public:
    /// By Cholesky's method only the lower triangle is looked at.
    Factors(const Pattern& pattern, const T* values, bool cholesky, T shift = {})
        : cholesky_(cholesky),
          n_(pattern.order),
          ordering_(ordering_of(pattern)),
          below_(cholesky_ ? std::max(ordering_.below, ordering_.above) : ordering_.below),
          above_(cholesky_ ? 0 : ordering_.above),
          leading_(cholesky_ ? below_ + 1 : 2 * below_ + above_ + 1),
          band_(static_cast<std::size_t>(leading_) * static_cast<std::size_t>(n_)) {
        for (int row = 0; row < n_; ++row) {
            for (int k = pattern.begin(row); k < pattern.end(row); ++k) add(row, pattern.column(k), values[k]);
            *diagonal(row) -= shift;
        }
        if (cholesky_) {
            failed_ = lapack::pbtrf(n_, below_, band_.data(), leading_) - 1;
        } else {
            pivots_.resize(static_cast<std::size_t>(n_));
            failed_ = lapack::gbtrf(n_, below_, above_, band_.data(), leading_, pivots_.data()) - 1;
        }
    }

    int order() const { return n_; }

    /// The number of an unknown whose pivot is no larger than the tolerance, so that it cannot be found, or `regular`.
    int small_pivot(double tolerance) const {
        const int known = cholesky_ && failed_ != regular ? failed_ : n_;
        for (int i = 0; i < known; ++i)
            if (std::abs(*diagonal(i)) <= tolerance) return ordering_.order[i];
        return failed_ == regular ? regular : ordering_.order[failed_];
    }

    void solve(const T* right_side, T* solution) const {
        std::vector<T> x = ordered(ordering_, right_side);
        if (cholesky_)
            lapack::pbtrs(n_, below_, band_.data(), leading_, x.data());
        else
            lapack::gbtrs(n_, below_, above_, band_.data(), leading_, pivots_.data(), x.data());
        for (int i = 0; i < n_; ++i) solution[ordering_.order[i]] = x[i];
    }

private:
    bool cholesky_;
    int n_;
    Ordering ordering_;
    int below_, above_, leading_;
    std::vector<T> band_;
    std::vector<int> pivots_;
    int failed_ = regular;

    std::int64_t place_on_diagonal(std::int64_t i) const { return (cholesky_ ? 0 : below_ + above_) + i * leading_; }
    T* diagonal(int i) { return band_.data() + place_on_diagonal(i); }
    const T* diagonal(int i) const { return band_.data() + place_on_diagonal(i); }

    void add(int row, int column, const T& value) {
        if (cholesky_ && column > row) return;
        const int i = ordering_.place[row], j = ordering_.place[column];
        if (cholesky_ && i < j)
            diagonal(i)[j - i] += conjugate(value);
        else
            diagonal(j)[i - j] += value;
    }
};

/// Gives `regular`, or the number of an unknown that cannot be found; then there is no solution.
template <class T>
int solve(const System<T>& system, bool cholesky) {
    const Factors<T> factors(system.pattern, system.values, cholesky);
    const int small = factors.small_pivot(system.tolerance);
    if (small == regular) factors.solve(system.right_side, system.solution);
    return small;
}

}  // namespace gpuproj::simulate::libraries::cusolver
