// From sparse to dense, and back in two steps: how many entries there are, and the entries.
#include "collector/simulate/libraries/cusparse_matrix.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

template <class T>
void to_dense(const SparseMatrix& A, const DenseMatrix& B) {
    auto rows = filled<T>(A.rows * A.columns);
    for_each_entry<T>(A, [&](std::int64_t, std::int64_t row, std::int64_t column, T value) {
        rows[row * A.columns + column] = value;
    });
    store(B, T{1}, rows.data(), T{});
}

/// f(row, column, value) for all that is not 0, by columns if the sparse matrix is made of them.
template <class T, class F>
void for_each_nonzero(const DenseMatrix& A, Format format, F&& f) {
    const auto values = dense_rows<T>(A, Operation::none);
    const bool by_columns = format == Format::csc;
    const std::int64_t lines = by_columns ? A.columns : A.rows, length = by_columns ? A.rows : A.columns;
    for (std::int64_t line = 0; line < lines; ++line)
        for (std::int64_t i = 0; i < length; ++i) {
            const std::int64_t row = by_columns ? i : line, column = by_columns ? line : i;
            const T value = values[row * A.columns + column];
            if (value != T{}) f(row, column, value);
        }
}

/// Gives the number of entries; writes the offsets of a compressed matrix.
template <class T>
std::int64_t count(const DenseMatrix& A, const SparseMatrix& B) {
    const std::int64_t lines = B.format == Format::csc ? B.columns : B.rows;
    auto ends = filled<std::int64_t>(lines + 1);
    for_each_nonzero<T>(A, B.format, [&](std::int64_t row, std::int64_t column, T) {
        ++ends[(B.format == Format::csc ? column : row) + 1];
    });
    for (std::int64_t i = 0; i < lines; ++i) ends[i + 1] += ends[i];
    if (B.format == Format::coo) return ends[lines];
    with_index_type(B.offset_type, [&](auto type) {
        using I = typename decltype(type)::Type;
        for (std::int64_t i = 0; i <= lines; ++i) static_cast<I*>(B.offsets)[i] = static_cast<I>(ends[i] + B.base);
    });
    wrote(B.offsets, lines + 1, bytes_of(B.offset_type));
    return ends[lines];
}

template <class T>
void to_sparse(const DenseMatrix& A, const SparseMatrix& B) {
    std::int64_t entries = 0;
    with_index_type(B.index_type, [&](auto index) {
        using I = typename decltype(index)::Type;
        with_stored_type<T>(B.type, [&](auto known) {
            using V = typename decltype(known)::Type;
            for_each_nonzero<T>(A, B.format, [&](std::int64_t row, std::int64_t column, T value) {
                const std::int64_t minor = B.format == Format::csc ? row : column;
                if (B.format == Format::coo) static_cast<I*>(B.offsets)[entries] = static_cast<I>(row + B.base);
                static_cast<I*>(B.indices)[entries] = static_cast<I>(minor + B.base);
                static_cast<V*>(B.values)[entries++] = stored<V>(value);
            });
        });
    });
    if (B.format == Format::coo) wrote(B.offsets, entries, bytes_of(B.offset_type));
    wrote(B.indices, entries, bytes_of(B.index_type));
    wrote(B.values, entries, bytes_of(B.type));
}

/// The blocks are given; those that are empty are filled with zeros.
template <class T>
void to_blocks(const DenseMatrix& A, const SparseMatrix& B) {
    const auto values = dense_rows<T>(A, Operation::none);
    with_index_type(B.index_type, [&](auto index) {
        using I = typename decltype(index)::Type;
        with_stored_type<T>(B.type, [&](auto known) {
            using V = typename decltype(known)::Type;
            auto* const to = static_cast<V*>(B.values);
            for (std::int64_t i = 0; i < B.nonzeros; ++i) to[i] = stored<V>(T{});
            visit_blocked_ell(B, static_cast<const I*>(B.indices),
                              [&](std::int64_t place, std::int64_t row, std::int64_t column) {
                                  to[place] = stored<V>(values[row * A.columns + column]);
                              });
        });
    });
    wrote(B.values, B.nonzeros, bytes_of(B.type));
}

int check_goal(const char* function, const SparseMatrix& sparse) {
    return sparse.format == Format::bsr || sparse.format == Format::sliced_ell ? refuse(function) : success;
}

int check(void* h, const SparseMatrix* sparse, const DenseMatrix* dense) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (sparse == nullptr || dense == nullptr) return invalid_value;
    const bool alike = sparse->rows == dense->rows && sparse->columns == dense->columns && sparse->type == dense->type;
    return alike ? success : invalid_value;
}

}  // namespace

GPUPROJ_LIBRARY_API int cusparseSparseToDense_bufferSize(void* h, const SparseMatrix*, const DenseMatrix*, int,
                                                         std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseSparseToDense(void* h, const SparseMatrix* A, const DenseMatrix* B, int, void*) {
    if (const int code = check(h, A, B); code != success) return code;
    return with_compute_type("cusparseSparseToDense", calculated_as(A->type), [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        return submit("cusparseSparseToDense", h, [A = *A, B = *B] { to_dense<T>(A, B); });
    });
}

GPUPROJ_LIBRARY_API int cusparseDenseToSparse_bufferSize(void* h, const DenseMatrix*, const SparseMatrix*, int,
                                                         std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseDenseToSparse_analysis(void* h, const DenseMatrix* A, SparseMatrix* B, int, void*) {
    if (const int code = check(h, B, A); code != success) return code;
    if (const int code = check_goal("cusparseDenseToSparse_analysis", *B); code != success) return code;
    if (B->format == Format::blocked_ell) return success;
    const int code =
        with_compute_type("cusparseDenseToSparse_analysis", calculated_as(A->type), [&](auto known) -> int {
            using T = typename decltype(known)::Type;
            const auto entries = std::make_shared<std::int64_t>();
            const int done =
                submit("cusparseDenseToSparse_analysis", h, [entries, A = *A, B = *B] { *entries = count<T>(A, B); });
            if (done != success) return done;
            const int finished = finish(h);
            B->nonzeros = *entries;
            return finished;
        });
    return code;
}
GPUPROJ_LIBRARY_API int cusparseDenseToSparse_convert(void* h, const DenseMatrix* A, const SparseMatrix* B, int,
                                                      void*) {
    if (const int code = check(h, B, A); code != success) return code;
    if (const int code = check_goal("cusparseDenseToSparse_convert", *B); code != success) return code;
    return with_compute_type("cusparseDenseToSparse_convert", calculated_as(A->type), [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        return submit("cusparseDenseToSparse_convert", h, [A = *A, B = *B] {
            if (B.format == Format::blocked_ell)
                to_blocks<T>(A, B);
            else
                to_sparse<T>(A, B);
        });
    });
}

}  // namespace gpuproj::simulate::libraries::cusparse
