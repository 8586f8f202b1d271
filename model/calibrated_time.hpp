// The time of a kernel's work on one GPU: the time of each resource, and all of them together.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "model/calibrated_chip.hpp"
#include "model/calibrated_constants.hpp"
#include "model/calibrated_work.hpp"

namespace gpuproj::calibrated {

enum class Resource : std::uint8_t {
    alu,
    fp64,
    fp16,
    tensor,
    special,
    conversion,
    issue,
    shared,
    l1,
    l2,
    dram,
    latency,
    atomic,  // operations on one word of memory, one after the other
    blocks   // that begin, one after the other
};
inline constexpr std::size_t resources = 14;

template <class T>
using PerResource = std::array<T, resources>;

/// Blocks of the kernel that are resident on one multiprocessor.
struct Residency {
    double blocks = 1;
    double rounds = 1;  // of resident blocks, one after the other, until the busiest multiprocessor is done
};

/// What DRAM moves with a sector: nothing else, a sector of ECC bits for each run, or its neighbour.
enum class DramKind : std::uint8_t { plain, with_ecc, in_pairs };

/// Work, and what follows from it and the reference alone: made once for many targets.
struct PreparedWork {
    Work work;
    double hidden_shared = 0;  // bytes of shared memory per block, inferred; 0: known, or no limit
    double filled = 1;         // share of the resident blocks that were there on the mean, where there are many rounds
    bool split_multiply_add = false;            // by the machine code that was counted
    double multiply_share = 0, slow_share = 0;  // of the integer instructions: multiplications; and shifts
    double per_block = 1, per_warp = 1;         // one over their number
    double lines_per_request = 0;               // of the accesses to global memory
    double load_wait = 1;                // how long a warp waits for each load, over the constants' memory_parallelism
    std::array<double, 3> dram_bytes{};  // by DramKind: as many in long runs take as long
};
PreparedWork prepare(const Work& work, const Chip& reference, const Constants& constants);

/// What a unit of work costs on one GPU by the fitted constants: made once for many kernels. Clocks of one
/// multiprocessor per warp instruction, pass, line, sector, tensor operation; else as said.
struct Costs {
    double sm_count = 1, shared_memory = 0;                            // multiprocessors; bytes of each
    double all_clock = 0;                                              // s, shared by all multiprocessors
    double multiply_add = 0, int_add = 0, int_multiply = 0, lane = 0;  // lane: fp32 and integer together
    double fp64 = 0, conversion64 = 0, fp16 = 0, special = 0, conversion = 0;
    double tensor_fp16 = 0, tensor_bf16 = 0, tensor_tf32 = 0, tensor_fp8 = 0, tensor_integer = 0, tensor_fp64 = 0;
    double tensor_of_warps = 1;  // a factor on all but the last
    double issue = 0, shared_pass = 0, exchange = 0, line = 0, l1_sector = 0, texture = 0, l2_sector = 0;
    double dram_byte = 0;  // s
    // Clocks that a warp waits, over what it does in the meantime.
    double alu_latency = 0, fp64_latency = 0, shared_latency = 0, conflict_latency = 0, queued_line = 0;
    double hit_latency = 0, l2_latency = 0, dram_further_latency = 0;  // the last: beyond L2's
    double path_clock = 0, atomic_clock = 0;                           // s per clock waited; s per operation on a word
    double block = 0;                                                  // s
    bool split_multiply_add = false, converts_by_special = false, l1_bypassed = false;
    DramKind dram = DramKind::plain;
};
Costs costs_of(const Chip& chip, const Constants& constants);

/// By registers, warps, blocks and known shared memory (CUDA occupancy); at least 1.
double possible_blocks(const Work& work, const OccupancyRules& rules);

/// Where the shared memory of a block is not known and the reference kept fewer blocks than its other limits allow,
/// shared memory is taken to be that limit. `possible` is what possible_blocks gives for the target.
Residency residency(const PreparedWork& prepared, const Chip& target, double possible);

/// One launch, in seconds.
struct Times {
    PerResource<double> of{};     // each resource alone
    PerResource<double> power{};  // of[i] / longest, to the power of `overlap`: proportional to the share in the total
    double power_sum = 0;
    double total = 0;  // with launch_overhead
    Resource limiter = Resource::alu;
    bool integer_bound = false;  // alu: by the integer lanes rather than the multiply-add pipe
    bool line_bound = false;     // l1: by lines rather than bytes
    double share(std::size_t i) const { return power[i] / power_sum; }
};

/// T = (sum of A_i^overlap)^(1/overlap) + launch_overhead, A_i the time of resource i alone: infinity would be perfect
/// overlap, 1 none.
inline constexpr double overlap = 3.5;
inline constexpr double launch_overhead = 2.5e-6;  // s; short kernels on an RTX 3080, as profilers measure them
/// The same from the longest A_i (s) and the sum of (A_i / longest)^overlap.
inline double total_of(double longest, double power_sum) {
    return longest * std::pow(power_sum, 1 / overlap) + launch_overhead;
}

/// `possible` is what possible_blocks gives for the target: many GPUs share its rules.
Times times_on(const PreparedWork& prepared, const Costs& target, double possible);
Times times_on(const PreparedWork& prepared, const Chip& target, const Constants& constants);
Times times_on(const Work& work, const Chip& reference, const Chip& target, const Constants& constants);

}  // namespace gpuproj::calibrated
