// SIMT and cache aware time of a round of warps: Zhang 2024, on the equations of Wang & Chu, "GPGPU performance
// estimation with core and memory frequency scaling", TPDS 2020. docs/models.md says where this departs from them.
#pragma once

#include "model/explanation.hpp"
#include "model/model.hpp"
#include "model/simt_cache_constants.hpp"

namespace gpuproj {

/// One warp: transactions are 32-byte sectors after coalescing, with divergent accesses serialised.
struct SimtCacheKernel {
    double warps = 0, blocks = 0;
    double instructions = 0;  // n_i, all warp instructions
    double fp64 = 0;          // warp instructions on the fp64 units, without conversions
    double other = 0;         // instructions of no counted kind, among them conversions
    double l2 = 0;            // n_g
    double dram_read = 0, dram_write = 0;
    double l1 = 0;                       // sectors of loads and texture fetches at L1
    double shared = 0, shared_load = 0;  // n_s, passes through the banks
    double write_run = 4;                // sectors that stores of neighbouring threads fill in one row, 0.5 to 4
    double active_warps = 1;             // A, per SM
};

/// The GPU. Delays are the cycles between transactions of one SM, latencies cycles of one.
struct SimtCacheMachine {
    double sms = 0, lanes = 0;
    double clock_hz = 0;        // sustained
    double dram_sector_s = 0;   // one sector of the whole GPU: 32 bytes / bandwidth
    double l2_delay = 0;        // D_l2
    double shared_delay = 0;    // D_sh
    double fp64_delay = 0;      // D_dp
    double dram_latency = 0;    // L_dm
    double l2_latency = 0;      // L_l2
    double shared_latency = 0;  // L_sh
};

/// Cycles of one round of active warps, and what they are made of.
struct SimtCache {
    double active_sms = 0, active_warps = 0, rounds = 0;
    double hit_rate = 0;      // h
    double dram = 0, l2 = 0;  // the queues
    double issue = 0, fp64 = 0, shared = 0, l1 = 0, sm = 0;
    double latency = 0;
    double round_cycles = 0, cycles = 0;
};

SimtCache simt_cache(const SimtCacheKernel& k, const SimtCacheMachine& g, const SimtCacheConstants& c);

/// The kernel's and the GPU's side from a profile and a GPU file; Inapplicable names what is missing.
std::variant<SimtCacheKernel, Inapplicable> simt_cache_kernel(const ModelInput& input);
std::variant<SimtCacheMachine, Inapplicable> simt_cache_machine(const Gpu& gpu, const SimtCacheConstants& constants);

/// With the constants of simt_cache_constants.cpp.
Outcome predict_simt_cache(const ModelInput& input);
Explanation explain_simt_cache(const ModelInput& input);

}  // namespace gpuproj
