// What the special-function unit approximates, far more exactly than it and in a form that compilers vectorise: no
// calls, no branches. Errors are below 1e-9 of the result, so that it mostly is the right one when rounded to single
// precision.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "collector/simulate/engine/handlers/special_series.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// c[0] + c[1] x + c[2] x^2 + ..., from c[First] on. A loop would keep the one around it from being vectorised.
template <std::size_t First = 0, std::size_t Count>
[[gnu::always_inline]] inline double polynomial(const std::array<double, Count>& c, double x) {
    if constexpr (First + 1 == Count)
        return c[First];
    else
        return polynomial<First + 1>(c, x) * x + c[First];
}

using special::to_integer;

/// 2^x; what is beyond single precision is infinite or 0 there.
inline double exp2_of(double x) {
    constexpr double most = special::most_power;
    constexpr int exponent = 52;
    const double not_above = x > most ? most : x, within = not_above < -most ? -most : not_above;
    const double sum = within + to_integer;
    const double rest = within - (sum - to_integer);
    const std::uint64_t power = (std::bit_cast<std::uint64_t>(sum) << exponent) + std::bit_cast<std::uint64_t>(1.0);
    return polynomial(special::exp2_series, rest) * std::bit_cast<double>(power);
}

/// Beyond this, sine_of is not exact.
inline constexpr double most_quarters = 1 << 20;

/// The sine of x + quarters x pi / 2, for |x| up to most_quarters.
inline double sine_of(double x, std::uint64_t quarters) {
    // pi / 2 in two parts; the first has 33 bits, so that its products with numbers of 20 bits are exact.
    constexpr double per_quarter = 0.636619772367581343, first = 0x1.921fb544p+0, second = 0x1.0b4611a626331p-34;
    static constexpr std::array sine{1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800};
    static constexpr std::array cosine{1.0,         -1.0 / 2,       1.0 / 24,       -1.0 / 720,
                                       1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600};
    const double sum = x * per_quarter + to_integer;
    const double count = sum - to_integer;
    const double rest = (x - count * first) - count * second, square = rest * rest;
    const auto of_sine = std::bit_cast<std::uint64_t>(rest * polynomial(sine, square));
    const auto of_cosine = std::bit_cast<std::uint64_t>(polynomial(cosine, square));
    const std::uint64_t quarter = std::bit_cast<std::uint64_t>(sum) + quarters;
    const std::uint64_t odd = std::uint64_t{0} - (quarter & 1);
    const std::uint64_t sign = (quarter & 2) << 62;
    return std::bit_cast<double>(((of_sine & ~odd) | (of_cosine & odd)) ^ sign);
}

/// The logarithm to the base 2.
inline double log2_of(float x) {
    constexpr float least = std::numeric_limits<float>::min(), larger = 1 << 24;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const bool subnormal = x < least;
    // Unsigned: of negative numbers, whose result is not used, the differences are beyond what signed ones hold.
    const auto bits = std::bit_cast<std::uint32_t>(subnormal ? x * larger : x);
    constexpr std::uint32_t root_of_half = special::root_of_half, exponent = 23;
    // So that the rest is between the roots of 1/2 and 2.
    const std::int32_t power = static_cast<std::int32_t>(bits - root_of_half) >> exponent;
    const double rest = std::bit_cast<float>(bits - (static_cast<std::uint32_t>(power) << exponent));
    const double s = (rest - 1) / (rest + 1);
    const double found = (power - (subnormal ? 24 : 0)) + s * polynomial(special::log2_series, s * s);
    const double of_positive = x < std::numeric_limits<float>::infinity() ? found : static_cast<double>(x);
    const double of_others = x == 0 ? -infinite : std::numeric_limits<double>::quiet_NaN();
    return x > 0 ? of_positive : of_others;
}

/// The hyperbolic tangent.
inline double tanh_of(double x) {
    constexpr double twice_log2_e = 2.88539008177792681, small = 1.0 / 64;
    static constexpr std::array series{1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315};
    const double power = exp2_of(x * twice_log2_e);
    const double of_small = x * polynomial(series, x * x), of_others = (power - 1) / (power + 1);
    return std::fabs(x) < small ? of_small : of_others;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
