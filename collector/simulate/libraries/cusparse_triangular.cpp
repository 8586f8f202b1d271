// Systems of equations with a sparse triangle. What analyses find out on a GPU, the host does not need.
#include "collector/simulate/libraries/cusparse_matrix.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

/// Solves op(A) X = B for `n` right sides, which lie row behind row in `x` and are replaced. Entries outside the
/// triangle that the matrix is said to be are not looked at.
template <class T>
void solve(const SparseMatrix& A, Operation op, std::int64_t n, T* x) {
    const Rows<T> rows = rows_of<T>(A, op);
    const bool lower = (A.fill == 0) == (op == Operation::none), unit = A.diagonal == 1;
    for (std::int64_t step = 0; step < rows.rows; ++step) {
        const std::int64_t row = lower ? step : rows.rows - 1 - step;
        T* const to = x + row * n;
        T diagonal{};
        for (std::int64_t k = rows.begin[row]; k < rows.begin[row + 1]; ++k) {
            const std::int64_t column = rows.column[k];
            const T value = rows.value[k];
            if (column == row) diagonal += value;
            if (lower ? column >= row : column <= row) continue;
            const T* const known = x + column * n;
            for (std::int64_t j = 0; j < n; ++j) to[j] -= value * known[j];
        }
        if (!unit)
            for (std::int64_t j = 0; j < n; ++j) to[j] /= diagonal;
    }
}

// What cusparseSpSVDescr_t and cusparseSpSMDescr_t point to.
struct Analysis {
    int unused = 0;
};

int make_analysis(Analysis** out) {
    if (out == nullptr) return invalid_value;
    *out = new (std::nothrow) Analysis;
    return *out != nullptr ? success : allocation_failed;
}

}  // namespace

GPUPROJ_LIBRARY_API int cusparseSpSV_createDescr(Analysis** out) {
    return make_analysis(out);
}
GPUPROJ_LIBRARY_API int cusparseSpSV_destroyDescr(Analysis* analysis) {
    delete analysis;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpSV_bufferSize(void* h, Operation, const void*, const SparseMatrix*,
                                                const DenseVector*, const DenseVector*, DataType, int, Analysis*,
                                                std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseSpSV_analysis(void* h, Operation, const void*, const SparseMatrix*, const DenseVector*,
                                              const DenseVector*, DataType, int, Analysis*, void*) {
    return handle_of(h) != nullptr ? success : not_initialized;
}
GPUPROJ_LIBRARY_API int cusparseSpSV_solve(void* h, Operation op, const void* alpha, const SparseMatrix* A,
                                           const DenseVector* x, const DenseVector* y, DataType type, int, Analysis*) {
    const Handle* const handle = handle_of(h);
    if (handle == nullptr) return not_initialized;
    if (alpha == nullptr || A == nullptr || x == nullptr || y == nullptr) return invalid_value;
    if (A->rows != A->columns || A->rows != x->size || A->rows != y->size) return invalid_value;
    return with_compute_type("cusparseSpSV_solve", type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        if (!stored_as<T>(A->type) || !stored_as<T>(x->type) || !stored_as<T>(y->type)) return not_supported;
        return submit("cusparseSpSV_solve", h, [op, A = *A, x = *x, y = *y, factor = Scalar<T>(*handle, alpha)] {
            const Numbers<T> given(x.type, x.values, x.size);
            auto found = filled<T>(x.size);
            for (std::int64_t i = 0; i < x.size; ++i) found[i] = given[i];
            solve(A, op, 1, found.data());
            store(y, factor(), found.data(), T{});
        });
    });
}

GPUPROJ_LIBRARY_API int cusparseSpSM_createDescr(Analysis** out) {
    return make_analysis(out);
}
GPUPROJ_LIBRARY_API int cusparseSpSM_destroyDescr(Analysis* analysis) {
    delete analysis;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpSM_bufferSize(void* h, Operation, Operation, const void*, const SparseMatrix*,
                                                const DenseMatrix*, const DenseMatrix*, DataType, int, Analysis*,
                                                std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseSpSM_analysis(void* h, Operation, Operation, const void*, const SparseMatrix*,
                                              const DenseMatrix*, const DenseMatrix*, DataType, int, Analysis*, void*) {
    return handle_of(h) != nullptr ? success : not_initialized;
}
GPUPROJ_LIBRARY_API int cusparseSpSM_solve(void* h, Operation op_a, Operation op_b, const void* alpha,
                                           const SparseMatrix* A, const DenseMatrix* B, const DenseMatrix* C,
                                           DataType type, int, Analysis*) {
    const Handle* const handle = handle_of(h);
    if (handle == nullptr) return not_initialized;
    if (alpha == nullptr || A == nullptr || B == nullptr || C == nullptr) return invalid_value;
    const bool turned = op_b != Operation::none;
    if (A->rows != A->columns || A->rows != C->rows || C->rows != (turned ? B->columns : B->rows) ||
        C->columns != (turned ? B->rows : B->columns))
        return invalid_value;
    return with_compute_type("cusparseSpSM_solve", type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        if (!stored_as<T>(A->type) || !stored_as<T>(B->type) || !stored_as<T>(C->type)) return not_supported;
        return submit("cusparseSpSM_solve", h,
                      [op_a, op_b, A = *A, B = *B, C = *C, factor = Scalar<T>(*handle, alpha)] {
                          for (int i = 0; i < C.batches; ++i) {
                              auto found = dense_rows<T>(of_batch(B, i), op_b);
                              solve(of_batch(A, i), op_a, C.columns, found.data());
                              store(of_batch(C, i), factor(), found.data(), T{});
                          }
                      });
    });
}

}  // namespace gpuproj::simulate::libraries::cusparse
