// Sobol's sequence with the direction numbers of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better
// two-dimensional projections", 2008 (their file new-joe-kuo-6.21201), in the order of Antonov and Saleev's Gray code.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace gpuproj::simulate::libraries::curand {

/// Dimensions there are direction numbers for.
inline constexpr unsigned most_dimensions = 20;

/// What a direction is made of: a primitive polynomial of this degree with these coefficients between the first and the
/// last, and its first numbers.
struct Polynomial {
    unsigned degree, coefficients;
    std::array<std::uint8_t, 7> first;
};

/// Of dimensions 2 to 20. The first dimension is van der Corput's sequence.
inline constexpr std::array<Polynomial, most_dimensions - 1> polynomials{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
}};

template <class Word>
using Directions = std::array<Word, std::numeric_limits<Word>::digits>;

/// The direction numbers, as binary fractions, of a primitive polynomial; first(k) gives the first `degree` numbers.
template <class Word, class First>
constexpr Directions<Word> directions_of(unsigned degree, unsigned coefficients, First&& first) {
    constexpr unsigned bits = std::numeric_limits<Word>::digits;
    Directions<Word> made{};
    for (unsigned k = 0; k < bits; ++k) {
        if (k < degree) {
            made[k] = static_cast<Word>(first(k)) << (bits - 1 - k);
            continue;
        }
        made[k] = made[k - degree] ^ (made[k - degree] >> degree);
        for (unsigned j = 1; j < degree; ++j)
            if ((coefficients >> (degree - 1 - j) & 1U) != 0) made[k] ^= made[k - j];
    }
    return made;
}

/// Of `dimension`, counted from 0.
template <class Word>
constexpr Directions<Word> directions(unsigned dimension) {
    constexpr unsigned bits = std::numeric_limits<Word>::digits;
    if (dimension == 0) return directions_of<Word>(bits, 0, [](unsigned) { return 1U; });
    const Polynomial& polynomial = polynomials[dimension - 1];
    return directions_of<Word>(polynomial.degree, polynomial.coefficients,
                               [&](unsigned k) { return polynomial.first[k]; });
}

/// Point `index` along one dimension.
template <class Word>
constexpr Word sobol(const Directions<Word>& directions, std::uint64_t index) {
    Word point = 0;
    std::uint64_t gray = index ^ (index >> 1);
    for (std::size_t k = 0; gray != 0 && k < directions.size(); ++k, gray >>= 1)
        if ((gray & 1U) != 0) point ^= directions[k];
    return point;
}

}  // namespace gpuproj::simulate::libraries::curand
