// The numbers that these libraries have in common.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace gpuproj::simulate::libraries {

using C32 = std::complex<float>;
using C64 = std::complex<double>;

template <class T>
inline constexpr bool is_complex = std::is_same_v<T, C32> || std::is_same_v<T, C64>;

/// The type of a number's real part.
template <class T>
struct RealPart {
    using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
    using type = T;
};
template <class T>
using Real = typename RealPart<T>::type;

template <class T>
T conjugate(T value) {
    if constexpr (is_complex<T>)
        return std::conj(value);
    else
        return value;
}

/// bfloat16 as it lies in memory.
struct BFloat16 {
    std::uint16_t bits;

    explicit operator float() const {
        const std::uint32_t word = std::uint32_t{bits} << 16;
        float value;
        std::memcpy(&value, &word, sizeof value);
        return value;
    }
    static BFloat16 of(float value) {
        std::uint32_t word;
        std::memcpy(&word, &value, sizeof word);
        if (std::isnan(value)) return {static_cast<std::uint16_t>((word >> 16) | 0x40)};
        return {static_cast<std::uint16_t>((word + 0x7FFF + ((word >> 16) & 1U)) >> 16)};  // to nearest even
    }
};

}  // namespace gpuproj::simulate::libraries
