// The meaning of f16 and bf16 bits, written from IEEE 754: apart from the engine's, to check it.
#pragma once

#include <cmath>

#include "tests/support/ptx_runner.hpp"

namespace gpuproj::test {

struct HalfFormat {
    int exponent_bits, fraction_bits;
};
template <class H>
constexpr HalfFormat format_of() {
    return std::is_same_v<H, f16> ? HalfFormat{5, 10} : HalfFormat{8, 7};
}

template <class H>
f64 value_of(H h) {
    constexpr HalfFormat format = format_of<H>();
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const int exponent = (h.bits >> format.fraction_bits) & ((1 << format.exponent_bits) - 1);
    const int fraction = h.bits & ((1 << format.fraction_bits) - 1);
    const f64 sign = (h.bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == (1 << format.exponent_bits) - 1)
        return fraction != 0 ? std::numeric_limits<f64>::quiet_NaN() : sign * std::numeric_limits<f64>::infinity();
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - format.fraction_bits);
    return sign * std::ldexp(fraction + (1 << format.fraction_bits), exponent - bias - format.fraction_bits);
}

/// Nearest, ties to even, from the neighbours' values.
template <class H>
H round_to(f64 x) {
    constexpr HalfFormat format = format_of<H>();
    const u16 infinity = static_cast<u16>(((1 << format.exponent_bits) - 1) << format.fraction_bits);
    const u16 sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isnan(x)) return H{0x7FFF};
    const f64 magnitude = std::fabs(x);
    u16 below = 0, above = infinity;  // the bits of magnitudes are ordered as the magnitudes are
    while (above - below > 1) {
        const u16 middle = static_cast<u16>((below + above) / 2);
        (value_of(H{middle}) <= magnitude ? below : above) = middle;
    }
    const f64 low = value_of(H{below});
    // The step beyond the largest number counts as one more of the same size.
    const f64 high = above == infinity ? 2 * low - value_of(H{static_cast<u16>(below - 1)}) : value_of(H{above});
    if (magnitude >= high) return H{static_cast<u16>(sign | above)};
    const f64 down = magnitude - low, up = high - magnitude;
    const bool take_above = up < down || (up == down && (below & 1) != 0);
    return H{static_cast<u16>(sign | (take_above ? above : below))};
}

/// a b + c rounded to odd, so that a later rounding to few bits is as if it were the only one.
inline f64 fused(f64 a, f64 b, f64 c) {
    const __float128 product = static_cast<__float128>(a) * b, sum = product + c;
    const __float128 part = sum - product, lost = (product - (sum - part)) + (c - part);
    auto x = static_cast<f64>(sum);
    if (!std::isfinite(x)) return x;
    const __float128 off = (sum - static_cast<__float128>(x)) + lost;
    if (off != 0 && (bits_of(x) & 1) == 0) x = std::nextafter(x, off > 0 ? INFINITY : -INFINITY);
    return x;
}

}  // namespace gpuproj::test
