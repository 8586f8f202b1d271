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

/// To float so that a second rounding, to fewer bits, gives what one rounding would: inexact results are odd.
inline float to_odd(double x) {
    const auto f = static_cast<float>(x);
    auto bits = std::bit_cast<std::uint32_t>(f);
    if (static_cast<double>(f) != x && (bits & 0x7F800000U) != 0x7F800000U) {
        const bool away = __builtin_fabs(static_cast<double>(f)) > __builtin_fabs(x);  // f may be -0
        if (away) --bits;                                                              // toward zero
        bits |= 1U;
    }
    return std::bit_cast<float>(bits);
}
/// From double in one rounding; NaN becomes the one NaN that the machine gives.
inline void from_double(double x, Half& h) {
    h.bits = x != x ? std::uint16_t{0x7FFF} : std::bit_cast<std::uint16_t>(static_cast<_Float16>(to_odd(x)));
}
inline void from_double(double x, BFloat& b) {
    const auto bits = std::bit_cast<std::uint32_t>(to_odd(x));
    b.bits = (bits & 0x7FFFFFFFU) > 0x7F800000U
                 ? std::uint16_t{0x7FFF}
                 : static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}
template <class H>
inline H half_from(double x) {
    H h;
    from_double(x, h);
    return h;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
