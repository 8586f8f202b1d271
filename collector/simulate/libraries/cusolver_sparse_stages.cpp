// Sparse systems of equations step by step: an analysis, factors, solutions for any number of right sides; by
// Cholesky's method or QR, on the device or (..Host) on the host, where no note is made of them. Square ones only: what
// has more equations than unknowns is refused.
#include "collector/simulate/libraries/cusolver_sparse_info.hpp"
#include "collector/simulate/libraries/cusparse_matrix_description.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

/// Where a function does its work, and what it is called.
struct Place {
    void* handle;
    const char* name;
    bool on_host;
};

template <class Work>
int do_at(const Place& place, Work&& work) noexcept {
    if (!place.on_host) return submit(place.name, place.handle, std::forward<Work>(work));
    if (handle_of(place.handle) == nullptr) return not_initialized;
    try {
        work();
        return success;
    } catch (const std::exception&) {
        return allocation_failed;
    }
}

int create(SparseInfo** out) noexcept {
    if (out == nullptr) return invalid_value;
    try {
        *out = std::make_unique<SparseInfo>().release();
        return success;
    } catch (const std::bad_alloc&) {
        return allocation_failed;
    }
}

int destroy(SparseInfo* info) noexcept {
    delete info;
    return success;
}

int analyse(void* h, int m, int n, int entries, SparseInfo* info) noexcept {
    if (handle_of(h) == nullptr) return not_initialized;
    if (n < 0 || m < n || entries < 0 || info == nullptr) return invalid_value;
    info->analysed = true;
    return success;
}

template <class T>
int give_sizes(void* h, const SparseInfo* info, std::size_t* internal, std::size_t* workspace) noexcept {
    if (handle_of(h) == nullptr) return not_initialized;
    if (info == nullptr || internal == nullptr || workspace == nullptr) return invalid_value;
    *internal = *workspace = workspace_elements * sizeof(T);
    return success;
}

template <class T>
int factor(const Place& place, int m, const Pattern& pattern, const T* values, bool cholesky, T shift,
           const SparseInfo* info) noexcept {
    if (handle_of(place.handle) == nullptr) return not_initialized;
    if (info == nullptr || !info->analysed || pattern.order < 0 || m < pattern.order) return invalid_value;
    if (m != pattern.order) {
        gpuproj_library_refuses(library, place.name);
        return not_supported;
    }
    return do_at(place, [=, kept = info->factors] { kept->emplace<Factors<T>>(pattern, values, cholesky, shift); });
}

/// The application finds the position on the host.
template <class T>
int give_small_pivot(const Place& place, const SparseInfo* info, double tolerance, int* position) noexcept {
    if (handle_of(place.handle) == nullptr) return not_initialized;
    if (info == nullptr || position == nullptr) return invalid_value;
    if (!place.on_host)
        if (const int code = finish(place.handle); code != success) return code;
    const auto* const factors = std::get_if<Factors<T>>(info->factors.get());
    if (factors == nullptr) return invalid_value;
    *position = factors->small_pivot(tolerance);
    return success;
}

template <class T>
int solve_by_factors(const Place& place, int n, const T* b, T* x, const SparseInfo* info) noexcept {
    if (handle_of(place.handle) == nullptr) return not_initialized;
    if (info == nullptr || n < 0) return invalid_value;
    return do_at(place, [=, kept = info->factors, device = !place.on_host] {
        const auto* const factors = std::get_if<Factors<T>>(kept.get());
        if (factors == nullptr || factors->order() != n) return;
        factors->solve(b, x);
        if (device) wrote(x, n);
    });
}

}  // namespace

#define GPUPROJ_SPARSE_INFO(NAME)                                          \
    GPUPROJ_LIBRARY_API int cusolverSpCreateCsr##NAME(SparseInfo** out) {  \
        return create(out);                                                \
    }                                                                      \
    GPUPROJ_LIBRARY_API int cusolverSpDestroyCsr##NAME(SparseInfo* info) { \
        return destroy(info);                                              \
    }
GPUPROJ_SPARSE_INFO(qrInfo)
GPUPROJ_SPARSE_INFO(qrInfoHost)
GPUPROJ_SPARSE_INFO(cholInfo)
GPUPROJ_SPARSE_INFO(cholInfoHost)

#define GPUPROJ_SPARSE_ANALYSIS(WHERE)                                                                       \
    GPUPROJ_LIBRARY_API int cusolverSpXcsrqrAnalysis##WHERE(void* h, int m, int n, int entries, const void*, \
                                                            const int*, const int*, SparseInfo* info) {      \
        return analyse(h, m, n, entries, info);                                                              \
    }
