// Products of 8 x 4 and 4 x 8 doubles, all that tensor units of compute capability 8.x have of them, from registers to
// registers: each of the 32 lanes has one element of either, and two of the sums.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "collector/simulate/engine/handlers/fours.hpp"
#include "collector/simulate/engine/handlers/products.hpp"
#include "collector/simulate/engine/matrix.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// Whether these are doubles of this shape, whose A lies by rows and whose sums lie as add_double_product knows them.
inline bool are_plain_doubles(const MatrixPlan& plan) {
    constexpr std::uint32_t side = 8, depth = 4;
    if (plan.a.type != ptx::Type::f64) return false;
    const bool shape = plan.m == side && plan.n == side && plan.k == depth;
    const bool sums = plan.c.spread == plan.d.spread && plan.d.type == ptx::Type::f64 && plan.d.registers == 2;
    const bool by_mma = plan.b.spread == Spread::columns && plan.d.spread == Spread::pairs;
    const bool by_wmma = plan.b.spread == Spread::stretch && plan.d.spread == Spread::stretch;
    return shape && plan.a.registers == 1 && sums && (by_mma || by_wmma);
}

/// d = a b + c as add_product has it. mma's two registers of sums have the even columns and the odd ones, wmma's four
/// rows each, of which there are two halves here.
inline void add_double_product(const MatrixPlan& plan, const double* a, const double* b,
                               const std::array<const double*, 2>& c, const std::array<double*, 2>& d) {
    constexpr std::size_t rows = 8, depth = 4, half = 4;
    // As they were: d may lie in the same registers.
    alignas(64) std::array<double, rows * depth> factors;                 // NOLINT(*-member-init)
    alignas(64) std::array<std::array<double, depth * half>, 2> columns;  // NOLINT(*-member-init)
    std::memcpy(factors.data(), a, sizeof(factors));
    const bool pairs = plan.d.spread == Spread::pairs;
    for (std::size_t side = 0; side < 2; ++side) {
        if (pairs)
            turn_four(b + side * depth, 2 * depth, columns[side].data(), half);
        else
            for (std::size_t k = 0; k < depth; ++k) put(four_of(b + (2 * k + side) * half), &columns[side][k * half]);
    }
    for (std::size_t row = 0; row < rows; ++row) {
        std::array<Four, 2> sums;  // NOLINT(*-member-init)
        std::array<double*, 2> to{};
        for (std::size_t side = 0; side < 2; ++side) {
            const std::size_t reg = pairs ? side : row / half, at = pairs ? row * half : (row % half * 2 + side) * half;
            sums[side] = load_four(c[reg] + at);
            to[side] = d[reg] + at;
            for (std::size_t k = 0; k < depth; ++k)
                sums[side] =
                    multiply_add<false>(factors[row * depth + k], load_four(&columns[side][k * half]), sums[side]);
        }
        for (std::size_t side = 0; side < 2; ++side) put(sums[side], to[side]);
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
