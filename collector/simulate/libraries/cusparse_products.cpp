// Products: sparse times dense, and dense times dense where a sparse matrix has entries.
#include "collector/simulate/libraries/cusparse_matrix.hpp"
#include "collector/simulate/libraries/cusparse_matrix_description.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

template <class T>
constexpr DataType type_of = DataType::f32;
template <>
constexpr DataType type_of<double> = DataType::f64;
template <>
constexpr DataType type_of<C32> = DataType::c32;
template <>
constexpr DataType type_of<C64> = DataType::c64;

/// y = alpha op(A) x + beta y
template <class T>
void multiply(Operation op, T alpha, const SparseMatrix& A, const DenseVector& x, T beta, const DenseVector& y) {
    const Numbers<T> in(x.type, x.values, x.size);
    auto sums = filled<T>(y.size);
    T* const sum = sums.data();
    using Index = std::int64_t;
    if (op == Operation::none)
        for_each_entry<T>(A, [&](Index, Index row, Index column, T value) { sum[row] += value * in[column]; });
    else if (op == Operation::transpose)
        for_each_entry<T>(A, [&](Index, Index row, Index column, T value) { sum[column] += value * in[row]; });
    else
        for_each_entry<T>(A,
                          [&](Index, Index row, Index column, T value) { sum[column] += conjugate(value) * in[row]; });
    store(y, alpha, sum, beta);
}

/// C = alpha op(A) op(B) + beta C
template <class T>
void multiply(Operation op_a, Operation op_b, T alpha, const SparseMatrix& A, const DenseMatrix& B, T beta,
              const DenseMatrix& C) {
    const auto b = dense_rows<T>(B, op_b);
    auto sums = filled<T>(C.rows * C.columns);
    const std::int64_t n = C.columns;
    for_each_entry<T>(A, [&](std::int64_t, std::int64_t row, std::int64_t column, T value) {
        const T factor = op_a == Operation::conjugate ? conjugate(value) : value;
        T* const to = sums.data() + (op_a == Operation::none ? row : column) * n;
        const T* const from = b.data() + (op_a == Operation::none ? column : row) * n;
        for (std::int64_t j = 0; j < n; ++j) to[j] += factor * from[j];
    });
    store(C, alpha, sums.data(), beta);
}

/// C = alpha (op(A) op(B)) where C has entries + beta C
template <class T>
void sampled(Operation op_a, Operation op_b, T alpha, const DenseMatrix& A, const DenseMatrix& B, T beta,
             const SparseMatrix& C) {
    constexpr auto turned = [](Operation op) { return op == Operation::none ? Operation::transpose : Operation::none; };
    const std::int64_t inner = op_a == Operation::none ? A.columns : A.rows;
    const auto a = dense_rows<T>(A, op_a);
    auto b = dense_rows<T>(B, turned(op_b));  // columns of op(B) are rows here
    if (op_b == Operation::conjugate)
        for (T& value : b) value = conjugate(value);
    with_stored_type<T>(C.type, [&](auto known) {
        using V = typename decltype(known)::Type;
        auto* const to = static_cast<V*>(C.values);
        for_each_entry<T>(C, [&](std::int64_t k, std::int64_t row, std::int64_t column, T value) {
            const T *const left = a.data() + row * inner, *const right = b.data() + column * inner;
            T sum{};
            for (std::int64_t i = 0; i < inner; ++i) sum += left[i] * right[i];
            to[k] = stored<V>(beta == T{} ? alpha * sum : alpha * sum + beta * value);
        });
    });
    wrote(C.values, C.nonzeros, bytes_of(C.type));
}

template <class T, class... Descriptors>
bool all_stored_as(const Descriptors*... descriptors) {
    return (stored_as<T>(descriptors->type) && ...);
}

std::int64_t rows_after(Operation op, std::int64_t rows, std::int64_t columns) {
    return op == Operation::none ? rows : columns;
}

