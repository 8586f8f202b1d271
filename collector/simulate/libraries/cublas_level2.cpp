// A matrix and vectors.
#include "collector/simulate/libraries/cublas_level2.hpp"
#include "collector/simulate/libraries/cublas_other_interfaces.hpp"

namespace gpuproj::simulate::libraries::cublas {

namespace {

template <class T>
int gemv_of(const char* name, void* h, Operation o, int m, int n, const T* alpha, const T* A, int lda,
            std::int64_t stride_a, const T* x, int incx, std::int64_t stride_x, const T* beta, T* y, int incy,
            std::int64_t stride_y, int batch) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr || beta == nullptr || batch < 0) return invalid_value;
    const int rows = o == Operation::none ? m : n;
    const std::size_t written =
        batch == 0 ? 0 : bytes_of<T>(rows, incy) + static_cast<std::size_t>((batch - 1) * stride_y) * sizeof(T);
    return submit(name, h, {}, y, written, [=, a = Scalar<T>(*known, alpha), b = Scalar<T>(*known, beta)] {
        for (int i = 0; i < batch; ++i)
            gemv(o, m, n, a(), A + i * stride_a, lda, x + i * stride_x, incx, b(), y + i * stride_y, incy);
    });
}

template <class T>
int gemv_batched(const char* name, void* h, Operation o, int m, int n, const T* alpha, const T* const A[], int lda,
                 const T* const x[], int incx, const T* beta, T* const y[], int incy, int batch) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr || beta == nullptr || batch < 0) return invalid_value;
    return submit(name, h, {}, nullptr, 0, [=, a = Scalar<T>(*known, alpha), b = Scalar<T>(*known, beta)] {
        for (int i = 0; i < batch; ++i) {
            gemv(o, m, n, a(), A[i], lda, x[i], incx, b(), y[i], incy);
            gpuproj_library_wrote(y[i], bytes_of<T>(o == Operation::none ? m : n, incy));
        }
    });
}

template <class T>
int gbmv_of(const char* name, void* h, Operation o, int m, int n, int kl, int ku, const T* alpha, const T* A, int lda,
            const T* x, int incx, const T* beta, T* y, int incy) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr || beta == nullptr) return invalid_value;
    return submit(name, h, {}, y, bytes_of<T>(o == Operation::none ? m : n, incy),
                  [=, a = Scalar<T>(*known, alpha), b = Scalar<T>(*known, beta)] {
                      gbmv(o, m, n, kl, ku, a(), A, lda, x, incx, b(), y, incy);
                  });
}

}  // namespace

