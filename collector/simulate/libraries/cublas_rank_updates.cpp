// Updates of one triangle of a matrix by products of two, and what else is another name for a product: by three
// multiplications in place of four, or with types that are named at run time.
#include "collector/simulate/libraries/cublas_level3.hpp"
#include "collector/simulate/libraries/cublas_other_interfaces.hpp"

extern "C" {
int cublasCsyrk_v2(void*, gpuproj::simulate::libraries::cublas::Fill, gpuproj::simulate::libraries::cublas::Operation,
                   int, int, const gpuproj::simulate::libraries::C32*, const gpuproj::simulate::libraries::C32*, int,
                   const gpuproj::simulate::libraries::C32*, gpuproj::simulate::libraries::C32*, int);
int cublasCherk_v2(void*, gpuproj::simulate::libraries::cublas::Fill, gpuproj::simulate::libraries::cublas::Operation,
                   int, int, const float*, const gpuproj::simulate::libraries::C32*, int, const float*,
                   gpuproj::simulate::libraries::C32*, int);
}

namespace gpuproj::simulate::libraries::cublas {

namespace {

/// A triangle of C = alpha A B' + beta C, of A' B if `o` is not none; B' is B conjugated and transposed if `hermitian`,
/// whose result is taken to be so, too.
template <class T, class B>
int rank_update(const char* name, void* h, bool hermitian, Fill f, Operation o, int n, int k, const T* alpha,
                const T* A, int lda, const T* X, int ldx, const B* beta, T* C, int ldc) {
    const Operation other = hermitian ? Operation::conjugate : Operation::transpose;
    if (n < 0 || k < 0 || (o != Operation::none && is_complex<T> && o != other)) return invalid_value;
    return change(name, h, alpha, beta, C, n, n, ldc, [=](T a, B b) {
        std::vector<T> product(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
        const int leading = std::max(n, 1);
        if (o == Operation::none)
            gemm(o, other, n, n, k, a, A, lda, X, ldx, T{}, product.data(), leading);
        else
            gemm(other, Operation::none, n, n, k, a, A, lda, X, ldx, T{}, product.data(), leading);
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = f == Fill::lower ? j : 0; i < (f == Fill::lower ? n : j + 1); ++i) {
                T& to = C[i + j * ldc];
                to = product[static_cast<std::size_t>(i + j * n)] + (b == B{} ? T{} : b * to);
                if constexpr (is_complex<T>)
                    if (hermitian && i == j) to = to.real();
            }
    });
}

/// Of other types there are 8-bit complex ones, which are refused.
bool is_known(const char* name, DataType A, DataType C) {
    if (A == DataType::c32 && C == DataType::c32) return true;
    gpuproj_library_refuses(library, name);
    return false;
}

}  // namespace

#define GPUPROJ_SYRKX(T, X)                                                                                          \
    GPUPROJ_LIBRARY_API int cublas##X##syrkx(void* h, Fill f, Operation o, int n, int k, const T* alpha, const T* A, \
                                             int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {           \
        return rank_update("cublas" #X "syrkx", h, false, f, o, n, k, alpha, A, lda, B, ldb, beta, C, ldc);          \
    }                                                                                                                \
    GPUPROJ_64(cublas##X##syrkx)
GPUPROJ_SYRKX(float, S)
GPUPROJ_SYRKX(double, D)
GPUPROJ_SYRKX(C32, C)
GPUPROJ_SYRKX(C64, Z)

#define GPUPROJ_HERKX(T, R, X)                                                                                         \
    GPUPROJ_LIBRARY_API int cublas##X##herkx(void* h, Fill f, Operation o, int n, int k, const T* alpha, const T* A,   \
                                             int lda, const T* B, int ldb, const R* beta, T* C, int ldc) {             \
        return rank_update("cublas" #X "herkx", h, true, f, o, n, k, alpha, A, lda, B, ldb, beta, C, ldc);             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##gemm3m(void* h, Operation oa, Operation ob, int m, int n, int k,                \
                                              const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, \
                                              T* C, int ldc) {                                                         \
        return change("cublas" #X "gemm3m", h, alpha, beta, C, m, n, ldc,                                              \
                      [=](T a, T b) { gemm(oa, ob, m, n, k, a, A, lda, B, ldb, b, C, ldc); });                         \
    }                                                                                                                  \
    GPUPROJ_64(cublas##X##herkx)                                                                                       \
    GPUPROJ_64(cublas##X##gemm3m)
GPUPROJ_HERKX(C32, float, C)
GPUPROJ_HERKX(C64, double, Z)

GPUPROJ_LIBRARY_API int cublasCgemm3mBatched(void* h, Operation oa, Operation ob, int m, int n, int k, const C32* alpha,
                                             const C32* const A[], int lda, const C32* const B[], int ldb,
                                             const C32* beta, C32* const C[], int ldc, int count) {
    return gemm_batched("cublasCgemm3mBatched", h, oa, ob, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, count);
}
GPUPROJ_LIBRARY_API int cublasCgemm3mStridedBatched(void* h, Operation oa, Operation ob, int m, int n, int k,
                                                    const C32* alpha, const C32* A, int lda, long long stride_a,
                                                    const C32* B, int ldb, long long stride_b, const C32* beta, C32* C,
                                                    int ldc, long long stride_c, int count) {
    return gemm_strided("cublasCgemm3mStridedBatched", h, oa, ob, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b,
                        beta, C, ldc, stride_c, count);
}
GPUPROJ_64(cublasCgemm3mBatched)
GPUPROJ_64(cublasCgemm3mStridedBatched)

#define GPUPROJ_TYPED(NAME, UPDATE, R)                                                                         \
    GPUPROJ_LIBRARY_API int NAME(void* h, Fill f, Operation o, int n, int k, const R* alpha, const void* A,    \
                                 DataType type_a, int lda, const R* beta, void* C, DataType type_c, int ldc) { \
        if (!is_known(#NAME, type_a, type_c)) return not_supported;                                            \
        return UPDATE(h, f, o, n, k, alpha, static_cast<const C32*>(A), lda, beta, static_cast<C32*>(C), ldc); \
    }                                                                                                          \
    GPUPROJ_64(NAME)
GPUPROJ_TYPED(cublasCsyrkEx, cublasCsyrk_v2, C32)
GPUPROJ_TYPED(cublasCsyrk3mEx, cublasCsyrk_v2, C32)
GPUPROJ_TYPED(cublasCherkEx, cublasCherk_v2, float)
GPUPROJ_TYPED(cublasCherk3mEx, cublasCherk_v2, float)

#define GPUPROJ_TYPED_PRODUCT(NAME)                                                                                \
    GPUPROJ_LIBRARY_API int NAME(void* h, Operation oa, Operation ob, int m, int n, int k, const C32* alpha,       \
                                 const void* A, DataType type_a, int lda, const void* B, DataType type_b, int ldb, \
                                 const C32* beta, void* C, DataType type_c, int ldc) {                             \
        if (!is_known(#NAME, type_a, type_c) || !is_known(#NAME, type_b, type_c)) return not_supported;            \
        return change(#NAME, h, alpha, beta, static_cast<C32*>(C), m, n, ldc, [=](C32 a, C32 b) {                  \
            gemm(oa, ob, m, n, k, a, static_cast<const C32*>(A), lda, static_cast<const C32*>(B), ldb, b,          \
                 static_cast<C32*>(C), ldc);                                                                       \
        });                                                                                                        \
    }                                                                                                              \
    GPUPROJ_64(NAME)
GPUPROJ_TYPED_PRODUCT(cublasCgemmEx)
GPUPROJ_TYPED_PRODUCT(cublasCgemm3mEx)

}  // namespace gpuproj::simulate::libraries::cublas
