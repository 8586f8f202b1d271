// Matrices by columns and what is calculated with them in plain loops, for tests of libraries.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "numbers.hpp"

/// By columns.
template <class T>
struct Matrix {
    int rows, columns;
    std::vector<T> values;
    T& operator()(int i, int j) { return values[i + j * rows]; }
    const T& operator()(int i, int j) const { return values[i + j * rows]; }
};

template <class T>
Matrix<T> zeros(int rows, int columns) {
    return {rows, columns, std::vector<T>(rows * columns)};
}

/// Parts between -1/2 and 1/2.
template <class T>
T random_number() {
    const double real = numbers.uniform() - 0.5;
    if constexpr (is_complex<T>)
        return T(real, numbers.uniform() - 0.5);
    else
        return static_cast<T>(real);
}

template <class T>
Matrix<T> random_matrix(int rows, int columns) {
    auto m = zeros<T>(rows, columns);
    for (T& value : m.values) value = random_number<T>();
    return m;
}

/// Conjugated and transposed.
template <class T>
Matrix<T> turned(const Matrix<T>& m) {
    auto result = zeros<T>(m.columns, m.rows);
    for (int i = 0; i < m.rows; ++i)
        for (int j = 0; j < m.columns; ++j) result(j, i) = conjugate(m(i, j));
    return result;
}

template <class T>
Matrix<T> operator*(const Matrix<T>& a, const Matrix<T>& b) {
    auto c = zeros<T>(a.rows, b.columns);
    for (int j = 0; j < b.columns; ++j)
        for (int k = 0; k < a.columns; ++k)
            for (int i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
    return c;
}

template <class T>
bool equal(const std::string& what, const Matrix<T>& got, const Matrix<T>& wanted, double tolerance = 1e-10) {
    return close(what, got.values, wanted.values, tolerance);
}

template <class T>
Matrix<T> identity(int n) {
    auto m = zeros<T>(n, n);
    for (int i = 0; i < n; ++i) m(i, i) = T{1};
    return m;
}

template <class T, class R>
Matrix<T> diagonal(int rows, int columns, const std::vector<R>& values) {
    auto m = zeros<T>(rows, columns);
    for (int i = 0; i < std::min(rows, columns); ++i) m(i, i) = T(values[i]);
    return m;
}

template <class T>
Matrix<T> lower(const Matrix<T>& m, bool unit) {
    auto result = m;
    for (int j = 0; j < m.columns; ++j)
        for (int i = 0; i <= j && i < m.rows; ++i)
            if (i < j)
                result(i, j) = T{};
            else if (unit)
                result(i, j) = T{1};
    return result;
}

template <class T>
Matrix<T> upper(const Matrix<T>& m) {
    auto result = m;
    for (int j = 0; j < m.columns; ++j)
        for (int i = j + 1; i < m.rows; ++i) result(i, j) = T{};
    return result;
}

/// Symmetric or Hermitian, with positive eigenvalues.
template <class T>
Matrix<T> positive(int n) {
    const auto m = random_matrix<T>(n, n);
    auto a = m * turned(m);
    for (int i = 0; i < n; ++i) a(i, i) += T{1};
    return a;
}

/// The first `columns` columns.
template <class T>
Matrix<T> first_columns(const Matrix<T>& m, int columns) {
    return {m.rows, columns, {m.values.begin(), m.values.begin() + m.rows * columns}};
}
