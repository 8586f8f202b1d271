// Wishes for Jacobi's method, and what is said of how it went.
#include "collector/simulate/libraries/cusolver_jacobi.hpp"

#include "collector/simulate/libraries/cusolver_types.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

template <class T>
int set(JacobiInfo* info, T value, T JacobiInfo::*member) {
    if (info == nullptr) return invalid_value;
    info->*member = value;
    return success;
}

// No sweeps were made, and nothing is left of what they make smaller.
template <class T>
int nothing(void* h, const JacobiInfo* info, T* out) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (info == nullptr || out == nullptr) return invalid_value;
    *out = 0;
    return success;
}

}  // namespace

#define GPUPROJ_JACOBI(Create, Destroy, x)                                                             \
    GPUPROJ_LIBRARY_API int Create(JacobiInfo** out) {                                                 \
        if (out == nullptr) return invalid_value;                                                      \
        *out = new (std::nothrow) JacobiInfo;                                                          \
        return *out != nullptr ? success : allocation_failed;                                          \
    }                                                                                                  \
    GPUPROJ_LIBRARY_API int Destroy(JacobiInfo* info) {                                                \
        delete info;                                                                                   \
        return success;                                                                                \
    }                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##x##SetTolerance(JacobiInfo* info, double value) {              \
        return set(info, value, &JacobiInfo::tolerance);                                               \
    }                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##x##SetMaxSweeps(JacobiInfo* info, int value) {                 \
        return set(info, value, &JacobiInfo::most_sweeps);                                             \
    }                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##x##SetSortEig(JacobiInfo* info, int value) {                   \
        return set(info, value, &JacobiInfo::sort);                                                    \
    }                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##x##GetResidual(void* h, const JacobiInfo* info, double* out) { \
        return nothing(h, info, out);                                                                  \
    }                                                                                                  \
    GPUPROJ_LIBRARY_API int cusolverDn##x##GetSweeps(void* h, const JacobiInfo* info, int* out) {      \
        return nothing(h, info, out);                                                                  \
    }
GPUPROJ_JACOBI(cusolverDnCreateSyevjInfo, cusolverDnDestroySyevjInfo, Xsyevj)
GPUPROJ_JACOBI(cusolverDnCreateGesvdjInfo, cusolverDnDestroyGesvdjInfo, Xgesvdj)

}  // namespace gpuproj::simulate::libraries::cusolver
