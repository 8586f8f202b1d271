// Tridiagonal systems. Solved with pivoting, also where the application asks for none: what comes out is the same.
#include <cstdlib>
#include <vector>

#include "collector/simulate/libraries/cusparse_numbers.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

/// The three diagonals of a system of `m` equations, `step` apart. The first of the lower one and the last of the upper
/// one do not count.
template <class T>
struct Diagonals {
    const T *lower, *main, *upper;
};

/// Elimination of one row by the next, exchanged where that one is larger. Replaces `x`, the right side.
template <class T>
void solve(std::int64_t m, Diagonals<T> given, T* x, std::int64_t step) {
    auto main = filled<T>(m), upper = filled<T>(m + 1), second = filled<T>(m);  // `second`: above the upper diagonal
    for (std::int64_t i = 0; i < m; ++i) {
        main[i] = given.main[i * step];
        if (i + 1 < m) upper[i] = given.upper[i * step];
    }
    for (std::int64_t i = 0; i + 1 < m; ++i) {
        const T below = given.lower[(i + 1) * step];
        T &here = x[i * step], &next = x[(i + 1) * step];
        if (std::abs(main[i]) >= std::abs(below)) {
            if (below == T{}) continue;
            const T factor = below / main[i];
            main[i + 1] -= factor * upper[i];
            next -= factor * here;
            continue;
        }
        const T factor = main[i] / below, old = upper[i];
        main[i] = below;
        upper[i] = main[i + 1];
        second[i] = upper[i + 1];
        main[i + 1] = old - factor * upper[i];
        upper[i + 1] = -factor * second[i];
        std::swap(here, next);
        next -= factor * here;
    }
    for (std::int64_t i = m - 1; i >= 0; --i) {
        T rest = x[i * step];
        if (i + 1 < m) rest -= upper[i] * x[(i + 1) * step];
        if (i + 2 < m) rest -= second[i] * x[(i + 2) * step];
        x[i * step] = rest / main[i];
    }
}

/// One matrix, `n` right sides.
template <class T>
int solve_one(const char* name, void* h, int m, int n, Diagonals<T> diagonals, T* B, int ldb) {
    if (m < 0 || n < 0 || ldb < m) return invalid_value;
    return submit(name, h, [=] {
        for (std::int64_t j = 0; j < n; ++j) {
            solve(m, diagonals, B + j * ldb, 1);
            wrote(B + j * ldb, m, sizeof(T));
        }
    });
}

/// System i begins at i * `stride`; its elements are `step` apart.
template <class T>
int solve_batch(const char* name, void* h, int m, Diagonals<T> first, T* x, int count, std::int64_t stride,
                std::int64_t step) {
    if (m < 0 || count < 0) return invalid_value;
    return submit(name, h, [=] {
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t at = i * stride;
            solve(m, Diagonals<T>{first.lower + at, first.main + at, first.upper + at}, x + at, step);
        }
        if (m > 0 && count > 0) wrote(x, (count - 1) * stride + (m - 1) * step + 1, sizeof(T));
    });
}

}  // namespace

#define GPUPROJ_TRIDIAGONAL(T, NAME)                                                                                   \
    GPUPROJ_LIBRARY_API int cusparse##NAME##_bufferSizeExt(void* h, int, int, const T*, const T*, const T*, const T*,  \
                                                           int, std::size_t* bytes) {                                  \
        return give_buffer_size(h, bytes);                                                                             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusparse##NAME(void* h, int m, int n, const T* dl, const T* d, const T* du, T* B, int ldb, \
                                           void*) {                                                                    \
        return solve_one("cusparse" #NAME, h, m, n, Diagonals<T>{dl, d, du}, B, ldb);                                  \
    }
#define GPUPROJ_TRIDIAGONAL_BATCH(T, X)                                                                                \
    GPUPROJ_LIBRARY_API int cusparse##X##gtsv2StridedBatch_bufferSizeExt(void* h, int, const T*, const T*, const T*,   \
                                                                         const T*, int, int, std::size_t* bytes) {     \
        return give_buffer_size(h, bytes);                                                                             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusparse##X##gtsv2StridedBatch(void* h, int m, const T* dl, const T* d, const T* du, T* x, \
                                                           int count, int stride, void*) {                             \
        return solve_batch("cusparse" #X "gtsv2StridedBatch", h, m, Diagonals<T>{dl, d, du}, x, count, stride, 1);     \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusparse##X##gtsvInterleavedBatch_bufferSizeExt(                                           \
        void* h, int, int, const T*, const T*, const T*, const T*, int, std::size_t* bytes) {                          \
        return give_buffer_size(h, bytes);                                                                             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusparse##X##gtsvInterleavedBatch(void* h, int, int m, T* dl, T* d, T* du, T* x,           \
                                                              int count, void*) {                                      \
        return solve_batch("cusparse" #X "gtsvInterleavedBatch", h, m, Diagonals<T>{dl, d, du}, x, count, 1, count);   \
    }
#define GPUPROJ_TRIDIAGONAL_OF(T, X)         \
    GPUPROJ_TRIDIAGONAL(T, X##gtsv2)         \
    GPUPROJ_TRIDIAGONAL(T, X##gtsv2_nopivot) \
    GPUPROJ_TRIDIAGONAL_BATCH(T, X)
GPUPROJ_TRIDIAGONAL_OF(float, S)
GPUPROJ_TRIDIAGONAL_OF(double, D)
GPUPROJ_TRIDIAGONAL_OF(C32, C)
GPUPROJ_TRIDIAGONAL_OF(C64, Z)

}  // namespace gpuproj::simulate::libraries::cusparse
