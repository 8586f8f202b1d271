// Integer types by short names, and what their handlers share.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include "collector/simulate/engine/handlers/lanes.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u128 = unsigned __int128;
using s128 = __int128;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
inline constexpr int bits_of = static_cast<int>(sizeof(T) * 8);
template <class T>
struct WideOf;
template <>
struct WideOf<u16> {
    using type = u32;
};
template <>
struct WideOf<s16> {
    using type = s32;
};
template <>
struct WideOf<u32> {
    using type = u64;
};
template <>
struct WideOf<s32> {
    using type = s64;
};
template <>
struct WideOf<u64> {
    using type = u128;
};
template <>
struct WideOf<s64> {
    using type = s128;
};
template <class T>
using Wide = typename WideOf<T>::type;

// Arithmetic wraps: computed on unsigned types, where C++ says so. u16 promotes to int, whose product overflows.
template <class T>
inline T wrap_mul(T a, T b) {
    return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class T>
inline T high_mul(T a, T b) {
    return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> bits_of<T>);
}

template <class F>
constexpr auto binary_of = []<class T>(std::type_identity<T>) -> Handler { return binary<T, T, F>; };
template <class F>
constexpr auto ternary_of = []<class T>(std::type_identity<T>) -> Handler { return ternary<T, T, F>; };
template <class F>
constexpr auto unary_of = []<class T>(std::type_identity<T>) -> Handler { return unary<T, T, F>; };
template <class F>
Handler pick_any(ptx::Type type, F handler) {
    return pick<u16, s16, u32, s32, u64, s64>(type, handler);
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
