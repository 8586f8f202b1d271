// What is known of one GPU: schema `gpuproj.gpu`. Every value says how it is known.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/enum_names.hpp"
#include "model/field.hpp"
#include "model/quantity.hpp"

namespace gpuproj {

/// How a value is known, best first.
enum class Quality : std::uint8_t { measured, derived, datasheet, unverified };
inline constexpr auto quality_names =
    std::to_array<std::string_view>({"measured", "derived", "datasheet", "unverified"});
constexpr std::span<const std::string_view> enum_names(Quality) {
    return quality_names;
}

/// A value and how it is known. `source` names the benchmark or paper, the rule and its inputs, or the datasheet.
template <class Q>
struct Known {
    Q value{};
    Quality quality = Quality::unverified;
    std::string source;
    std::optional<double> uncertainty;  // relative, one standard deviation

    static constexpr auto fields = std::tuple{
        Field{"value", &Known::value, "in the unit of the key"},
        Field{"quality", &Known::quality, "measured, derived, datasheet or unverified"},
        Field{"source", &Known::source, "benchmark, paper, rule or datasheet"},
        Field{"uncertainty", &Known::uncertainty, "relative standard deviation"},
    };
};

template <class Q>
using MaybeKnown = std::optional<Known<Q>>;

/// A point of the sweep over loads per thread (Zhang 2024, the variable M of its equation 1): what DRAM gives when
/// every thread has so many independent loads of 4 bytes.
struct LoadsBandwidth {
    int loads = 1;
    BytesPerSecond bandwidth{};

    static constexpr auto fields = std::tuple{
        Field{"loads", &LoadsBandwidth::loads, "independent loads of each thread"},
        Field{"bandwidth_byte_per_s", &LoadsBandwidth::bandwidth, "read from DRAM"},
    };
};

/// What one instruction of a warp costs by a micro-benchmark, by operand: Luo & Suda 2011, table 1.
struct InstructionCost {
    std::string instruction;  // of PTX
    Cycles int_constant, int_register, float_constant, float_register;

    static constexpr auto fields = std::tuple{
        Field{"instruction", &InstructionCost::instruction, "of PTX, such as add"},
        Field{"int_constant_cycle", &InstructionCost::int_constant, "integer, with a constant"},
        Field{"int_register_cycle", &InstructionCost::int_register, "integer, of registers"},
        Field{"float_constant_cycle", &InstructionCost::float_constant, "fp32, with a constant"},
        Field{"float_register_cycle", &InstructionCost::float_register, "fp32, of registers"},
    };
};

/// What the model mpd-cpd asks of a GPU: Luo & Suda 2011, table 1 and equations (3) to (5).
struct WarpTaskCosts {
    std::string source;
    Cycles memory_access;  // one load or store of a warp
    double cpd_a = 0, cpd_b = 0, cpd_c = 0, cpd_d = 0;
    std::vector<InstructionCost> instructions;

    static constexpr auto fields = std::tuple{
        Field{"source", &WarpTaskCosts::source, "paper or benchmark"},
        Field{"memory_access_cycle", &WarpTaskCosts::memory_access, "a load or store"},
        Field{"cpd_a", &WarpTaskCosts::cpd_a, "empirical, of (3) and (4)"},
        Field{"cpd_b", &WarpTaskCosts::cpd_b, "empirical, of (3)"},
        Field{"cpd_c", &WarpTaskCosts::cpd_c, "empirical, of (3) and (5)"},
        Field{"cpd_d", &WarpTaskCosts::cpd_d, "empirical, of (5)"},
        Field{"instructions", &WarpTaskCosts::instructions, "costs"},
    };
};

/// Parameters of a GPU, whole chip unless the key says per SM. The first six are Konstantinidis 2017, table 4.3.
struct Gpu {
    std::string name;                  // marketing name, as the driver prints it
    std::vector<std::string> aliases;  // other spellings, dataset names, PCI names
    std::string vendor;                // NVIDIA, AMD, Intel, CPU
    std::string architecture;          // Fermi, Kepler, ..., or gfx900
    std::string compute_capability;    // "8.6", or the gfx name; empty where there is none

    // Sustained rates of the thesis' model.
    MaybeKnown<OperationsPerSecond> fp32;           // T_SP, multiply-adds count 2
    MaybeKnown<OperationsPerSecond> fp64;           // T_DP
    MaybeKnown<OperationsPerSecond> int_mad;        // T_int, multiply-adds count 2
    MaybeKnown<OperationsPerSecond> int_add;        // T_add, one per addition
    MaybeKnown<BytesPerSecond> dram_bandwidth;      // B_mem, mean of read, write and copy
    MaybeKnown<InstructionsPerSecond> shared_rate;  // T_ldst, 32-bit loads and stores

