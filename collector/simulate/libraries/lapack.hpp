// LAPACK by type: the functions in OpenBLAS under one name each, with workspaces of their own. Each gives LAPACK's
// info.
#pragma once

#include <algorithm>
#include <vector>

#include "collector/simulate/libraries/numbers.hpp"

namespace gpuproj::simulate::libraries::lapack {

// Fortran's interface. Lengths of strings, which gfortran's callers add, are not read.
#define GPUPROJ_LAPACK_OF_ALL(T, R, X, ORGQR, ORMQR)                                                                  \
    extern "C" {                                                                                                      \
    void X##potrf_(const char*, const int*, T*, const int*, int*);                                                    \
    void X##potrs_(const char*, const int*, const int*, const T*, const int*, T*, const int*, int*);                  \
    void X##potri_(const char*, const int*, T*, const int*, int*);                                                    \
    void X##getrf_(const int*, const int*, T*, const int*, int*, int*);                                               \
    void X##getrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*);      \
    void X##getri_(const int*, T*, const int*, const int*, T*, const int*, int*);                                     \
    void X##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);                                 \
    void X##trtri_(const char*, const char*, const int*, T*, const int*, int*);                                       \
    void X##larft_(const char*, const char*, const int*, const int*, const T*, const int*, const T*, T*, const int*); \
    void X##gels_(const char*, const int*, const int*, const int*, T*, const int*, T*, const int*, T*, const int*,    \
                  int*);                                                                                              \
    void X##sytrf_(const char*, const int*, T*, const int*, int*, T*, const int*, int*);                              \
    void X##sytrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*);      \
    void X##sytri_(const char*, const int*, T*, const int*, const int*, T*, int*);                                    \
    void ORGQR(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);                   \
    void ORMQR(const char*, const char*, const int*, const int*, const int*, const T*, const int*, const T*, T*,      \
               const int*, T*, const int*, int*);                                                                     \
    }                                                                                                                 \
    inline int potrf(char fill, int n, T* a, int lda) {                                                               \
        int info = 0;                                                                                                 \
        X##potrf_(&fill, &n, a, &lda, &info);                                                                         \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline int potrs(char fill, int n, int sides, const T* a, int lda, T* b, int ldb) {                               \
        int info = 0;                                                                                                 \
        X##potrs_(&fill, &n, &sides, a, &lda, b, &ldb, &info);                                                        \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline int potri(char fill, int n, T* a, int lda) {                                                               \
        int info = 0;                                                                                                 \
        X##potri_(&fill, &n, a, &lda, &info);                                                                         \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline int getrf(int m, int n, T* a, int lda, int* pivots) {                                                      \
        int info = 0;                                                                                                 \
        X##getrf_(&m, &n, a, &lda, pivots, &info);                                                                    \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline int getrs(char operation, int n, int sides, const T* a, int lda, const int* pivots, T* b, int ldb) {       \
        int info = 0;                                                                                                 \
        X##getrs_(&operation, &n, &sides, a, &lda, pivots, b, &ldb, &info);                                           \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline int getri(int n, T* a, int lda, const int* pivots) {                                                       \
        return with_workspace<T>(                                                                                     \
            [&](T* work, const int* size, int* info) { X##getri_(&n, a, &lda, pivots, work, size, info); });          \
    }                                                                                                                 \
    inline int geqrf(int m, int n, T* a, int lda, T* tau) {                                                           \
        return with_workspace<T>(                                                                                     \
            [&](T* work, const int* size, int* info) { X##geqrf_(&m, &n, a, &lda, tau, work, size, info); });         \
    }                                                                                                                 \
    inline int trtri(char fill, char diagonal, int n, T* a, int lda) {                                                \
        int info = 0;                                                                                                 \
        X##trtri_(&fill, &diagonal, &n, a, &lda, &info);                                                              \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline void larft(char direct, char store, int n, int k, const T* v, int ldv, const T* tau, T* t, int ldt) {      \
        X##larft_(&direct, &store, &n, &k, v, &ldv, tau, t, &ldt);                                                    \
    }                                                                                                                 \
    inline int gels(int m, int n, int sides, T* a, int lda, T* b, int ldb) {                                          \
        return with_workspace<T>([&](T* work, const int* size, int* info) {                                           \
            X##gels_("N", &m, &n, &sides, a, &lda, b, &ldb, work, size, info);                                        \
        });                                                                                                           \
    }                                                                                                                 \
    inline int sytrf(char fill, int n, T* a, int lda, int* pivots) {                                                  \
        return with_workspace<T>(                                                                                     \
            [&](T* work, const int* size, int* info) { X##sytrf_(&fill, &n, a, &lda, pivots, work, size, info); });   \
    }                                                                                                                 \
    inline int sytrs(char fill, int n, int sides, const T* a, int lda, const int* pivots, T* b, int ldb) {            \
        int info = 0;                                                                                                 \
        X##sytrs_(&fill, &n, &sides, a, &lda, pivots, b, &ldb, &info);                                                \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline int sytri(char fill, int n, T* a, int lda, const int* pivots) {                                            \
        int info = 0;                                                                                                 \
        std::vector<T> work(2 * static_cast<std::size_t>(n) + 1);                                                     \
        X##sytri_(&fill, &n, a, &lda, pivots, work.data(), &info);                                                    \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline int orgqr(int m, int n, int k, T* a, int lda, const T* tau) {                                              \
        return with_workspace<T>(                                                                                     \
            [&](T* work, const int* size, int* info) { ORGQR(&m, &n, &k, a, &lda, tau, work, size, info); });         \
    }                                                                                                                 \
    inline int ormqr(char side, char operation, int m, int n, int k, const T* a, int lda, const T* tau, T* c,         \
                     int ldc) {                                                                                       \
        return with_workspace<T>([&](T* work, const int* size, int* info) {                                           \
            ORMQR(&side, &operation, &m, &n, &k, a, &lda, tau, c, &ldc, work, size, info);                            \
        });                                                                                                           \
    }

#define GPUPROJ_LAPACK_OF_REAL(T, X)                                                                                  \
    extern "C" {                                                                                                      \
    void X##gesvd_(const char*, const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*,          \
                   const int*, T*, const int*, int*);                                                                 \
    void X##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*, const int*, T*,   \
                  const int*, int*);                                                                                  \
    void X##syevd_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*, const int*, int*); \
    void X##sygvd_(const int*, const char*, const char*, const int*, T*, const int*, T*, const int*, T*, T*,          \
                   const int*, int*, const int*, int*);                                                               \
    }                                                                                                                 \
    inline int gesvd(char u, char vt, int m, int n, T* a, int lda, T* s, T* U, int ldu, T* VT, int ldvt, T*) {        \
        return with_workspace<T>([&](T* work, const int* size, int* info) {                                           \
            X##gesvd_(&u, &vt, &m, &n, a, &lda, s, U, &ldu, VT, &ldvt, work, size, info);                             \
        });                                                                                                           \
    }                                                                                                                 \
    inline int geev(char left, char right, int n, T* a, int lda, std::complex<T>* w, T* vl, int ldvl, T* vr,          \
                    int ldvr) {                                                                                       \
        std::vector<T> re(static_cast<std::size_t>(n)), im(static_cast<std::size_t>(n));                              \
        const int said = with_workspace<T>([&](T* work, const int* size, int* info) {                                 \
            X##geev_(&left, &right, &n, a, &lda, re.data(), im.data(), vl, &ldvl, vr, &ldvr, work, size, info);       \
        });                                                                                                           \
        for (std::size_t i = 0; i < re.size(); ++i) w[i] = {re[i], im[i]};                                            \
        return said;                                                                                                  \
    }                                                                                                                 \
    inline int syevd(char job, char fill, int n, T* a, int lda, T* w) {                                               \
        std::vector<int> whole(eigen_integers(n));                                                                    \
        const int integers = static_cast<int>(whole.size());                                                          \
        return with_workspace<T>([&](T* work, const int* size, int* info) {                                           \
            X##syevd_(&job, &fill, &n, a, &lda, w, work, size, whole.data(), &integers, info);                        \
        });                                                                                                           \
    }                                                                                                                 \
    inline int sygvd(int type, char job, char fill, int n, T* a, int lda, T* b, int ldb, T* w) {                      \
        std::vector<int> whole(eigen_integers(n));                                                                    \
        const int integers = static_cast<int>(whole.size());                                                          \
        return with_workspace<T>([&](T* work, const int* size, int* info) {                                           \
            X##sygvd_(&type, &job, &fill, &n, a, &lda, b, &ldb, w, work, size, whole.data(), &integers, info);        \
        });                                                                                                           \
    }

#define GPUPROJ_LAPACK_OF_COMPLEX(T, R, X)                                                                          \
    extern "C" {                                                                                                    \
    void X##gesvd_(const char*, const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*,        \
                   const int*, T*, const int*, R*, int*);                                                           \
    void X##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*,     \
                  const int*, R*, int*);                                                                            \
    void X##heevd_(const char*, const char*, const int*, T*, const int*, R*, T*, const int*, R*, const int*, int*,  \
                   const int*, int*);                                                                               \
    void X##hegvd_(const int*, const char*, const char*, const int*, T*, const int*, T*, const int*, R*, T*,        \
                   const int*, R*, const int*, int*, const int*, int*);                                             \
    }                                                                                                               \
    inline int gesvd(char u, char vt, int m, int n, T* a, int lda, R* s, T* U, int ldu, T* VT, int ldvt, R*) {      \
        std::vector<R> real(static_cast<std::size_t>(std::max(1, 5 * std::min(m, n))));                             \
        return with_workspace<T>([&](T* work, const int* size, int* info) {                                         \
            X##gesvd_(&u, &vt, &m, &n, a, &lda, s, U, &ldu, VT, &ldvt, work, size, real.data(), info);              \
        });                                                                                                         \
    }                                                                                                               \
    inline int geev(char left, char right, int n, T* a, int lda, T* w, T* vl, int ldvl, T* vr, int ldvr) {          \
        std::vector<R> real(2 * static_cast<std::size_t>(n));                                                       \
        return with_workspace<T>([&](T* work, const int* size, int* info) {                                         \
            X##geev_(&left, &right, &n, a, &lda, w, vl, &ldvl, vr, &ldvr, work, size, real.data(), info);           \
        });                                                                                                         \
    }                                                                                                               \
    inline int syevd(char job, char fill, int n, T* a, int lda, R* w) {                                             \
        std::vector<int> whole(eigen_integers(n));                                                                  \
        std::vector<R> real(eigen_reals(n));                                                                        \
        const int integers = static_cast<int>(whole.size()), reals = static_cast<int>(real.size());                 \
        return with_workspace<T>([&](T* work, const int* size, int* info) {                                         \
            X##heevd_(&job, &fill, &n, a, &lda, w, work, size, real.data(), &reals, whole.data(), &integers, info); \
        });                                                                                                         \
    }                                                                                                               \
    inline int sygvd(int type, char job, char fill, int n, T* a, int lda, T* b, int ldb, R* w) {                    \
        std::vector<int> whole(eigen_integers(n));                                                                  \
        std::vector<R> real(eigen_reals(n));                                                                        \
        const int integers = static_cast<int>(whole.size()), reals = static_cast<int>(real.size());                 \
        return with_workspace<T>([&](T* work, const int* size, int* info) {                                         \
            X##hegvd_(&type, &job, &fill, &n, a, &lda, b, &ldb, w, work, size, real.data(), &reals, whole.data(),   \
                      &integers, info);                                                                             \
        });                                                                                                         \
    }

