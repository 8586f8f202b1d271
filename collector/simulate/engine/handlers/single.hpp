// Single precision as the machine has it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace gpuproj::simulate::GPUPROJ_ISA {

/// The one NaN that it makes, of positive sign.
inline constexpr float machine_nan = std::bit_cast<float>(0x7FFFFFFFU);

inline float canonical_single(float x) {
    return std::isnan(x) ? machine_nan : x;
}

/// Subnormals become zero of the same sign.
inline float flush_single(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return (bits & 0x7F800000U) == 0 ? std::bit_cast<float>(bits & 0x80000000U) : x;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
