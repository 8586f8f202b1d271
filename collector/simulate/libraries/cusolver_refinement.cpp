// Linear systems and least squares with iterative refinement. Solved in the matrix' own precision from the beginning,
// whatever lower one is asked for, so that there is nothing to refine: 0 iterations.
#include "collector/simulate/libraries/cusolver_letters.hpp"
#include "collector/simulate/libraries/cusolver_refinement_wishes.hpp"
#include "collector/simulate/libraries/lapack.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

/// By columns one behind the other, with `rows` for them.
template <class T>
std::vector<T> copied(const T* from, int leading, int m, int n, int rows) {
    std::vector<T> to(static_cast<std::size_t>(rows) * static_cast<std::size_t>(n));
    for (std::int64_t j = 0; j < n; ++j) std::copy_n(from + j * leading, m, to.data() + j * rows);
    return to;
}
template <class T>
void give_solution(const std::vector<T>& from, int rows, int n, int sides, T* X, int ldx) {
    for (std::int64_t j = 0; j < sides; ++j) std::copy_n(from.data() + j * rows, n, X + j * ldx);
    wrote(X, n, sides, ldx);
}

/// Leaves A and B as they are. `pivots` may be nullptr; `iterations` is on the host.
template <class T>
int gesv_of(const char* name, void* h, int n, int sides, const T* A, int lda, int* pivots, const T* B, int ldb, T* X,
            int ldx, int* iterations, int* info) {
    if (!is_matrix(n, n, lda) || !is_matrix(n, sides, ldb) || !is_matrix(n, sides, ldx) || iterations == nullptr)
        return invalid_value;
    *iterations = 0;
    return submit(name, h, [=] {
        const int rows = std::max(n, 1);
        std::vector<T> a = copied(A, lda, n, n, rows), x = copied(B, ldb, n, sides, rows);
        std::vector<int> exchanged(static_cast<std::size_t>(n));
        const int said = lapack::getrf(n, n, a.data(), rows, exchanged.data());
        give(info, said);
        if (said != 0) return;
        lapack::getrs('N', n, sides, a.data(), rows, exchanged.data(), x.data(), rows);
        give_solution(x, rows, n, sides, X, ldx);
        if (pivots != nullptr) std::copy(exchanged.begin(), exchanged.end(), pivots);
        wrote(pivots, n);
    });
}

template <class T>
int gels_of(const char* name, void* h, int m, int n, int sides, const T* A, int lda, const T* B, int ldb, T* X, int ldx,
            int* iterations, int* info) {
    if (!is_matrix(m, n, lda) || n > m || !is_matrix(m, sides, ldb) || !is_matrix(n, sides, ldx) ||
        iterations == nullptr)
        return invalid_value;
    *iterations = 0;
    return submit(name, h, [=] {
        const int rows = std::max(m, 1);
        std::vector<T> a = copied(A, lda, m, n, rows), x = copied(B, ldb, m, sides, rows);
        const int said = lapack::gels(m, n, sides, a.data(), rows, x.data(), rows);
        give(info, said);
        if (said == 0) give_solution(x, rows, n, sides, X, ldx);
    });
}

int give_bytes(void* h, std::size_t* bytes) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (bytes == nullptr) return invalid_value;
    *bytes = workspace_elements * sizeof(C64);
    return success;
}

int give_bytes_of_wishes(void* h, const RefinementParams* params, std::size_t* bytes) {
    if (params == nullptr) return irs_params_not_initialized;
    return give_bytes(h, bytes);
}

/// `solve` is called with a pointer to numbers of the precision that is asked for.
template <class F>
int with_precision(const RefinementParams* params, const RefinementInfos* infos, F&& solve) {
    if (params == nullptr) return irs_params_not_initialized;
    if (infos == nullptr) return irs_infos_not_initialized;
    if (params->solver == RefinementParams::not_set) return irs_params_invalid_refine;
    switch (params->main_precision) {
        case Precision::f32:
            return solve(static_cast<float*>(nullptr));
        case Precision::f64:
            return solve(static_cast<double*>(nullptr));
        case Precision::c32:
            return solve(static_cast<C32*>(nullptr));
        case Precision::c64:
            return solve(static_cast<C64*>(nullptr));
        default:
            return irs_params_invalid_prec;
    }
}

}  // namespace