    // More pipes.
    MaybeKnown<OperationsPerSecond> int_logic;    // and, or, xor
    MaybeKnown<OperationsPerSecond> int_shift;    // by a variable count
    MaybeKnown<OperationsPerSecond> int_compare;  // minimum, maximum, comparison
    MaybeKnown<OperationsPerSecond> bit_count;    // population count, leading zeros
    MaybeKnown<OperationsPerSecond> fp16;
    MaybeKnown<OperationsPerSecond> special;
    MaybeKnown<OperationsPerSecond> tensor_fp16;
    MaybeKnown<OperationsPerSecond> tensor_bf16;
    MaybeKnown<OperationsPerSecond> tensor_tf32;
    MaybeKnown<OperationsPerSecond> tensor_fp64;
    MaybeKnown<OperationsPerSecond> tensor_fp8;
    MaybeKnown<OperationsPerSecond> tensor_int8;
    MaybeKnown<InstructionsPerSecond> shared_64_rate;   // 64-bit loads and stores
    MaybeKnown<InstructionsPerSecond> shared_128_rate;  // 128-bit loads and stores
    MaybeKnown<double> ecc_traffic;                     // DRAM traffic with ECC on over that without; where it is on
    MaybeKnown<std::vector<LoadsBandwidth>> bandwidth_by_loads;
    MaybeKnown<BytesPerSecond> l2_bandwidth;
    MaybeKnown<BytesPerSecond> l1_bandwidth;
    MaybeKnown<BytesPerSecond> constant_bandwidth;
    MaybeKnown<Cycles> l1_latency;
    MaybeKnown<Cycles> l2_latency;
    MaybeKnown<Cycles> dram_latency;  // Mem_LD
    MaybeKnown<Cycles> shared_latency;
    MaybeKnown<Cycles> constant_latency;  // of the constant cache, all lanes alike
    MaybeKnown<Cycles> departure_delay_coalesced;
    MaybeKnown<Cycles> departure_delay_uncoalesced;
    MaybeKnown<Seconds> launch_overhead;
    MaybeKnown<BytesPerSecond> link_bandwidth;  // host link

    // Datasheet.
    MaybeKnown<int> sm_count;
    MaybeKnown<int> lanes_per_sm;  // fp32
    MaybeKnown<Hertz> core_clock;  // sustained while the rates above were measured, else boost
    MaybeKnown<Hertz> base_clock;
    MaybeKnown<Hertz> boost_clock;
    MaybeKnown<Hertz> memory_clock;
    MaybeKnown<OperationsPerSecond> fp32_peak;
    MaybeKnown<OperationsPerSecond> fp64_peak;
    MaybeKnown<OperationsPerSecond> fp16_peak;
    MaybeKnown<BytesPerSecond> dram_bandwidth_peak;
    MaybeKnown<Bytes> memory;
    MaybeKnown<Bytes> l2_size;
    MaybeKnown<Bytes> l1_size;      // per SM; absent where global loads bypass it
    MaybeKnown<Bytes> shared_size;  // per SM
    MaybeKnown<Bytes> shared_per_block;
    MaybeKnown<int> max_warps_per_sm;
    MaybeKnown<int> max_blocks_per_sm;
    MaybeKnown<int> registers_per_sm;
    MaybeKnown<int> schedulers_per_sm;
    MaybeKnown<std::string> dram_type;
    MaybeKnown<Watts> tdp;
    MaybeKnown<bool> ecc;

    std::optional<WarpTaskCosts> mpd_cpd;

    // What it was before it was changed for a prediction; no part of a GPU file.
    std::optional<Hertz> own_boost_clock;       // by its file, where a core clock was set (at_clocks)
    std::shared_ptr<const Gpu> before_changes;  // without the single values that were set (--set); null: none were

