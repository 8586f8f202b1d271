// Matrices and vectors, where of the matrix only a band or only one triangle lies in memory.
#include <algorithm>

#include "collector/simulate/libraries/cublas_level2.hpp"
#include "collector/simulate/libraries/cublas_other_interfaces.hpp"

namespace gpuproj::simulate::libraries::cublas {

namespace {

/// Numbers of a triangle.
constexpr std::int64_t packed(std::int64_t n) {
    return n * (n + 1) / 2;
}

/// use(place in the whole matrix, place in the packed one) for each number of a triangle.
template <class Use>
void each_packed(Fill f, std::int64_t n, std::int64_t lda, Use&& use) {
    std::int64_t k = 0;
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = f == Fill::lower ? j : 0; i < (f == Fill::lower ? n : j + 1); ++i) use(i + j * lda, k++);
}

/// f(alpha) changes a packed matrix.
template <class T, class S, class F>
int update_packed(const char* name, void* h, const S* alpha, T* A, int n, F&& f) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr || n < 0) return invalid_value;
    return submit(name, h, {}, A, static_cast<std::size_t>(packed(n)) * sizeof(T),
                  [=, a = Scalar<S>(*known, alpha)] { f(a()); });
}

}  // namespace

#define GPUPROJ_TRIANGLES_IN_BANDS(T, X, x, KIND)                                                                    \
    GPUPROJ_LIBRARY_API int cublas##X##tb##KIND##_v2(void* h, Fill f, Operation o, Diagonal d, int n, int k,         \
                                                     const T* A, int lda, T* v, int incv) {                          \
        return submit("cublas" #X "tb" #KIND, h, {}, v, bytes_of<T>(n, incv),                                        \
                      [=] { cblas_##x##tb##KIND(column_major, blas(f), blas(o), blas(d), n, k, A, lda, v, incv); }); \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cublas##X##tp##KIND##_v2(void* h, Fill f, Operation o, Diagonal d, int n, const T* A,    \
                                                     T* v, int incv) {                                               \
        return submit("cublas" #X "tp" #KIND, h, {}, v, bytes_of<T>(n, incv),                                        \
                      [=] { cblas_##x##tp##KIND(column_major, blas(f), blas(o), blas(d), n, A, v, incv); });         \
    }                                                                                                                \
    GPUPROJ_THREEFOLD(cublas##X##tb##KIND)                                                                           \
    GPUPROJ_THREEFOLD(cublas##X##tp##KIND)
#define GPUPROJ_TRIANGLES(T, X, x)          \
    GPUPROJ_TRIANGLES_IN_BANDS(T, X, x, mv) \
    GPUPROJ_TRIANGLES_IN_BANDS(T, X, x, sv)
GPUPROJ_TRIANGLES(float, S, s)
GPUPROJ_TRIANGLES(double, D, d)
GPUPROJ_TRIANGLES(C32, C, c)
GPUPROJ_TRIANGLES(C64, Z, z)

// Symmetric or Hermitian: BAND is sb or hb, PACKED sp or hp; R: what alpha is in an update of rank 1.
#define GPUPROJ_SYMMETRIC_PACKED(T, R, X, x, BAND, PACKED, AT)                                                         \
    GPUPROJ_LIBRARY_API int cublas##X##BAND##mv_v2(void* h, Fill f, int n, int k, const T* alpha, const T* A, int lda, \
                                                   const T* v, int incv, const T* beta, T* y, int incy) {              \
        return multiply("cublas" #X #BAND "mv", h, alpha, beta, y, n, incy, [=](T a, T b) {                            \
            cblas_##x##BAND##mv(column_major, blas(f), n, k, AT(a), A, lda, v, incv, AT(b), y, incy);                  \
        });                                                                                                            \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##PACKED##mv_v2(void* h, Fill f, int n, const T* alpha, const T* A, const T* v,   \
                                                     int incv, const T* beta, T* y, int incy) {                        \
        return multiply("cublas" #X #PACKED "mv", h, alpha, beta, y, n, incy, [=](T a, T b) {                          \
            cblas_##x##PACKED##mv(column_major, blas(f), n, AT(a), A, v, incv, AT(b), y, incy);                        \
        });                                                                                                            \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##PACKED##r_v2(void* h, Fill f, int n, const R* alpha, const T* v, int incv,      \
                                                    T* A) {                                                            \
        return update_packed("cublas" #X #PACKED "r", h, alpha, A, n,                                                  \
                             [=](R a) { cblas_##x##PACKED##r(column_major, blas(f), n, a, v, incv, A); });             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##PACKED##r2_v2(void* h, Fill f, int n, const T* alpha, const T* v, int incv,     \
                                                     const T* y, int incy, T* A) {                                     \
        return update_packed("cublas" #X #PACKED "r2", h, alpha, A, n, [=](T a) {                                      \
            cblas_##x##PACKED##r2(column_major, blas(f), n, AT(a), v, incv, y, incy, A);                               \
        });                                                                                                            \
    }                                                                                                                  \
    GPUPROJ_THREEFOLD(cublas##X##BAND##mv, 4, 9)                                                                       \
    GPUPROJ_THREEFOLD(cublas##X##PACKED##mv, 3, 7)                                                                     \
    GPUPROJ_THREEFOLD(cublas##X##PACKED##r, 3)                                                                         \
    GPUPROJ_THREEFOLD(cublas##X##PACKED##r2, 3)
GPUPROJ_SYMMETRIC_PACKED(float, float, S, s, sb, sp, GPUPROJ_BY_VALUE)
GPUPROJ_SYMMETRIC_PACKED(double, double, D, d, sb, sp, GPUPROJ_BY_VALUE)
GPUPROJ_SYMMETRIC_PACKED(C32, float, C, c, hb, hp, GPUPROJ_BY_ADDRESS)
GPUPROJ_SYMMETRIC_PACKED(C64, double, Z, z, hb, hp, GPUPROJ_BY_ADDRESS)

// There and back. The other triangle is left alone.
#define GPUPROJ_PACKING(T, X)                                                                                     \
    GPUPROJ_LIBRARY_API int cublas##X##tpttr(void* h, Fill f, int n, const T* compact, T* A, int lda) {           \
        if (n < 0 || lda < std::max(1, n)) return invalid_value;                                                  \
        return submit("cublas" #X "tpttr", h, {}, A, bytes_of<T>(n, n, lda), [=] {                                \
            each_packed(f, n, lda, [=](std::int64_t place, std::int64_t k) { A[place] = compact[k]; });           \
        });                                                                                                       \
    }                                                                                                             \
    GPUPROJ_LIBRARY_API int cublas##X##trttp(void* h, Fill f, int n, const T* A, int lda, T* compact) {           \
        if (n < 0 || lda < std::max(1, n)) return invalid_value;                                                  \
        return submit("cublas" #X "trttp", h, {}, compact, static_cast<std::size_t>(packed(n)) * sizeof(T), [=] { \
            each_packed(f, n, lda, [=](std::int64_t place, std::int64_t k) { compact[k] = A[place]; });           \
        });                                                                                                       \
    }
GPUPROJ_PACKING(float, S)
GPUPROJ_PACKING(double, D)
GPUPROJ_PACKING(C32, C)
GPUPROJ_PACKING(C64, Z)

}  // namespace gpuproj::simulate::libraries::cublas
