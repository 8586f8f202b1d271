// What functions of matrices have in common, and products of many matrices.
#pragma once

#include <algorithm>
#include <vector>

#include "collector/simulate/libraries/cublas_blas.hpp"
#include "collector/simulate/libraries/cublas_products.hpp"

namespace gpuproj::simulate::libraries::cublas {

/// f(alpha, beta) changes an m x n matrix C.
template <class T, class A, class B, class F>
int change(const char* name, void* h, const A* alpha, const B* beta, T* C, int m, int n, int ldc, F&& f) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr || beta == nullptr || m < 0 || n < 0) return invalid_value;
    return submit(name, h, {}, C, bytes_of<T>(m, n, ldc),
                  [=, a = Scalar<A>(*known, alpha), b = Scalar<B>(*known, beta)] { f(a(), b()); });
}

/// C = alpha op(A) op(B) + beta C, and says that C was written, unless that is there already.
template <class T>
void gemm_once(Operation oa, Operation ob, int m, int n, int k, T alpha, const T* A, int lda, const T* B, int ldb,
               T beta, T* C, int ldc) {
    const bool may_be_there = beta == T{} && is_long(m, n, k);
    const std::string call =
        may_be_there ? call_of("gemm", sizeof(T), oa, ob, m, n, k, alpha, A, lda, B, ldb, C, ldc) : std::string{};
    const std::array from{stretch_of(A, sizeof(T), oa, m, k, lda), stretch_of(B, sizeof(T), ob, k, n, ldb)};
    once(call, from, {C, bytes_of<T>(m, n, ldc)}, [&] { gemm(oa, ob, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc); });
}

template <class T>
int gemm_batched(const char* name, void* h, Operation oa, Operation ob, int m, int n, int k, const T* alpha,
                 const T* const A[], int lda, const T* const B[], int ldb, const T* beta, T* const C[], int ldc,
                 int count) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr || beta == nullptr || count < 0) return invalid_value;
    if (count > 0 && lacks_place(C, bytes_of<T>(m, n, ldc))) return invalid_value;
    return submit(name, h, {}, nullptr, 0, [=, a = Scalar<T>(*known, alpha), b = Scalar<T>(*known, beta)] {
        for (int i = 0; i < count; ++i) gemm_once(oa, ob, m, n, k, a(), A[i], lda, B[i], ldb, b(), C[i], ldc);
    });
}

template <class T>
int gemm_strided(const char* name, void* h, Operation oa, Operation ob, int m, int n, int k, const T* alpha, const T* A,
                 int lda, long long stride_a, const T* B, int ldb, long long stride_b, const T* beta, T* C, int ldc,
                 long long stride_c, int count) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (alpha == nullptr || beta == nullptr || m < 0 || n < 0 || count < 0) return invalid_value;
    if (count > 0 && lacks_place(C, bytes_of<T>(m, n, ldc))) return invalid_value;
    return submit(name, h, {}, nullptr, 0, [=, a = Scalar<T>(*known, alpha), b = Scalar<T>(*known, beta)] {
        for (int i = 0; i < count; ++i)
            gemm_once(oa, ob, m, n, k, a(), A + i * stride_a, lda, B + i * stride_b, ldb, b(), C + i * stride_c, ldc);
    });
}

}  // namespace gpuproj::simulate::libraries::cublas
