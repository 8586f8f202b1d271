// LAPACK by type, for matrices that have entries near their diagonal only.
#pragma once

#include <complex>

namespace gpuproj::simulate::libraries::lapack {

#define GPUPROJ_LAPACK_OF_BANDS(T, X)                                                                                 \
    extern "C" {                                                                                                      \
    void X##gbtrf_(const int*, const int*, const int*, const int*, T*, const int*, int*, int*);                       \
    void X##gbtrs_(const char*, const int*, const int*, const int*, const int*, const T*, const int*, const int*, T*, \
                   const int*, int*);                                                                                 \
    void X##pbtrf_(const char*, const int*, const int*, T*, const int*, int*);                                        \
    void X##pbtrs_(const char*, const int*, const int*, const int*, const T*, const int*, T*, const int*, int*);      \
    }                                                                                                                 \
    inline int gbtrf(int n, int below, int above, T* band, int leading, int* pivots) {                                \
        int info = 0;                                                                                                 \
        X##gbtrf_(&n, &n, &below, &above, band, &leading, pivots, &info);                                             \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline int gbtrs(int n, int below, int above, const T* band, int leading, const int* pivots, T* x) {              \
        int info = 0;                                                                                                 \
        const int one = 1;                                                                                            \
        X##gbtrs_("N", &n, &below, &above, &one, band, &leading, pivots, x, &n, &info);                               \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline int pbtrf(int n, int below, T* band, int leading) {                                                        \
        int info = 0;                                                                                                 \
        X##pbtrf_("L", &n, &below, band, &leading, &info);                                                            \
        return info;                                                                                                  \
    }                                                                                                                 \
    inline int pbtrs(int n, int below, const T* band, int leading, T* x) {                                            \
        int info = 0;                                                                                                 \
        const int one = 1;                                                                                            \
        X##pbtrs_("L", &n, &below, &one, band, &leading, x, &n, &info);                                               \
        return info;                                                                                                  \
    }
GPUPROJ_LAPACK_OF_BANDS(float, s)
GPUPROJ_LAPACK_OF_BANDS(double, d)
GPUPROJ_LAPACK_OF_BANDS(std::complex<float>, c)
GPUPROJ_LAPACK_OF_BANDS(std::complex<double>, z)
#undef GPUPROJ_LAPACK_OF_BANDS

}  // namespace gpuproj::simulate::libraries::lapack
