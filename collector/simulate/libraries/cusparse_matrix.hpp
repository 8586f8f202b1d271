// Sparse and dense matrices of all layouts, read in one way.
#pragma once

#include "collector/simulate/libraries/cusparse_blocks.hpp"
#include "collector/simulate/libraries/cusparse_numbers.hpp"

namespace gpuproj::simulate::libraries::cusparse {

template <class T, class O, class I, class V, class F>
void visit_entries(const SparseMatrix& m, F&& f) {
    const auto* const offsets = static_cast<const O*>(m.offsets);
    const auto* const indices = static_cast<const I*>(m.indices);
    const auto* const values = static_cast<const V*>(m.values);
    const std::int64_t base = m.base;
    if (m.format == Format::coo) {
        for (std::int64_t k = 0; k < m.nonzeros; ++k)
            f(k, std::int64_t{offsets[k]} - base, std::int64_t{indices[k]} - base, calculated<T>(values[k]));
        return;
    }
    if (m.format == Format::bsr || m.format == Format::blocked_ell || m.format == Format::sliced_ell) {
        visit_places(m, offsets, indices, [&](std::int64_t k, std::int64_t row, std::int64_t column) {
            f(k, row, column, calculated<T>(values[k]));
        });
        return;
    }
    const bool by_rows = m.format == Format::csr;
    const std::int64_t lines = by_rows ? m.rows : m.columns;
    for (std::int64_t line = 0; line < lines; ++line)
        for (std::int64_t k = offsets[line] - base; k < offsets[line + 1] - base; ++k) {
            const std::int64_t other = std::int64_t{indices[k]} - base;
            f(k, by_rows ? line : other, by_rows ? other : line, calculated<T>(values[k]));
        }
}

/// f(k, row, column, value) for each entry in the order in which they are stored; k: its place.
template <class T, class F>
void for_each_entry(const SparseMatrix& m, F&& f) {
    with_index_type(m.offset_type, [&](auto offset) {
        with_index_type(m.index_type, [&](auto index) {
            with_stored_type<T>(m.type, [&](auto value) {
                visit_entries<T, typename decltype(offset)::Type, typename decltype(index)::Type,
                              typename decltype(value)::Type>(m, f);
            });
        });
    });
}

inline void* moved(void* pointer, std::int64_t count, std::size_t bytes_each) {
    return static_cast<char*>(pointer) + count * static_cast<std::int64_t>(bytes_each);
}

/// Number `i` of a batch; a single one stands for any.
inline SparseMatrix of_batch(SparseMatrix m, int i) {
    if (m.batches <= 1) return m;
    const bool compressed = m.format != Format::coo;
    m.offsets = moved(m.offsets, i * (compressed ? m.offset_stride : m.value_stride), bytes_of(m.offset_type));
    m.indices = moved(m.indices, i * m.value_stride, bytes_of(m.index_type));
    m.values = moved(m.values, i * m.value_stride, bytes_of(m.type));
    return m;
}
inline DenseMatrix of_batch(DenseMatrix m, int i) {
    if (m.batches > 1) m.values = moved(m.values, i * m.stride, bytes_of(m.type));
    return m;
}

/// op(A) by rows, counted from 0. Entries of a row are in the order in which they are stored.
template <class T>
struct Rows {
    std::int64_t rows = 0, columns = 0;
    std::vector<std::int64_t> begin, column;  // `begin` has one more than there are rows
    std::vector<T> value;
};

template <class T>
Rows<T> rows_of(const SparseMatrix& m, Operation op) {
    const bool turned = op != Operation::none;
    Rows<T> result;
    result.rows = turned ? m.columns : m.rows;
    result.columns = turned ? m.rows : m.columns;
    result.begin = filled<std::int64_t>(result.rows + 1);
    std::int64_t* const begin = result.begin.data();
    for_each_entry<T>(
        m, [&](std::int64_t, std::int64_t row, std::int64_t column, T) { ++begin[(turned ? column : row) + 1]; });
    for (std::int64_t i = 0; i < result.rows; ++i) begin[i + 1] += begin[i];
    result.column = filled<std::int64_t>(begin[result.rows]);
    result.value = filled<T>(begin[result.rows]);
    auto next = result.begin;
    for_each_entry<T>(m, [&](std::int64_t, std::int64_t row, std::int64_t column, T value) {
        const std::int64_t place = next.data()[turned ? column : row]++;
        result.column.data()[place] = turned ? row : column;
        result.value.data()[place] = op == Operation::conjugate ? conjugate(value) : value;
    });
    return result;
}

/// Where element (row, column) of a dense matrix lies.
inline std::int64_t place_in(const DenseMatrix& m, std::int64_t row, std::int64_t column) {
    return m.order == Order::column ? row + column * m.leading : row * m.leading + column;
}

/// op(B), row behind row.
template <class T>
std::vector<T> dense_rows(const DenseMatrix& m, Operation op) {
    const bool turned = op != Operation::none;
    const std::int64_t rows = turned ? m.columns : m.rows, columns = turned ? m.rows : m.columns;
    auto result = filled<T>(rows * columns);
    with_stored_type<T>(m.type, [&](auto known) {
        const auto* const from = static_cast<const typename decltype(known)::Type*>(m.values);
        T* to = result.data();
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j, ++to) {
                const T value = calculated<T>(from[turned ? place_in(m, j, i) : place_in(m, i, j)]);
                *to = op == Operation::conjugate ? conjugate(value) : value;
            }
    });
    return result;
}

/// C = alpha sum + beta C, `sum` row behind row; C is not read if beta is 0.
template <class T>
void store(const DenseMatrix& m, T alpha, const T* sum, T beta) {
    with_stored_type<T>(m.type, [&](auto known) {
        using V = typename decltype(known)::Type;
        auto* const to = static_cast<V*>(m.values);
        for (std::int64_t i = 0; i < m.rows; ++i)
            for (std::int64_t j = 0; j < m.columns; ++j, ++sum) {
                V& c = to[place_in(m, i, j)];
                c = stored<V>(beta == T{} ? alpha * *sum : alpha * *sum + beta * calculated<T>(c));
            }
    });
    if (m.rows > 0 && m.columns > 0) wrote(m.values, place_in(m, m.rows - 1, m.columns - 1) + 1, bytes_of(m.type));
}

}  // namespace gpuproj::simulate::libraries::cusparse
