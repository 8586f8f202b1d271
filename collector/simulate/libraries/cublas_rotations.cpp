// Rotations in the plane, and finding them.
#include <array>

#include "collector/simulate/libraries/cublas_blas.hpp"
#include "collector/simulate/libraries/cublas_other_interfaces.hpp"

namespace gpuproj::simulate::libraries::cublas {

namespace {

/// Plane rotation, here for all types: x = c x + s y, y = c y - conj(s) x.
template <class T, class C, class S>
void rotate(int n, T* x, int incx, T* y, int incy, C c, S s) {
    const auto first = [n](int step) { return step < 0 ? static_cast<std::int64_t>(1 - n) * step : 0; };
    std::int64_t ix = first(incx), iy = first(incy);
    for (int i = 0; i < n; ++i, ix += incx, iy += incy) {
        const T old = x[ix];
        x[ix] = c * old + s * y[iy];
        y[iy] = c * y[iy] - conjugate(s) * old;
    }
}

template <class T, class C, class S>
int rot_of(const char* name, void* handle, int n, T* x, int incx, T* y, int incy, const C* c, const S* s) {
    const Handle* const known = handle_of(handle);
    if (known == nullptr) return not_initialized;
    if (c == nullptr || s == nullptr) return invalid_value;
    return submit(name, handle, {}, x, bytes_of<T>(n, incx),
                  [=, cosine = Scalar<C>(*known, c), sine = Scalar<S>(*known, s)] {
                      rotate(n, x, incx, y, incy, cosine(), sine());
                      gpuproj_library_wrote(y, bytes_of<T>(n, incy));
                  });
}

/// `find()` writes what the pointers, in host or device memory, point to.
template <class F, class... Out>
int find_rotation(const char* name, void* h, F&& find, Out*... out) {
    return submit(name, h, {out...}, nullptr, 0, [=] {
        find(out...);
        (gpuproj_library_wrote(out, sizeof(Out)), ...);
    });
}

template <class T, class F>
int rotm_of(const char* name, void* h, int n, T* x, int incx, T* y, int incy, const T* parameters, F&& rotate) {
    const Handle* const known = handle_of(h);
    if (known == nullptr) return not_initialized;
    if (parameters == nullptr) return invalid_value;
    using Parameters = std::array<T, 5>;
    return submit(name, h, {}, x, bytes_of<T>(n, incx), [=, values = Scalar<Parameters>(*known, parameters)] {
        rotate(n, x, incx, y, incy, values().data());
        gpuproj_library_wrote(y, bytes_of<T>(n, incy));
    });
}

}  // namespace

#define GPUPROJ_ROT(T, C, S, NAME)                                                                        \
    GPUPROJ_LIBRARY_API int cublas##NAME##_v2(void* h, int n, T* x, int incx, T* y, int incy, const C* c, \
                                              const S* s) {                                               \
        return rot_of("cublas" #NAME, h, n, x, incx, y, incy, c, s);                                      \
    }                                                                                                     \
    GPUPROJ_THREEFOLD(cublas##NAME, 6, 7)
GPUPROJ_ROT(float, float, float, Srot)
GPUPROJ_ROT(double, double, double, Drot)
GPUPROJ_ROT(C32, float, C32, Crot)
GPUPROJ_ROT(C64, double, C64, Zrot)
GPUPROJ_ROT(C32, float, float, Csrot)
GPUPROJ_ROT(C64, double, double, Zdrot)

#define GPUPROJ_ROTG(T, C, NAME, BLAS)                                           \
    GPUPROJ_LIBRARY_API int cublas##NAME##_v2(void* h, T* a, T* b, C* c, T* s) { \
        return find_rotation("cublas" #NAME, h, BLAS, a, b, c, s);               \
    }
GPUPROJ_ROTG(float, float, Srotg, cblas_srotg)
GPUPROJ_ROTG(double, double, Drotg, cblas_drotg)
GPUPROJ_ROTG(C32, float, Crotg, cblas_crotg)
GPUPROJ_ROTG(C64, double, Zrotg, cblas_zrotg)
GPUPROJ_WITHOUT_HANDLE(cublasSrotg)
GPUPROJ_WITHOUT_HANDLE(cublasDrotg)
GPUPROJ_WITHOUT_HANDLE(cublasCrotg, 2)
GPUPROJ_WITHOUT_HANDLE(cublasZrotg, 2)

#define GPUPROJ_ROTM(T, X, x)                                                                                          \
    GPUPROJ_LIBRARY_API int cublas##X##rotm_v2(void* h, int n, T* x_, int incx, T* y, int incy, const T* parameters) { \
        return rotm_of("cublas" #X "rotm", h, n, x_, incx, y, incy, parameters, cblas_##x##rotm);                      \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cublas##X##rotmg_v2(void* h, T* d1, T* d2, T* x1, const T* y1, T* parameters) {            \
        const Handle* const known = handle_of(h);                                                                      \
        if (known == nullptr) return not_initialized;                                                                  \
        if (y1 == nullptr) return invalid_value;                                                                       \
        using Parameters = std::array<T, 5>;                                                                           \
        return find_rotation(                                                                                          \
            "cublas" #X "rotmg", h,                                                                                    \
            [b = Scalar<T>(*known, y1)](T* p1, T* p2, T* a, Parameters* found) {                                       \
                cblas_##x##rotmg(p1, p2, a, b(), found->data());                                                       \
            },                                                                                                         \
            d1, d2, x1, reinterpret_cast<Parameters*>(parameters));                                                    \
    }                                                                                                                  \
    GPUPROJ_THREEFOLD(cublas##X##rotm)                                                                                 \
    GPUPROJ_WITHOUT_HANDLE(cublas##X##rotmg)
GPUPROJ_ROTM(float, S, s)
GPUPROJ_ROTM(double, D, d)

}  // namespace gpuproj::simulate::libraries::cublas
