// Arithmetic of random programs on __half and __nv_bfloat16 and pairs of them, for words of whose bits they are made.
// What each operation means is said for the host with nothing of CUDA's headers: it is calculated without an error and
// rounded once. The bits of a NaN count for nothing: of each there is one.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "random_programs.hpp"

/// Older GPUs have only conversions, and of those not all.
#if !defined(__CUDA_ARCH__)
#define ON_HALVES(device, host) host
#elif __CUDA_ARCH__ >= 530
#define ON_HALVES(device, host) device
#else
#define ON_HALVES(device, host) 0
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define ON_BFLOATS(device, host) 0
#else
#define ON_BFLOATS(device, host) EITHER(device, host)
#endif

template <class T>
struct Format;
template <>
struct Format<__half> {
    using Pair = __half2;
    static constexpr int digits = 11, least = -14, most = 15;
};
template <>
struct Format<__nv_bfloat16> {
    using Pair = __nv_bfloat162;
    static constexpr int digits = 8, least = -126, most = 127;
};
template <class T>
constexpr u32 infinity_bits = 0x7FFFU >> (Format<T>::digits - 1) << (Format<T>::digits - 1);

// ---- bits

template <class T>
HD u32 named(u32 x) {
    return (x & 0x7FFF) > infinity_bits<T> ? 0x7FFF : x & 0xFFFF;
}
template <class T>
HD u32 named_pair(u32 x) {
    return named<T>(x >> 16) << 16 | named<T>(x & 0xFFFF);
}
template <class T>
HD T one_of(u32 x) {
    const u16 bits = static_cast<u16>(x);
    T value;
    memcpy(&value, &bits, 2);
    return value;
}
template <class T>
HD typename Format<T>::Pair pair_of(u32 x) {
    typename Format<T>::Pair value;
    memcpy(&value, &x, 4);
    return value;
}
template <class T>
HD u32 bits_of_one(T value) {
    u16 bits;
    memcpy(&bits, &value, 2);
    return named<T>(bits);
}
template <class T>
HD u32 bits_of_pair(typename Format<T>::Pair value) {
    u32 bits;
    memcpy(&bits, &value, 4);
    return named_pair<T>(bits);
}

// ---- what they mean

enum class To { nearest, zero, up, down };

template <class F>
F whole(F x, To mode) {
    return mode == To::nearest ? std::rint(x)
           : mode == To::zero  ? std::trunc(x)
           : mode == To::up    ? std::ceil(x)
                               : std::floor(x);
}
template <class T>
double meant(u32 x) {
    using F = Format<T>;
    const int exponent = static_cast<int>((x & 0x7FFF) >> (F::digits - 1)), fraction = x & ((1 << (F::digits - 1)) - 1);
    double value = std::ldexp(exponent == 0 ? fraction : fraction + (1 << (F::digits - 1)),
                              std::max(exponent, 1) + F::least - F::digits);
    if (exponent == F::most - F::least + 2) value = fraction == 0 ? INFINITY : NAN;
    return x & 0x8000 ? -value : value;
}
/// Rounded once. A long double has all numbers of 64 bits and all doubles.
template <class T>
u32 rounded(long double x, To mode = To::nearest) {
    using F = Format<T>;
    if (x != x) return 0x7FFF;
    const u32 sign = std::signbit(x) ? 0x8000 : 0;
    if (x == 0 || std::isinf(x)) return sign | (x == 0 ? 0 : infinity_bits<T>);
    int exponent = 0;
    std::frexp(x, &exponent);
    exponent = std::max(exponent - 1, F::least);
    const long double units = std::fabs(whole(std::ldexp(x, F::digits - 1 - exponent), mode));
    u32 bits = static_cast<u32>(exponent - F::least) << (F::digits - 1);
    bits += static_cast<u32>(units);  // which goes on to the next exponent
    if (bits < infinity_bits<T>) return sign | bits;
    const bool most = mode == To::zero || mode == (sign != 0 ? To::up : To::down);
    return sign | (most ? infinity_bits<T> - 1 : infinity_bits<T>);
}
/// a + b to 53 bits, the last of them 1 where others follow, so that rounding it again is as rounding once.
inline double odd_sum(double a, double b) {
    const double sum = a + b;
    if (std::isinf(sum) || sum != sum) return sum;
    const double from_b = sum - a, error = (a - (sum - from_b)) + (b - from_b);
    if (error == 0 || (as<u64>(sum) & 1) != 0) return sum;
    return std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}
