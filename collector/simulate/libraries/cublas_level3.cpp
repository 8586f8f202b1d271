// Matrices.
#include <type_traits>

#include "collector/simulate/libraries/cublas_level3.hpp"
#include "collector/simulate/libraries/cublas_other_interfaces.hpp"

namespace gpuproj::simulate::libraries::cublas {

namespace {

template <class T>
T element(const T* A, int lda, Operation o, std::int64_t row, std::int64_t column) {
    const T value = o == Operation::none ? A[row + column * lda] : A[column + row * lda];
    return o == Operation::conjugate ? conjugate(value) : value;
}

/// C = alpha op(A) + beta op(B); A or B may be C. A matrix whose factor is 0 is not read.
template <class T>
void geam(Operation oa, Operation ob, int m, int n, T alpha, const T* A, int lda, T beta, const T* B, int ldb, T* C,
          int ldc) {
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
            T sum{};
            if (alpha != T{}) sum += alpha * element(A, lda, oa, i, j);
            if (beta != T{}) sum += beta * element(B, ldb, ob, i, j);
            C[i + j * ldc] = sum;
        }
}

/// C = A diag(x) or diag(x) A.
template <class T>
void dgmm(Side side, int m, int n, const T* A, int lda, const T* x, int incx, T* C, int ldc) {
    const int length = side == Side::left ? m : n;
    const std::int64_t first = incx < 0 ? static_cast<std::int64_t>(1 - length) * incx : 0;
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i)
            C[i + j * ldc] = A[i + j * lda] * x[first + (side == Side::left ? i : j) * incx];
}

/// C = alpha op(A) B or alpha B op(A); C may be B.
template <class T>
void trmm_to(Side side, Fill f, Operation o, Diagonal d, int m, int n, T alpha, const T* A, int lda, const T* B,
             int ldb, T* C, int ldc) {
    if (C != B)
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < m; ++i) C[i + j * ldc] = B[i + j * ldb];
    trmm(side, f, o, d, m, n, alpha, A, lda, C, ldc);
}

/// As the old interface has it.
template <class T, auto trmm_of_two>
int trmm_in_place(void* h, Side side, Fill f, Operation o, Diagonal d, int m, int n, const T* alpha, const T* A,
                  int lda, T* B, int ldb) {
    return trmm_of_two(h, side, f, o, d, m, n, alpha, A, lda, B, ldb, B, ldb);
}

template <class T>
int trsm_batched(const char* name, void* h, Side side, Fill f, Operation o, Diagonal d, int m, int n, const T* alpha,
                 const T* const A[], int lda, T* const B[], int ldb, int count) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr || count < 0) return invalid_value;
    return submit(name, h, {}, nullptr, 0, [=, a = Scalar<T>(*known, alpha)] {
        for (int i = 0; i < count; ++i) {
            trsm(side, f, o, d, m, n, a(), A[i], lda, B[i], ldb);
            gpuproj_library_wrote(B[i], bytes_of<T>(m, n, ldb));
        }
    });
}

}  // namespace