/// Checks a product of two matrices that gives a third, and does
/// calculate(op_a, op_b, alpha, a, b, beta, c) for each of its batches.
template <class MatrixA, class MatrixC, class Calculate>
int submit_product(const char* name, void* h, Operation op_a, Operation op_b, const void* alpha, const MatrixA* A,
                   const DenseMatrix* B, const void* beta, const MatrixC* C, DataType type, Calculate calculate) {
    const Handle* const handle = handle_of(h);
    if (handle == nullptr) return not_initialized;
    if (alpha == nullptr || A == nullptr || B == nullptr || beta == nullptr || C == nullptr) return invalid_value;
    if (C->rows != rows_after(op_a, A->rows, A->columns) || C->columns != rows_after(op_b, B->columns, B->rows) ||
        rows_after(op_b, B->rows, B->columns) != rows_after(op_a, A->columns, A->rows))
        return invalid_value;
    return with_compute_type(name, type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        if (!all_stored_as<T>(A, B, C)) return not_supported;
        return submit(name, h,
                      [=, a = *A, b = *B, c = *C, factor = Scalar<T>(*handle, alpha), kept = Scalar<T>(*handle, beta)] {
                          for (int i = 0; i < c.batches; ++i)
                              calculate(op_a, op_b, factor(), of_batch(a, i), of_batch(b, i), kept(), of_batch(c, i));
                      });
    });
}

// A of square blocks, by rows of blocks, with 32-bit indices.
struct Blocks {
    int order, rows, columns, count;  // in blocks; `order` within a block, 0: by rows
    const void *description, *values;
    const int *offsets, *columns_of;
    int side;
};

SparseMatrix matrix_of(const Blocks& blocks, DataType type) {
    SparseMatrix m;
    m.format = Format::bsr;
    m.rows = std::int64_t{blocks.rows} * blocks.side;
    m.columns = std::int64_t{blocks.columns} * blocks.side;
    m.nonzeros = blocks.count;
    m.offsets = const_cast<int*>(blocks.offsets);
    m.indices = const_cast<int*>(blocks.columns_of);
    m.values = const_cast<void*>(blocks.values);
    m.base = base_of(blocks.description);
    m.type = type;
    m.block_rows = m.block_columns = blocks.side;
    m.block_order = blocks.order == 0 ? Order::row : Order::column;
    return m;
}

bool in_range(const Blocks& blocks) {
    return blocks.rows >= 0 && blocks.columns >= 0 && blocks.count >= 0 && blocks.side > 0;
}

template <class T>
int multiply_blocks(const char* name, void* h, Operation op, const T* alpha, const Blocks& A, const T* x, const T* beta,
                    T* y) {
    const Handle* const handle = handle_of(h);
    if (handle == nullptr) return not_initialized;
    if (!in_range(A) || alpha == nullptr || beta == nullptr) return invalid_value;
    if (op != Operation::none) return refuse(name);
    const SparseMatrix matrix = matrix_of(A, type_of<T>);
    const DenseVector in{matrix.columns, const_cast<T*>(x), type_of<T>}, out{matrix.rows, y, type_of<T>};
    return submit(name, h, [=, a = Scalar<T>(*handle, alpha), b = Scalar<T>(*handle, beta)] {
        multiply(op, a(), matrix, in, b(), out);
    });
}

template <class T>
int multiply_blocks(const char* name, void* h, Operation op_a, Operation op_b, int n, const T* alpha, const Blocks& A,
                    const T* B, int ldb, const T* beta, T* C, int ldc) {
    if (!in_range(A) || n < 0) return invalid_value;
    if (op_a != Operation::none || op_b == Operation::conjugate) return refuse(name);
    const SparseMatrix a = matrix_of(A, type_of<T>);
    const bool turned = op_b == Operation::transpose;
    const DenseMatrix b{turned ? n : a.columns, turned ? a.columns : n, ldb, const_cast<T*>(B), type_of<T>};
    const DenseMatrix c{a.rows, n, ldc, C, type_of<T>};
    if (ldb < b.rows || ldc < c.rows) return invalid_value;
    const auto calculate = [](auto... all) { multiply(all...); };
    return submit_product(name, h, op_a, op_b, alpha, &a, &b, beta, &c, type_of<T>, calculate);
}

}  // namespace

