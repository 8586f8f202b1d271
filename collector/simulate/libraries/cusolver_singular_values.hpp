// Singular values, by QR iteration whatever method is asked for.
#pragma once

#include "collector/simulate/libraries/cusolver_letters.hpp"
#include "collector/simulate/libraries/lapack.hpp"

namespace gpuproj::simulate::libraries::cusolver {

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
    const int columns_v = economic ? std::min(m, n) : n;
    const char job = !vectors ? 'N' : economic ? 'S' : 'A';
    std::vector<T> transposed(vectors ? static_cast<std::size_t>(columns_v) * static_cast<std::size_t>(n) : 0);
    const int said =
        lapack::gesvd(job, job, m, n, A, lda, S, U, std::max(1, ldu), transposed.data(), std::max(1, columns_v), S);
    for (std::int64_t j = 0; vectors && j < columns_v; ++j)
        for (std::int64_t i = 0; i < n; ++i)
            V[i + j * ldv] = conjugate(transposed[static_cast<std::size_t>(j + i * columns_v)]);
    return said;
}

/// The `rank` greatest singular values and their vectors, those that are wanted. A is left alone. Gives what LAPACK
/// says and, in `residual`, the norm of A - U S V^H.
template <class T, class R>
int decompose_to_rank(int rank, int m, int n, const T* A, int lda, R* S, T* U, int ldu, T* V, int ldv,
                      double* residual = nullptr) {
    const int least = std::min(m, n);
    const auto order = static_cast<std::size_t>(least), rows = static_cast<std::size_t>(std::max(m, 1)),
               columns = static_cast<std::size_t>(n);
    std::vector<T> copy(rows * columns), u(rows * order), v(std::max<std::size_t>(columns, 1) * order);
    std::vector<R> s(order);
    for (std::int64_t j = 0; j < n; ++j) std::copy_n(A + j * lda, m, copy.data() + j * std::max(m, 1));
    const int said = decompose(true, true, m, n, copy.data(), std::max(m, 1), s.data(), u.data(), std::max(m, 1),
                               v.data(), std::max(n, 1));
    std::copy_n(s.data(), rank, S);
    wrote(S, rank);
    for (std::int64_t j = 0; j < rank && U != nullptr; ++j) std::copy_n(u.data() + j * m, m, U + j * ldu);
    for (std::int64_t j = 0; j < rank && V != nullptr; ++j) std::copy_n(v.data() + j * n, n, V + j * ldv);
    if (U != nullptr) wrote(U, m, rank, ldu);
    if (V != nullptr) wrote(V, n, rank, ldv);
    double left = 0;
    for (int i = rank; i < least; ++i) left += std::norm(static_cast<double>(s[static_cast<std::size_t>(i)]));
    if (residual != nullptr) *residual = std::sqrt(left);
    return said;
}

/// Matrices one behind the other.
template <class T, class R>
int gesvdj_of(const char* name, void* h, int mode, int economic, int m, int n, T* A, int lda, R* S, T* U, int ldu, T* V,
              int ldv, int* info, int count = 1) {
    if (!is_matrix(m, n, lda) || count < 0) return invalid_value;
    if (mode == 1 && (!is_matrix(m, n, ldu) || !is_matrix(n, n, ldv))) return invalid_value;
    return submit(name, h, [=] {
        const int least = std::min(m, n);
        for (std::int64_t i = 0; i < count; ++i) {
            T *const a = A + i * lda * n, *const u = mode == 1 ? U + i * ldu * m : nullptr,
                     *const v = mode == 1 ? V + i * ldv * n : nullptr;
            give(info + i, decompose(mode == 1, economic != 0, m, n, a, lda, S + i * least, u, ldu, v, ldv));
            wrote(a, m, n, lda);
            wrote(S + i * least, least);
            if (mode == 1) {
                wrote(u, m, economic != 0 ? least : m, ldu);
                wrote(v, n, economic != 0 ? least : n, ldv);
            }
        }
    });
}

}  // namespace gpuproj::simulate::libraries::cusolver