/// Asks LAPACK how large a workspace it wants, then calls with that.
template <class T, class F>
int with_workspace(F&& f) {
    int info = 0, size = -1;
    T wanted{};
    f(&wanted, &size, &info);
    if (info != 0) return info;
    size = std::max(1, static_cast<int>(std::real(wanted)) + 1);
    std::vector<T> work(static_cast<std::size_t>(size));
    f(work.data(), &size, &info);
    return info;
}
// As LAPACK's manual has them, with eigenvectors.
inline std::size_t eigen_integers(int n) {
    return 3 + 5 * static_cast<std::size_t>(n);
}
inline std::size_t eigen_reals(int n) {
    const auto order = static_cast<std::size_t>(n);
    return 1 + 5 * order + 2 * order * order;
}

GPUPROJ_LAPACK_OF_ALL(float, float, s, sorgqr_, sormqr_)
GPUPROJ_LAPACK_OF_ALL(double, double, d, dorgqr_, dormqr_)
GPUPROJ_LAPACK_OF_ALL(C32, float, c, cungqr_, cunmqr_)
GPUPROJ_LAPACK_OF_ALL(C64, double, z, zungqr_, zunmqr_)
GPUPROJ_LAPACK_OF_REAL(float, s)
GPUPROJ_LAPACK_OF_REAL(double, d)
GPUPROJ_LAPACK_OF_COMPLEX(C32, float, c)
GPUPROJ_LAPACK_OF_COMPLEX(C64, double, z)
#undef GPUPROJ_LAPACK_OF_ALL
#undef GPUPROJ_LAPACK_OF_REAL
#undef GPUPROJ_LAPACK_OF_COMPLEX

}  // namespace gpuproj::simulate::libraries::lapack
