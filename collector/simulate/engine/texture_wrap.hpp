// Coordinates of texels and what a texture makes of those outside (CUDA C++ Programming Guide, "Texture Fetching").
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "collector/simulate/engine/texture.hpp"

namespace gpuproj::simulate {

/// A texel coordinate outside [0, n) brought into it, n > 0; negative where the border is read.
inline std::int64_t wrap_outside(std::int64_t i, std::int64_t n, AddressMode mode) {
    switch (mode) {
        case AddressMode::wrap:
            return ((i % n) + n) % n;
        case AddressMode::mirror: {
            const std::int64_t period = ((i % (2 * n)) + 2 * n) % (2 * n);
            return period < n ? period : 2 * n - 1 - period;
        }
        case AddressMode::clamp:
            return std::clamp<std::int64_t>(i, 0, n - 1);
        case AddressMode::border:
            return -1;
    }
    return -1;
}
inline std::int64_t wrap_index(std::int64_t i, std::uint32_t size, AddressMode mode) {
    const std::int64_t n = std::max(size, 1U);
    return i >= 0 && i < n ? i : wrap_outside(i, n, mode);
}

/// Coordinates that integers hold: all but those from mistakes. False for NaN.
inline bool is_ordinary(float x) {
    return std::fabs(x) < 0x1p30F;
}
inline std::int32_t floor_of_ordinary(float x) {
    const auto toward_zero = static_cast<std::int32_t>(x);
    return toward_zero - (static_cast<float>(toward_zero) > x ? 1 : 0);
}
/// The fraction of a filter is 8 bits wide on the hardware.
inline float fraction_of_ordinary(float x) {
    // To the nearest integer, ties to even: what is below the unit is lost in the sum.
    constexpr float units = 0x1.8p23F;
    const float part = (x - static_cast<float>(floor_of_ordinary(x))) * 256.0F;
    return ((part + units) - units) / 256.0F;
}

}  // namespace gpuproj::simulate
