// What the registers of all lanes hold of a matrix, as numbers by rows, and back.
#pragma once

#include <cstdint>

#include "collector/simulate/engine/matrix.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

inline constexpr std::uint32_t largest_matrix = 16 * 256;  // elements
inline constexpr std::uint32_t group_lanes = 8;            // groups of four lanes

/// Every element of the matrix as a double, by rows. All types are exact.
void gather(const Warp& warp, const MatrixFragment& fragment, double* matrix);
/// The same of an operand that others like it may have had before: products of tiles want each several times, and to
/// compare registers takes less time than to gather them. Good until the host thread's next call for the same `side`
/// (0 or 1).
const double* gathered(const Warp& warp, const MatrixFragment& fragment, int side);
/// Back into the registers of the active lanes, rounded once to the fragment's type. `saturate`: integers.
void scatter(Warp& warp, const MatrixFragment& fragment, const double* matrix, bool saturate);

}  // namespace gpuproj::simulate::GPUPROJ_ISA
