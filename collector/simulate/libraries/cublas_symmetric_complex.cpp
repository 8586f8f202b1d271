// Complex matrices that are symmetric, not Hermitian, and a vector: BLAS has no functions for them. Plain loops.
#include "collector/simulate/libraries/cublas_level2.hpp"
#include "collector/simulate/libraries/cublas_other_interfaces.hpp"

namespace gpuproj::simulate::libraries::cublas {

namespace {

/// A vector whose numbers are `step` apart, from the end if that is negative.
template <class T>
struct Strided {
    T* first;
    std::int64_t step;
    Strided(T* begin, int n, int increment)
        : first(increment < 0 ? begin - static_cast<std::int64_t>(n - 1) * increment : begin), step(increment) {}
    T& operator[](std::int64_t i) const { return first[i * step]; }
};

bool in_triangle(Fill f, std::int64_t i, std::int64_t j) {
    return f == Fill::lower ? i >= j : i <= j;
}

template <class T>
void symv(Fill f, int n, T a, const T* A, int lda, const T* x, int incx, T b, T* y, int incy) {
    const Strided from(x, n, incx);
    const Strided to(y, n, incy);
    for (std::int64_t i = 0; i < n; ++i) {
        T sum{};
        for (std::int64_t j = 0; j < n; ++j)
            sum += (in_triangle(f, i, j) ? A[i + j * lda] : A[j + i * static_cast<std::int64_t>(lda)]) * from[j];
        to[i] = a * sum + (b == T{} ? T{} : b * to[i]);
    }
}

/// A += a (x y^T + y x^T), or half of that, a x y^T, if both are the same.
template <class T>
void syr2(Fill f, int n, T a, const T* x, int incx, const T* y, int incy, bool once, T* A, int lda) {
    const Strided first(x, n, incx), second(y, n, incy);
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i)
            if (in_triangle(f, i, j))
                A[i + j * lda] += a * (first[i] * second[j] + (once ? T{} : second[i] * first[j]));
}

}  // namespace

#define GPUPROJ_SYMMETRIC_COMPLEX(T, X)                                                                           \
    GPUPROJ_LIBRARY_API int cublas##X##symv_v2(void* h, Fill f, int n, const T* alpha, const T* A, int lda,       \
                                               const T* x, int incx, const T* beta, T* y, int incy) {             \
        return multiply("cublas" #X "symv", h, alpha, beta, y, n, incy,                                           \
                        [=](T a, T b) { symv(f, n, a, A, lda, x, incx, b, y, incy); });                           \
    }                                                                                                             \
    GPUPROJ_LIBRARY_API int cublas##X##syr_v2(void* h, Fill f, int n, const T* alpha, const T* x, int incx, T* A, \
                                              int lda) {                                                          \
        return update("cublas" #X "syr", h, alpha, A, n, n, lda,                                                  \
                      [=](T a) { syr2(f, n, a, x, incx, x, incx, true, A, lda); });                               \
    }                                                                                                             \
    GPUPROJ_LIBRARY_API int cublas##X##syr2_v2(void* h, Fill f, int n, const T* alpha, const T* x, int incx,      \
                                               const T* y, int incy, T* A, int lda) {                             \
        return update("cublas" #X "syr2", h, alpha, A, n, n, lda,                                                 \
                      [=](T a) { syr2(f, n, a, x, incx, y, incy, false, A, lda); });                              \
    }                                                                                                             \
    GPUPROJ_64(cublas##X##symv_v2)                                                                                \
    GPUPROJ_64(cublas##X##syr_v2)                                                                                 \
    GPUPROJ_64(cublas##X##syr2_v2)
GPUPROJ_SYMMETRIC_COMPLEX(C32, C)
GPUPROJ_SYMMETRIC_COMPLEX(C64, Z)

}  // namespace gpuproj::simulate::libraries::cublas
