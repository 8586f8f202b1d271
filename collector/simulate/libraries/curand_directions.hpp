// Scrambled Sobol sequences, and direction numbers for the application's own kernels.
#pragma once

#include "collector/simulate/libraries/curand_philox.hpp"
#include "collector/simulate/libraries/curand_sobol.hpp"

namespace gpuproj::simulate::libraries::curand {

/// What is drawn by chance once and for all: `kind` tells uses apart.
constexpr std::uint64_t drawn(std::uint32_t kind, std::uint32_t dimension, std::uint32_t place) {
    const Block block = philox4x32({dimension, place, kind, 0}, {0x536F626F, 0x6C});  // "Sobol"
    return std::uint64_t{block[0]} << 32 | block[1];
}
inline constexpr std::uint32_t drawn_number = 1, drawn_row = 2, drawn_constant = 3;

/// Scrambled as J. Matousek has it ("On the L2-discrepancy for anchored boxes", Journal of Complexity 14, 1998): to
/// each binary digit some of those above it are added without carry. Which is drawn by chance, so that these are not
/// NVIDIA's numbers.
template <class Word>
constexpr Directions<Word> scrambled(const Directions<Word>& directions, unsigned dimension) {
    constexpr unsigned bits = std::numeric_limits<Word>::digits;
    Directions<Word> made{};
    for (unsigned digit = 0; digit < bits; ++digit) {
        const Word here = Word{1} << (bits - 1 - digit);
        const auto some = static_cast<Word>(drawn(drawn_row, dimension, digit) >> (64 - bits));
        const Word added = here | (some & ~(here | (here - 1)));
        for (std::size_t k = 0; k < directions.size(); ++k)
            if (std::popcount(directions[k] & added) % 2 != 0) made[k] |= here;
    }
    return made;
}

/// What all points of a scrambled dimension are added to without carry.
template <class Word>
constexpr Word scramble_constant(unsigned dimension) {
    return static_cast<Word>(drawn(drawn_constant, dimension, 0) >> (64 - std::numeric_limits<Word>::digits));
}

}  // namespace gpuproj::simulate::libraries::curand
