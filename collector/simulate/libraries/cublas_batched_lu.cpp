// LU and QR of many small matrices, which are given by pointers in device memory.
#include "collector/simulate/libraries/cublas_types.hpp"
#include "collector/simulate/libraries/lapack.hpp"
#include "collector/simulate/libraries/lu_without_pivots.hpp"

namespace gpuproj::simulate::libraries::cublas {

namespace {

constexpr int most_inverted = 32;  // matinvBatched takes no larger ones

bool is_square(int n, int leading) {
    return n >= 0 && leading >= std::max(1, n);
}

template <class T>
char letter(Operation operation) {
    return operation == Operation::none ? 'N' : operation == Operation::conjugate ? 'C' : 'T';
}

void wrote_infos(const int* info, int count) {
    if (count > 0) gpuproj_library_wrote(info, static_cast<std::size_t>(count) * sizeof(int));
}

/// C = the inverse of what `factors` and `pivots` (nullptr: none) make. Gives LAPACK's info.
template <class T>
int invert(int n, const T* factors, int lda, const int* pivots, T* C, int ldc) {
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) C[i + j * ldc] = factors[i + j * lda];
    const lapack::Pivots used(pivots, n);
    return lapack::getri(n, C, ldc, used.get());
}

template <class T>
int getrf_of(const char* name, void* h, int n, T* const A[], int lda, int* pivots, int* info, int count) {
    if (!is_square(n, lda) || count < 0) return invalid_value;
    return submit(name, h, {}, nullptr, 0, [=]() noexcept {
        for (std::int64_t i = 0; i < count; ++i) {
            int* const own = pivots != nullptr ? pivots + i * n : nullptr;
            info[i] = lapack::factor_lu(n, n, A[i], lda, own);
            gpuproj_library_wrote(A[i], bytes_of<T>(n, n, lda));
            if (own != nullptr && n > 0) gpuproj_library_wrote(own, static_cast<std::size_t>(n) * sizeof(int));
        }
        wrote_infos(info, count);
    });
}

template <class T>
int getri_of(const char* name, void* h, int n, const T* const A[], int lda, const int* pivots, T* const C[], int ldc,
             int* info, int count) {
    if (!is_square(n, lda) || !is_square(n, ldc) || count < 0) return invalid_value;
    return submit(name, h, {}, nullptr, 0, [=]() noexcept {
        for (std::int64_t i = 0; i < count; ++i) {
            info[i] = invert(n, A[i], lda, pivots != nullptr ? pivots + i * n : nullptr, C[i], ldc);
            gpuproj_library_wrote(C[i], bytes_of<T>(n, n, ldc));
        }
        wrote_infos(info, count);
    });
}

/// `info` is on the host and says what is wrong with the arguments.
template <class T>
int getrs_of(const char* name, void* h, Operation operation, int n, int sides, const T* const A[], int lda,
             const int* pivots, T* const B[], int ldb, int* info, int count) {
    const bool right = is_square(n, lda) && is_square(n, ldb) && sides >= 0 && count >= 0 && info != nullptr;
    if (!right) return invalid_value;
    *info = 0;
    return submit(name, h, {}, nullptr, 0, [=]() noexcept {
        for (std::int64_t i = 0; i < count; ++i) {
            const lapack::Pivots used(pivots != nullptr ? pivots + i * n : nullptr, n);
            lapack::getrs(letter<T>(operation), n, sides, A[i], lda, used.get(), B[i], ldb);
            gpuproj_library_wrote(B[i], bytes_of<T>(n, sides, ldb));
        }
    });
}

template <class T>
int matinv_of(const char* name, void* h, int n, const T* const A[], int lda, T* const C[], int ldc, int* info,
              int count) {
    if (!is_square(n, lda) || !is_square(n, ldc) || n > most_inverted || count < 0) return invalid_value;
    return submit(name, h, {}, nullptr, 0, [=]() noexcept {
        for (std::int64_t i = 0; i < count; ++i) {
            T factors[most_inverted * most_inverted];
            int pivots[most_inverted];
            for (std::int64_t column = 0; column < n; ++column)
                std::copy_n(A[i] + column * lda, n, factors + column * most_inverted);
            info[i] = lapack::getrf(n, n, factors, most_inverted, pivots);
            if (info[i] == 0) info[i] = invert(n, factors, most_inverted, pivots, C[i], ldc);
            gpuproj_library_wrote(C[i], bytes_of<T>(n, n, ldc));
        }
        wrote_infos(info, count);
    });
}

/// Least squares; the solutions lie at the top of C. `info` as of getrs; `infos`, in device memory, may be nullptr.
template <class T>
int gels_of(const char* name, void* h, Operation operation, int m, int n, int sides, T* const A[], int lda,
            T* const C[], int ldc, int* info, int* infos, int count) {
    const bool right = n >= 0 && m >= n && sides >= 0 && lda >= std::max(1, m) && ldc >= std::max(1, m) && count >= 0;
    if (!right || info == nullptr) return invalid_value;
    *info = 0;
    if (operation != Operation::none) return not_supported;
    return submit(name, h, {}, nullptr, 0, [=] {
        for (int i = 0; i < count; ++i) {
            const int said = lapack::gels(m, n, sides, A[i], lda, C[i], ldc);
            if (infos != nullptr) infos[i] = said;
            gpuproj_library_wrote(A[i], bytes_of<T>(m, n, lda));
            gpuproj_library_wrote(C[i], bytes_of<T>(m, sides, ldc));
        }
        if (infos != nullptr) wrote_infos(infos, count);
    });
}

/// `info` as of getrs.
template <class T>
int geqrf_of(const char* name, void* h, int m, int n, T* const A[], int lda, T* const tau[], int* info, int count) {
    if (m < 0 || n < 0 || lda < std::max(1, m) || count < 0 || info == nullptr) return invalid_value;
    *info = 0;
    return submit(name, h, {}, nullptr, 0, [=]() noexcept {
        for (int i = 0; i < count; ++i) {
            lapack::geqrf(m, n, A[i], lda, tau[i]);
            gpuproj_library_wrote(A[i], bytes_of<T>(m, n, lda));
            gpuproj_library_wrote(tau[i], bytes_of<T>(std::min(m, n), 1));
        }
    });
}

}  // namespace

