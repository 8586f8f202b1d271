// How many blocks of a kernel are resident on one multiprocessor.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/gpu.hpp"

namespace gpuproj {

/// What one multiprocessor of a compute capability holds and how it gives it out (CUDA C++ Programming Guide,
/// technical specifications per compute capability; CUDA occupancy calculator).
struct OccupancyRules {
    std::uint32_t major, minor;
    std::uint32_t max_warps, max_blocks;  // per SM
    std::uint32_t registers;              // per SM, 32 bits each
    std::uint32_t registers_per_block;    // most that one block may have
    std::uint32_t registers_per_thread;   // most that one thread may have
    std::uint32_t register_unit;          // registers are given out in multiples of this, to a warp or (1.x) a block
    std::uint32_t partitions;             // warps are spread over these; each has its share of the registers
    std::uint32_t shared;                 // bytes per SM
    std::uint32_t shared_per_block;       // most bytes of one block, opted in where the chip offers it
    std::uint32_t shared_unit;            // bytes are given out in multiples of this
    std::uint32_t shared_reserved;        // bytes of each block that the system takes

    bool registers_by_block() const { return major == 1; }
    std::uint32_t max_threads_per_block() const { return major == 1 ? 512 : 1024; }
    friend bool operator==(const OccupancyRules&, const OccupancyRules&) = default;
};

/// The rules of a compute capability ("8.6"), 1.0 to 12.x; of one that is not listed, those of the nearest lower one
/// of the same major version. Absent for anything else (gfx names, none).
std::optional<OccupancyRules> occupancy_rules(std::string_view compute_capability);

/// Threads of what max_warps_per_sm counts: a warp, a wave of AMD's (64 threads on GCN and CDNA), a thread of Intel's
/// that works on 16 lanes.
int threads_per_wave(const Gpu& gpu);

struct Occupancy {
    std::uint32_t blocks_per_sm = 0;  // 0: the kernel does not fit at all
    std::uint32_t warps_per_sm = 0;
    double fraction = 0;          // of the most warps
    std::string_view limited_by;  // blocks, warps, registers, shared
};

/// The rules of the GPU's compute capability with the limits that its file states put over them. Absent for a GPU
/// without a compute capability.
std::optional<OccupancyRules> occupancy_rules(const Gpu& gpu);

/// As below, by rules at hand.
Occupancy occupancy(const OccupancyRules& rules, std::uint32_t threads_per_block, std::uint32_t registers,
                    std::uint64_t shared_bytes);

/// CUDA occupancy of compute capability 1.0 to 12.x. `registers` per thread (0: not known, does not limit),
/// `shared_bytes` static plus dynamic per block. Limits come from `gpu`; where it lacks them, from its compute
/// capability. Absent for a GPU without a compute capability. `threads_per_block` is at least 1.
std::optional<Occupancy> occupancy(const Gpu& gpu, std::uint32_t threads_per_block, std::uint32_t registers,
                                   std::uint64_t shared_bytes);

}  // namespace gpuproj
