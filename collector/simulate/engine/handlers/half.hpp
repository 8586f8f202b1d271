// 16-bit floating point as stored: conversions to and from float, round to nearest even.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace gpuproj::simulate::GPUPROJ_ISA {

// Without a value of their own: arrays of them that are filled at once would be cleared first.
struct Half {
    std::uint16_t bits;  // NOLINT(*-member-init)
};
struct BFloat {
    std::uint16_t bits;  // NOLINT(*-member-init)
};

// GCC makes a call of a library of a cast to double that follows one to float, even where the processor has the latter.
#ifdef __F16C__
inline float to_float(Half h) {
    return _cvtsh_ss(h.bits);
}
inline Half half_from_float(float x) {
    return {_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT)};
}
#else
inline float to_float(Half h) {
    return static_cast<float>(std::bit_cast<_Float16>(h.bits));
}
inline Half half_from_float(float x) {
    return {std::bit_cast<std::uint16_t>(static_cast<_Float16>(x))};
}
#endif
inline float to_float(BFloat b) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(b.bits) << 16);
}

/// To float so that a second rounding, to fewer bits, gives what one rounding would: inexact results are odd.
inline float to_odd(double x) {
    const auto f = static_cast<float>(x);
    const auto exact = std::bit_cast<std::int64_t>(x), back = std::bit_cast<std::int64_t>(static_cast<double>(f));
    const auto bits = std::bit_cast<std::uint32_t>(f);
    const std::uint32_t toward_zero = (back & INT64_MAX) > (exact & INT64_MAX) ? bits - 1 : bits;  // f may be -0
    const std::uint32_t odd = back != exact ? toward_zero | 1U : bits;
    return std::bit_cast<float>((bits & 0x7F800000U) == 0x7F800000U ? bits : odd);
}
/// In one rounding; NaN becomes the one NaN that the machine gives.
inline void from_float(float x, Half& h) {
    h = half_from_float(x);
    if (x != x) h.bits = 0x7FFF;
}
inline void from_float(float x, BFloat& b) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    b.bits = (bits & 0x7FFFFFFFU) > 0x7F800000U
                 ? std::uint16_t{0x7FFF}
                 : static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}
template <class H>
inline H half_from(double x) {
    H h;
    from_float(to_odd(x), h);
    return h;
}

/// Arrays of `Count` numbers, a multiple of 8.
template <int Count, class H>
inline void to_floats(const H* from, float* to) {
#ifdef __F16C__
    if constexpr (std::is_same_v<H, Half>) {
        for (int i = 0; i < Count; i += 8)
            _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
        return;
    }
#endif
    for (int i = 0; i < Count; ++i) to[i] = to_float(from[i]);
}
template <int Count, class H>
inline void from_floats(const float* from, H* to) {
#ifdef __F16C__
    if constexpr (std::is_same_v<H, Half>) {
        const __m128i nan = _mm_set1_epi16(0x7FFF);
        for (int i = 0; i < Count; i += 8) {
            const __m256 x = _mm256_loadu_ps(from + i);
            const __m256i odd = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
            const __m128i are_nan = _mm_packs_epi32(_mm256_castsi256_si128(odd), _mm256_extracti128_si256(odd, 1));
            const __m128i bits = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm_blendv_epi8(bits, nan, are_nan));
        }
        return;
    }
#endif
    for (int i = 0; i < Count; ++i) from_float(from[i], to[i]);
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