#define GPUPROJ_BATCHED_LU(T, X)                                                                                    \
    GPUPROJ_LIBRARY_API int cublas##X##getrfBatched(void* h, int n, T* const A[], int lda, int* pivots, int* info,  \
                                                    int count) {                                                    \
        return getrf_of("cublas" #X "getrfBatched", h, n, A, lda, pivots, info, count);                             \
    }                                                                                                               \
    GPUPROJ_LIBRARY_API int cublas##X##getriBatched(void* h, int n, const T* const A[], int lda, const int* pivots, \
                                                    T* const C[], int ldc, int* info, int count) {                  \
        return getri_of("cublas" #X "getriBatched", h, n, A, lda, pivots, C, ldc, info, count);                     \
    }                                                                                                               \
    GPUPROJ_LIBRARY_API int cublas##X##getrsBatched(void* h, Operation operation, int n, int sides,                 \
                                                    const T* const A[], int lda, const int* pivots, T* const B[],   \
                                                    int ldb, int* info, int count) {                                \
        return getrs_of("cublas" #X "getrsBatched", h, operation, n, sides, A, lda, pivots, B, ldb, info, count);   \
    }                                                                                                               \
    GPUPROJ_LIBRARY_API int cublas##X##matinvBatched(void* h, int n, const T* const A[], int lda, T* const C[],     \
                                                     int ldc, int* info, int count) {                               \
        return matinv_of("cublas" #X "matinvBatched", h, n, A, lda, C, ldc, info, count);                           \
    }                                                                                                               \
    GPUPROJ_LIBRARY_API int cublas##X##geqrfBatched(void* h, int m, int n, T* const A[], int lda, T* const tau[],   \
                                                    int* info, int count) {                                         \
        return geqrf_of("cublas" #X "geqrfBatched", h, m, n, A, lda, tau, info, count);                             \
    }                                                                                                               \
    GPUPROJ_LIBRARY_API int cublas##X##gelsBatched(void* h, Operation operation, int m, int n, int sides,           \
                                                   T* const A[], int lda, T* const C[], int ldc, int* info,         \
                                                   int* infos, int count) {                                         \
        return gels_of("cublas" #X "gelsBatched", h, operation, m, n, sides, A, lda, C, ldc, info, infos, count);   \
    }
GPUPROJ_BATCHED_LU(float, S)
GPUPROJ_BATCHED_LU(double, D)
GPUPROJ_BATCHED_LU(C32, C)
GPUPROJ_BATCHED_LU(C64, Z)

}  // namespace gpuproj::simulate::libraries::cublas
