// mma with .block_scale: parts of the rows of A and of the columns of B have factors.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/small_float.hpp"
#include "collector/simulate/engine/matrix.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

inline constexpr std::size_t largest_scaled = 1024;  // elements of A or B: 16 x 64 (stored), 128 x 8

/// The factors of one side of a product by blocks, part after part for each row of A (16) or column of B (8). Which
/// lane has those of which row the ISA only draws; it is as CUTLASS has it (SFALayout, SFBLayout of
/// mma_traits_sm120.hpp): row r of A in lane 4 (r mod 8) + r / 8, or two lanes further, column c of B in one of lanes 4
/// c to 4 c + 3, by the second selector; the first says in which byte.
inline void block_factors(const Warp& warp, const BlockScale& scale, bool of_a, double* factors) {
    const Ref* refs = &warp.code->lists[scale.first + (of_a ? 0 : BlockScale::refs / 2)];
    const auto* words = source<std::uint32_t>(warp, refs[0]);
    const std::uint32_t byte = *source<std::uint16_t>(warp, refs[1]), chosen = *source<std::uint16_t>(warp, refs[2]);
    const SmallFormat format = small_format(ptx::Type::e4m3);
    for (std::uint32_t i = 0; i < (of_a ? 16 : 8); ++i) {
        const std::uint32_t word = words[of_a ? i % 8 * 4 + chosen % 2 * 2 + i / 8 : i * 4 + chosen % 4];
        for (std::uint32_t part = 0; part < scale.parts; ++part) {
            const std::uint32_t raw = word >> (byte + part) % 4 * 8 & 0xFFU;
            const bool nan = raw == 0xFFU;  // of ue8m0
            *factors++ = !scale.powers ? small_value(format, raw & 0x7FU)
                         : nan         ? std::numeric_limits<double>::quiet_NaN()
                                       : std::ldexp(1.0, static_cast<int>(raw) - 127);
        }
    }
}
/// A and B times their factors (PTX ISA 9.7.14.3), exact.
inline void scale_blocks(const Warp& warp, const MatrixPlan& plan, double* a, double* b) {
    constexpr std::size_t most_factors = 64;
    double factors[most_factors];
    const std::uint32_t parts = plan.scale.parts;
    block_factors(warp, plan.scale, true, factors);
    // Of a sparse A half of each part is stored.
    const std::uint32_t cols = plan.a.cols;
    for (std::uint32_t row = 0; row < plan.m; ++row)
        for (std::uint32_t col = 0; col < cols; ++col) a[row * cols + col] *= factors[row * parts + col * parts / cols];
    block_factors(warp, plan.scale, false, factors);
    for (std::uint32_t k = 0; k < plan.k; ++k)
        for (std::uint32_t col = 0; col < plan.n; ++col)
            b[k * plan.n + col] *= factors[col * parts + k * parts / plan.k];
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