template <class T>
u32 meant_add(u32 a, u32 b) {
    return rounded<T>(odd_sum(meant<T>(a), meant<T>(b)));
}
template <class T>
u32 meant_sub(u32 a, u32 b) {
    return rounded<T>(odd_sum(meant<T>(a), -meant<T>(b)));
}
template <class T>
u32 meant_mul(u32 a, u32 b) {
    return rounded<T>(meant<T>(a) * meant<T>(b));
}
template <class T>
u32 meant_fma(u32 a, u32 b, u32 c) {
    return rounded<T>(odd_sum(meant<T>(a) * meant<T>(b), meant<T>(c)));
}
/// Between 0 and 1, 0 of a NaN.
template <class T>
u32 meant_saturated(u32 x) {
    const double value = meant<T>(x);
    return value > 0 ? rounded<T>(std::min(value, 1.0)) : 0;
}
template <class T>
u32 meant_relu(u32 x) {
    const double value = meant<T>(x);
    return value <= 0 ? 0 : x;
}
template <class T>
u32 meant_min(u32 a, u32 b) {
    return rounded<T>(least(meant<T>(a), meant<T>(b)));
}
template <class T>
u32 meant_max(u32 a, u32 b) {
    return rounded<T>(-least(-meant<T>(a), -meant<T>(b)));
}
template <class T>
u32 meant_min_nan(u32 a, u32 b) {
    return std::isunordered(meant<T>(a), meant<T>(b)) ? 0x7FFF : meant_min<T>(a, b);
}
template <class T>
u32 meant_max_nan(u32 a, u32 b) {
    return std::isunordered(meant<T>(a), meant<T>(b)) ? 0x7FFF : meant_max<T>(a, b);
}
template <class Do>
u32 of_both(u32 a, u32 b, u32 c, Do act) {
    return act(a >> 16, b >> 16, c >> 16) << 16 | act(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF);
}

// ---- operations: h_ of one, h2_ of a pair

#define OF_ONE(name, one, two, meaning)                                                                      \
    template <class T>                                                                                       \
    HD u32 h_##name(u32 x) {                                                                                 \
        return ON_HALVES(                                                                                    \
            bits_of_one(one(one_of<T>(x))),                                                                  \
            (of_both(x & 0xFFFF, 0, 0, [](u32 a, u32, u32) -> u32 { return named<T>(meaning); }) & 0xFFFF)); \
    }                                                                                                        \
    template <class T>                                                                                       \
    HD u32 h2_##name(u32 x) {                                                                                \
        return ON_HALVES(bits_of_pair<T>(two(pair_of<T>(x))),                                                \
                         of_both(x, 0, 0, [](u32 a, u32, u32) -> u32 { return named<T>(meaning); }));        \
    }
#define OF_TWO(name, one, two, meaning)                                                                       \
    template <class T>                                                                                        \
    HD u32 h_##name(u32 x, u32 y) {                                                                           \
        return ON_HALVES(                                                                                     \
            bits_of_one(one(one_of<T>(x), one_of<T>(y))),                                                     \
            (of_both(x & 0xFFFF, y & 0xFFFF, 0, [](u32 a, u32 b, u32) -> u32 { return meaning; }) & 0xFFFF)); \
    }                                                                                                         \
    template <class T>                                                                                        \
    HD u32 h2_##name(u32 x, u32 y) {                                                                          \
        return ON_HALVES(bits_of_pair<T>(two(pair_of<T>(x), pair_of<T>(y))),                                  \
                         of_both(x, y, 0, [](u32 a, u32 b, u32) -> u32 { return meaning; }));                 \
    }
