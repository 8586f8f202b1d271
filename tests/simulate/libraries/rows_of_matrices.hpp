// Matrices by rows, dense and compressed, for tests of cuSPARSE.
#pragma once

#include <cusparse.h>

#include "numbers.hpp"

inline bool fine(cusparseStatus_t status, const std::string& what) {
    return holds(status == CUSPARSE_STATUS_SUCCESS, what.c_str());
}

inline double random_value() {
    return numbers.uniform() * 2 - 1;
}

/// By rows; few entries are not 0. Values that half precision holds exactly.
template <class T>
struct Dense {
    int rows, columns;
    std::vector<T> values;
    T& operator()(int i, int j) { return values[i * columns + j]; }
    const T& operator()(int i, int j) const { return values[i * columns + j]; }
};

template <class T>
Dense<T> zeros(int rows, int columns) {
    return {rows, columns, std::vector<T>(rows * columns)};
}

inline double eighths() {
    return static_cast<double>(static_cast<int>(numbers.next() % 33)) / 8 - 2;
}

template <class T>
T random_number() {
    const double real = eighths();
    if constexpr (is_complex<T>)
        return T(real, eighths());
    else
        return static_cast<T>(real);
}

template <class T>
Dense<T> full(int rows, int columns) {
    auto m = zeros<T>(rows, columns);
    for (T& value : m.values) value = random_number<T>();
    return m;
}

template <class T>
Dense<T> sparse(int rows, int columns) {
    auto m = zeros<T>(rows, columns);
    for (T& value : m.values)
        if (numbers.next() % 5 == 0) value = random_number<T>();
    return m;
}

template <class T>
Dense<T> operated(const Dense<T>& m, cusparseOperation_t op) {
    if (op == CUSPARSE_OPERATION_NON_TRANSPOSE) return m;
    auto turned = zeros<T>(m.columns, m.rows);
    for (int i = 0; i < m.rows; ++i)
        for (int j = 0; j < m.columns; ++j)
            turned(j, i) = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(m(i, j)) : m(i, j);
    return turned;
}

template <class T>
Dense<T> product(const Dense<T>& a, const Dense<T>& b) {
    auto c = zeros<T>(a.rows, b.columns);
    for (int i = 0; i < a.rows; ++i)
        for (int k = 0; k < a.columns; ++k)
            for (int j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    return c;
}

/// alpha a + beta b
template <class T>
std::vector<T> sum(T alpha, const std::vector<T>& a, T beta, const std::vector<T>& b) {
    std::vector<T> c(a.size());
    for (size_t i = 0; i < a.size(); ++i) c[i] = alpha * a[i] + beta * b[i];
    return c;
}

/// A compressed sparse matrix in device memory; its rows are columns if `turned`.
template <class T, class I>
struct Compressed {
    std::vector<I> offsets, indices;
    std::vector<T> values;
    Compressed(const Dense<T>& m, int base, bool turned = false) {
        const int lines = turned ? m.columns : m.rows, length = turned ? m.rows : m.columns;
        offsets.push_back(base);
        for (int line = 0; line < lines; ++line) {
            for (int i = 0; i < length; ++i) {
                const T value = turned ? m(i, line) : m(line, i);
                if (value == T{}) continue;
                indices.push_back(i + base);
                values.push_back(value);
            }
            offsets.push_back(static_cast<I>(values.size()) + base);
        }
    }
};

template <class I>
constexpr inline cusparseIndexType_t index_of = CUSPARSE_INDEX_32I;
template <>
constexpr inline cusparseIndexType_t index_of<int64_t> = CUSPARSE_INDEX_64I;

inline cusparseIndexBase_t base_of(int base) {
    return base == 0 ? CUSPARSE_INDEX_BASE_ZERO : CUSPARSE_INDEX_BASE_ONE;
}
