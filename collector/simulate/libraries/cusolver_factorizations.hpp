// Cholesky, LU and QR of dense matrices, and what is done with them; each puts the work into the handle's stream, as
// `name`.
#pragma once

#include "collector/simulate/libraries/cusolver_letters.hpp"
#include "collector/simulate/libraries/lapack.hpp"
#include "collector/simulate/libraries/lu_without_pivots.hpp"

namespace gpuproj::simulate::libraries::cusolver {

template <class T>
int potrf_of(const char* name, void* h, Fill fill, int n, T* A, int lda, int* info) {
    if (!is_matrix(n, n, lda)) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::potrf(letter(fill), n, A, lda));
        wrote(A, n, n, lda);
    });
}
template <class T>
int potrs_of(const char* name, void* h, Fill fill, int n, int sides, const T* A, int lda, T* B, int ldb, int* info) {
    if (!is_matrix(n, n, lda) || !is_matrix(n, sides, ldb)) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::potrs(letter(fill), n, sides, A, lda, B, ldb));
        wrote(B, n, sides, ldb);
    });
}
template <class T>
int potri_of(const char* name, void* h, Fill fill, int n, T* A, int lda, int* info) {
    if (!is_matrix(n, n, lda)) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::potri(letter(fill), n, A, lda));
        wrote(A, n, n, lda);
    });
}
template <class T>
int potrf_batched(const char* name, void* h, Fill fill, int n, T* const A[], int lda, int* info, int count) {
    if (!is_matrix(n, n, lda) || count < 0) return invalid_value;
    return submit(name, h, [=] {
        for (int i = 0; i < count; ++i) {
            give(info + i, lapack::potrf(letter(fill), n, A[i], lda));
            wrote(A[i], n, n, lda);
        }
    });
}
// One info for all of them.
template <class T>
int potrs_batched(const char* name, void* h, Fill fill, int n, int sides, T* const A[], int lda, T* const B[], int ldb,
                  int* info, int count) {
    if (!is_matrix(n, n, lda) || !is_matrix(n, sides, ldb) || count < 0) return invalid_value;
    return submit(name, h, [=] {
        int said = 0;
        for (int i = 0; i < count; ++i) {
            said = std::min(said, lapack::potrs(letter(fill), n, sides, A[i], lda, B[i], ldb));
            wrote(B[i], n, sides, ldb);
        }
        give(info, said);
    });
}

/// P: int or std::int64_t.
template <class T, class P>
int getrf_of(const char* name, void* h, int m, int n, T* A, int lda, P* pivots, int* info) {
    if (!is_matrix(m, n, lda)) return invalid_value;
    return submit(name, h, [=] {
        if constexpr (std::is_same_v<P, int>) {
            give(info, lapack::factor_lu(m, n, A, lda, pivots));
        } else {
            std::vector<int> narrow(pivots != nullptr ? static_cast<std::size_t>(std::min(m, n)) : 0);
            give(info, lapack::factor_lu(m, n, A, lda, pivots != nullptr ? narrow.data() : nullptr));
            std::copy(narrow.begin(), narrow.end(), pivots);
        }
        wrote(A, m, n, lda);
        wrote(pivots, std::min(m, n));
    });
}
template <class T, class P>
int getrs_of(const char* name, void* h, Operation operation, int n, int sides, const T* A, int lda, const P* pivots,
             T* B, int ldb, int* info) {
    if (!is_matrix(n, n, lda) || !is_matrix(n, sides, ldb)) return invalid_value;
    return submit(name, h, [=] {
        const lapack::Pivots used(pivots, n);
        give(info, lapack::getrs(letter<T>(operation), n, sides, A, lda, used.get(), B, ldb));
        wrote(B, n, sides, ldb);
    });
}

template <class T>
int geqrf_of(const char* name, void* h, int m, int n, T* A, int lda, T* tau, int* info) {
    if (!is_matrix(m, n, lda)) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::geqrf(m, n, A, lda, tau));
        wrote(A, m, n, lda);
        wrote(tau, std::min(m, n));
    });
}
/// The triangular factor of a block of reflectors.
template <class T>
int larft_of(const char* name, void* h, bool backward, bool by_rows, int n, int k, const T* V, int ldv, const T* tau,
             T* t, int ldt) {
    if (!(by_rows ? is_matrix(k, n, ldv) : is_matrix(n, k, ldv)) || k > n || !is_matrix(k, k, ldt))
        return invalid_value;
    return submit(name, h, [=] {
        lapack::larft(backward ? 'B' : 'F', by_rows ? 'R' : 'C', n, k, V, ldv, tau, t, ldt);
        wrote(t, k, k, ldt);
    });
}
template <class T>
int trtri_of(const char* name, void* h, Fill fill, Diagonal diagonal, int n, T* A, int lda, int* info) {
    if (!is_matrix(n, n, lda)) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::trtri(letter(fill), diagonal == Diagonal::unit ? 'U' : 'N', n, A, lda));
        wrote(A, n, n, lda);
    });
}

template <class T>
int orgqr_of(const char* name, void* h, int m, int n, int k, T* A, int lda, const T* tau, int* info) {
    if (!is_matrix(m, n, lda) || n > m || k < 0 || k > n) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::orgqr(m, n, k, A, lda, tau));
        wrote(A, m, n, lda);
    });
}
template <class T>
int ormqr_of(const char* name, void* h, Side side, Operation operation, int m, int n, int k, const T* A, int lda,
             const T* tau, T* C, int ldc, int* info) {
    const int order = side == Side::left ? m : n;
    if (!is_matrix(m, n, ldc) || !is_matrix(order, k, lda) || k > order) return invalid_value;
    if (is_complex<T> && operation == Operation::transpose) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::ormqr(letter(side), letter<T>(operation), m, n, k, A, lda, tau, C, ldc));
        wrote(C, m, n, ldc);
    });
}

}  // namespace gpuproj::simulate::libraries::cusolver