#define OF_THREE(name, one, two, meaning)                                                                      \
    template <class T>                                                                                         \
    HD u32 h_##name(u32 x, u32 y, u32 z) {                                                                     \
        return ON_HALVES(                                                                                      \
            bits_of_one(one(one_of<T>(x), one_of<T>(y), one_of<T>(z))),                                        \
            (of_both(x & 0xFFFF, y & 0xFFFF, z & 0xFFFF, [](u32 a, u32 b, u32 c) -> u32 { return meaning; }) & \
             0xFFFF));                                                                                         \
    }                                                                                                          \
    template <class T>                                                                                         \
    HD u32 h2_##name(u32 x, u32 y, u32 z) {                                                                    \
        return ON_HALVES(bits_of_pair<T>(two(pair_of<T>(x), pair_of<T>(y), pair_of<T>(z))),                    \
                         of_both(x, y, z, [](u32 a, u32 b, u32 c) -> u32 { return meaning; }));                \
    }
OF_ONE(neg, __hneg, __hneg2, a ^ 0x8000)
OF_ONE(abs, __habs, __habs2, a & 0x7FFF)
OF_ONE(floor, hfloor, h2floor, rounded<T>(std::floor(meant<T>(a))))
OF_ONE(ceil, hceil, h2ceil, rounded<T>(std::ceil(meant<T>(a))))
OF_ONE(trunc, htrunc, h2trunc, rounded<T>(std::trunc(meant<T>(a))))
OF_ONE(rint, hrint, h2rint, rounded<T>(std::rint(meant<T>(a))))
OF_TWO(add, __hadd, __hadd2, meant_add<T>(a, b))
OF_TWO(sub, __hsub, __hsub2, meant_sub<T>(a, b))
OF_TWO(mul, __hmul, __hmul2, meant_mul<T>(a, b))
OF_TWO(add_sat, __hadd_sat, __hadd2_sat, meant_saturated<T>(meant_add<T>(a, b)))
OF_TWO(sub_sat, __hsub_sat, __hsub2_sat, meant_saturated<T>(meant_sub<T>(a, b)))
OF_TWO(mul_sat, __hmul_sat, __hmul2_sat, meant_saturated<T>(meant_mul<T>(a, b)))
OF_TWO(min, __hmin, __hmin2, meant_min<T>(a, b))
OF_TWO(max, __hmax, __hmax2, meant_max<T>(a, b))
OF_TWO(min_nan, __hmin_nan, __hmin2_nan, meant_min_nan<T>(a, b))
OF_TWO(max_nan, __hmax_nan, __hmax2_nan, meant_max_nan<T>(a, b))
OF_THREE(fma, __hfma, __hfma2, meant_fma<T>(a, b, c))
OF_THREE(fma_sat, __hfma_sat, __hfma2_sat, meant_saturated<T>(meant_fma<T>(a, b, c)))
#undef OF_ONE
#undef OF_TWO
#undef OF_THREE
/// Whether it is -0 that becomes of -0 counts for nothing.
template <class T>
HD u32 h_fma_relu(u32 x, u32 y, u32 z) {
    const u32 result = ON_HALVES(bits_of_one(__hfma_relu(one_of<T>(x), one_of<T>(y), one_of<T>(z))),
                                 meant_relu<T>(meant_fma<T>(x & 0xFFFF, y & 0xFFFF, z & 0xFFFF)));
    return result == 0x8000 ? 0 : result;
}

// ---- comparisons: of one, as a pair of 1 and 0, of both; those with u hold where there is a NaN