    static constexpr auto identity = std::tuple{
        Field{"name", &Gpu::name, "marketing name, as the driver prints it"},
        Field{"aliases", &Gpu::aliases, "other names"},
        Field{"vendor", &Gpu::vendor, "maker"},
        Field{"architecture", &Gpu::architecture, "generation"},
        Field{"compute_capability", &Gpu::compute_capability, "CUDA compute capability, or the gfx name"},
        Field{"mpd_cpd", &Gpu::mpd_cpd, "instruction costs for the model mpd-cpd"},
    };
    static constexpr auto fields = std::tuple{
        Field{"fp32_op_per_s", &Gpu::fp32, "fp32 multiply-adds, 2 operations each (T_SP)"},
        Field{"fp64_op_per_s", &Gpu::fp64, "fp64 multiply-adds, 2 operations each (T_DP)"},
        Field{"int_mad_op_per_s", &Gpu::int_mad, "integer multiply-adds, 2 operations each (T_int)"},
        Field{"int_add_op_per_s", &Gpu::int_add, "integer additions (T_add)"},
        Field{"dram_bandwidth_byte_per_s", &Gpu::dram_bandwidth, "mean of read, write and copy (B_mem)"},
        Field{"shared_inst_per_s", &Gpu::shared_rate, "32-bit shared-memory loads and stores (T_ldst)"},
        Field{"int_logic_op_per_s", &Gpu::int_logic, "integer and, or, exclusive or"},
        Field{"int_shift_op_per_s", &Gpu::int_shift, "integer shifts"},
        Field{"int_compare_op_per_s", &Gpu::int_compare, "integer minimum, maximum, comparison"},
        Field{"bit_count_op_per_s", &Gpu::bit_count, "population count, leading zeros"},
        Field{"fp16_op_per_s", &Gpu::fp16, "fp16 multiply-adds, 2 operations each"},
        Field{"special_op_per_s", &Gpu::special, "special functions"},
        Field{"tensor_fp16_op_per_s", &Gpu::tensor_fp16, "dense tensor operations, fp16"},
        Field{"tensor_bf16_op_per_s", &Gpu::tensor_bf16, "dense tensor operations, bf16"},
        Field{"tensor_tf32_op_per_s", &Gpu::tensor_tf32, "dense tensor operations, tf32"},
        Field{"tensor_fp64_op_per_s", &Gpu::tensor_fp64, "dense tensor operations, fp64"},
        Field{"tensor_fp8_op_per_s", &Gpu::tensor_fp8, "dense tensor operations, fp8"},
        Field{"tensor_int8_op_per_s", &Gpu::tensor_int8, "dense tensor operations, int8"},
        Field{"shared_64bit_inst_per_s", &Gpu::shared_64_rate, "64-bit shared-memory loads and stores"},
        Field{"shared_128bit_inst_per_s", &Gpu::shared_128_rate, "128-bit shared-memory loads and stores"},
        Field{"ecc_traffic_factor", &Gpu::ecc_traffic, "DRAM traffic with ECC over without, where ECC is on"},
        Field{"bandwidth_by_loads", &Gpu::bandwidth_by_loads, "DRAM reads by independent loads per thread"},
        Field{"l2_bandwidth_byte_per_s", &Gpu::l2_bandwidth, "L2 reads"},
        Field{"l1_bandwidth_byte_per_s", &Gpu::l1_bandwidth, "L1 reads, all SMs"},
        Field{"constant_bandwidth_byte_per_s", &Gpu::constant_bandwidth, "constant cache, uniform reads"},
        Field{"l1_latency_cycle", &Gpu::l1_latency, "L1 hit"},
        Field{"l2_latency_cycle", &Gpu::l2_latency, "L2 hit"},
        Field{"dram_latency_cycle", &Gpu::dram_latency, "DRAM round trip (Mem_LD)"},
        Field{"shared_latency_cycle", &Gpu::shared_latency, "shared memory"},
        Field{"constant_latency_cycle", &Gpu::constant_latency, "constant cache latency"},
        Field{"departure_delay_coalesced_cycle", &Gpu::departure_delay_coalesced,
              "between coalesced accesses of an SM"},
        Field{"departure_delay_uncoalesced_cycle", &Gpu::departure_delay_uncoalesced,
              "between transactions of an uncoalesced access"},
        Field{"launch_overhead_s", &Gpu::launch_overhead, "an empty kernel"},
        Field{"link_bandwidth_byte_per_s", &Gpu::link_bandwidth, "host to device"},
        Field{"sm_count", &Gpu::sm_count, "multiprocessors or compute units"},
        Field{"lanes_per_sm", &Gpu::lanes_per_sm, "fp32 lanes per multiprocessor"},
        Field{"core_clock_hz", &Gpu::core_clock, "sustained while measuring, else boost"},
        Field{"base_clock_hz", &Gpu::base_clock, "base"},
        Field{"boost_clock_hz", &Gpu::boost_clock, "boost"},
        Field{"memory_clock_hz", &Gpu::memory_clock, "memory"},
        Field{"fp32_peak_op_per_s", &Gpu::fp32_peak, "datasheet"},
        Field{"fp64_peak_op_per_s", &Gpu::fp64_peak, "datasheet"},
        Field{"fp16_peak_op_per_s", &Gpu::fp16_peak, "datasheet, without tensor units"},
        Field{"dram_bandwidth_peak_byte_per_s", &Gpu::dram_bandwidth_peak, "datasheet"},
        Field{"memory_byte", &Gpu::memory, "device memory"},
        Field{"l2_size_byte", &Gpu::l2_size, "L2"},
        Field{"l1_size_byte", &Gpu::l1_size, "L1 per multiprocessor, where global loads use it"},
        Field{"shared_size_byte", &Gpu::shared_size, "shared memory per multiprocessor"},
        Field{"shared_per_block_byte", &Gpu::shared_per_block, "most shared memory per block"},
        Field{"max_warps_per_sm", &Gpu::max_warps_per_sm, "resident warps"},
        Field{"max_blocks_per_sm", &Gpu::max_blocks_per_sm, "resident blocks"},
        Field{"registers_per_sm", &Gpu::registers_per_sm, "32-bit registers"},
        Field{"schedulers_per_sm", &Gpu::schedulers_per_sm, "warp schedulers"},
        Field{"dram_type", &Gpu::dram_type, "memory technology"},
        Field{"tdp_w", &Gpu::tdp, "board power limit"},
        Field{"ecc", &Gpu::ecc, "error-correcting memory on while measured"},
    };
};

}  // namespace gpuproj
