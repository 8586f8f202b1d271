// What the application is told about the simulated GPU.
#pragma once

#include <cstdint>
#include <string>

#include "model/gpu.hpp"

namespace gpuproj::simulate {

/// Name, multiprocessors and what is resident on them, caches, clocks and memory width are the reference GPU's. Compute
/// capability and the limits of a block follow what the program was compiled for, so that it runs.
struct DeviceDescription {
    std::string name;
    int major = 0, minor = 0;
    std::uint64_t memory_bytes = 0;
    int sm_count = 1;
    int clock_khz = 0, memory_clock_khz = 0, bus_width_bits = 0;
    std::uint64_t l2_bytes = 0;
    bool global_l1 = true;
    bool ecc = false;
    int max_threads_per_block = 1024;
    int max_threads_per_sm = 0, max_blocks_per_sm = 0;
    std::uint64_t shared_per_block = std::uint64_t{48} * 1024;  // without asking for more
    std::uint64_t shared_per_block_opt_in = 0, shared_per_sm = 0, reserved_shared_per_block = 0;
    int registers_per_block = 65536, registers_per_sm = 65536;
    std::uint64_t constant_bytes = std::uint64_t{64} * 1024;
    int fp32_to_fp64 = 32;  // throughput ratio
};

/// `target`: 80 for a program compiled for compute_80. Memory: the reference's, or 16 GiB if that is more (what the
/// smallest data-centre GPU of compute capability 7.5 has), but not above `host_memory`.
DeviceDescription describe_device(const Gpu& reference, int target, std::uint64_t host_memory);

}  // namespace gpuproj::simulate
