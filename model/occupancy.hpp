// How many blocks of a kernel are resident on one multiprocessor.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/gpu.hpp"

namespace gpuproj {

struct Occupancy {
    std::uint32_t blocks_per_sm = 0;  // 0: the kernel does not fit at all
    std::uint32_t warps_per_sm = 0;
    double fraction = 0;          // of the most warps
    std::string_view limited_by;  // blocks, warps, registers, shared
};

/// CUDA occupancy rules: warp and register allocation granularity by compute capability 1.0 to 12.x. `registers` per
/// thread (0: not known, does not limit), `shared_bytes` static plus dynamic per block. Limits come from `gpu`; where
/// it lacks them, from its compute capability.
Occupancy occupancy(const Gpu& gpu, std::uint32_t threads_per_block, std::uint32_t registers,
                    std::uint64_t shared_bytes);

}  // namespace gpuproj
