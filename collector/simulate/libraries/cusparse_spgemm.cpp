// Sparse times sparse, in three calls: sizes of workspaces, the product, its copy to where the application wants it.
#include <algorithm>
#include <variant>

#include "collector/simulate/libraries/cusparse_matrix.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

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
};

/// C's rows = alpha product + beta C; C has the entries of the product.
template <class T>
void write(const SparseMatrix& C, const Rows<T>& product, T alpha, T beta) {
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
    store({count, C.values, C.type}, alpha, product.value.data(), beta);
}

int check(void* h, const SparseMatrix* A, const SparseMatrix* B, const SparseMatrix* C, const Multiplication* m) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (A == nullptr || B == nullptr || C == nullptr || m == nullptr) return invalid_value;
    if (C->format != Format::csr) return refuse("cusparseSpGEMM");
    return success;
}

}  // namespace

GPUPROJ_LIBRARY_API int cusparseSpGEMM_createDescr(Multiplication** out) {
    if (out == nullptr) return invalid_value;
    *out = new (std::nothrow) Multiplication;
    return *out != nullptr ? success : allocation_failed;
}
GPUPROJ_LIBRARY_API int cusparseSpGEMM_destroyDescr(Multiplication* multiplication) {
    delete multiplication;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpGEMM_workEstimation(void* h, Operation, Operation, const void*, const SparseMatrix* A,
                                                      const SparseMatrix* B, const void*, const SparseMatrix* C,
                                                      DataType, int, Multiplication* m, std::size_t* bytes,
                                                      void* buffer) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    return buffer == nullptr ? give_buffer_size(h, bytes) : success;
}
GPUPROJ_LIBRARY_API int cusparseSpGEMM_compute(void* h, Operation op_a, Operation op_b, const void*,
                                               const SparseMatrix* A, const SparseMatrix* B, const void*,
                                               SparseMatrix* C, DataType type, int, Multiplication* m,
                                               std::size_t* bytes, void* buffer) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    if (buffer == nullptr) return give_buffer_size(h, bytes);
    const auto result = std::make_shared<Product>();
    int code = with_compute_type("cusparseSpGEMM_compute", type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        if (!stored_as<T>(A->type) || !stored_as<T>(B->type) || !stored_as<T>(C->type)) return not_supported;
        return submit("cusparseSpGEMM_compute", h,
                      [=, A = *A, B = *B] { *result = product(rows_of<T>(A, op_a), rows_of<T>(B, op_b)); });
    });
    if (code == success) code = finish(h);
    if (code != success) return code;
    m->product = result;
    C->nonzeros = std::visit([](const auto& rows) { return static_cast<std::int64_t>(rows.column.size()); }, *result);
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpGEMM_copy(void* h, Operation, Operation, const void* alpha, const SparseMatrix* A,
                                            const SparseMatrix* B, const void* beta, const SparseMatrix* C,
                                            DataType type, int, const Multiplication* m) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    if (alpha == nullptr || beta == nullptr || m->product == nullptr) return invalid_value;
    const Handle& handle = *handle_of(h);
    return with_compute_type("cusparseSpGEMM_copy", type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        if (!std::holds_alternative<Rows<T>>(*m->product)) return invalid_value;
        return submit("cusparseSpGEMM_copy", h,
                      [C = *C, product = m->product, a = Scalar<T>(handle, alpha), b = Scalar<T>(handle, beta)] {
                          write(C, *std::get_if<Rows<T>>(product.get()), a(), b());
                      });
    });
}

}  // namespace gpuproj::simulate::libraries::cusparse
