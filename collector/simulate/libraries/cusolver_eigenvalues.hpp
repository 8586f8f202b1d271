// Eigenvalues of symmetric and Hermitian matrices. By divide and conquer whatever method is asked for.
#pragma once

#include "collector/simulate/libraries/cusolver_letters.hpp"
#include "collector/simulate/libraries/lapack.hpp"

namespace gpuproj::simulate::libraries::cusolver {

inline char job(int mode) {
    return mode == 1 ? 'V' : 'N';
}

/// Matrices one behind the other.
template <class T, class R>
int eigenvalues(const char* name, void* h, int mode, Fill fill, int n, T* A, int lda, R* W, int* info, int count = 1) {
    if (!is_matrix(n, n, lda) || count < 0) return invalid_value;
    return submit(name, h, [=] {
        for (std::int64_t i = 0; i < count; ++i) {
            T* const matrix = A + i * lda * n;
            give(info + i, lapack::syevd(job(mode), letter(fill), n, matrix, lda, W + i * n));
            wrote(matrix, n, n, lda);
        }
        wrote(W, static_cast<std::int64_t>(n) * count);
    });
}

template <class T, class R>
int general_eigenvalues(const char* name, void* h, int type, int mode, Fill fill, int n, T* A, int lda, T* B, int ldb,
                        R* W, int* info) {
    if (!is_matrix(n, n, lda) || !is_matrix(n, n, ldb) || type < 1 || type > 3) return invalid_value;
    return submit(name, h, [=] {
        give(info, lapack::sygvd(type, job(mode), letter(fill), n, A, lda, B, ldb, W));
        wrote(A, n, n, lda);
        wrote(B, n, n, ldb);
        wrote(W, n);
    });
}

}  // namespace gpuproj::simulate::libraries::cusolver
