// Fetches whose results are words of texels as they are: without a filter, or by one at the middle of texels.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <array>

#include "collector/simulate/engine/handlers/texture_axes.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// Of texels with channels of whole words, where no lane reads between texels: their words are what is read. `sums`:
/// for a filter.
void fetch_words(const WarpFetch& fetch, const std::array<Axis, 3>& axes, bool sums);

}  // namespace gpuproj::simulate::GPUPROJ_ISA
