// The fitted constants of `calibrated`: what is estimated from measured data, nothing else.
#pragma once

#include <string_view>
#include <tuple>

#include "model/field.hpp"

namespace gpuproj::calibrated {

/// Constants of the time model and of the transfer of a reference time. All without unit. `kepler` values hold below
/// compute capability 5.0, `maxwell` values from there (issue: to 6.x).
struct Constants {
    double multiply_share = 0;           // of the integer instructions: multiplications and shifts, where not counted
    double arithmetic = 0;               // sustained share of a floating-point pipe's rate
    double integer = 0;                  // ... of the integer pipes' and of all lanes together
    double issue_kepler = 0;             // ... of the issue slots
    double issue_maxwell = 0;            //
    double l2 = 0;                       // ... of the L2 rate
    double lines = 0;                    // ... of the L1 rate
    double shared = 0;                   // ... of the shared-memory rate
    double dram = 0;                     // ... of the sustained DRAM bandwidth
    double short_runs = 0;               // exponent of what DRAM loses where fewer than 4 sectors in a row are used
    double latency_kepler = 0;           // loaded over unloaded latency
    double latency_maxwell = 0;          //
    double memory_parallelism = 0;       // global loads in flight per warp
    double instruction_parallelism = 0;  // independent instructions per warp
    // Standard deviations of ln(measured / model), see calibrated_transfer.hpp.
    double sd_pipe = 0, sd_memory = 0, sd_dram = 0, sd_latency = 0;  // a kernel's own, by what limits it
    double sd_same = 0, sd_other = 0;                                // the GPU's own: same, other architecture
    double sd_scattered = 0;                                         // the GPU's own, scattered DRAM accesses

    static constexpr auto fields = std::tuple{
        Field{"multiply_share", &Constants::multiply_share, "multiplications and shifts among integer instructions"},
        Field{"arithmetic", &Constants::arithmetic, "sustained share of a floating-point pipe's rate"},
        Field{"integer", &Constants::integer, "sustained share of the integer rate"},
        Field{"issue_kepler", &Constants::issue_kepler, "sustained share of the issue slots, below 5.0"},
        Field{"issue_maxwell", &Constants::issue_maxwell, "sustained share of the issue slots, 5.0 to 6.x"},
        Field{"l2", &Constants::l2, "sustained share of the L2 rate"},
        Field{"lines", &Constants::lines, "sustained share of the L1 rate"},
        Field{"shared", &Constants::shared, "sustained share of the shared-memory rate"},
        Field{"dram", &Constants::dram, "sustained share of the DRAM bandwidth"},
        Field{"short_runs", &Constants::short_runs, "exponent of the loss of DRAM for short runs"},
        Field{"latency_kepler", &Constants::latency_kepler, "loaded over unloaded latency, below 5.0"},
        Field{"latency_maxwell", &Constants::latency_maxwell, "loaded over unloaded latency, from 5.0"},
        Field{"memory_parallelism", &Constants::memory_parallelism, "global loads in flight per warp"},
        Field{"instruction_parallelism", &Constants::instruction_parallelism, "independent instructions per warp"},
        Field{"sd_pipe", &Constants::sd_pipe, "sd of a kernel's multiplier: arithmetic and issue"},
        Field{"sd_memory", &Constants::sd_memory, "sd of a kernel's multiplier: shared memory, L1, L2"},
        Field{"sd_dram", &Constants::sd_dram, "sd of a kernel's multiplier: DRAM"},
        Field{"sd_latency", &Constants::sd_latency, "sd of a kernel's multiplier: latency"},
        Field{"sd_same", &Constants::sd_same, "sd of a GPU's own error, same architecture"},
        Field{"sd_other", &Constants::sd_other, "sd of a GPU's own error, other architecture"},
        Field{"sd_scattered", &Constants::sd_scattered, "sd of a GPU's own error in scattered DRAM access"},
    };
};

/// Half widths of the 80 % interval of ln(time), in standard deviations of the model's own (calibrated_transfer.hpp),
/// from cross-validated errors: 1.28 were errors normal and as large as the constants say.
struct HalfWidths {
    double same = 0, other = 0;  // architecture of reference and target
};

/// Shares of the errors' variance; the rest is a launch configuration's own.
struct Shares {
    double common = 0;  // to all kernels on one pair of GPUs
    double kernel = 0;  // to all launch configurations of one kernel there
};

/// Scales of the logistic distribution of the error of ln(time on A / time on B).
struct RatioScales {
    double both_same = 0;   // A, B and the reference of one architecture
    double both_other = 0;  // A and B of one architecture, the reference of another
    double different = 0;   // A and B of different architectures
    double common = 0;      // share of the variance that is common to all kernels
};

/// With its version and where it comes from; written by gpuproj_fit (tools/dev/fit).
struct Calibration {
    int version = 0;
    std::string_view provenance;
    Constants constants;
    HalfWidths interval_counters, interval_time;  // from counters alone; with the reference time
    Shares shares_counters, shares_time;
    RatioScales ratio_counters, ratio_time;
};

extern const Calibration fitted;

}  // namespace gpuproj::calibrated