GPUPROJ_LIBRARY_API int cusolverDnIRSXgesv_bufferSize(void* h, const RefinementParams* params, int, int,
                                                      std::size_t* bytes) {
    return give_bytes_of_wishes(h, params, bytes);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSXgesv(void* h, const RefinementParams* params, const RefinementInfos* infos, int n,
                                           int sides, void* A, int lda, void* B, int ldb, void* X, int ldx, void*,
                                           std::size_t, int* iterations, int* info) {
    return with_precision(params, infos, [&]<class T>(T*) {
        return gesv_of("cusolverDnIRSXgesv", h, n, sides, static_cast<const T*>(A), lda, nullptr,
                       static_cast<const T*>(B), ldb, static_cast<T*>(X), ldx, iterations, info);
    });
}
GPUPROJ_LIBRARY_API int cusolverDnIRSXgels_bufferSize(void* h, const RefinementParams* params, int, int, int,
                                                      std::size_t* bytes) {
    return give_bytes_of_wishes(h, params, bytes);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSXgels(void* h, const RefinementParams* params, const RefinementInfos* infos, int m,
                                           int n, int sides, void* A, int lda, void* B, int ldb, void* X, int ldx,
                                           void*, std::size_t, int* iterations, int* info) {
    return with_precision(params, infos, [&]<class T>(T*) {
        return gels_of("cusolverDnIRSXgels", h, m, n, sides, static_cast<const T*>(A), lda, static_cast<const T*>(B),
                       ldb, static_cast<T*>(X), ldx, iterations, info);
    });
}

// The second letter is the lowest precision that the factorization may have.
#define GPUPROJ_REFINED(T, NAME)                                                                                    \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##gesv_bufferSize(void* h, int, int, T*, int, int*, T*, int, T*, int,   \
                                                              void*, std::size_t* bytes) {                          \
        return give_bytes(h, bytes);                                                                                \
    }                                                                                                               \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##gesv(void* h, int n, int sides, T* A, int lda, int* pivots, T* B,     \
                                                   int ldb, T* X, int ldx, void*, std::size_t, int* iterations,     \
                                                   int* info) {                                                     \
        return gesv_of("cusolverDn" #NAME "gesv", h, n, sides, A, lda, pivots, B, ldb, X, ldx, iterations, info);   \
    }                                                                                                               \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##gels_bufferSize(void* h, int, int, int, T*, int, T*, int, T*, int,    \
                                                              void*, std::size_t* bytes) {                          \
        return give_bytes(h, bytes);                                                                                \
    }                                                                                                               \
    GPUPROJ_LIBRARY_API int cusolverDn##NAME##gels(void* h, int m, int n, int sides, T* A, int lda, T* B, int ldb,  \
                                                   T* X, int ldx, void*, std::size_t, int* iterations, int* info) { \
        return gels_of("cusolverDn" #NAME "gels", h, m, n, sides, A, lda, B, ldb, X, ldx, iterations, info);        \
    }
GPUPROJ_REFINED(C64, ZZ)
GPUPROJ_REFINED(C64, ZC)
GPUPROJ_REFINED(C64, ZK)
GPUPROJ_REFINED(C64, ZE)
GPUPROJ_REFINED(C64, ZY)
GPUPROJ_REFINED(C32, CC)
GPUPROJ_REFINED(C32, CK)
GPUPROJ_REFINED(C32, CE)
GPUPROJ_REFINED(C32, CY)
GPUPROJ_REFINED(double, DD)
GPUPROJ_REFINED(double, DS)
GPUPROJ_REFINED(double, DH)
GPUPROJ_REFINED(double, DB)
GPUPROJ_REFINED(double, DX)
GPUPROJ_REFINED(float, SS)
GPUPROJ_REFINED(float, SH)
GPUPROJ_REFINED(float, SB)
GPUPROJ_REFINED(float, SX)

}  // namespace gpuproj::simulate::libraries::cusolver
