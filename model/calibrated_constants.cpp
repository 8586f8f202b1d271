// Written by gpuproj_fit (tools/dev/fit); do not edit. Half widths of pipe, cache, DRAM, latency.
#include "model/calibrated_constants.hpp"

// clang-format off
namespace gpuproj::calibrated {

const Calibration fitted{
    .version = 1,
    .provenance = "gpuproj_fit on amaris_kepler_maxwell.csv (Amaris et al. 2016): 23016 pairs, 2360 of them in the fit, shrinkage 0.1 to the priors",
    .constants = {
        .multiply_share = 0.3019,
        .arithmetic = 0.8990,
        .integer = 0.8998,
        .issue_kepler = 0.8009,
        .issue_maxwell = 0.8973,
        .l2 = 0.9504,
        .lines = 0.9510,
        .shared = 0.8994,
        .dram = 0.9997,
        .short_runs = 0.4064,
        .latency_kepler = 1.2597,
        .latency_maxwell = 0.9986,
        .memory_parallelism = 2.0034,
        .instruction_parallelism = 1.4766,
        .sd_pipe = 0.1500,
        .sd_memory = 0.1500,
        .sd_dram = 0.1500,
        .sd_latency = 0.5017,
        .sd_same = 0.0800,
        .sd_other = 0.1496,
        .sd_scattered = 0.4025,
    },
    .interval_counters = {.same = {0.2704, 0.3381, 0.2862, 0.2934}, .other = {0.6094, 0.5909, 0.5759, 0.6412}},
    .interval_time = {.same = {0.1849, 0.2577, 0.2047, 0.2031}, .other = {0.4868, 0.4668, 0.4479, 0.4391}},
    .shares_counters = {.common = 0.0867, .kernel = 0.7476},
    .shares_time = {.common = 0.1338, .kernel = 0.6577},
    .ratio_counters = {.both_same = 0.0785, .both_other = 0.0574, .different = 0.1905, .common = 0.1296},
    .ratio_time = {.both_same = 0.0768, .both_other = 0.0589, .different = 0.1910, .common = 0.1219},
};

}  // namespace gpuproj::calibrated
