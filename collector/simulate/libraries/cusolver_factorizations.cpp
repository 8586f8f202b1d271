// Cholesky, LU and QR by the interface that names types in its functions' names.
#include "collector/simulate/libraries/cusolver_factorizations.hpp"

namespace gpuproj::simulate::libraries::cusolver {

#define GPUPROJ_CHOLESKY(T, X)                                                                                       \
    GPUPROJ_LIBRARY_API int cusolverDn##X##potrf_bufferSize(void* h, Fill, int, T*, int, int* size) {                \
        return give_workspace(h, size);                                                                              \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusolverDn##X##potrf(void* h, Fill fill, int n, T* A, int lda, T*, int, int* info) {     \
        return potrf_of("cusolverDn" #X "potrf", h, fill, n, A, lda, info);                                          \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusolverDn##X##potrs(void* h, Fill fill, int n, int sides, const T* A, int lda, T* B,    \
                                                 int ldb, int* info) {                                               \
        return potrs_of("cusolverDn" #X "potrs", h, fill, n, sides, A, lda, B, ldb, info);                           \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusolverDn##X##potri_bufferSize(void* h, Fill, int, T*, int, int* size) {                \
        return give_workspace(h, size);                                                                              \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusolverDn##X##potri(void* h, Fill fill, int n, T* A, int lda, T*, int, int* info) {     \
        return potri_of("cusolverDn" #X "potri", h, fill, n, A, lda, info);                                          \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusolverDn##X##potrfBatched(void* h, Fill fill, int n, T* const A[], int lda, int* info, \
                                                        int count) {                                                 \
        return potrf_batched("cusolverDn" #X "potrfBatched", h, fill, n, A, lda, info, count);                       \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusolverDn##X##potrsBatched(void* h, Fill fill, int n, int sides, T* const A[], int lda, \
                                                        T* const B[], int ldb, int* info, int count) {               \
        return potrs_batched("cusolverDn" #X "potrsBatched", h, fill, n, sides, A, lda, B, ldb, info, count);        \
    }
#define GPUPROJ_LU(T, X)                                                                                              \
    GPUPROJ_LIBRARY_API int cusolverDn##X##getrf_bufferSize(void* h, int, int, T*, int, int* size) {                  \
        return give_workspace(h, size);                                                                               \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##X##getrf(void* h, int m, int n, T* A, int lda, T*, int* pivots, int* info) {  \
        return getrf_of("cusolverDn" #X "getrf", h, m, n, A, lda, pivots, info);                                      \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##X##getrs(void* h, Operation operation, int n, int sides, const T* A, int lda, \
                                                 const int* pivots, T* B, int ldb, int* info) {                       \
        return getrs_of("cusolverDn" #X "getrs", h, operation, n, sides, A, lda, pivots, B, ldb, info);               \
    }
#define GPUPROJ_QR(T, X, ORGQR, ORMQR)                                                                                \
    GPUPROJ_LIBRARY_API int cusolverDn##X##geqrf_bufferSize(void* h, int, int, T*, int, int* size) {                  \
        return give_workspace(h, size);                                                                               \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##X##geqrf(void* h, int m, int n, T* A, int lda, T* tau, T*, int, int* info) {  \
        return geqrf_of("cusolverDn" #X "geqrf", h, m, n, A, lda, tau, info);                                         \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##X##ORGQR##_bufferSize(void* h, int, int, int, const T*, int, const T*,        \
                                                              int* size) {                                            \
        return give_workspace(h, size);                                                                               \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##X##ORGQR(void* h, int m, int n, int k, T* A, int lda, const T* tau, T*, int,  \
                                                 int* info) {                                                         \
        return orgqr_of("cusolverDn" #X #ORGQR, h, m, n, k, A, lda, tau, info);                                       \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##X##ORMQR##_bufferSize(void* h, Side, Operation, int, int, int, const T*, int, \
                                                              const T*, const T*, int, int* size) {                   \
        return give_workspace(h, size);                                                                               \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##X##ORMQR(void* h, Side side, Operation operation, int m, int n, int k,        \
                                                 const T* A, int lda, const T* tau, T* C, int ldc, T*, int,           \
                                                 int* info) {                                                         \
        return ormqr_of("cusolverDn" #X #ORMQR, h, side, operation, m, n, k, A, lda, tau, C, ldc, info);              \
    }
#define GPUPROJ_FACTORIZATIONS(T, X, ORGQR, ORMQR) \
    GPUPROJ_CHOLESKY(T, X)                         \
    GPUPROJ_LU(T, X)                               \
    GPUPROJ_QR(T, X, ORGQR, ORMQR)
GPUPROJ_FACTORIZATIONS(float, S, orgqr, ormqr)
GPUPROJ_FACTORIZATIONS(double, D, orgqr, ormqr)
GPUPROJ_FACTORIZATIONS(C32, C, ungqr, unmqr)
GPUPROJ_FACTORIZATIONS(C64, Z, ungqr, unmqr)

}  // namespace gpuproj::simulate::libraries::cusolver