#define COMPARED(name, operation)                                                                                   \
    template <class T>                                                                                              \
    HD u32 h_##name(u32 x, u32 y) {                                                                                 \
        return ON_HALVES(__h##name(one_of<T>(x), one_of<T>(y)), meant<T>(x) operation meant<T>(y));                 \
    }                                                                                                               \
    template <class T>                                                                                              \
    HD u32 h_##name##u(u32 x, u32 y) {                                                                              \
        return ON_HALVES(__h##name##u(one_of<T>(x), one_of<T>(y)),                                                  \
                         std::isunordered(meant<T>(x), meant<T>(y)) || meant<T>(x) operation meant<T>(y));          \
    }                                                                                                               \
    template <class T>                                                                                              \
    HD u32 h2_##name(u32 x, u32 y) {                                                                                \
        return ON_HALVES(bits_of_pair<T>(__h##name##2(pair_of<T>(x), pair_of<T>(y))),                               \
                         of_both(x, y, 0, [](u32 a, u32 b, u32) -> u32 {                                            \
                             return meant<T>(a) operation meant<T>(b) ? rounded<T>(1) : 0;                          \
                         }));                                                                                       \
    }                                                                                                               \
    template <class T>                                                                                              \
    HD u32 h2_##name##u(u32 x, u32 y) {                                                                             \
        return ON_HALVES(bits_of_pair<T>(__h##name##u2(pair_of<T>(x), pair_of<T>(y))),                              \
                         of_both(x, y, 0, [](u32 a, u32 b, u32) -> u32 {                                            \
                             return std::isunordered(meant<T>(a), meant<T>(b)) || meant<T>(a) operation meant<T>(b) \
                                        ? rounded<T>(1)                                                             \
                                        : 0;                                                                        \
                         }));                                                                                       \
    }                                                                                                               \
    template <class T>                                                                                              \
    HD u32 h2_b##name(u32 x, u32 y) {                                                                               \
        return ON_HALVES(__hb##name##2(pair_of<T>(x), pair_of<T>(y)),                                               \
                         h_##name<T>(x, y) && h_##name<T>(x >> 16, y >> 16));                                       \
    }                                                                                                               \
    template <class T>                                                                                              \
    HD u32 h2_##name##_mask(u32 x, u32 y) {                                                                         \
        return ON_HALVES(__h##name##2_mask(pair_of<T>(x), pair_of<T>(y)),                                           \
                         of_both(x, y, 0, [](u32 a, u32 b, u32) -> u32 {                                            \
                             return meant<T>(a) operation meant<T>(b) ? 0xFFFF : 0;                                 \
                         }));                                                                                       \
    }
COMPARED(eq, ==)
COMPARED(lt, <)
COMPARED(le, <=)
COMPARED(gt, >)
COMPARED(ge, >=)
#undef COMPARED
/// Which is the one of "ordered and not equal".
template <class T>
HD u32 h_ne(u32 x, u32 y) {
    return ON_HALVES(__hne(one_of<T>(x), one_of<T>(y)),
                     !std::isunordered(meant<T>(x), meant<T>(y)) && meant<T>(x) != meant<T>(y));
}
template <class T>
HD u32 h_neu(u32 x, u32 y) {
    return ON_HALVES(__hneu(one_of<T>(x), one_of<T>(y)), meant<T>(x) != meant<T>(y));
}
template <class T>
HD u32 h_class(u32 x) {
    return ON_HALVES(static_cast<u32>(__hisnan(one_of<T>(x))) * 2 + (__hisinf(one_of<T>(x)) != 0),
                     std::isnan(meant<T>(x)) * 2U + std::isinf(meant<T>(x)));
}
template <class T>
HD u32 h2_turned(u32 x) {
    return ON_HALVES(bits_of_pair<T>(__lowhigh2highlow(pair_of<T>(x))), named_pair<T>(x << 16 | x >> 16));
}

// ---- conversions, rounded in four ways

template <class From>
long double widened(From x) {
    return x;
}
#define IN_FOUR_WAYS(KIND, ...)    \
    KIND(__VA_ARGS__, rn, nearest) \
    KIND(__VA_ARGS__, rz, zero)    \
    KIND(__VA_ARGS__, ru, up)      \
    KIND(__VA_ARGS__, rd, down)