GPUPROJ_SPARSE_ANALYSIS()
GPUPROJ_SPARSE_ANALYSIS(Host)
GPUPROJ_SPARSE_ANALYSIS(Batched)
#define GPUPROJ_CHOLESKY_ANALYSIS(WHERE)                                                                            \
    GPUPROJ_LIBRARY_API int cusolverSpXcsrcholAnalysis##WHERE(void* h, int n, int entries, const void*, const int*, \
                                                              const int*, SparseInfo* info) {                       \
        return analyse(h, n, n, entries, info);                                                                     \
    }
GPUPROJ_CHOLESKY_ANALYSIS()
GPUPROJ_CHOLESKY_ANALYSIS(Host)

#define GPUPROJ_CHOLESKY_STAGES(T, REAL, X, WHERE, ON_HOST)                                                          \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrcholBufferInfo##WHERE(void* h, int, int, const void*, const T*,        \
                                                                    const int*, const int*, SparseInfo* info,        \
                                                                    std::size_t* internal, std::size_t* workspace) { \
        return give_sizes<T>(h, info, internal, workspace);                                                          \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrcholFactor##WHERE(void* h, int n, int, const void* described,          \
                                                                const T* values, const int* offsets,                 \
                                                                const int* columns, SparseInfo* info, void*) {       \
        return factor<T>({h, "cusolverSp" #X "csrcholFactor", ON_HOST}, n,                                           \
                         {n, cusparse::base_of(described), offsets, columns}, values, true, T{}, info);              \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrcholZeroPivot##WHERE(void* h, SparseInfo* info, REAL tolerance,        \
                                                                   int* position) {                                  \
        return give_small_pivot<T>({h, "cusolverSp" #X "csrcholZeroPivot", ON_HOST}, info, tolerance, position);     \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrcholSolve##WHERE(void* h, int n, const T* b, T* x, SparseInfo* info,   \
                                                               void*) {                                              \
        return solve_by_factors({h, "cusolverSp" #X "csrcholSolve", ON_HOST}, n, b, x, info);                        \
    }
/// The matrix is copied when it is set up, and so factored there.
#define GPUPROJ_QR_STAGES(T, REAL, X, WHERE, ON_HOST)                                                                 \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrqrBufferInfo##WHERE(void* h, int, int, int, const void*, const T*,      \
                                                                  const int*, const int*, SparseInfo* info,           \
                                                                  std::size_t* internal, std::size_t* workspace) {    \
        return give_sizes<T>(h, info, internal, workspace);                                                           \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrqrSetup##WHERE(void* h, int m, int n, int, const void* described,       \
                                                             const T* values, const int* offsets, const int* columns, \
                                                             T shift, SparseInfo* info) {                             \
        return factor<T>({h, "cusolverSp" #X "csrqrSetup", ON_HOST}, m,                                               \
                         {n, cusparse::base_of(described), offsets, columns}, values, false, shift, info);            \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrqrFactor##WHERE(void* h, int, int n, int, T* b, T* x, SparseInfo* info, \
                                                              void*) {                                                \
        if (b == nullptr || x == nullptr) return handle_of(h) != nullptr ? success : not_initialized;                 \
        return solve_by_factors<T>({h, "cusolverSp" #X "csrqrFactor", ON_HOST}, n, b, x, info);                       \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrqrZeroPivot##WHERE(void* h, SparseInfo* info, REAL tolerance,           \
                                                                 int* position) {                                     \
        return give_small_pivot<T>({h, "cusolverSp" #X "csrqrZeroPivot", ON_HOST}, info, tolerance, position);        \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrqrSolve##WHERE(void* h, int, int n, T* b, T* x, SparseInfo* info,       \
                                                             void*) {                                                 \
        return solve_by_factors<T>({h, "cusolverSp" #X "csrqrSolve", ON_HOST}, n, b, x, info);                        \
    }
#define GPUPROJ_SPARSE_STAGES(T, REAL, X)           \
    GPUPROJ_CHOLESKY_STAGES(T, REAL, X, , false)    \
    GPUPROJ_CHOLESKY_STAGES(T, REAL, X, Host, true) \
    GPUPROJ_QR_STAGES(T, REAL, X, , false)          \
    GPUPROJ_QR_STAGES(T, REAL, X, Host, true)
GPUPROJ_SPARSE_STAGES(float, float, S)
GPUPROJ_SPARSE_STAGES(double, double, D)
GPUPROJ_SPARSE_STAGES(C32, float, C)
GPUPROJ_SPARSE_STAGES(C64, double, Z)

}  // namespace gpuproj::simulate::libraries::cusolver
