// BLAS by type: OpenBLAS' functions under one name each.
#pragma once

#include <cblas-openblas.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "collector/simulate/libraries/cublas_types.hpp"

namespace gpuproj::simulate::libraries::cublas {

inline CBLAS_TRANSPOSE blas(Operation o) {
    return o == Operation::none ? CblasNoTrans : o == Operation::transpose ? CblasTrans : CblasConjTrans;
}
inline CBLAS_UPLO blas(Fill f) {
    return f == Fill::upper ? CblasUpper : CblasLower;
}
inline CBLAS_DIAG blas(Diagonal d) {
    return d == Diagonal::unit ? CblasUnit : CblasNonUnit;
}
inline CBLAS_SIDE blas(Side s) {
    return s == Side::left ? CblasLeft : CblasRight;
}

// Real types take scalars by value, complex ones by address.
#define GPUPROJ_BY_VALUE(x) (x)
#define GPUPROJ_BY_ADDRESS(x) (&(x))

#define GPUPROJ_BLAS_OF_TYPE(T, s, AT, IAMAX, IAMIN, ASUM, NRM2)                                                       \
    inline int amax(int n, const T* x, int incx) {                                                                     \
        return n < 1 ? 0 : static_cast<int>(IAMAX(n, x, incx)) + 1;                                                    \
    }                                                                                                                  \
    inline int amin(int n, const T* x, int incx) {                                                                     \
        return n < 1 ? 0 : static_cast<int>(IAMIN(n, x, incx)) + 1;                                                    \
    }                                                                                                                  \
    inline auto asum(int n, const T* x, int incx) {                                                                    \
        return ASUM(n, x, incx);                                                                                       \
    }                                                                                                                  \
    inline auto nrm2(int n, const T* x, int incx) {                                                                    \
        return NRM2(n, x, incx);                                                                                       \
    }                                                                                                                  \
    inline void axpy(int n, T a, const T* x, int incx, T* y, int incy) {                                               \
        cblas_##s##axpy(n, AT(a), x, incx, y, incy);                                                                   \
    }                                                                                                                  \
    inline void copy(int n, const T* x, int incx, T* y, int incy) {                                                    \
        cblas_##s##copy(n, x, incx, y, incy);                                                                          \
    }                                                                                                                  \
    inline void swap(int n, T* x, int incx, T* y, int incy) {                                                          \
        cblas_##s##swap(n, x, incx, y, incy);                                                                          \
    }                                                                                                                  \
    inline void scal(int n, T a, T* x, int incx) {                                                                     \
        cblas_##s##scal(n, AT(a), x, incx);                                                                            \
    }                                                                                                                  \
    inline void gemv(Operation o, int m, int n, T a, const T* A, int lda, const T* x, int incx, T b, T* y, int incy) { \
        cblas_##s##gemv(CblasColMajor, blas(o), m, n, AT(a), A, lda, x, incx, AT(b), y, incy);                         \
    }                                                                                                                  \
    inline void gbmv(Operation o, int m, int n, int kl, int ku, T a, const T* A, int lda, const T* x, int incx, T b,   \
                     T* y, int incy) {                                                                                 \
        cblas_##s##gbmv(CblasColMajor, blas(o), m, n, kl, ku, AT(a), A, lda, x, incx, AT(b), y, incy);                 \
    }                                                                                                                  \
    inline void trmv(Fill f, Operation o, Diagonal d, int n, const T* A, int lda, T* x, int incx) {                    \
        cblas_##s##trmv(CblasColMajor, blas(f), blas(o), blas(d), n, A, lda, x, incx);                                 \
    }                                                                                                                  \
    inline void trsv(Fill f, Operation o, Diagonal d, int n, const T* A, int lda, T* x, int incx) {                    \
        cblas_##s##trsv(CblasColMajor, blas(f), blas(o), blas(d), n, A, lda, x, incx);                                 \
    }                                                                                                                  \
    inline void gemm_in_pieces(Operation oa, Operation ob, int m, int n, int k, T a, const T* A, int lda, const T* B,  \
                               int ldb, T b, T* C, int ldc) {                                                          \
        cblas_##s##gemm(CblasColMajor, blas(oa), blas(ob), m, n, k, AT(a), A, lda, B, ldb, AT(b), C, ldc);             \
    }                                                                                                                  \
    inline void symm(Side side, Fill f, int m, int n, T a, const T* A, int lda, const T* B, int ldb, T b, T* C,        \
                     int ldc) {                                                                                        \
        cblas_##s##symm(CblasColMajor, blas(side), blas(f), m, n, AT(a), A, lda, B, ldb, AT(b), C, ldc);               \
    }                                                                                                                  \
    inline void syrk(Fill f, Operation o, int n, int k, T a, const T* A, int lda, T b, T* C, int ldc) {                \
        cblas_##s##syrk(CblasColMajor, blas(f), blas(o), n, k, AT(a), A, lda, AT(b), C, ldc);                          \
    }                                                                                                                  \
    inline void syr2k(Fill f, Operation o, int n, int k, T a, const T* A, int lda, const T* B, int ldb, T b, T* C,     \
                      int ldc) {                                                                                       \
        cblas_##s##syr2k(CblasColMajor, blas(f), blas(o), n, k, AT(a), A, lda, B, ldb, AT(b), C, ldc);                 \
    }                                                                                                                  \
    inline void trmm(Side side, Fill f, Operation o, Diagonal d, int m, int n, T a, const T* A, int lda, T* B,         \
                     int ldb) {                                                                                        \
        cblas_##s##trmm(CblasColMajor, blas(side), blas(f), blas(o), blas(d), m, n, AT(a), A, lda, B, ldb);            \
    }                                                                                                                  \
    inline void trsm(Side side, Fill f, Operation o, Diagonal d, int m, int n, T a, const T* A, int lda, T* B,         \
                     int ldb) {                                                                                        \
        cblas_##s##trsm(CblasColMajor, blas(side), blas(f), blas(o), blas(d), m, n, AT(a), A, lda, B, ldb);            \
    }

GPUPROJ_BLAS_OF_TYPE(float, s, GPUPROJ_BY_VALUE, cblas_isamax, cblas_isamin, cblas_sasum, cblas_snrm2)
GPUPROJ_BLAS_OF_TYPE(double, d, GPUPROJ_BY_VALUE, cblas_idamax, cblas_idamin, cblas_dasum, cblas_dnrm2)
GPUPROJ_BLAS_OF_TYPE(C32, c, GPUPROJ_BY_ADDRESS, cblas_icamax, cblas_icamin, cblas_scasum, cblas_scnrm2)
GPUPROJ_BLAS_OF_TYPE(C64, z, GPUPROJ_BY_ADDRESS, cblas_izamax, cblas_izamin, cblas_dzasum, cblas_dznrm2)

#undef GPUPROJ_BLAS_OF_TYPE

/// C = alpha op(A) op(B) + beta C. As on a GPU the sum over k is complete before C, which may be much larger, is added
/// to: OpenBLAS alone adds some hundred of k at a time, and rounds each time.
template <class T>
void gemm(Operation oa, Operation ob, int m, int n, int k, T alpha, const T* A, int lda, const T* B, int ldb, T beta,
          T* C, int ldc) {
    if (alpha == T{} || beta == T{} || m <= 0 || n <= 0)
        return gemm_in_pieces(oa, ob, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    std::vector<T> sums(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    gemm_in_pieces(oa, ob, m, n, k, T{1}, A, lda, B, ldb, T{}, sums.data(), m);
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < m; ++i) {
            const T sum = sums[static_cast<std::size_t>(i + j * m)];
            T& c = C[i + j * ldc];
            if constexpr (std::is_floating_point_v<T>)
                c = std::fma(alpha, sum, beta * c);
            else
                c = alpha * sum + beta * c;
        }
    }
}

}  // namespace gpuproj::simulate::libraries::cublas