#define GPUPROJ_LEVEL_2(T, X)                                                                                          \
    GPUPROJ_LIBRARY_API int cublas##X##gemv_v2(void* h, Operation o, int m, int n, const T* alpha, const T* A,         \
                                               int lda, const T* x, int incx, const T* beta, T* y, int incy) {         \
        return gemv_of("cublas" #X "gemv", h, o, m, n, alpha, A, lda, 0, x, incx, 0, beta, y, incy, 0, 1);             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##gemvStridedBatched(                                                             \
        void* h, Operation o, int m, int n, const T* alpha, const T* A, int lda, long long stride_a, const T* x,       \
        int incx, long long stride_x, const T* beta, T* y, int incy, long long stride_y, int batch) {                  \
        return gemv_of("cublas" #X "gemvStridedBatched", h, o, m, n, alpha, A, lda, stride_a, x, incx, stride_x, beta, \
                       y, incy, stride_y, batch);                                                                      \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##gemvBatched(void* h, Operation o, int m, int n, const T* alpha,                 \
                                                   const T* const A[], int lda, const T* const x[], int incx,          \
                                                   const T* beta, T* const y[], int incy, int batch) {                 \
        return gemv_batched("cublas" #X "gemvBatched", h, o, m, n, alpha, A, lda, x, incx, beta, y, incy, batch);      \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##gbmv_v2(void* h, Operation o, int m, int n, int kl, int ku, const T* alpha,     \
                                               const T* A, int lda, const T* x, int incx, const T* beta, T* y,         \
                                               int incy) {                                                             \
        return gbmv_of("cublas" #X "gbmv", h, o, m, n, kl, ku, alpha, A, lda, x, incx, beta, y, incy);                 \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##trmv_v2(void* h, Fill f, Operation o, Diagonal d, int n, const T* A, int lda,   \
                                               T* x, int incx) {                                                       \
        return submit("cublas" #X "trmv", h, {}, x, bytes_of<T>(n, incx), [=] { trmv(f, o, d, n, A, lda, x, incx); }); \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##trsv_v2(void* h, Fill f, Operation o, Diagonal d, int n, const T* A, int lda,   \
                                               T* x, int incx) {                                                       \
        return submit("cublas" #X "trsv", h, {}, x, bytes_of<T>(n, incx), [=] { trsv(f, o, d, n, A, lda, x, incx); }); \
    }                                                                                                                  \
    GPUPROJ_THREEFOLD(cublas##X##gemv, 4, 9)                                                                           \
    GPUPROJ_64(cublas##X##gemvBatched)                                                                                 \
    GPUPROJ_64(cublas##X##gemvStridedBatched)                                                                          \
    GPUPROJ_THREEFOLD(cublas##X##gbmv, 6, 11)                                                                          \
    GPUPROJ_THREEFOLD(cublas##X##trmv)                                                                                 \
    GPUPROJ_THREEFOLD(cublas##X##trsv)
GPUPROJ_LEVEL_2(float, S)
GPUPROJ_LEVEL_2(double, D)
GPUPROJ_LEVEL_2(C32, C)
GPUPROJ_LEVEL_2(C64, Z)

#define GPUPROJ_GER(T, NAME, BLAS, AT)                                                                                 \
    GPUPROJ_LIBRARY_API int cublas##NAME##_v2(void* h, int m, int n, const T* alpha, const T* x, int incx, const T* y, \
                                              int incy, T* A, int lda) {                                               \
        return update("cublas" #NAME, h, alpha, A, m, n, lda,                                                          \
                      [=](T a) { BLAS(column_major, m, n, AT(a), x, incx, y, incy, A, lda); });                        \
    }                                                                                                                  \
    GPUPROJ_THREEFOLD(cublas##NAME, 3)
GPUPROJ_GER(float, Sger, cblas_sger, GPUPROJ_BY_VALUE)
GPUPROJ_GER(double, Dger, cblas_dger, GPUPROJ_BY_VALUE)
GPUPROJ_GER(C32, Cgeru, cblas_cgeru, GPUPROJ_BY_ADDRESS)
GPUPROJ_GER(C32, Cgerc, cblas_cgerc, GPUPROJ_BY_ADDRESS)
GPUPROJ_GER(C64, Zgeru, cblas_zgeru, GPUPROJ_BY_ADDRESS)
GPUPROJ_GER(C64, Zgerc, cblas_zgerc, GPUPROJ_BY_ADDRESS)

// Symmetric and Hermitian; S: what alpha is in an update of rank 1.
#define GPUPROJ_SYMMETRIC(T, S, X, KIND, P, PREFIX, AT)                                                                \
    GPUPROJ_LIBRARY_API int cublas##X##KIND##mv_v2(void* h, Fill f, int n, const T* alpha, const T* A, int lda,        \
                                                   const T* x, int incx, const T* beta, T* y, int incy) {              \
        return multiply("cublas" #X #KIND "mv", h, alpha, beta, y, n, incy, [=](T a, T b) {                            \
            cblas_##P##PREFIX##mv(column_major, blas(f), n, AT(a), A, lda, x, incx, AT(b), y, incy);                   \
        });                                                                                                            \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##KIND##r_v2(void* h, Fill f, int n, const S* alpha, const T* x, int incx, T* A,  \
                                                  int lda) {                                                           \
        return update("cublas" #X #KIND "r", h, alpha, A, n, n, lda,                                                   \
                      [=](S a) { cblas_##P##PREFIX##r(column_major, blas(f), n, a, x, incx, A, lda); });               \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##KIND##r2_v2(void* h, Fill f, int n, const T* alpha, const T* x, int incx,       \
                                                   const T* y, int incy, T* A, int lda) {                              \
        return update("cublas" #X #KIND "r2", h, alpha, A, n, n, lda,                                                  \
                      [=](T a) { cblas_##P##PREFIX##r2(column_major, blas(f), n, AT(a), x, incx, y, incy, A, lda); }); \
    }                                                                                                                  \
    GPUPROJ_THREEFOLD(cublas##X##KIND##mv, 3, 8)                                                                       \
    GPUPROJ_THREEFOLD(cublas##X##KIND##r, 3)                                                                           \
    GPUPROJ_THREEFOLD(cublas##X##KIND##r2, 3)
GPUPROJ_SYMMETRIC(float, float, S, sy, s, sy, GPUPROJ_BY_VALUE)
GPUPROJ_SYMMETRIC(double, double, D, sy, d, sy, GPUPROJ_BY_VALUE)
GPUPROJ_SYMMETRIC(C32, float, C, he, c, he, GPUPROJ_BY_ADDRESS)
GPUPROJ_SYMMETRIC(C64, double, Z, he, z, he, GPUPROJ_BY_ADDRESS)

}  // namespace gpuproj::simulate::libraries::cublas
