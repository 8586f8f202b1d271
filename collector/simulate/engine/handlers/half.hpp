// 16-bit floating point as stored: conversions to and from float, round to nearest even.
#pragma once

#include <bit>
#include <cstdint>

namespace gpuproj::simulate::GPUPROJ_ISA {

struct Half {
    std::uint16_t bits = 0;
};
struct BFloat {
    std::uint16_t bits = 0;
};

inline float to_float(Half h) {
    return static_cast<float>(std::bit_cast<_Float16>(h.bits));
}
inline float to_float(BFloat b) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(b.bits) << 16);
}

/// From double in one rounding; NaN becomes the one NaN that the machine gives.
inline void from_double(double x, Half& h) {
    h.bits = x != x ? std::uint16_t{0x7FFF} : std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
}
inline void from_double(double x, BFloat& b) {
    // Round to odd in float keeps the final rounding to 8 bits correct.
    const auto f = static_cast<float>(x);
    auto bits = std::bit_cast<std::uint32_t>(f);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
        b.bits = 0x7FFF;
        return;
    }
    if (static_cast<double>(f) != x && (bits & 0x7F800000U) != 0x7F800000U) {
        const bool away = __builtin_fabs(static_cast<double>(f)) > __builtin_fabs(x);  // f may be -0
        if (away) --bits;                                                              // toward zero
        bits |= 1U;
    }
    b.bits = static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}
template <class H>
inline H half_from(double x) {
    H h;
    from_double(x, h);
    return h;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
