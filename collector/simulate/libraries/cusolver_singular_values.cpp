// Singular values by the interface that names types in its functions' names.
#include "collector/simulate/libraries/cusolver_singular_values.hpp"

#include "collector/simulate/libraries/cusolver_jacobi.hpp"

namespace gpuproj::simulate::libraries::cusolver {

#define GPUPROJ_SINGULAR_VALUES(T, R, X)                                                                               \
    GPUPROJ_LIBRARY_API int cusolverDn##X##gesvd_bufferSize(void* h, int, int, int* size) {                            \
        return give_workspace(h, size);                                                                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##X##gesvd(void* h, signed char job_u, signed char job_vt, int m, int n, T* A,   \
                                                 int lda, R* S, T* U, int ldu, T* VT, int ldvt, T*, int, R*,           \
                                                 int* info) {                                                          \
        return gesvd_of("cusolverDn" #X "gesvd", h, static_cast<char>(job_u), static_cast<char>(job_vt), m, n, A, lda, \
                        S, U, ldu, VT, ldvt, info);                                                                    \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##X##gesvdj_bufferSize(void* h, int, int, int, int, const T*, int, const R*,     \
                                                             const T*, int, const T*, int, int* size, JacobiInfo*) {   \
        return give_workspace(h, size);                                                                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##X##gesvdj(void* h, int mode, int economic, int m, int n, T* A, int lda, R* S,  \
                                                  T* U, int ldu, T* V, int ldv, T*, int, int* info, JacobiInfo*) {     \
        return gesvdj_of("cusolverDn" #X "gesvdj", h, mode, economic, m, n, A, lda, S, U, ldu, V, ldv, info);          \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##X##gesvdjBatched_bufferSize(                                                   \
        void* h, int, int, int, const T*, int, const R*, const T*, int, const T*, int, int* size, JacobiInfo*, int) {  \
        return give_workspace(h, size);                                                                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##X##gesvdjBatched(void* h, int mode, int m, int n, T* A, int lda, R* S, T* U,   \
                                                         int ldu, T* V, int ldv, T*, int, int* info, JacobiInfo*,      \
                                                         int count) {                                                  \
        return gesvdj_of("cusolverDn" #X "gesvdjBatched", h, mode, 0, m, n, A, lda, S, U, ldu, V, ldv, info, count);   \
    }
GPUPROJ_SINGULAR_VALUES(float, float, S)
GPUPROJ_SINGULAR_VALUES(double, double, D)
GPUPROJ_SINGULAR_VALUES(C32, float, C)
GPUPROJ_SINGULAR_VALUES(C64, double, Z)

}  // namespace gpuproj::simulate::libraries::cusolver
