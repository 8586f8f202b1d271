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

/// The number of the first pivot that is no larger than the tolerance, or `regular`.
template <class T>
int small_pivot(const System<T>& system, const T* diagonal, int leading) {
    for (std::int64_t i = 0; i < system.pattern.order; ++i)
        if (std::abs(diagonal[i * leading]) <= system.tolerance) return static_cast<int>(i);
    return regular;
}

template <class T>
int factor_and_solve_lu(const System<T>& system, const Ordering& ordering, T* x) {
    const auto& [pattern, values, right_side, tolerance, solution] = system;
    const int below = ordering.below, above = ordering.above, leading = 2 * below + above + 1;
    std::vector<T> band(static_cast<std::size_t>(leading) * static_cast<std::size_t>(pattern.order));
    T* const diagonal = band.data() + below + above;
    for (int row = 0; row < pattern.order; ++row)
        for (int k = pattern.begin(row); k < pattern.end(row); ++k) {
            const std::int64_t i = ordering.place[row], j = ordering.place[pattern.column(k)];
            diagonal[i - j + j * leading] += values[k];
        }
    std::vector<int> pivots(static_cast<std::size_t>(pattern.order));
    const int info = lapack::gbtrf(pattern.order, below, above, band.data(), leading, pivots.data());
    if (const int small = small_pivot(system, diagonal, leading); small != regular) return small;
    if (info > 0) return info - 1;
    lapack::gbtrs(pattern.order, below, above, band.data(), leading, pivots.data(), x);
    return regular;
}

/// Looks at the lower triangle only.
template <class T>
int factor_and_solve_cholesky(const System<T>& system, const Ordering& ordering, T* x) {
    const auto& [pattern, values, right_side, tolerance, solution] = system;
    const int below = std::max(ordering.below, ordering.above), leading = below + 1;
    std::vector<T> band(static_cast<std::size_t>(leading) * static_cast<std::size_t>(pattern.order));
    for (int row = 0; row < pattern.order; ++row)
        for (int k = pattern.begin(row); k < pattern.end(row); ++k) {
            if (pattern.column(k) > row) continue;
            const std::int64_t i = ordering.place[row], j = ordering.place[pattern.column(k)];
            if (i >= j)
                band[i - j + j * leading] += values[k];
            else
                band[j - i + i * leading] += conjugate(values[k]);
        }
    if (const int info = lapack::pbtrf(pattern.order, below, band.data(), leading); info > 0) return info - 1;
    if (const int small = small_pivot(system, band.data(), leading); small != regular) return small;
    lapack::pbtrs(pattern.order, below, band.data(), leading, x);
    return regular;
}

/// Gives `regular`, or the number of an unknown that cannot be found; then there is no solution.
template <class T>
int solve(const System<T>& system, bool cholesky) {
    const Ordering ordering = ordering_of(system.pattern);
    std::vector<T> x = ordered(ordering, system.right_side);
    const int small = cholesky ? factor_and_solve_cholesky(system, ordering, x.data())
                               : factor_and_solve_lu(system, ordering, x.data());
    if (small != regular) return ordering.order[small];
    for (int i = 0; i < system.pattern.order; ++i) system.solution[ordering.order[i]] = x[i];
    return regular;
}

}  // namespace gpuproj::simulate::libraries::cusolver
