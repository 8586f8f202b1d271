// Eigenvalues by the 64-bit interface; those of matrices that are not symmetric, too.
#include "collector/simulate/libraries/cusolver_chosen_eigenvalues.hpp"
#include "collector/simulate/libraries/cusolver_generic.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

/// `w` is complex, or, of a real matrix, all real parts and then all imaginary parts.
template <class T, class W>
int geev_of(void* h, int left, int right, int n, T* A, int lda, W* w, T* VL, int ldvl, T* VR, int ldvr, int* info) {
    if (!is_matrix(n, n, lda) || !is_matrix(left == 1 ? n : 0, n, ldvl) || !is_matrix(right == 1 ? n : 0, n, ldvr))
        return invalid_value;
    return submit("cusolverDnXgeev", h, [=] {
        std::vector<std::complex<Real<T>>> values(static_cast<std::size_t>(n));
        give(info, lapack::geev(job(left), job(right), n, A, lda, values.data(), VL, ldvl, VR, ldvr));
        wrote(A, n, n, lda);
        for (std::size_t i = 0; i < values.size(); ++i)
            if constexpr (is_complex<W>) {
                w[i] = values[i];
            } else {
                w[i] = values[i].real();
                w[i + values.size()] = values[i].imag();
            }
        wrote(w, is_complex<W> ? n : 2 * static_cast<std::int64_t>(n));
        if (left == 1) wrote(VL, n, n, ldvl);
        if (right == 1) wrote(VR, n, n, ldvr);
    });
}

}  // namespace

GPUPROJ_LIBRARY_API int cusolverDnXsyevd_bufferSize(void* h, void*, int, Fill, std::int64_t, DataType, const void*,
                                                    std::int64_t, DataType, const void*, DataType, std::size_t* device,
                                                    std::size_t* host) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXsyevd(void* h, void*, int mode, Fill fill, std::int64_t n, DataType type, void* A,
                                         std::int64_t lda, DataType type_w, void* W, DataType compute, void*,
                                         std::size_t, void*, std::size_t, int* info) {
    if (type_w != real_part(type)) return invalid_value;
    return with_type(type, {compute}, A, [&]<class T>(T* a) {
        return eigenvalues("cusolverDnXsyevd", h, mode, fill, narrow(n), a, narrow(lda), static_cast<Real<T>*>(W),
                           info);
    });
}

GPUPROJ_LIBRARY_API int cusolverDnXsyevBatched_bufferSize(void* h, void*, int, Fill, std::int64_t, DataType,
                                                          const void*, std::int64_t, DataType, const void*, DataType,
                                                          std::size_t* device, std::size_t* host, std::int64_t) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXsyevBatched(void* h, void*, int mode, Fill fill, std::int64_t n, DataType type,
                                               void* A, std::int64_t lda, DataType type_w, void* W, DataType compute,
                                               void*, std::size_t, void*, std::size_t, int* info, std::int64_t count) {
    if (type_w != real_part(type)) return invalid_value;
    return with_type(type, {compute}, A, [&]<class T>(T* a) {
        return eigenvalues("cusolverDnXsyevBatched", h, mode, fill, narrow(n), a, narrow(lda), static_cast<Real<T>*>(W),
                           info, narrow(count));
    });
}

GPUPROJ_LIBRARY_API int cusolverDnXsyevdx_bufferSize(void* h, void*, int, int, Fill, std::int64_t, DataType,
                                                     const void*, std::int64_t, void*, void*, std::int64_t,
                                                     std::int64_t, std::int64_t*, DataType, const void*, DataType,
                                                     std::size_t* device, std::size_t* host) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXsyevdx(void* h, void*, int mode, int range, Fill fill, std::int64_t n, DataType type,
                                          void* A, std::int64_t lda, const void* above, const void* up_to,
                                          std::int64_t first, std::int64_t last, std::int64_t* found, DataType type_w,
                                          void* W, DataType compute, void*, std::size_t, void*, std::size_t,
                                          int* info) {
    if (type_w != real_part(type)) return invalid_value;
    Choice choice{range, 0, 0, first, last};
    return with_type(type, {compute}, A, [&]<class T>(T* a) -> int {
        if (range == Choice::by_value) {
            if (above == nullptr || up_to == nullptr) return invalid_value;
            choice.above = *static_cast<const Real<T>*>(above);
            choice.up_to = *static_cast<const Real<T>*>(up_to);
        }
        return syevdx_of("cusolverDnXsyevdx", h, mode, choice, fill, narrow(n), a, narrow(lda),
                         static_cast<Real<T>*>(W), found, info);
    });
}

GPUPROJ_LIBRARY_API int cusolverDnXgeev_bufferSize(void* h, void*, int, int, std::int64_t, DataType, const void*,
                                                   std::int64_t, DataType, const void*, DataType, const void*,
                                                   std::int64_t, DataType, const void*, std::int64_t, DataType,
                                                   std::size_t* device, std::size_t* host) {
    return give_workspaces(h, device, host);
}
GPUPROJ_LIBRARY_API int cusolverDnXgeev(void* h, void*, int left, int right, std::int64_t n, DataType type, void* A,
                                        std::int64_t lda, DataType type_w, void* W, DataType type_l, void* VL,
                                        std::int64_t ldvl, DataType type_r, void* VR, std::int64_t ldvr,
                                        DataType compute, void*, std::size_t, void*, std::size_t, int* info) {
    if (type_w != type && type_w != complex_of(type)) return invalid_value;
    return with_type(type, {type_l, type_r, compute}, A, [&]<class T>(T* a) {
        const auto call = [&](auto* w) {
            return geev_of(h, left, right, narrow(n), a, narrow(lda), w, static_cast<T*>(VL), narrow(ldvl),
                           static_cast<T*>(VR), narrow(ldvr), info);
        };
        return type_w == type ? call(static_cast<T*>(W)) : call(static_cast<std::complex<Real<T>>*>(W));
    });
}

}  // namespace gpuproj::simulate::libraries::cusolver
