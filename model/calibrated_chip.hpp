// What `calibrated` knows of a GPU: rates per clock and multiprocessor, latencies, clock and bandwidth.
#pragma once

#include <string>
#include <variant>

#include "model/gpu.hpp"
#include "model/occupancy.hpp"
#include "model/prediction.hpp"

namespace gpuproj::calibrated {

/// Rates of one multiprocessor per clock, and latencies in clocks.
struct CycleRates {
    double fp32 = 0, fp64 = 0, int_add = 0, int_multiply = 0, special = 0, conversion = 0, fp16 = 0;  // results
    double lanes = 0;   // fp32 and integer results together
    double tensor = 0;  // dense fp16 operations (2 per multiply-add), fp32 accumulation; 0: no such unit
    double issue = 0;   // warp instructions
    double shared = 0;  // passes through the banks
    double lines = 0;   // 128-byte lines that L1 serves
    double texels = 0;  // 32-bit texture elements
    double l1_byte = 0, l2_byte = 0;
    double alu_latency = 0, shared_latency = 0, l1_latency = 0, l2_latency = 0, dram_latency = 0;
    double conflict_latency = 0;      // of each further pass of a shared access
    bool split_multiply_add = false;  // an integer multiply-add is 3 instructions (XMAD)
    double tensor_integer = 0;        // as `tensor`, of int8 and narrower; as the fp16 operations that take as long
    double tensor_warp_share = 1;     // of both, what instructions of one warp (mma) reach, not those of four (wgmma)
    double blocks = 0;                // that begin on the whole GPU; 0: not known
    // As `tensor`, operations of these types; 0: no such unit.
    double tensor_bf16 = 0, tensor_tf32 = 0, tensor_fp8 = 0, tensor_fp64 = 0;

    bool operator==(const CycleRates&) const = default;
};

/// A GPU, prepared for many predictions.
struct Chip {
    double compute_capability = 0;  // of other makers' GPUs 7.0: they count and run memory accesses alike
    std::string other_maker;        // architecture of a GPU without compute capability; else empty
    double sm_count = 0;
    double clock = 0;           // Hz, sustained
    double dram_bandwidth = 0;  // bytes/s, sustained, of the traffic without ECC
    bool ecc_traffic = false;   // ECC bits take part of the bandwidth and are counted as traffic
    bool wide_dram = false;     // DRAM moves two neighbouring sectors at a time (GDDR5X)
    bool l1_bypassed = false;   // global loads are not kept in L1
    bool fitted_on = false;     // the model was, on GPUs of this architecture
    bool uncertain = false;     // parameters that are guesses, or an architecture that the model was not fitted on
    CycleRates rates;
    OccupancyRules occupancy;

    bool operator==(const Chip&) const = default;
};

/// Rates by compute capability, then what the GPU's own file says: lanes, fp64 units (from the datasheet's peaks),
/// multiprocessors, clock, bandwidth, ECC, occupancy limits. For a GPU without a compute capability (AMD, Intel): the
/// rates of its file per clock and compute unit; a wave of 64 is two warps.
/// The clock is the geometric mean of the boost clock, which the maker warrants, and of core_clock, which short
/// micro-benchmarks reach; of compute capability 3.x and 5.x, unless core_clock was reported by the card itself, that
/// of base and boost clock. Inapplicable for a compute capability that is not known, and for GPUs without SM count,
/// clock or bandwidth, or (without a compute capability) a rate; the reason names it.
/// Of a GPU with values that were set (before_changes), the rates are those of the GPU as it was, times what was set
/// over what was there. Rates of the whole chip count as such: with other multiprocessors, too, each has its share. A
/// peak counts where the rate itself was not set, lanes where neither was.
std::variant<Chip, Inapplicable> chip_of(const Gpu& gpu);

/// Machine code and scheduling are alike: one major version below 7; from 7 on, 7.0, 7.5, 8.0, 8.6-8.9, ... each; of
/// other makers one architecture.
bool same_architecture(const Chip& a, const Chip& b);

}  // namespace gpuproj::calibrated
