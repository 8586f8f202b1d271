// Numbers that handlers and machine code of the special functions share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpuproj::simulate::special {

/// Rounds to the nearest integer: that is in the lowest bits of the sum with this, and comes out when it is taken away
/// again. For magnitudes below 2^51.
inline constexpr double to_integer = 6755399441055744.0;  // 1.5 x 2^52

inline constexpr double ln2 = 0.693147180559945309;
/// Powers of 2 beyond this are infinite or 0 in single precision.
inline constexpr double most_power = 200;
/// Of e^(x ln 2), for |x| at most 1/2.
inline constexpr auto exp2_series = [] {
    std::array<double, 9> c{1};
    for (std::size_t i = 1; i < c.size(); ++i) c[i] = c[i - 1] * ln2 / static_cast<double>(i);
    return c;
}();
/// Of 2 artanh(s) / (s ln 2), in s^2, for |s| up to 0.172.
inline constexpr auto log2_series = [] {
    std::array<double, 7> c{};
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = 2 / (ln2 * static_cast<double>(2 * i + 1));
    return c;
}();
/// Its bits, as a number of single precision.
inline constexpr std::uint32_t root_of_half = 0x3F3504F3;

}  // namespace gpuproj::simulate::special
