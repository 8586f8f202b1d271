// Cholesky, LU and QR of dense matrices, and what is done with them.
#include "collector/simulate/libraries/cusolver_letters.hpp"
#include "collector/simulate/libraries/lapack.hpp"
#include "collector/simulate/libraries/lu_without_pivots.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

template <class T>
int potrf_of(const char* name, void* h, Fill fill, int n, T* A, int lda, int* info) {
    if (!is_matrix(n, n, lda)) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::potrf(letter(fill), n, A, lda));
        wrote(A, n, n, lda);
    });
}
template <class T>
int potrs_of(const char* name, void* h, Fill fill, int n, int sides, const T* A, int lda, T* B, int ldb, int* info) {
    if (!is_matrix(n, n, lda) || !is_matrix(n, sides, ldb)) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::potrs(letter(fill), n, sides, A, lda, B, ldb));
        wrote(B, n, sides, ldb);
    });
}
template <class T>
int potri_of(const char* name, void* h, Fill fill, int n, T* A, int lda, int* info) {
    if (!is_matrix(n, n, lda)) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::potri(letter(fill), n, A, lda));
        wrote(A, n, n, lda);
    });
}
template <class T>
int potrf_batched(const char* name, void* h, Fill fill, int n, T* const A[], int lda, int* info, int count) {
    if (!is_matrix(n, n, lda) || count < 0) return invalid_value;
    return submit(name, h, [=] {
        for (int i = 0; i < count; ++i) {
            give(info + i, lapack::potrf(letter(fill), n, A[i], lda));
            wrote(A[i], n, n, lda);
        }
    });
}
// One info for all of them.
template <class T>
int potrs_batched(const char* name, void* h, Fill fill, int n, int sides, T* const A[], int lda, T* const B[], int ldb,
                  int* info, int count) {
    if (!is_matrix(n, n, lda) || !is_matrix(n, sides, ldb) || count < 0) return invalid_value;
    return submit(name, h, [=] {
        int said = 0;
        for (int i = 0; i < count; ++i) {
            said = std::min(said, lapack::potrs(letter(fill), n, sides, A[i], lda, B[i], ldb));
            wrote(B[i], n, sides, ldb);
        }
        give(info, said);
    });
}

template <class T>
int getrf_of(const char* name, void* h, int m, int n, T* A, int lda, int* pivots, int* info) {
    if (!is_matrix(m, n, lda)) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::factor_lu(m, n, A, lda, pivots));
        wrote(A, m, n, lda);
        wrote(pivots, std::min(m, n));
    });
}
template <class T>
int getrs_of(const char* name, void* h, Operation operation, int n, int sides, const T* A, int lda, const int* pivots,
             T* B, int ldb, int* info) {
    if (!is_matrix(n, n, lda) || !is_matrix(n, sides, ldb)) return invalid_value;
    return submit(name, h, [=] {
        const lapack::Pivots used(pivots, n);
        give(info, lapack::getrs(letter<T>(operation), n, sides, A, lda, used.get(), B, ldb));
        wrote(B, n, sides, ldb);
    });
}

template <class T>
int geqrf_of(const char* name, void* h, int m, int n, T* A, int lda, T* tau, int* info) {
    if (!is_matrix(m, n, lda)) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::geqrf(m, n, A, lda, tau));
        wrote(A, m, n, lda);
        wrote(tau, std::min(m, n));
    });
}
template <class T>
int orgqr_of(const char* name, void* h, int m, int n, int k, T* A, int lda, const T* tau, int* info) {
    if (!is_matrix(m, n, lda) || n > m || k < 0 || k > n) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::orgqr(m, n, k, A, lda, tau));
        wrote(A, m, n, lda);
    });
}
template <class T>
int ormqr_of(const char* name, void* h, Side side, Operation operation, int m, int n, int k, const T* A, int lda,
             const T* tau, T* C, int ldc, int* info) {
    const int order = side == Side::left ? m : n;
    if (!is_matrix(m, n, ldc) || !is_matrix(order, k, lda) || k > order) return invalid_value;
    if (is_complex<T> && operation == Operation::transpose) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::ormqr(letter(side), letter<T>(operation), m, n, k, A, lda, tau, C, ldc));
        wrote(C, m, n, ldc);
    });
}

}  // namespace

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
