// Sparse times sparse.
#pragma once

#include <algorithm>
#include <memory>
#include <variant>

#include "collector/simulate/libraries/cusparse_matrix.hpp"

namespace gpuproj::simulate::libraries::cusparse {

template <class T>
Rows<T> product(const Rows<T>& a, const Rows<T>& b) {
    Rows<T> c;
    c.rows = a.rows;
    c.columns = b.columns;
    c.begin.push_back(0);
    auto sum = filled<T>(b.columns);
    auto seen_in = std::vector<std::int64_t>(static_cast<std::size_t>(b.columns), -1);
    for (std::int64_t row = 0; row < a.rows; ++row) {
        const auto first = c.column.size();
        for (std::int64_t i = a.begin[row]; i < a.begin[row + 1]; ++i)
            for (std::int64_t k = b.begin[a.column[i]]; k < b.begin[a.column[i] + 1]; ++k) {
                const std::int64_t column = b.column[k];
                if (seen_in[column] != row) {
                    seen_in[column] = row;
                    sum[column] = T{};
                    c.column.push_back(column);
                }
                sum[column] += a.value[i] * b.value[k];
            }
        std::sort(c.column.begin() + static_cast<std::ptrdiff_t>(first), c.column.end());
        for (auto i = first; i < c.column.size(); ++i) c.value.push_back(sum[c.column[i]]);
        c.begin.push_back(static_cast<std::int64_t>(c.column.size()));
    }
    return c;
}

// What cusparseSpGEMMDescr_t points to. The work of a stream may outlive it.
using Product = std::variant<Rows<float>, Rows<double>, Rows<C32>, Rows<C64>>;
struct Multiplication {
    std::shared_ptr<Product> product;
    std::int64_t products = 0;  // of two entries each
};

template <class T>
void write_places(const SparseMatrix& C, const Rows<T>& product) {
    const auto count = static_cast<std::int64_t>(product.column.size());
    with_index_type(C.offset_type, [&](auto type) {
        using I = typename decltype(type)::Type;
        for (std::int64_t i = 0; i <= product.rows; ++i)
            static_cast<I*>(C.offsets)[i] = static_cast<I>(product.begin[i] + C.base);
    });
    with_index_type(C.index_type, [&](auto type) {
        using I = typename decltype(type)::Type;
        for (std::int64_t k = 0; k < count; ++k)
            static_cast<I*>(C.indices)[k] = static_cast<I>(product.column[k] + C.base);
    });
    wrote(C.offsets, product.rows + 1, bytes_of(C.offset_type));
    wrote(C.indices, count, bytes_of(C.index_type));
}
/// C = alpha product + beta C; C has the entries of the product.
template <class T>
void write_values(const SparseMatrix& C, const Rows<T>& product, T alpha, T beta) {
    const auto count = static_cast<std::int64_t>(product.column.size());
    store({count, C.values, C.type}, alpha, product.value.data(), beta);
}

inline int check(void* h, const SparseMatrix* A, const SparseMatrix* B, const SparseMatrix* C,
                 const Multiplication* m) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (A == nullptr || B == nullptr || C == nullptr || m == nullptr) return invalid_value;
    if (C->format != Format::csr) return refuse("cusparseSpGEMM");
    return success;
}

/// How many products of two entries the product of the matrices is a sum of.
template <class T>
std::int64_t products_of(const Rows<T>& a, const Rows<T>& b) {
    std::int64_t count = 0;
    for (const std::int64_t column : a.column) count += b.begin[column + 1] - b.begin[column];
    return count;
}

/// Multiplies in the stream of `h`, waits, and keeps the product in `m`; C is told how many entries it has.
template <class T>
int multiply_and_keep(const char* name, void* h, Operation op_a, Operation op_b, const SparseMatrix& A,
                      const SparseMatrix& B, SparseMatrix& C, Multiplication& m) {
    if (!stored_as<T>(A.type) || !stored_as<T>(B.type) || !stored_as<T>(C.type)) return not_supported;
    const auto result = std::make_shared<Product>();
    int code = submit(name, h, [=] { *result = product(rows_of<T>(A, op_a), rows_of<T>(B, op_b)); });
    if (code == success) code = finish(h);
    if (code != success) return code;
    m.product = result;
    C.nonzeros = std::visit([](const auto& rows) { return static_cast<std::int64_t>(rows.column.size()); }, *result);
    return success;
}

}  // namespace gpuproj::simulate::libraries::cusparse
