// Some of the eigenvalues of symmetric and Hermitian matrices, and of pairs of them.
#include "collector/simulate/libraries/cusolver_chosen_eigenvalues.hpp"

namespace gpuproj::simulate::libraries::cusolver {

#define GPUPROJ_CHOSEN_EIGENVALUES(T, R, NAME)                                                                        \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##evdx_bufferSize(void* h, int, int, Fill, int, const T*, int, R, R, int, \
                                                              int, int*, const R*, int* size) {                       \
        return give_workspace(h, size);                                                                               \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##evdx(void* h, int mode, int range, Fill fill, int n, T* A, int lda,     \
                                                   R above, R up_to, int first, int last, int* found, R* W, T*, int,  \
                                                   int* info) {                                                       \
        return syevdx_of("cusolverDn" #NAME "evdx", h, mode, {range, above, up_to, first, last}, fill, n, A, lda, W,  \
                         found, info);                                                                                \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##gvdx_bufferSize(                                                        \
        void* h, int, int, int, Fill, int, const T*, int, const T*, int, R, R, int, int, int*, const R*, int* size) { \
        return give_workspace(h, size);                                                                               \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##gvdx(void* h, int type, int mode, int range, Fill fill, int n, T* A,    \
                                                   int lda, T* B, int ldb, R above, R up_to, int first, int last,     \
                                                   int* found, R* W, T*, int, int* info) {                            \
        return sygvdx_of("cusolverDn" #NAME "gvdx", h, type, mode, {range, above, up_to, first, last}, fill, n, A,    \
                         lda, B, ldb, W, found, info);                                                                \
    }
GPUPROJ_CHOSEN_EIGENVALUES(float, float, Ssy)
GPUPROJ_CHOSEN_EIGENVALUES(double, double, Dsy)
GPUPROJ_CHOSEN_EIGENVALUES(C32, float, Che)
GPUPROJ_CHOSEN_EIGENVALUES(C64, double, Zhe)

}  // namespace gpuproj::simulate::libraries::cusolver
