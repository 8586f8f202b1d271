// Written by gpuproj_fit (tools/dev/fit); do not edit.
#include "model/calibrated_constants.hpp"

// clang-format off
namespace gpuproj::calibrated {

const Calibration fitted{
    .version = 1,
    .provenance = "gpuproj_fit on amaris_kepler_maxwell.csv (Amaris et al. 2016): 23016 pairs, 2360 of them in the fit, shrinkage 0.1 to the priors",
    .constants = {
        .multiply_share = 0.3000,
        .arithmetic = 0.8994,
        .integer = 0.9004,
        .issue_kepler = 0.8011,
        .issue_maxwell = 0.8987,
        .l2 = 1.0009,
        .lines = 1.0008,
        .shared = 0.8996,
        .dram = 1.0003,
        .short_runs = 0.6984,
        .latency_kepler = 1.2590,
        .latency_maxwell = 0.9977,
        .memory_parallelism = 2.0075,
        .instruction_parallelism = 1.4790,
        .sd_pipe = 0.1500,
        .sd_memory = 0.1500,
        .sd_dram = 0.1499,
        .sd_latency = 0.5016,
        .sd_same = 0.0800,
        .sd_other = 0.1495,
        .sd_scattered = 0.8037,
    },
    .interval_counters = {.same = 0.7394, .other = 1.2901},
    .interval_time = {.same = 0.9272, .other = 1.4568},
    .shares_counters = {.common = 0.0000, .kernel = 0.8266},
    .shares_time = {.common = 0.0341, .kernel = 0.7382},
    .ratio_counters = {.both_same = 0.0774, .both_other = 0.0578, .different = 0.1760, .common = 0.0461},
    .ratio_time = {.both_same = 0.0733, .both_other = 0.0569, .different = 0.1782, .common = 0.0347},
};

}  // namespace gpuproj::calibrated
