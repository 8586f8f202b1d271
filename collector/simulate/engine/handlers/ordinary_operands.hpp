// Which operands take the ordinary way of a quotient, reciprocal or root, for handlers and machine code alike: what
// ptxas' code for 3.5 to 9.0 asks in front of its subroutines. Of quotients of floats one instruction asks (FCHK),
// whose rule is not published: here what a reciprocal and two corrections can do, without 0, infinity, NaN, and
// underflow in between.
#pragma once

#include <cstdint>

namespace gpuproj::simulate {

/// From low to high, modulo 2^32.
struct WordRange {
    std::uint32_t low, high;
};

/// Of the words that hold sign, exponent and the first of the fraction: floats, and the upper words of doubles.
struct OrdinaryOperands {
    std::uint32_t exponent_shift, exponent_mask;
    WordRange dividend, divisor, difference;  // exponents: of a quotient's operands, and the one less the other;
                                              // reciprocals are of divisors
    WordRange root;                           // words
};
inline constexpr OrdinaryOperands ordinary_floats{23,       0xFF,         {24, 254},
                                                  {1, 252}, {-125U, 126}, {0x0D000000, 0x7F7FFFFF}};
inline constexpr OrdinaryOperands ordinary_doubles{20,        0x7FF,          {54, 2046},
                                                   {1, 2044}, {-1021U, 1016}, {0x03500000, 0x7FEFFFFF}};

}  // namespace gpuproj::simulate
