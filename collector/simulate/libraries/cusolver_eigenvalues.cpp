// Eigenvalues of symmetric and Hermitian matrices, all of them.
#include "collector/simulate/libraries/cusolver_eigenvalues.hpp"

#include "collector/simulate/libraries/cusolver_jacobi.hpp"

namespace gpuproj::simulate::libraries::cusolver {

#define GPUPROJ_EIGENVALUES(T, R, NAME)                                                                                \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##evd_bufferSize(void* h, int, Fill, int, const T*, int, const R*,         \
                                                             int* size) {                                              \
        return give_workspace(h, size);                                                                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##evd(void* h, int mode, Fill fill, int n, T* A, int lda, R* W, T*, int,   \
                                                  int* info) {                                                         \
        return eigenvalues("cusolverDn" #NAME "evd", h, mode, fill, n, A, lda, W, info);                               \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##evj_bufferSize(void* h, int, Fill, int, const T*, int, const R*,         \
                                                             int* size, JacobiInfo*) {                                 \
        return give_workspace(h, size);                                                                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##evj(void* h, int mode, Fill fill, int n, T* A, int lda, R* W, T*, int,   \
                                                  int* info, JacobiInfo*) {                                            \
        return eigenvalues("cusolverDn" #NAME "evj", h, mode, fill, n, A, lda, W, info);                               \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##evjBatched_bufferSize(void* h, int, Fill, int, const T*, int, const R*,  \
                                                                    int* size, JacobiInfo*, int) {                     \
        return give_workspace(h, size);                                                                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##evjBatched(void* h, int mode, Fill fill, int n, T* A, int lda, R* W, T*, \
                                                         int, int* info, JacobiInfo*, int count) {                     \
        return eigenvalues("cusolverDn" #NAME "evjBatched", h, mode, fill, n, A, lda, W, info, count);                 \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##gvd_bufferSize(void* h, int, int, Fill, int, const T*, int, const T*,    \
                                                             int, const R*, int* size) {                               \
        return give_workspace(h, size);                                                                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##gvd(void* h, int type, int mode, Fill fill, int n, T* A, int lda, T* B,  \
                                                  int ldb, R* W, T*, int, int* info) {                                 \
        return general_eigenvalues("cusolverDn" #NAME "gvd", h, type, mode, fill, n, A, lda, B, ldb, W, info);         \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##gvj_bufferSize(void* h, int, int, Fill, int, const T*, int, const T*,    \
                                                             int, const R*, int* size, JacobiInfo*) {                  \
        return give_workspace(h, size);                                                                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##gvj(void* h, int type, int mode, Fill fill, int n, T* A, int lda, T* B,  \
                                                  int ldb, R* W, T*, int, int* info, JacobiInfo*) {                    \
        return general_eigenvalues("cusolverDn" #NAME "gvj", h, type, mode, fill, n, A, lda, B, ldb, W, info);         \
    }
GPUPROJ_EIGENVALUES(float, float, Ssy)
GPUPROJ_EIGENVALUES(double, double, Dsy)
GPUPROJ_EIGENVALUES(C32, float, Che)
GPUPROJ_EIGENVALUES(C64, double, Zhe)

}  // namespace gpuproj::simulate::libraries::cusolver
