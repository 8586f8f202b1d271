// Sums and products of single precision rounded down, up or to zero, without the processor's rounding mode: to change
// it costs more than the instruction, and nothing is vectorised around it. expf() has one of them (fma.rm).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "collector/simulate/engine/handlers/spec.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// The neighbour of x below it, and above it.
inline float next_below(float x) {
    constexpr std::uint32_t least_negative = 0x80000001U;
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return std::bit_cast<float>(x == 0 ? least_negative : x > 0 ? bits - 1 : bits + 1);
}
inline float next_above(float x) {
    return -next_below(-x);
}

/// sum + rest, rounded. `sum` is the double nearest to that, or infinite.
template <Rounding Mode>
inline float rounded(double sum, double rest) {
    const auto nearest = static_cast<float>(sum);
    const double back = nearest;
    const bool above = back > sum || (back == sum && rest < 0), below = back < sum || (back == sum && rest > 0);
    if constexpr (Mode == Rounding::down) return above ? next_below(nearest) : nearest;
    if constexpr (Mode == Rounding::up) return below ? next_above(nearest) : nearest;
    const float not_above = above && sum > 0 ? next_below(nearest) : nearest;
    return below && sum < 0 ? next_above(nearest) : not_above;
}

/// a + b of doubles that have no more bits than products of single precision.
template <Rounding Mode>
inline float rounded_sum(double a, double b) {
    // What the sum lacks is a double too (Knuth, The Art of Computer Programming 2, 4.2.2).
    const double sum = a + b, of_b = sum - a, rest = (a - (sum - of_b)) + (b - of_b);
    const float result = rounded<Mode>(sum, rest);
    if constexpr (Mode != Rounding::down) return result;
    // Zero is negative but as the sum of two positive ones.
    const bool negative = std::signbit(a) || std::signbit(b);
    return sum == 0 && negative ? -0.0F : result;
}

/// Operation: add, sub, mul_lo or fma. Mode: down, up or zero.
template <Op Operation, Rounding Mode>
inline float rounded_result(float a, float b, float c) {
    if constexpr (Operation == Op::add) return rounded_sum<Mode>(a, b);
    if constexpr (Operation == Op::sub) return rounded_sum<Mode>(a, -static_cast<double>(b));
    const double product = static_cast<double>(a) * static_cast<double>(b);
    if constexpr (Operation == Op::mul_lo) return rounded<Mode>(product, 0);
    return rounded_sum<Mode>(product, c);
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
