// Products of matrices by warp groups: four warps side by side, of which each has 16 rows of the result (PTX ISA,
// asynchronous warpgroup-level matrix instructions).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "collector/simulate/engine/tensor_map.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

inline constexpr std::uint32_t warps_of_group = 4;

// Inst::mode of a product: A or B have neighbours in memory along M or N, and not along K; the product is subtracted.
inline constexpr unsigned group_turns_a = 1, group_turns_b = 2, group_subtracts = 4;

/// A matrix in shared memory as the 64 bits of a descriptor tell it, in bytes: pieces of 16 bytes, one or more of them
/// in a line (as many as the swizzle mixes), eight lines in a square. What leading and stride are the distance of is as
/// CUTLASS has it (make_gmma_desc in mma_traits_sm90_gmma.hpp); the ISA says less.
struct SharedMatrix {
    static constexpr std::uint32_t piece_bytes = 16, lines = 8;

    std::uint32_t start = 0, leading = 0, stride = 0;
    std::uint32_t in_line = 1;        // pieces
    std::uint32_t pattern_start = 0;  // what addresses have in front of the pattern of the swizzle
    std::uint32_t moved_bits = 0;     // of an address, by the swizzle

    static constexpr SharedMatrix from_bits(std::uint64_t bits) {
        constexpr std::array swizzles{TensorMap::Swizzle::none, TensorMap::Swizzle::in_128, TensorMap::Swizzle::in_64,
                                      TensorMap::Swizzle::in_32};
        const auto bytes = [&](unsigned first) { return static_cast<std::uint32_t>(bits >> first & 0x3FFFU) << 4; };
        const std::uint32_t moved = swizzle_bits(swizzles[bits >> 62]);
        return {bytes(0),
                bytes(16),
                bytes(32),
                moved / piece_bytes + 1,
                static_cast<std::uint32_t>(bits >> 49 & 7U) * (lines * piece_bytes),
                moved};
    }
    /// Where the piece is that has neighbours along K of a row of A or column of B, which is `line`.
    constexpr std::uint32_t along_k(std::uint32_t line, std::uint32_t piece) const {
        const std::uint32_t to_piece = in_line == 1 ? leading : piece_bytes;
        return swizzled_place(start + line / lines * stride + line % lines * in_line * piece_bytes + piece * to_piece);
    }
    /// The same where neighbours are along M or N: the `piece`th of those of one k.
    constexpr std::uint32_t across_k(std::uint32_t piece, std::uint32_t k) const {
        const std::uint32_t to_line = in_line == 1 ? stride : leading, to_square = in_line == 1 ? leading : stride;
        return swizzled_place(start + piece / in_line * to_line + piece % in_line * piece_bytes +
                              k % lines * in_line * piece_bytes + k / lines * to_square);
    }

private:
    constexpr std::uint32_t swizzled_place(std::uint32_t at) const {
        return at ^ ((at - pattern_start) >> 3 & moved_bits);
    }
};

/// Whether all warps of the group that have not ended have executed so many products.
inline bool group_has_come(const BlockContext& block, std::uint32_t warp, std::uint32_t products) {
    const std::uint32_t first = warp / warps_of_group * warps_of_group;
    for (std::uint32_t w = first; w < std::min(first + warps_of_group, block.warp_count); ++w)
        if (block.states[w] != WarpState::done && block.warps[w]->products < products) return false;
    return true;
}

}  // namespace gpuproj::simulate
