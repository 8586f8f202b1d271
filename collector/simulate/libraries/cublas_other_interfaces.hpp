// cuBLAS' two other interfaces, made of the functions with handles: the one with sizes of 64 bits (..._64), and the old
// one, whose functions take no handle, letters instead of enumerators and scalars by value.
#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "collector/simulate/libraries/cublas_types.hpp"

namespace gpuproj::simulate::libraries::cublas {

/// What cublasInit made; nullptr before it.
void* default_handle();
/// For cublasGetError. Gives `status` back.
int keep_status(int status);

/// As the 64-bit interface has it: sizes are wider, all else is the same.
template <class P>
using Wide = std::conditional_t<std::is_same_v<P, int>, std::int64_t, P>;

template <class P>
bool fits(Wide<P> given) {
    if constexpr (std::is_same_v<P, int>)
        return given >= std::numeric_limits<int>::min() && given <= std::numeric_limits<int>::max();
    return true;
}

template <auto function>
struct With64Bits;
template <class... P, int (*function)(P...)>
struct With64Bits<function> {
    static int call(Wide<P>... given) {
        if ((fits<P>(given) && ...)) return function(static_cast<P>(given)...);
        gpuproj_library_refuses(library, "sizes of more than 31 bits");
        return not_supported;
    }
};

/// The enumerator that a letter stands for; -1 for none.
template <class Enumeration>
int numbered(char letter) {
    const auto is = [letter](char small) { return letter == small || letter == small - 'a' + 'A'; };
    if constexpr (std::is_same_v<Enumeration, Operation>) return is('n') ? 0 : is('t') ? 1 : is('c') ? 2 : -1;
    if constexpr (std::is_same_v<Enumeration, Fill>) return is('l') ? 0 : is('u') ? 1 : -1;
    if constexpr (std::is_same_v<Enumeration, Diagonal>) return is('n') ? 0 : is('u') ? 1 : -1;
    return is('l') ? 0 : is('r') ? 1 : -1;
}

/// As the old interface has it.
template <class P, bool is_scalar>
using Old = std::conditional_t<std::is_enum_v<P>, char,
                               std::conditional_t<is_scalar, std::remove_cv_t<std::remove_pointer_t<P>>, P>>;
template <class P, bool is_scalar>
bool is_known(const Old<P, is_scalar>& given) {
    if constexpr (std::is_enum_v<P>) return numbered<P>(given) >= 0;
    return true;
}
template <class P, bool is_scalar>
P newer(Old<P, is_scalar>& given) {
    if constexpr (std::is_enum_v<P>)
        return static_cast<P>(numbered<P>(given));
    else if constexpr (is_scalar)
        return &given;
    else
        return given;
}

template <class Places, class Parameters, auto function, std::size_t... scalars>
struct WithoutHandleImplementation;
template <std::size_t... places, class... P, auto function, std::size_t... scalars>
struct WithoutHandleImplementation<std::index_sequence<places...>, std::tuple<P...>, function, scalars...> {
    template <std::size_t place>
    static constexpr bool is_scalar = ((place == scalars) || ...);

    static void call(Old<P, is_scalar<places + 1>>... given) {
        if ((is_known<P, is_scalar<places + 1>>(given) && ...))
            keep_status(function(default_handle(), newer<P, is_scalar<places + 1>>(given)...));
        else
            keep_status(invalid_value);
    }
};
/// `scalars`: which of `function`'s parameters are passed by value, counted with the handle, which is 0.
template <auto function, std::size_t... scalars>
struct WithoutHandle;
template <class... P, int (*function)(void*, P...), std::size_t... scalars>
struct WithoutHandle<function, scalars...>
    : WithoutHandleImplementation<std::index_sequence_for<P...>, std::tuple<P...>, function, scalars...> {};

/// The same for functions that give their only result back.
template <auto function>
struct Returning;
template <class T, class R, int (*function)(void*, int, const T*, int, R*)>
struct Returning<function> {
    static R call(int n, const T* x, int incx) {
        R result{};
        if (keep_status(function(default_handle(), n, x, incx, &result)) == success)
            keep_status(wait_for_handle<Handle>(default_handle()));
        return result;
    }
};
template <class T, int (*function)(void*, int, const T*, int, const T*, int, T*)>
struct Returning<function> {
    static T call(int n, const T* x, int incx, const T* y, int incy) {
        T result{};
        if (keep_status(function(default_handle(), n, x, incx, y, incy, &result)) == success)
            keep_status(wait_for_handle<Handle>(default_handle()));
        return result;
    }
};

}  // namespace gpuproj::simulate::libraries::cublas

/// Exports `implementation`, whose parameters need not be written down, as `name`. The loader calls the resolver.
#define GPUPROJ_EXPORT(name, implementation)                                     \
    extern "C" {                                                                 \
    void (*resolve_##name())() {                                                 \
        return reinterpret_cast<void (*)()>(implementation);                     \
    }                                                                            \
    __attribute__((ifunc("resolve_" #name), visibility("default"))) void name(); \
    }
#define GPUPROJ_64(name) GPUPROJ_EXPORT(name##_64, (&With64Bits<&name>::call))
/// Behind the name: the places of the scalars.
#define GPUPROJ_WITHOUT_HANDLE(name, ...) \
    GPUPROJ_EXPORT(name, (&WithoutHandle<&name##_v2 __VA_OPT__(, ) __VA_ARGS__>::call))
#define GPUPROJ_RETURNING(name) GPUPROJ_EXPORT(name, (&Returning<&name##_v2>::call))
/// In all three interfaces.
#define GPUPROJ_THREEFOLD(name, ...) \
    GPUPROJ_64(name##_v2)            \
    GPUPROJ_WITHOUT_HANDLE(name __VA_OPT__(, ) __VA_ARGS__)
