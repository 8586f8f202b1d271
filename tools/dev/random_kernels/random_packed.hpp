// Operations of random programs on parts of a word: each as the device has it, and a plain meaning of it for the host.
#pragma once

#include "random_programs.hpp"

// ---- lanes of a word: the meaning of an operation of 2 or 4 of them

template <class T, class Do>
u32 of_lanes(u32 a, u32 b, u32 c, Do act) {
    constexpr u32 width = 8 * sizeof(T);
    u32 result = 0;
    for (u32 at = 0; at < 32; at += width) {
        const s64 value = act(s64{static_cast<T>(a >> at)}, s64{static_cast<T>(b >> at)}, s64{static_cast<T>(c >> at)});
        result |= (static_cast<u32>(value) & (~0U >> (32 - width))) << at;
    }
    return result;
}
template <class T>
s64 limited(s64 x) {
    const s64 least = static_cast<T>(-1) < 0 ? -(s64{1} << (8 * sizeof(T) - 1)) : 0;
    const s64 most = least + (s64{1} << (8 * sizeof(T))) - 1;
    return std::min(std::max(x, least), most);
}
inline s64 magnitude(s64 x) {
    return x < 0 ? -x : x;
}
/// To the nearest, halves away from zero.
inline s64 rounded_average(s64 a, s64 b) {
    const s64 sum = a + b;
    return sum < 0 ? -((1 - sum) / 2) : (sum + 1) / 2;
}
template <class T>
u32 sum_of_distances(u32 a, u32 b) {
    u32 sum = 0;
    of_lanes<T>(a, b, 0, [&](s64 x, s64 y, s64) {
        sum += static_cast<u32>(magnitude(x - y));
        return 0;
    });
    return sum;
}

#define LANES(name, T, meaning)                                                           \
    HD inline u32 p_##name(u32 x, u32 y) {                                                \
        return EITHER(__##name(x, y), of_lanes<T>(x, y, 0, [](s64 a, s64 b, s64) -> s64 { \
                          (void)b;                                                        \
                          return meaning;                                                 \
                      }));                                                                \
    }
#define LANES_OF_ONE(name, T, meaning)                                                                    \
    HD inline u32 p_##name(u32 x) {                                                                       \
        return EITHER(__##name(x), of_lanes<T>(x, 0, 0, [](s64 a, s64, s64) -> s64 { return meaning; })); \
    }
