// What functions of a matrix and vectors have in common.
#pragma once

#include "collector/simulate/libraries/cublas_blas.hpp"

namespace gpuproj::simulate::libraries::cublas {

inline constexpr auto column_major = CblasColMajor;

/// f(alpha) changes a matrix of n columns.
template <class T, class S, class F>
int update(const char* name, void* h, const S* alpha, T* A, int m, int n, int lda, F&& f) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr) return invalid_value;
    return submit(name, h, {}, A, bytes_of<T>(m, n, lda), [=, a = Scalar<S>(*known, alpha)] { f(a()); });
}

/// f(alpha, beta) changes a vector.
template <class T, class F>
int multiply(const char* name, void* h, const T* alpha, const T* beta, T* y, int n, int incy, F&& f) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr || beta == nullptr) return invalid_value;
    return submit(name, h, {}, y, bytes_of<T>(n, incy),
                  [=, a = Scalar<T>(*known, alpha), b = Scalar<T>(*known, beta)] { f(a(), b()); });
}

}  // namespace gpuproj::simulate::libraries::cublas
