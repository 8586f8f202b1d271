// Vectors.
#include "collector/simulate/libraries/cublas_blas.hpp"
#include "collector/simulate/libraries/cublas_other_interfaces.hpp"

namespace gpuproj::simulate::libraries::cublas {

namespace {

template <class T>
int axpy_of(const char* name, void* handle, int n, const T* alpha, const T* x, int incx, T* y, int incy) {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr) return invalid_value;
    return submit(name, handle, {alpha}, y, bytes_of<T>(n, incy),
                  [=, a = Scalar<T>(*known, alpha)] { axpy(n, a(), x, incx, y, incy); });
}

template <class T, class S>
int scal_of(const char* name, void* handle, int n, const S* alpha, T* x, int incx) {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr) return invalid_value;
    return submit(name, handle, {alpha}, x, bytes_of<T>(n, incx),
                  [=, a = Scalar<S>(*known, alpha)] { scal(n, static_cast<T>(a()), x, incx); });
}

/// A result that goes to the host or to device memory.
template <class R, class F>
int reduce(const char* name, void* handle, R* result, F&& value) {
    return submit(name, handle, {result}, result, sizeof(R), [result, value] { *result = value(); });
}

template <class T>
T dot(int n, const T* x, int incx, const T* y, int incy, bool conjugate) {
    if constexpr (std::is_same_v<T, float>)
        return cblas_sdot(n, x, incx, y, incy);
    else if constexpr (std::is_same_v<T, double>)
        return cblas_ddot(n, x, incx, y, incy);
    else {
        T sum{};
        if constexpr (std::is_same_v<T, C32>)
            (conjugate ? cblas_cdotc_sub : cblas_cdotu_sub)(n, x, incx, y, incy, &sum);
        else
            (conjugate ? cblas_zdotc_sub : cblas_zdotu_sub)(n, x, incx, y, incy, &sum);
        return sum;
    }
}

}  // namespace

// Here the result has 64 bits, too.
#define GPUPROJ_PLACE_64(NAME, FIND, T)                                                                        \
    GPUPROJ_LIBRARY_API int NAME##_v2_64(void* h, std::int64_t n, const T* x, std::int64_t incx,               \
                                         std::int64_t* result) {                                               \
        if (!fits<int>(n) || !fits<int>(incx)) return not_supported;                                           \
        return reduce(#NAME, h, result, [=] {                                                                  \
            return incx < 1 ? std::int64_t{0}                                                                  \
                            : static_cast<std::int64_t>(FIND(static_cast<int>(n), x, static_cast<int>(incx))); \
        });                                                                                                    \
    }                                                                                                          \
    GPUPROJ_RETURNING(NAME)
#define GPUPROJ_LEVEL_1(T, R, X, I, N)                                                                                 \
    GPUPROJ_LIBRARY_API int cublas##X##axpy_v2(void* h, int n, const T* alpha, const T* x, int incx, T* y, int incy) { \
        return axpy_of("cublas" #X "axpy", h, n, alpha, x, incx, y, incy);                                             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##scal_v2(void* h, int n, const T* alpha, T* x, int incx) {                       \
        return scal_of("cublas" #X "scal", h, n, alpha, x, incx);                                                      \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##copy_v2(void* h, int n, const T* x, int incx, T* y, int incy) {                 \
        return submit("cublas" #X "copy", h, {}, y, bytes_of<T>(n, incy), [=] { copy(n, x, incx, y, incy); });         \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##swap_v2(void* h, int n, T* x, int incx, T* y, int incy) {                       \
        return submit("cublas" #X "swap", h, {}, y, bytes_of<T>(n, incy), [=] {                                        \
            swap(n, x, incx, y, incy);                                                                                 \
            gpuproj_library_wrote(x, bytes_of<T>(n, incx));                                                            \
        });                                                                                                            \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublasI##I##amax_v2(void* h, int n, const T* x, int incx, int* result) {                   \
        return reduce("cublasI" #I "amax", h, result, [=] { return incx < 1 ? 0 : amax(n, x, incx); });                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublasI##I##amin_v2(void* h, int n, const T* x, int incx, int* result) {                   \
        return reduce("cublasI" #I "amin", h, result, [=] { return incx < 1 ? 0 : amin(n, x, incx); });                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##N##asum_v2(void* h, int n, const T* x, int incx, R* result) {                      \
        return reduce("cublas" #N "asum", h, result, [=] { return asum(n, x, incx); });                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##N##nrm2_v2(void* h, int n, const T* x, int incx, R* result) {                      \
        return reduce("cublas" #N "nrm2", h, result, [=] { return nrm2(n, x, incx); });                                \
    }                                                                                                                  \
    GPUPROJ_THREEFOLD(cublas##X##axpy, 2)                                                                              \
    GPUPROJ_THREEFOLD(cublas##X##scal, 2)                                                                              \
    GPUPROJ_THREEFOLD(cublas##X##copy)                                                                                 \
    GPUPROJ_THREEFOLD(cublas##X##swap)                                                                                 \
    GPUPROJ_PLACE_64(cublasI##I##amax, amax, T)                                                                        \
    GPUPROJ_PLACE_64(cublasI##I##amin, amin, T)                                                                        \
    GPUPROJ_64(cublas##N##asum_v2)                                                                                     \
    GPUPROJ_RETURNING(cublas##N##asum)                                                                                 \
    GPUPROJ_64(cublas##N##nrm2_v2)                                                                                     \
    GPUPROJ_RETURNING(cublas##N##nrm2)
GPUPROJ_LEVEL_1(float, float, S, s, S)
GPUPROJ_LEVEL_1(double, double, D, d, D)
GPUPROJ_LEVEL_1(C32, float, C, c, Sc)
GPUPROJ_LEVEL_1(C64, double, Z, z, Dz)

#define GPUPROJ_DOT(T, NAME, CONJUGATE)                                                                                \
    GPUPROJ_LIBRARY_API int cublas##NAME##_v2(void* h, int n, const T* x, int incx, const T* y, int incy, T* result) { \
        return reduce("cublas" #NAME, h, result, [=] { return dot(n, x, incx, y, incy, CONJUGATE); });                 \
    }                                                                                                                  \
    GPUPROJ_64(cublas##NAME##_v2)                                                                                      \
    GPUPROJ_RETURNING(cublas##NAME)
GPUPROJ_DOT(float, Sdot, false)
GPUPROJ_DOT(double, Ddot, false)
GPUPROJ_DOT(C32, Cdotu, false)
GPUPROJ_DOT(C32, Cdotc, true)
GPUPROJ_DOT(C64, Zdotu, false)
GPUPROJ_DOT(C64, Zdotc, true)

GPUPROJ_LIBRARY_API int cublasCsscal_v2(void* h, int n, const float* alpha, C32* x, int incx) {
    return scal_of("cublasCsscal", h, n, alpha, x, incx);
}
GPUPROJ_LIBRARY_API int cublasZdscal_v2(void* h, int n, const double* alpha, C64* x, int incx) {
    return scal_of("cublasZdscal", h, n, alpha, x, incx);
}
GPUPROJ_THREEFOLD(cublasCsscal, 2)
GPUPROJ_THREEFOLD(cublasZdscal, 2)

}  // namespace gpuproj::simulate::libraries::cublas
