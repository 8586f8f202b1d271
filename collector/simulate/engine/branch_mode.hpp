// Inst::mode of branches.
#pragma once

#include <cstdint>

namespace gpuproj::simulate {

/// One that the machine does not have (predicate.cpp): paths that part there are no divergent branch, and what it leads
/// past is issued all the same.
inline constexpr std::uint8_t branch_of_predicates = 1;

}  // namespace gpuproj::simulate