#define FROM_ROUNDED(T, where, short_name, long_name, from, type, how, mode)                            \
    HD inline u32 short_name##_from_##from##_##how(type x) {                                            \
        return where(bits_of_one(__##from##2##long_name##_##how(x)), rounded<T>(widened(x), To::mode)); \
    }
#define FROM(...) IN_FOUR_WAYS(FROM_ROUNDED, __VA_ARGS__)
/// Infinity and what is too large is limited; a NaN is 0, of 64 bits nothing that counts.
template <class I, class T>
u32 meant_integer(u32 x, To mode) {
    return digest(saturated<I>(whole(meant<T>(x), mode)));
}
template <class I, class T>
HD u32 no_nan(u32 x) {
    return sizeof(I) == 8 && named<T>(x) == 0x7FFF ? 0x3555 : x;
}
#define INTO_ROUNDED(T, where, short_name, long_name, to, type, how, mode)                                       \
    HD inline u32 short_name##_to_##to##_##how(u32 x) {                                                          \
        x = no_nan<type, T>(x);                                                                                  \
        return where(digest(__##long_name##2##to##_##how(one_of<T>(x))), (meant_integer<type, T>(x, To::mode))); \
    }
#define INTO(...) IN_FOUR_WAYS(INTO_ROUNDED, __VA_ARGS__)
#define WITH_INTEGERS(KIND, T, where, short_name, long_name) \
    KIND(T, where, short_name, long_name, int, s32)          \
    KIND(T, where, short_name, long_name, uint, u32)         \
    KIND(T, where, short_name, long_name, short, s16)        \
    KIND(T, where, short_name, long_name, ushort, u16)       \
    KIND(T, where, short_name, long_name, ll, s64)           \
    KIND(T, where, short_name, long_name, ull, u64)
WITH_INTEGERS(FROM, __half, ON_HALVES, half, half)
WITH_INTEGERS(INTO, __half, ON_HALVES, half, half)
FROM(__half, ON_HALVES, half, half, float, float)
WITH_INTEGERS(FROM, __nv_bfloat16, ON_BFLOATS, bfloat, bfloat16)
WITH_INTEGERS(INTO, __nv_bfloat16, ON_BFLOATS, bfloat, bfloat16)
FROM(__nv_bfloat16, ON_BFLOATS, bfloat, bfloat16, float, float)
#undef IN_FOUR_WAYS
#undef FROM_ROUNDED
#undef FROM
#undef INTO_ROUNDED
#undef INTO
#undef WITH_INTEGERS
HD inline u32 half_from_double(double x) {
    return ON_HALVES(bits_of_one(__double2half(x)), rounded<__half>(x));
}
HD inline u32 bfloat_from_double(double x) {
    return ON_BFLOATS(bits_of_one(__double2bfloat16(x)), rounded<__nv_bfloat16>(x));
}
HD inline u32 half_pair_from_floats(float x, float y) {
    return ON_HALVES(bits_of_pair<__half>(__floats2half2_rn(x, y)), rounded<__half>(x) | rounded<__half>(y) << 16);
}
HD inline u32 bfloat_pair_from_floats(float x, float y) {
    return ON_BFLOATS(bits_of_pair<__nv_bfloat16>(__floats2bfloat162_rn(x, y)),
                      rounded<__nv_bfloat16>(x) | rounded<__nv_bfloat16>(y) << 16);
}
HD inline float float_from_half(u32 x) {
    return ON_HALVES(__half2float(one_of<__half>(x)), static_cast<float>(meant<__half>(x)));
}
HD inline float float_from_bfloat(u32 x) {
    return ON_BFLOATS(__bfloat162float(one_of<__nv_bfloat16>(x)), static_cast<float>(meant<__nv_bfloat16>(x)));
}
HD inline float float_from_high_half(u32 x) {
    return ON_HALVES(__high2float(pair_of<__half>(x)), static_cast<float>(meant<__half>(x >> 16)));
}
