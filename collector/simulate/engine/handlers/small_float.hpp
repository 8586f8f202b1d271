// Floating point of 8 bits and fewer, as stored (PTX ISA 5.2.3): exact to double, and back with the one rounding and
// the saturation that PTX knows for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

struct SmallFormat {
    int exponent_bits = 0, mantissa_bits = 0, bias = 0;
    std::uint8_t largest = 0;  // bits of the largest number
    bool infinity = false;     // the highest exponent holds infinity and NaN
    bool nan = false;          // all ones is NaN
};

/// Of a type or of the pair of it.
inline SmallFormat small_format(ptx::Type type) {
    using enum ptx::Type;
    switch (type) {
        case e4m3:
        case e4m3x2:
            return {4, 3, 7, 0x7E, false, true};
        case e5m2:
        case e5m2x2:
            return {5, 2, 15, 0x7B, true, true};
        case e2m3:
        case e2m3x2:
            return {2, 3, 1, 0x1F, false, false};
        case e3m2:
        case e3m2x2:
            return {3, 2, 3, 0x1F, false, false};
        default:  // e2m1
            return {2, 1, 1, 0x07, false, false};
    }
}

inline double small_value(const SmallFormat& format, std::uint32_t bits) {
    const int width = format.exponent_bits + format.mantissa_bits;
    const std::uint32_t top = (1U << format.exponent_bits) - 1;
    const std::uint32_t exponent = bits >> format.mantissa_bits & top;
    const std::uint32_t mantissa = bits & ((1U << format.mantissa_bits) - 1);
    const double sign = (bits >> width & 1U) != 0 ? -1 : 1;
    if (format.infinity && exponent == top)
        return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    if (format.nan && (bits & ((1U << width) - 1)) == (1U << width) - 1)
        return std::numeric_limits<double>::quiet_NaN();
    const double fraction = std::ldexp(static_cast<double>(mantissa), -format.mantissa_bits);
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - format.bias);
    return sign * std::ldexp(1 + fraction, static_cast<int>(exponent) - format.bias);
}

/// To nearest, ties to even; what is too large becomes the largest number, and so does NaN where the format has none.
inline std::uint8_t small_bits(const SmallFormat& format, double x) {
    if (std::isnan(x)) return format.nan ? 0x7F : format.largest;
    const int width = format.exponent_bits + format.mantissa_bits;
    const std::uint32_t sign = std::signbit(x) ? 1U << width : 0;
    const double size = std::fabs(x);
    if (size >= small_value(format, format.largest)) return static_cast<std::uint8_t>(sign | format.largest);
    const int least = 1 - format.bias;
    const int exponent = size == 0 ? least : std::max(std::ilogb(size), least);
    // The unit of the last place; a carry into the next exponent comes out right by itself.
    const double units = std::nearbyint(std::ldexp(size, format.mantissa_bits - exponent));
    const auto above = static_cast<std::uint32_t>(exponent - least) << format.mantissa_bits;
    return static_cast<std::uint8_t>(sign | (above + static_cast<std::uint32_t>(units)));
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
