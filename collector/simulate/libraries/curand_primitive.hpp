// Primitive polynomials modulo 2, which Sobol sequences are made of, one for each dimension.
#pragma once

#include <cstdint>

namespace gpuproj::simulate::libraries::curand {

/// Its coefficients are the bits, between the first and the last, which are 1.
struct PrimitivePolynomial {
    unsigned degree, coefficients;
};

/// The remainder of a * b; `polynomial` with all its bits.
constexpr std::uint32_t product_modulo(std::uint32_t a, std::uint32_t b, std::uint32_t polynomial, unsigned degree) {
    std::uint32_t result = 0;
    for (; b != 0; b >>= 1) {
        if ((b & 1U) != 0) result ^= a;
        a <<= 1;
        if ((a >> degree & 1U) != 0) a ^= polynomial;
    }
    return result;
}

/// The remainder of x to the power `exponent`.
constexpr std::uint32_t power_of_x(std::uint32_t exponent, std::uint32_t polynomial, unsigned degree) {
    std::uint32_t result = 1, factor = degree == 1 ? 1 : 2;  // x is 1 modulo x + 1
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1U) != 0) result = product_modulo(result, factor, polynomial, degree);
        factor = product_modulo(factor, factor, polynomial, degree);
    }
    return result;
}

/// x must have the order 2^degree - 1: no power of it that is a proper divisor may be 1.
constexpr bool is_primitive(std::uint32_t polynomial, unsigned degree) {
    const std::uint32_t order = (1U << degree) - 1;
    if (power_of_x(order, polynomial, degree) != 1) return false;
    std::uint32_t left = order;
    for (std::uint32_t p = 2; left > 1; ++p) {
        if (p * p > left) p = left;
        if (left % p != 0) continue;
        if (power_of_x(order / p, polynomial, degree) == 1) return false;
        while (left % p == 0) left /= p;
    }
    return true;
}

/// Calls `use` with the first `count`, by degree and then by coefficients, which is the order of Joe and Kuo.
template <class Use>
constexpr void for_primitive_polynomials(unsigned count, Use&& use) {
    unsigned found = 0;
    for (unsigned degree = 1; found < count; ++degree)
        for (std::uint32_t inner = 0; inner < 1U << (degree - 1) && found < count; ++inner)
            if (is_primitive(1U << degree | inner << 1 | 1U, degree)) use(found++, PrimitivePolynomial{degree, inner});
}

}  // namespace gpuproj::simulate::libraries::curand
