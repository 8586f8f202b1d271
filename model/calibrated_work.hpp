// From the counters of the reference GPU to the work that any GPU has to do.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "model/calibrated_chip.hpp"
#include "model/prediction.hpp"
#include "model/profile.hpp"
#include "model/registers.hpp"

namespace gpuproj::calibrated {

/// One launch. Instructions are those of warps with all lanes at work, except `warp_inst`.
struct Work {
    double blocks = 0, warps = 0;
    std::uint32_t threads_per_block = 0, registers = 0;
    RegisterAim registers_for;                  // whose registers these are
    RegisterBounds register_bounds;             // of the kernel
    std::optional<std::uint64_t> shared_bytes;  // per block; absent: not known
    std::optional<double> achieved_occupancy;   // on the reference

    double warp_inst = 0;
    double fp32 = 0, fp64 = 0, fp16 = 0, integer = 0, load_store = 0, conversion = 0, special = 0;
    double exchange = 0;           // shuffles, votes and matches
    double multiply_add_pipe = 0;  // of fp32: the rest are comparisons and minima, on the integer lanes
    double conversion64 = 0;       // conversions that run on the fp64 units
    // Tensor operations by type, 2 per multiply-add; tensor_integer: as those on int8 that take as long.
    double tensor_fp16 = 0, tensor_bf16 = 0, tensor_tf32 = 0, tensor_fp8 = 0, tensor_integer = 0, tensor_fp64 = 0;
    bool tensor_of_warps = false;  // by instructions of one warp (mma), not of four (wgmma)
    double tensor() const {
        return tensor_fp16 + tensor_bf16 + tensor_tf32 + tensor_fp8 + tensor_integer + tensor_fp64;
    }
    std::optional<double> multiply_share,
        slow_integer_share;  // of the integer instructions: multiplications; and shifts

    double shared_passes = 0, shared_requests = 0;
    double global_requests = 0, global_load_requests = 0;  // warp accesses
    double texture = 0;                                    // warp accesses to textures
    double load_parallelism = 0;                           // loads of a warp at a time; 0: not known
    double longest_warp = 1;                               // its instructions, over the mean of all warps
    double hottest_word = 0;                               // atomic operations on the word that has the most
    double lines = 0;                                      // 128-byte lines at L1
    double l1_sectors = 0;                                 // before L1
    double l2_sectors = 0;                                 // behind it
    double dram_bytes = 0;                                 // without ECC traffic
    double run_sectors = 4;                                // sectors of one line that an access uses, 1 to 4
    double l1_hit_share = 0;                               // of the sectors loaded, 0 to 1; 0 where it is not known
    double dram_share = 0;                                 // of the L2 sectors, 0 to 1
    // Of DRAM, reads and writes: how far they are scattered, 0 to 1; what is moved if sectors come in pairs, over
    // what is asked for, 1 to 2 (1 where pages were not counted); and the share of writes in dram_bytes.
    double read_scatter = 0, write_scatter = 0, read_in_pairs = 1, write_in_pairs = 1, write_share = 0;
    double scattered = 0;           // how much of the traffic is scattered DRAM access, 0 to 1
    bool weak_counters = false;     // L2 reads, loads and stores or tensor operations were not counted, or wrongly
    bool partial_counters = false;  // of memory accesses nothing was counted but DRAM traffic
};

/// Normalises the counters of `kernel`, collected on `reference`. What is not counted is estimated from what is, as the
/// comments in the implementation say. Inapplicable without any count of instructions, without DRAM traffic, or where
/// nothing tells what tensor instructions do; the reason names it.
std::variant<Work, Inapplicable> work_of(const KernelRecord& kernel, const Chip& reference);
/// The same of other counters than the record's: those that another GPU would have counted, in the reference's units.
std::variant<Work, Inapplicable> work_of(const KernelRecord& kernel, const KernelMetrics& metrics,
                                         const Chip& reference);

}  // namespace gpuproj::calibrated