#define WIDTHS(name, S, meaning)   \
    LANES(name##2, S##16, meaning) \
    LANES(name##4, S##8, meaning)
WIDTHS(vadd, u, a + b)
WIDTHS(vsub, u, a - b)
LANES(vaddss2, s16, limited<s16>(a + b))
LANES(vaddss4, s8, limited<s8>(a + b))
LANES(vaddus2, u16, limited<u16>(a + b))
LANES(vaddus4, u8, limited<u8>(a + b))
LANES(vsubss2, s16, limited<s16>(a - b))
LANES(vsubss4, s8, limited<s8>(a - b))
LANES(vsubus2, u16, limited<u16>(a - b))
LANES(vsubus4, u8, limited<u8>(a - b))
WIDTHS(vavgs, s, rounded_average(a, b))
WIDTHS(vavgu, u, (a + b + 1) / 2)
WIDTHS(vhaddu, u, (a + b) / 2)
WIDTHS(vabsdiffs, s, magnitude(a - b))
WIDTHS(vabsdiffu, u, magnitude(a - b))
WIDTHS(vmaxs, s, std::max(a, b))
WIDTHS(vmaxu, u, std::max(a, b))
WIDTHS(vmins, s, std::min(a, b))
WIDTHS(vminu, u, std::min(a, b))
#define COMPARED(name, S, operation)              \
    WIDTHS(vcmp##name, S, a operation b ? -1 : 0) \
    WIDTHS(vset##name, S, a operation b ? 1 : 0)
COMPARED(eq, u, ==)
COMPARED(ne, u, !=)
COMPARED(gts, s, >)
COMPARED(gtu, u, >)
COMPARED(ges, s, >=)
COMPARED(geu, u, >=)
COMPARED(lts, s, <)
COMPARED(ltu, u, <)
COMPARED(les, s, <=)
COMPARED(leu, u, <=)
LANES_OF_ONE(vabs2, s16, magnitude(a))
LANES_OF_ONE(vabs4, s8, magnitude(a))
LANES_OF_ONE(vabsss2, s16, limited<s16>(magnitude(a)))
LANES_OF_ONE(vabsss4, s8, limited<s8>(magnitude(a)))
LANES_OF_ONE(vneg2, s16, -a)
LANES_OF_ONE(vneg4, s8, -a)
LANES_OF_ONE(vnegss2, s16, limited<s16>(-a))
LANES_OF_ONE(vnegss4, s8, limited<s8>(-a))
#undef COMPARED
#undef WIDTHS
#undef LANES
#undef LANES_OF_ONE
#define DISTANCES(name, T)                                        \
    HD inline u32 p_##name(u32 a, u32 b) {                        \
        return EITHER(__##name(a, b), sum_of_distances<T>(a, b)); \
    }
DISTANCES(vsads2, s16)
DISTANCES(vsads4, s8)
DISTANCES(vsadu2, u16)
DISTANCES(vsadu4, u8)
#undef DISTANCES

// ---- products of parts

HD inline u32 p_umul24(u32 a, u32 b) {
    return EITHER(__umul24(a, b), (a & 0xFFFFFF) * (b & 0xFFFFFF));
}
inline s64 low_24(u32 x) {
    return s64{x & 0xFFFFFF} - (x >> 23 & 1 ? 1 << 24 : 0);
}
HD inline u32 p_mul24(u32 a, u32 b) {
    return EITHER(static_cast<u32>(__mul24(static_cast<s32>(a), static_cast<s32>(b))),
                  static_cast<u32>(low_24(a) * low_24(b)));
}
/// How a GPU multiplies four bytes, or two halves of a word with two bytes of another: from compute capability 6.1 on.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define DOT(name, parts, first)                                                                            \
    template <class T>                                                                                     \
    HD u32 p_##name(u32 a, u32 b, u32 c) {                                                                 \
        return EITHER(static_cast<u32>(__##name(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c))), \
                      (sum_of_products<T, parts, first>(a, b, c)));                                        \
    }
/// The i-th part of so many bits, as signed as T.
template <class T>
s64 part(u32 x, u32 width, u32 i) {
    const s64 value = x >> (width * i) & ((1U << width) - 1);
    return static_cast<T>(-1) < 0 && (value >> (width - 1) & 1) ? value - (s64{1} << width) : value;
}
template <class T, u32 parts, u32 first>
u32 sum_of_products(u32 a, u32 b, u32 c) {
    for (u32 i = 0; i < parts; ++i) c += static_cast<u32>(part<T>(a, 32 / parts, i) * part<T>(b, 8, i + first));
    return c;
}
DOT(dp4a, 4, 0)
DOT(dp2a_lo, 2, 0)
DOT(dp2a_hi, 2, 2)
#undef DOT
#endif

// ---- words

HD inline u32 p_usad(u32 a, u32 b, u32 c) {
    return EITHER(__usad(a, b, c), static_cast<u32>(magnitude(s64{a} - b)) + c);
}
HD inline u32 p_hadd(u32 a, u32 b) {
    return EITHER(static_cast<u32>(__hadd(static_cast<s32>(a), static_cast<s32>(b))),
                  static_cast<u32>((s64{static_cast<s32>(a)} + static_cast<s32>(b)) >> 1));
}
HD inline u32 p_rhadd(u32 a, u32 b) {
    return EITHER(static_cast<u32>(__rhadd(static_cast<s32>(a), static_cast<s32>(b))),
                  static_cast<u32>((s64{static_cast<s32>(a)} + static_cast<s32>(b) + 1) >> 1));
}
HD inline u32 p_uhadd(u32 a, u32 b) {
    return EITHER(__uhadd(a, b), static_cast<u32>((u64{a} + b) >> 1));
}
HD inline u32 p_urhadd(u32 a, u32 b) {
    return EITHER(__urhadd(a, b), static_cast<u32>((u64{a} + b + 1) >> 1));
}
HD inline u32 p_funnel_lc(u32 low, u32 high, u32 n) {
    return EITHER(__funnelshift_lc(low, high, n), n >= 32 ? low : static_cast<u32>((u64{high} << 32 | low) << n >> 32));
}
HD inline u32 p_funnel_rc(u32 low, u32 high, u32 n) {
    return EITHER(__funnelshift_rc(low, high, n), n >= 32 ? high : static_cast<u32>((u64{high} << 32 | low) >> n));
}

// ---- the largest or smallest of sums and of three (CUDA 12 on): words, and the halves of words
// 32-bit sums stay in range: functions that emulate them may count on that.

#if CUDART_VERSION >= 12000
#define WORDS(name, T, meaning)                                                              \
    HD inline u32 p_##name(u32 x, u32 y, u32 z) {                                            \
        const T a = static_cast<T>(x) / 2, b = static_cast<T>(y) / 2, c = static_cast<T>(z); \
        return static_cast<u32>(EITHER(__##name(a, b, c), (meaning)));                       \
    }
#define HALVES(name, T, meaning)                                                                                    \
    HD inline u32 p_##name(u32 x, u32 y, u32 z) {                                                                   \
        return EITHER(__##name(x, y, z), of_lanes<T>(x, y, z, [](s64 a, s64 b, s64 c) -> s64 { return meaning; })); \
    }
#define BOTH_KINDS(name, function)                                                                     \
    WORDS(viadd##name##_s32, s32, function(a + b, c))                                                  \
    WORDS(viadd##name##_u32, u32, function(a + b, c))                                                  \
    WORDS(viadd##name##_s32_relu, s32, std::max(function(a + b, c), 0))                                \
    WORDS(vi##name##3_s32, s32, function(a, function(b, c)))                                           \
    WORDS(vi##name##3_u32, u32, function(a, function(b, c)))                                           \
    WORDS(vi##name##3_s32_relu, s32, std::max(function(a, function(b, c)), 0))                         \
    HALVES(viadd##name##_s16x2, s16, function(s64{static_cast<s16>(a + b)}, c))                        \
    HALVES(viadd##name##_u16x2, u16, function(s64{static_cast<u16>(a + b)}, c))                        \
    HALVES(viadd##name##_s16x2_relu, s16, std::max(function(s64{static_cast<s16>(a + b)}, c), s64{0})) \
    HALVES(vi##name##3_s16x2, s16, function(a, function(b, c)))                                        \
    HALVES(vi##name##3_u16x2, u16, function(a, function(b, c)))                                        \
    HALVES(vi##name##3_s16x2_relu, s16, std::max(function(a, function(b, c)), s64{0}))
BOTH_KINDS(max, std::max)
BOTH_KINDS(min, std::min)
#undef WORDS
#undef HALVES
#undef BOTH_KINDS
#define PAIR(name, function)                                                                               \
    HD inline u32 p_vi##name##_s32_relu(u32 a, u32 b) {                                                    \
        const s32 x = static_cast<s32>(a), y = static_cast<s32>(b);                                        \
        return static_cast<u32>(EITHER(__vi##name##_s32_relu(x, y), std::max(function(x, y), 0)));         \
    }                                                                                                      \
    HD inline u32 p_vi##name##_s16x2_relu(u32 x, u32 y) {                                                  \
        return EITHER(__vi##name##_s16x2_relu(x, y), of_lanes<s16>(x, y, 0, [](s64 a, s64 b, s64) -> s64 { \
                          return std::max(function(a, b), s64{0});                                         \
                      }));                                                                                 \
    }
PAIR(max, std::max)
PAIR(min, std::min)
#undef PAIR
/// With which it was in the lowest bits.
#define WHICH(name, T, function, operation)                                                               \
    HD inline u32 p_vib##name(u32 x, u32 y) {                                                             \
        const T a = static_cast<T>(x), b = static_cast<T>(y);                                             \
        bool first = false;                                                                               \
        const u32 found =                                                                                 \
            static_cast<u32>(EITHER(__vib##name(a, b, &first), (first = a operation b, function(a, b)))); \
        return found * 2 + first;                                                                         \
    }
#define WHICH_OF_TWO(name, T, function, operation)                                                                    \
    HD inline u32 p_vib##name(u32 x, u32 y) {                                                                         \
        bool high = false, low = false;                                                                               \
        const u32 found = EITHER(__vib##name(x, y, &high, &low), of_lanes<T>(x, y, 0, [&](s64 a, s64 b, s64) -> s64 { \
                                     high = a operation b;                                                            \
                                     return function(a, b);                                                           \
                                 }));                                                                                 \
        EITHER(, low = static_cast<T>(x) operation static_cast<T>(y));                                                \
        return found * 4 + high * 2 + low;                                                                            \
    }
WHICH(max_s32, s32, std::max, >=)
WHICH(max_u32, u32, std::max, >=)
WHICH(min_s32, s32, std::min, <=)
WHICH(min_u32, u32, std::min, <=)
WHICH_OF_TWO(max_s16x2, s16, std::max, >=)
WHICH_OF_TWO(max_u16x2, u16, std::max, >=)
WHICH_OF_TWO(min_s16x2, s16, std::min, <=)
WHICH_OF_TWO(min_u16x2, u16, std::min, <=)
#undef WHICH
#undef WHICH_OF_TWO
#endif
