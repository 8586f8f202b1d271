// L2, by GPU.
#pragma once

#include <cstdint>

#include "model/gpu.hpp"

namespace gpuproj {

/// 2 where L2 is divided into halves, each of which keeps what the multiprocessors beside it ask for, so that data that
/// all of them use are there twice: GA100 and GH100 (NVIDIA's white papers on A100 and H100, "L2 cache"; counted on an
/// H200: docs/hardware_counts.md), and, as it seems, the two dies of GB100. 1 elsewhere.
std::uint32_t l2_halves(const Gpu& gpu);

}  // namespace gpuproj
