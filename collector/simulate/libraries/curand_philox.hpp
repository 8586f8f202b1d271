// Random bits by counting: Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011, section 3.3.
#pragma once

#include <array>
#include <cstdint>

namespace gpuproj::simulate::libraries::curand {

using Block = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

/// The four words that ten rounds make of `counter` under `key`.
constexpr Block philox4x32(Block counter, Key key) {
    constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
    constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;  // golden ratio, sqrt(3) - 1
    constexpr int rounds = 10;
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t product_0 = multiplier_0 * counter[0], product_1 = multiplier_1 * counter[2];
        const auto high_0 = static_cast<std::uint32_t>(product_0 >> 32);
        const auto high_1 = static_cast<std::uint32_t>(product_1 >> 32);
        counter = {high_1 ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product_1), high_0 ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(product_0)};
        key[0] += weyl_0;
        key[1] += weyl_1;
    }
    return counter;
}

// Known answers of the authors' library Random123 (kat_vectors).
static_assert(philox4x32({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
              Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

}  // namespace gpuproj::simulate::libraries::curand
