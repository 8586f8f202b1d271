// Singular values by the 64-bit interface, and approximations of low rank: the whole decomposition, cut off.
#include "collector/simulate/libraries/cusolver_generic.hpp"
#include "collector/simulate/libraries/cusolver_singular_values.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

template <class T>
int gesvdr_of(void* h, bool want_u, bool want_v, int m, int n, int rank, const T* A, int lda, Real<T>* S, T* U, int ldu,
              T* V, int ldv, int* info) {
    if (!is_matrix(m, n, lda) || rank < 0 || rank > std::min(m, n)) return invalid_value;
    if ((want_u && !is_matrix(m, rank, ldu)) || (want_v && !is_matrix(n, rank, ldv))) return invalid_value;
    return submit("cusolverDnXgesvdr", h, [=] {
        give(info, decompose_to_rank(rank, m, n, A, lda, S, want_u ? U : nullptr, ldu, want_v ? V : nullptr, ldv));
    });
}

/// Matrices at distances of `stride...`; `residuals`, on the host, may be nullptr.
template <class T>
int gesvda_of(const char* name, void* h, int mode, int rank, int m, int n, const T* A, int lda, long long stride_a,
              Real<T>* S, long long stride_s, T* U, int ldu, long long stride_u, T* V, int ldv, long long stride_v,
              int* info, double* residuals, int count) {
    if (!is_matrix(m, n, lda) || rank < 0 || rank > std::min(m, n) || count < 0) return invalid_value;
    const bool vectors = mode == 1;
    if (vectors && (!is_matrix(m, rank, ldu) || !is_matrix(n, rank, ldv))) return invalid_value;
    const int code = submit(name, h, [=] {
        for (int i = 0; i < count; ++i)
            give(info + i,
                 decompose_to_rank(rank, m, n, A + i * stride_a, lda, S + i * stride_s,
                                   vectors ? U + i * stride_u : nullptr, ldu, vectors ? V + i * stride_v : nullptr, ldv,
                                   residuals != nullptr ? residuals + i : nullptr));
    });
    return code == success && residuals != nullptr ? finish(h) : code;
}

}  // namespace

GPUPROJ_LIBRARY_API int cusolverDnXgesvd_bufferSize(void* h, void*, signed char, signed char, std::int64_t,
                                                    std::int64_t, DataType, const void*, std::int64_t, DataType,
                                                    const void*, DataType, const void*, std::int64_t, DataType,
                                                    const void*, std::int64_t, DataType, std::size_t* device,
                                                    std::size_t* host) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXgesvd(void* h, void*, signed char job_u, signed char job_vt, std::int64_t m,
                                         std::int64_t n, DataType type, void* A, std::int64_t lda, DataType type_s,
                                         void* S, DataType type_u, void* U, std::int64_t ldu, DataType type_vt,
                                         void* VT, std::int64_t ldvt, DataType compute, void*, std::size_t, void*,
                                         std::size_t, int* info) {
    if (type_s != real_part(type)) return invalid_value;
    return with_type(type, {type_u, type_vt, compute}, A, [&]<class T>(T* a) {
        return gesvd_of("cusolverDnXgesvd", h, static_cast<char>(job_u), static_cast<char>(job_vt), narrow(m),
                        narrow(n), a, narrow(lda), static_cast<Real<T>*>(S), static_cast<T*>(U), narrow(ldu),
                        static_cast<T*>(VT), narrow(ldvt), info);
    });
}

