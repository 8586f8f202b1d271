// Cholesky, LU and QR by the 64-bit interface, and the handles of its wishes.
#include "collector/simulate/libraries/cusolver_factorizations.hpp"
#include "collector/simulate/libraries/cusolver_generic.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

/// What cusolverDnParams_t points to: which algorithm is wished for, which is heard and changes nothing.
struct Params {
    int algorithm = 0;
};

}  // namespace

GPUPROJ_LIBRARY_API int cusolverDnCreateParams(Params** out) {
    if (out == nullptr) return invalid_value;
    *out = new (std::nothrow) Params;
    return *out != nullptr ? success : allocation_failed;
}
GPUPROJ_LIBRARY_API int cusolverDnDestroyParams(Params* params) {
    delete params;
    return success;
}
GPUPROJ_LIBRARY_API int cusolverDnSetAdvOptions(Params* params, int, int algorithm) {
    constexpr int last_algorithm = 2;
    if (params == nullptr || algorithm < 0 || algorithm > last_algorithm) return invalid_value;
    params->algorithm = algorithm;
    return success;
}

GPUPROJ_LIBRARY_API int cusolverDnXpotrf_bufferSize(void* h, Params*, Fill, std::int64_t, DataType, const void*,
                                                    std::int64_t, DataType, std::size_t* device, std::size_t* host) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXpotrf(void* h, Params*, Fill fill, std::int64_t n, DataType type, void* A,
                                         std::int64_t lda, DataType compute, void*, std::size_t, void*, std::size_t,
                                         int* info) {
    return with_type(type, {compute}, A,
                     [&](auto* a) { return potrf_of("cusolverDnXpotrf", h, fill, narrow(n), a, narrow(lda), info); });
}
GPUPROJ_LIBRARY_API int cusolverDnXpotrs(void* h, Params*, Fill fill, std::int64_t n, std::int64_t sides, DataType type,
                                         const void* A, std::int64_t lda, DataType type_b, void* B, std::int64_t ldb,
                                         int* info) {
    return with_type(type, {type_b}, A, [&]<class T>(const T* a) {
        return potrs_of("cusolverDnXpotrs", h, fill, narrow(n), narrow(sides), a, narrow(lda), static_cast<T*>(B),
                        narrow(ldb), info);
    });
}

GPUPROJ_LIBRARY_API int cusolverDnXgetrf_bufferSize(void* h, Params*, std::int64_t, std::int64_t, DataType, const void*,
                                                    std::int64_t, DataType, std::size_t* device, std::size_t* host) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXgetrf(void* h, Params*, std::int64_t m, std::int64_t n, DataType type, void* A,
                                         std::int64_t lda, std::int64_t* pivots, DataType compute, void*, std::size_t,
                                         void*, std::size_t, int* info) {
    return with_type(type, {compute}, A, [&](auto* a) {
        return getrf_of("cusolverDnXgetrf", h, narrow(m), narrow(n), a, narrow(lda), pivots, info);
    });
}
GPUPROJ_LIBRARY_API int cusolverDnXgetrs(void* h, Params*, Operation operation, std::int64_t n, std::int64_t sides,
                                         DataType type, const void* A, std::int64_t lda, const std::int64_t* pivots,
                                         DataType type_b, void* B, std::int64_t ldb, int* info) {
    return with_type(type, {type_b}, A, [&]<class T>(const T* a) {
        return getrs_of("cusolverDnXgetrs", h, operation, narrow(n), narrow(sides), a, narrow(lda), pivots,
                        static_cast<T*>(B), narrow(ldb), info);
    });
}

GPUPROJ_LIBRARY_API int cusolverDnXgeqrf_bufferSize(void* h, Params*, std::int64_t, std::int64_t, DataType, const void*,
                                                    std::int64_t, DataType, const void*, DataType, std::size_t* device,
                                                    std::size_t* host) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXgeqrf(void* h, Params*, std::int64_t m, std::int64_t n, DataType type, void* A,
                                         std::int64_t lda, DataType type_tau, void* tau, DataType compute, void*,
                                         std::size_t, void*, std::size_t, int* info) {
    return with_type(type, {type_tau, compute}, A, [&]<class T>(T* a) {
        return geqrf_of("cusolverDnXgeqrf", h, narrow(m), narrow(n), a, narrow(lda), static_cast<T*>(tau), info);
    });
}

GPUPROJ_LIBRARY_API int cusolverDnXlarft_bufferSize(void* h, Params*, int, int, std::int64_t, std::int64_t, DataType,
                                                    const void*, std::int64_t, DataType, const void*, DataType, void*,
                                                    std::int64_t, DataType, std::size_t* device, std::size_t* host) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXlarft(void* h, Params*, int backward, int by_rows, std::int64_t n, std::int64_t k,
                                         DataType type, const void* V, std::int64_t ldv, DataType type_tau,
                                         const void* tau, DataType type_t, void* t, std::int64_t ldt, DataType compute,
                                         void*, std::size_t, void*, std::size_t) {
    return with_type(type, {type_tau, type_t, compute}, V, [&]<class T>(const T* v) {
        return larft_of("cusolverDnXlarft", h, backward != 0, by_rows != 0, narrow(n), narrow(k), v, narrow(ldv),
                        static_cast<const T*>(tau), static_cast<T*>(t), narrow(ldt));
    });
}

GPUPROJ_LIBRARY_API int cusolverDnXtrtri_bufferSize(void* h, Fill, Diagonal, std::int64_t, DataType, void*,
                                                    std::int64_t, std::size_t* device, std::size_t* host) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXtrtri(void* h, Fill fill, Diagonal diagonal, std::int64_t n, DataType type, void* A,
                                         std::int64_t lda, void*, std::size_t, void*, std::size_t, int* info) {
    return with_type(type, {}, A, [&](auto* a) {
        return trtri_of("cusolverDnXtrtri", h, fill, diagonal, narrow(n), a, narrow(lda), info);
    });
}

}  // namespace gpuproj::simulate::libraries::cusolver