#define GPUPROJ_LEVEL_3(T, X)                                                                                          \
    GPUPROJ_LIBRARY_API int cublas##X##gemm_v2(void* h, Operation oa, Operation ob, int m, int n, int k,               \
                                               const T* alpha, const T* A, int lda, const T* B, int ldb,               \
                                               const T* beta, T* C, int ldc) {                                         \
        return gemm_strided("cublas" #X "gemm", h, oa, ob, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0, 1);  \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##gemmBatched(void* h, Operation oa, Operation ob, int m, int n, int k,           \
                                                   const T* alpha, const T* const A[], int lda, const T* const B[],    \
                                                   int ldb, const T* beta, T* const C[], int ldc, int count) {         \
        return gemm_batched("cublas" #X "gemmBatched", h, oa, ob, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc,        \
                            count);                                                                                    \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##gemmStridedBatched(void* h, Operation oa, Operation ob, int m, int n, int k,    \
                                                          const T* alpha, const T* A, int lda, long long stride_a,     \
                                                          const T* B, int ldb, long long stride_b, const T* beta,      \
                                                          T* C, int ldc, long long stride_c, int count) {              \
        return gemm_strided("cublas" #X "gemmStridedBatched", h, oa, ob, m, n, k, alpha, A, lda, stride_a, B, ldb,     \
                            stride_b, beta, C, ldc, stride_c, count);                                                  \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##symm_v2(void* h, Side side, Fill f, int m, int n, const T* alpha, const T* A,   \
                                               int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {           \
        return change("cublas" #X "symm", h, alpha, beta, C, m, n, ldc,                                                \
                      [=](T a, T b) { symm(side, f, m, n, a, A, lda, B, ldb, b, C, ldc); });                           \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##syrk_v2(void* h, Fill f, Operation o, int n, int k, const T* alpha, const T* A, \
                                               int lda, const T* beta, T* C, int ldc) {                                \
        return change("cublas" #X "syrk", h, alpha, beta, C, n, n, ldc,                                                \
                      [=](T a, T b) { syrk(f, o, n, k, a, A, lda, b, C, ldc); });                                      \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##syr2k_v2(void* h, Fill f, Operation o, int n, int k, const T* alpha,            \
                                                const T* A, int lda, const T* B, int ldb, const T* beta, T* C,         \
                                                int ldc) {                                                             \
        return change("cublas" #X "syr2k", h, alpha, beta, C, n, n, ldc,                                               \
                      [=](T a, T b) { syr2k(f, o, n, k, a, A, lda, B, ldb, b, C, ldc); });                             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##trmm_v2(void* h, Side side, Fill f, Operation o, Diagonal d, int m, int n,      \
                                               const T* alpha, const T* A, int lda, const T* B, int ldb, T* C,         \
                                               int ldc) {                                                              \
        return change("cublas" #X "trmm", h, alpha, alpha, C, m, n, ldc,                                               \
                      [=](T a, T) { trmm_to(side, f, o, d, m, n, a, A, lda, B, ldb, C, ldc); });                       \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##trsm_v2(void* h, Side side, Fill f, Operation o, Diagonal d, int m, int n,      \
                                               const T* alpha, const T* A, int lda, T* B, int ldb) {                   \
        return change("cublas" #X "trsm", h, alpha, alpha, B, m, n, ldb,                                               \
                      [=](T a, T) { trsm(side, f, o, d, m, n, a, A, lda, B, ldb); });                                  \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##trsmBatched(void* h, Side side, Fill f, Operation o, Diagonal d, int m, int n,  \
                                                   const T* alpha, const T* const A[], int lda, T* const B[], int ldb, \
                                                   int count) {                                                        \
        return trsm_batched("cublas" #X "trsmBatched", h, side, f, o, d, m, n, alpha, A, lda, B, ldb, count);          \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##geam(void* h, Operation oa, Operation ob, int m, int n, const T* alpha,         \
                                            const T* A, int lda, const T* beta, const T* B, int ldb, T* C, int ldc) {  \
        return change("cublas" #X "geam", h, alpha, beta, C, m, n, ldc,                                                \
                      [=](T a, T b) { geam(oa, ob, m, n, a, A, lda, b, B, ldb, C, ldc); });                            \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##dgmm(void* h, Side side, int m, int n, const T* A, int lda, const T* x,         \
                                            int incx, T* C, int ldc) {                                                 \
        return submit("cublas" #X "dgmm", h, {}, C, bytes_of<T>(m, n, ldc),                                            \
                      [=] { dgmm(side, m, n, A, lda, x, incx, C, ldc); });                                             \
    }                                                                                                                  \
    GPUPROJ_THREEFOLD(cublas##X##gemm, 6, 11)                                                                          \
    GPUPROJ_64(cublas##X##gemmBatched)                                                                                 \
    GPUPROJ_64(cublas##X##gemmStridedBatched)                                                                          \
    GPUPROJ_THREEFOLD(cublas##X##symm, 5, 10)                                                                          \
    GPUPROJ_THREEFOLD(cublas##X##syrk, 5, 8)                                                                           \
    GPUPROJ_THREEFOLD(cublas##X##syr2k, 5, 10)                                                                         \
    GPUPROJ_64(cublas##X##trmm_v2)                                                                                     \
    GPUPROJ_EXPORT(cublas##X##trmm, (&WithoutHandle<&trmm_in_place<T, &cublas##X##trmm_v2>, 7>::call))                 \
    GPUPROJ_THREEFOLD(cublas##X##trsm, 7)                                                                              \
    GPUPROJ_64(cublas##X##trsmBatched)                                                                                 \
    GPUPROJ_64(cublas##X##geam)                                                                                        \
    GPUPROJ_64(cublas##X##dgmm)
GPUPROJ_LEVEL_3(float, S)
GPUPROJ_LEVEL_3(double, D)
GPUPROJ_LEVEL_3(C32, C)
GPUPROJ_LEVEL_3(C64, Z)

#define GPUPROJ_HERMITIAN(T, R, X, x)                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##hemm_v2(void* h, Side side, Fill f, int m, int n, const T* alpha, const T* A,   \
                                               int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {           \
        return change("cublas" #X "hemm", h, alpha, beta, C, m, n, ldc, [=](T a, T b) {                                \
            cblas_##x##hemm(CblasColMajor, blas(side), blas(f), m, n, &a, A, lda, B, ldb, &b, C, ldc);                 \
        });                                                                                                            \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##herk_v2(void* h, Fill f, Operation o, int n, int k, const R* alpha, const T* A, \
                                               int lda, const R* beta, T* C, int ldc) {                                \
        return change("cublas" #X "herk", h, alpha, beta, C, n, n, ldc, [=](R a, R b) {                                \
            cblas_##x##herk(CblasColMajor, blas(f), blas(o), n, k, a, A, lda, b, C, ldc);                              \
        });                                                                                                            \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##her2k_v2(void* h, Fill f, Operation o, int n, int k, const T* alpha,            \
                                                const T* A, int lda, const T* B, int ldb, const R* beta, T* C,         \
                                                int ldc) {                                                             \
        return change("cublas" #X "her2k", h, alpha, beta, C, n, n, ldc, [=](T a, R b) {                               \
            cblas_##x##her2k(CblasColMajor, blas(f), blas(o), n, k, &a, A, lda, B, ldb, b, C, ldc);                    \
        });                                                                                                            \
    }                                                                                                                  \
    GPUPROJ_THREEFOLD(cublas##X##hemm, 5, 10)                                                                          \
    GPUPROJ_THREEFOLD(cublas##X##herk, 5, 8)                                                                           \
    GPUPROJ_THREEFOLD(cublas##X##her2k, 5, 10)
GPUPROJ_HERMITIAN(C32, float, C, c)
GPUPROJ_HERMITIAN(C64, double, Z, z)

}  // namespace gpuproj::simulate::libraries::cublas
