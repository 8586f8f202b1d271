// Symmetric matrices that need not be positive: Bunch and Kaufman's factorization. Without pivots it is refused, as
// LAPACK has none.
#include "collector/simulate/libraries/cusolver_generic.hpp"
#include "collector/simulate/libraries/lapack.hpp"
#include "collector/simulate/libraries/lu_without_pivots.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

bool has_pivots(const char* name, const void* pivots) {
    if (pivots == nullptr) gpuproj_library_refuses(library, name);
    return pivots != nullptr;
}

template <class T>
int sytrf_of(const char* name, void* h, Fill fill, int n, T* A, int lda, int* pivots, int* info) {
    if (!is_matrix(n, n, lda)) return invalid_value;
    if (!has_pivots(name, pivots)) return not_supported;
    return submit(name, h, [=] {
        give(info, lapack::sytrf(letter(fill), n, A, lda, pivots));
        wrote(A, n, n, lda);
        wrote(pivots, n);
    });
}
template <class T>
int sytri_of(const char* name, void* h, Fill fill, int n, T* A, int lda, const int* pivots, int* info) {
    if (!is_matrix(n, n, lda)) return invalid_value;
    if (!has_pivots(name, pivots)) return not_supported;
    return submit(name, h, [=] {
        give(info, lapack::sytri(letter(fill), n, A, lda, pivots));
        wrote(A, n, n, lda);
    });
}
template <class T>
int sytrs_of(const char* name, void* h, Fill fill, int n, int sides, const T* A, int lda, const std::int64_t* pivots,
             T* B, int ldb, int* info) {
    if (!is_matrix(n, n, lda) || !is_matrix(n, sides, ldb)) return invalid_value;
    if (!has_pivots(name, pivots)) return not_supported;
    return submit(name, h, [=] {
        const lapack::Pivots used(pivots, n);
        give(info, lapack::sytrs(letter(fill), n, sides, A, lda, used.get(), B, ldb));
        wrote(B, n, sides, ldb);
    });
}

}  // namespace

GPUPROJ_LIBRARY_API int cusolverDnXsytrs_bufferSize(void* h, Fill, std::int64_t, std::int64_t, DataType, const void*,
                                                    std::int64_t, const std::int64_t*, DataType, void*, std::int64_t,
                                                    std::size_t* device, std::size_t* host) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXsytrs(void* h, Fill fill, std::int64_t n, std::int64_t sides, DataType type,
                                         const void* A, std::int64_t lda, const std::int64_t* pivots, DataType type_b,
                                         void* B, std::int64_t ldb, void*, std::size_t, void*, std::size_t, int* info) {
    return with_type(type, {type_b}, A, [&]<class T>(const T* a) {
        return sytrs_of("cusolverDnXsytrs", h, fill, narrow(n), narrow(sides), a, narrow(lda), pivots,
                        static_cast<T*>(B), narrow(ldb), info);
    });
}

#define GPUPROJ_INDEFINITE(T, X)                                                                                       \
    GPUPROJ_LIBRARY_API int cusolverDn##X##sytrf_bufferSize(void* h, int, T*, int, int* size) {                        \
        return give_workspace(h, size);                                                                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##X##sytrf(void* h, Fill fill, int n, T* A, int lda, int* pivots, T*, int,       \
                                                 int* info) {                                                          \
        return sytrf_of("cusolverDn" #X "sytrf", h, fill, n, A, lda, pivots, info);                                    \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##X##sytri_bufferSize(void* h, Fill, int, T*, int, const int*, int* size) {      \
        return give_workspace(h, size);                                                                                \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##X##sytri(void* h, Fill fill, int n, T* A, int lda, const int* pivots, T*, int, \
                                                 int* info) {                                                          \
        return sytri_of("cusolverDn" #X "sytri", h, fill, n, A, lda, pivots, info);                                    \
    }
GPUPROJ_INDEFINITE(float, S)
GPUPROJ_INDEFINITE(double, D)
GPUPROJ_INDEFINITE(C32, C)
GPUPROJ_INDEFINITE(C64, Z)

}  // namespace gpuproj::simulate::libraries::cusolver