GPUPROJ_LIBRARY_API int cusparseSpMV_bufferSize(void* h, Operation, const void*, const SparseMatrix*,
                                                const DenseVector*, const void*, const DenseVector*, DataType, int,
                                                std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseSpMV_preprocess(void* h, Operation, const void*, const SparseMatrix*,
                                                const DenseVector*, const void*, const DenseVector*, DataType, int,
                                                void*) {
    return handle_of(h) != nullptr ? success : not_initialized;
}
GPUPROJ_LIBRARY_API int cusparseSpMV(void* h, Operation op, const void* alpha, const SparseMatrix* A,
                                     const DenseVector* x, const void* beta, const DenseVector* y, DataType type, int,
                                     void*) {
    const Handle* const handle = handle_of(h);
    if (handle == nullptr) return not_initialized;
    if (alpha == nullptr || A == nullptr || x == nullptr || beta == nullptr || y == nullptr) return invalid_value;
    if (y->size != rows_after(op, A->rows, A->columns) || x->size != rows_after(op, A->columns, A->rows))
        return invalid_value;
    return with_compute_type("cusparseSpMV", type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        if (!all_stored_as<T>(A, x, y)) return not_supported;
        return submit("cusparseSpMV", h,
                      [=, matrix = *A, in = *x, out = *y, a = Scalar<T>(*handle, alpha), b = Scalar<T>(*handle, beta)] {
                          multiply(op, a(), matrix, in, b(), out);
                      });
    });
}

GPUPROJ_LIBRARY_API int cusparseSpMM_bufferSize(void* h, Operation, Operation, const void*, const SparseMatrix*,
                                                const DenseMatrix*, const void*, const DenseMatrix*, DataType, int,
                                                std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseSpMM_preprocess(void* h, Operation, Operation, const void*, const SparseMatrix*,
                                                const DenseMatrix*, const void*, const DenseMatrix*, DataType, int,
                                                void*) {
    return handle_of(h) != nullptr ? success : not_initialized;
}
GPUPROJ_LIBRARY_API int cusparseSpMM(void* h, Operation op_a, Operation op_b, const void* alpha, const SparseMatrix* A,
                                     const DenseMatrix* B, const void* beta, const DenseMatrix* C, DataType type, int,
                                     void*) {
    const auto calculate = [](auto... all) { multiply(all...); };
    return submit_product("cusparseSpMM", h, op_a, op_b, alpha, A, B, beta, C, type, calculate);
}

GPUPROJ_LIBRARY_API int cusparseSDDMM_bufferSize(void* h, Operation, Operation, const void*, const DenseMatrix*,
                                                 const DenseMatrix*, const void*, const SparseMatrix*, DataType, int,
                                                 std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseSDDMM_preprocess(void* h, Operation, Operation, const void*, const DenseMatrix*,
                                                 const DenseMatrix*, const void*, const SparseMatrix*, DataType, int,
                                                 void*) {
    return handle_of(h) != nullptr ? success : not_initialized;
}
GPUPROJ_LIBRARY_API int cusparseSDDMM(void* h, Operation op_a, Operation op_b, const void* alpha, const DenseMatrix* A,
                                      const DenseMatrix* B, const void* beta, const SparseMatrix* C, DataType type, int,
                                      void*) {
    const auto calculate = [](auto... all) { sampled(all...); };
    return submit_product("cusparseSDDMM", h, op_a, op_b, alpha, A, B, beta, C, type, calculate);
}

#define GPUPROJ_BLOCK_PRODUCTS(T, X)                                                                                   \
    GPUPROJ_LIBRARY_API int cusparse##X##bsrmv(                                                                        \
        void* h, int order, Operation op, int mb, int nb, int count, const T* alpha, const void* description,          \
        const T* values, const int* offsets, const int* columns, int side, const T* x, const T* beta, T* y) {          \
        return multiply_blocks("cusparse" #X "bsrmv", h, op, alpha,                                                    \
                               Blocks{order, mb, nb, count, description, values, offsets, columns, side}, x, beta, y); \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusparse##X##bsrmm(void* h, int order, Operation op_a, Operation op_b, int mb, int n,      \
                                               int kb, int count, const T* alpha, const void* description,             \
                                               const T* values, const int* offsets, const int* columns, int side,      \
                                               const T* B, int ldb, const T* beta, T* C, int ldc) {                    \
        return multiply_blocks("cusparse" #X "bsrmm", h, op_a, op_b, n, alpha,                                         \
                               Blocks{order, mb, kb, count, description, values, offsets, columns, side}, B, ldb,      \
                               beta, C, ldc);                                                                          \
    }
GPUPROJ_BLOCK_PRODUCTS(float, S)
GPUPROJ_BLOCK_PRODUCTS(double, D)
GPUPROJ_BLOCK_PRODUCTS(C32, C)
GPUPROJ_BLOCK_PRODUCTS(C64, Z)

}  // namespace gpuproj::simulate::libraries::cusparse
