// Reductions of many elements in memory: what copies that reduce do.
#pragma once

#include <cstddef>

#include "collector/simulate/engine/handlers/spec.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// Combines `bytes` of elements with those at `to`, each by an atomic operation of its own.
using Reduce = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);
/// nullptr: PTX has no such operation on elements of this type.
Reduce reduction(ptx::Type type, Atomic operation);

}  // namespace gpuproj::simulate::GPUPROJ_ISA
