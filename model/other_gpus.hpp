// What the launches of a record would count on other GPUs than the reference. Only a collector that executes them
// itself can tell: the engine (collector/simulate) weighs the instructions that it executed as other generations'
// compilers would have made them, and lets caches of other sizes see a sample of the memory accesses.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/field.hpp"
#include "model/gpu.hpp"
#include "model/kernel_metrics.hpp"
#include "model/quantity.hpp"

namespace gpuproj {

/// Instructions by the machine code for one compute capability, summed over launches as in KernelMetrics.
struct MachineCodeCounts {
    std::string compute_capability;  // "5.2": for this one and later ones, up to that of the next in the list
    Instructions warp_inst, thread_inst;
    Instructions fp32, fp32_fma, fp64, fp64_fma, fp16, fp16_fma;  // per thread, as all that follow
    Instructions integer, integer_multiply, integer_shift;
    Instructions special, conversion, control, misc;

    static constexpr auto fields = std::tuple{
        Field{"compute_capability", &MachineCodeCounts::compute_capability, "of this and later GPUs, up to the next"},
        Field{"warp_inst", &MachineCodeCounts::warp_inst, "instructions executed per warp"},
        Field{"thread_inst", &MachineCodeCounts::thread_inst, "all instructions, per thread"},
        Field{"thread_inst_fp32", &MachineCodeCounts::fp32, "fp32 instructions"},
        Field{"thread_inst_fp32_fma", &MachineCodeCounts::fp32_fma, "fp32 multiply-adds"},
        Field{"thread_inst_fp64", &MachineCodeCounts::fp64, "fp64 instructions"},
        Field{"thread_inst_fp64_fma", &MachineCodeCounts::fp64_fma, "fp64 multiply-adds"},
        Field{"thread_inst_fp16", &MachineCodeCounts::fp16, "fp16 and bf16 instructions (pairs count 2)"},
        Field{"thread_inst_fp16_fma", &MachineCodeCounts::fp16_fma, "fp16 and bf16 multiply-adds (pairs count 2)"},
        Field{"thread_inst_integer", &MachineCodeCounts::integer, "integer instructions"},
        Field{"thread_inst_integer_multiply", &MachineCodeCounts::integer_multiply, "integer multiplications"},
        Field{"thread_inst_integer_shift", &MachineCodeCounts::integer_shift, "integer shifts"},
        Field{"thread_inst_special", &MachineCodeCounts::special, "special functions"},
        Field{"thread_inst_conversion", &MachineCodeCounts::conversion, "type conversions"},
        Field{"thread_inst_control", &MachineCodeCounts::control, "branches, calls, returns"},
        Field{"thread_inst_misc", &MachineCodeCounts::misc, "moves, selects, barriers and the rest"},
    };
};

/// DRAM traffic with an L2 cache of another size, estimated from a sample of the lines.
struct TrafficOfL2 {
    Bytes size;
    Sectors dram_read, dram_write;

    static constexpr auto fields = std::tuple{
        Field{"l2_size_byte", &TrafficOfL2::size, "size of the L2 cache"},
        Field{"dram_read_sector", &TrafficOfL2::dram_read, "32-byte sectors read from DRAM"},
        Field{"dram_write_sector", &TrafficOfL2::dram_write, "32-byte sectors written to DRAM"},
    };
};

/// Sectors found in an L1 cache of another size, estimated from some of the SMs.
struct HitsOfL1 {
    Bytes size;  // 0: ordinary global loads are not kept in L1, the others in that of the reference
    Sectors hits;

    static constexpr auto fields = std::tuple{
        Field{"l1_size_byte", &HitsOfL1::size, "size of the L1 cache; 0: it does not keep global loads"},
        Field{"l1_hit_sector", &HitsOfL1::hits, "sectors found there"},
    };
};

/// Passes through banks of shared memory of another width.
struct PassesOfBanks {
    Bytes size;
    Instructions wavefront, conflict;

    static constexpr auto fields = std::tuple{
        Field{"bank_size_byte", &PassesOfBanks::size, "size of each of the 32 banks of shared memory"},
        Field{"shared_wavefront", &PassesOfBanks::wavefront, "passes through them"},
        Field{"shared_bank_conflict", &PassesOfBanks::conflict, "passes that conflicts add"},
    };
};

/// Empty lists: not known.
struct OtherGpus {
    std::vector<MachineCodeCounts> machine_code;  // by compute capability, ascending
    std::vector<TrafficOfL2> l2;                  // by size, ascending
    std::vector<HitsOfL1> l1;                     // the same
    std::vector<PassesOfBanks> banks{};           // of 4 and of 8 bytes
    std::vector<TrafficOfL2> l2_in_halves{};      // by size, ascending; see model/l2_cache.hpp

    static constexpr auto fields = std::tuple{
        Field{"machine_code", &OtherGpus::machine_code, "instructions for other compute capabilities"},
        Field{"l2", &OtherGpus::l2, "DRAM traffic with other L2 caches"},
        Field{"l2_in_halves", &OtherGpus::l2_in_halves,
              "the same, of two halves, each of which serves half of the multiprocessors"},
        Field{"l1", &OtherGpus::l1, "hits in other L1 caches"},
        Field{"banks", &OtherGpus::banks, "passes through other banks of shared memory"},
    };
};

/// Sums of launches of one kernel; a list that one side lacks, or has for other sizes, is empty in the sum.
void add(OtherGpus& total, const OtherGpus& more);

/// All of it times a factor, rounded to whole numbers.
OtherGpus scaled(OtherGpus other, double factor);

/// Multiplies a counter, by its key in KernelMetrics, wherever it stands here: what if there were so much more of it.
void scale_counter(OtherGpus& other, std::string_view key, double factor);

/// The row of a GPU of this compute capability ("8.6"), which stands for later ones, too, up to the next; the first for
/// GPUs older than all; nullptr where there is no row. GPUs without a compute capability get the row of 7.0.
const MachineCodeCounts* code_for(const OtherGpus& other, const std::string& compute_capability);

/// `metrics` of the reference as `target` would count the same launches, as far as `other` tells: instructions by its
/// machine code, DRAM traffic by the size of its L2, sectors read from L2 by its L1, passes through shared memory by
/// its banks. `resident_shared`: bytes of shared memory that the resident blocks of an SM use there. Unknown sizes
/// leave the counters as they are.
KernelMetrics metrics_on(const KernelMetrics& metrics, const OtherGpus& other, const Gpu& reference, const Gpu& target,
                         double resident_shared);

}  // namespace gpuproj