GPUPROJ_LIBRARY_API int cusolverDnXgesvdp_bufferSize(void* h, void*, int, int, std::int64_t, std::int64_t, DataType,
                                                     const void*, std::int64_t, DataType, const void*, DataType,
                                                     const void*, std::int64_t, DataType, const void*, std::int64_t,
                                                     DataType, std::size_t* device, std::size_t* host) {
    return give_workspaces(h, device, host);
}
/// `error` says how far the method had to disturb the singular values: not at all here.
GPUPROJ_LIBRARY_API int cusolverDnXgesvdp(void* h, void*, int mode, int economic, std::int64_t m, std::int64_t n,
                                          DataType type, void* A, std::int64_t lda, DataType type_s, void* S,
                                          DataType type_u, void* U, std::int64_t ldu, DataType type_v, void* V,
                                          std::int64_t ldv, DataType compute, void*, std::size_t, void*, std::size_t,
                                          int* info, double* error) {
    if (type_s != real_part(type)) return invalid_value;
    if (error != nullptr) *error = 0;
    return with_type(type, {type_u, type_v, compute}, A, [&]<class T>(T* a) {
        return gesvdj_of("cusolverDnXgesvdp", h, mode, economic, narrow(m), narrow(n), a, narrow(lda),
                         static_cast<Real<T>*>(S), static_cast<T*>(U), narrow(ldu), static_cast<T*>(V), narrow(ldv),
                         info);
    });
}

GPUPROJ_LIBRARY_API int cusolverDnXgesvdr_bufferSize(void* h, void*, signed char, signed char, std::int64_t,
                                                     std::int64_t, std::int64_t, std::int64_t, std::int64_t, DataType,
                                                     const void*, std::int64_t, DataType, const void*, DataType,
                                                     const void*, std::int64_t, DataType, const void*, std::int64_t,
                                                     DataType, std::size_t* device, std::size_t* host) {
    return give_workspaces(h, device, host);
}
/// `more`: by how many the random method goes beyond the rank, which only has to fit.
GPUPROJ_LIBRARY_API int cusolverDnXgesvdr(void* h, void*, signed char job_u, signed char job_v, std::int64_t m,
                                          std::int64_t n, std::int64_t rank, std::int64_t more, std::int64_t,
                                          DataType type, void* A, std::int64_t lda, DataType type_s, void* S,
                                          DataType type_u, void* U, std::int64_t ldu, DataType type_v, void* V,
                                          std::int64_t ldv, DataType compute, void*, std::size_t, void*, std::size_t,
                                          int* info) {
    if (type_s != real_part(type) || more < 0 || rank > std::min(m, n) - more) return invalid_value;
    return with_type(type, {type_u, type_v, compute}, A, [&]<class T>(T* a) {
        return gesvdr_of(h, job_u == 'S', job_v == 'S', narrow(m), narrow(n), narrow(rank), a, narrow(lda),
                         static_cast<Real<T>*>(S), static_cast<T*>(U), narrow(ldu), static_cast<T*>(V), narrow(ldv),
                         info);
    });
}

#define GPUPROJ_LOW_RANK(T, R, X)                                                                                     \
    GPUPROJ_LIBRARY_API int cusolverDn##X##gesvdaStridedBatched_bufferSize(                                           \
        void* h, int, int, int, int, const T*, int, long long, const R*, long long, const T*, int, long long,         \
        const T*, int, long long, int* size, int) {                                                                   \
        return give_workspace(h, size);                                                                               \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverDn##X##gesvdaStridedBatched(                                                      \
        void* h, int mode, int rank, int m, int n, const T* A, int lda, long long stride_a, R* S, long long stride_s, \
        T* U, int ldu, long long stride_u, T* V, int ldv, long long stride_v, T*, int, int* info, double* residuals,  \
        int count) {                                                                                                  \
        return gesvda_of("cusolverDn" #X "gesvdaStridedBatched", h, mode, rank, m, n, A, lda, stride_a, S, stride_s,  \
                         U, ldu, stride_u, V, ldv, stride_v, info, residuals, count);                                 \
    }
GPUPROJ_LOW_RANK(float, float, S)
GPUPROJ_LOW_RANK(double, double, D)
GPUPROJ_LOW_RANK(C32, float, C)
GPUPROJ_LOW_RANK(C64, double, Z)

}  // namespace gpuproj::simulate::libraries::cusolver
