// Singular values, by QR iteration whatever method is asked for.
#include "collector/simulate/libraries/cusolver_jacobi.hpp"
#include "collector/simulate/libraries/cusolver_letters.hpp"
#include "collector/simulate/libraries/lapack.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

template <class T, class R>
int gesvd_of(const char* name, void* h, char job_u, char job_vt, int m, int n, T* A, int lda, R* S, T* U, int ldu,
             T* VT, int ldvt, int* info) {
    if (!is_matrix(m, n, lda)) return invalid_value;
    return submit(name, h, [=] {
        const int least = std::min(m, n);
        give(info, lapack::gesvd(job_u, job_vt, m, n, A, lda, S, U, std::max(1, ldu), VT, std::max(1, ldvt), S));
        wrote(A, m, n, lda);
        wrote(S, least);
        if (job_u == 'A' || job_u == 'S') wrote(U, m, job_u == 'A' ? m : least, ldu);
        if (job_vt == 'A' || job_vt == 'S') wrote(VT, job_vt == 'A' ? n : least, n, ldvt);
    });
}

/// Gives V where LAPACK gives its conjugate transpose.
template <class T, class R>
int decompose(bool vectors, bool economic, int m, int n, T* A, int lda, R* S, T* U, int ldu, T* V, int ldv) {
    const int least = std::min(m, n), columns_u = economic ? least : m, columns_v = economic ? least : n;
    const char job = !vectors ? 'N' : economic ? 'S' : 'A';
    std::vector<T> transposed(vectors ? static_cast<std::size_t>(columns_v) * static_cast<std::size_t>(n) : 0);
    const int said =
        lapack::gesvd(job, job, m, n, A, lda, S, U, std::max(1, ldu), transposed.data(), std::max(1, columns_v), S);
    wrote(A, m, n, lda);
    wrote(S, least);
    if (!vectors) return said;
    for (std::int64_t j = 0; j < columns_v; ++j)
        for (std::int64_t i = 0; i < n; ++i) {
            const T value = transposed[j + i * columns_v];
            if constexpr (is_complex<T>)
                V[i + j * ldv] = std::conj(value);
            else
                V[i + j * ldv] = value;
        }
    wrote(U, m, columns_u, ldu);
    wrote(V, n, columns_v, ldv);
    return said;
}

/// Matrices one behind the other.
template <class T, class R>
int gesvdj_of(const char* name, void* h, int mode, int economic, int m, int n, T* A, int lda, R* S, T* U, int ldu, T* V,
              int ldv, int* info, int count = 1) {
    if (!is_matrix(m, n, lda) || count < 0) return invalid_value;
    if (mode == 1 && (!is_matrix(m, n, ldu) || !is_matrix(n, n, ldv))) return invalid_value;
    return submit(name, h, [=] {
        for (std::int64_t i = 0; i < count; ++i)
            give(info + i,
                 decompose(mode == 1, economic != 0, m, n, A + i * lda * n, lda, S + i * std::min(m, n),
                           mode == 1 ? U + i * ldu * m : nullptr, ldu, mode == 1 ? V + i * ldv * n : nullptr, ldv));
    });
}

}  // namespace

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
