// What the registers of all lanes hold of a matrix, as numbers by rows, and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/simulate/engine/matrix.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

inline constexpr std::uint32_t largest_matrix = 16 * 256;  // elements
inline constexpr std::uint32_t group_lanes = 8;            // groups of four lanes

/// `count` neighbouring elements, as registers and memory have them, as doubles: 128 bits or more of them.
void decode(const std::byte* from, ptx::Type type, std::uint32_t count, double* to);
/// Every element of the matrix as a double, by rows. All types are exact. `further`: how many registers behind the
/// fragment's own the matrix is, of a list that has several like it.
void gather(const Warp& warp, const MatrixFragment& fragment, double* matrix, std::uint32_t further = 0);
/// The same of an operand that others like it may have had before: products of tiles want each several times, and to
/// compare registers takes less time than to gather them. Good until the host thread's next call for the same `side`
/// (0 or 1).
const double* gathered(const Warp& warp, const MatrixFragment& fragment, int side);
/// Back into the registers of the active lanes, rounded once to the fragment's type. `saturate`: integers.
void scatter(Warp& warp, const MatrixFragment& fragment, const double* matrix, bool saturate,
             std::uint32_t further = 0);

}  // namespace gpuproj::simulate::GPUPROJ_ISA
