// Written by gpuproj_fit_simt_cache (tools/dev/fit_simt_cache); do not edit.
// clocks.csv: 15 kernels on the GeForce GTX 1080 Ti
#include "model/simt_cache_constants.hpp"

namespace gpuproj {

const SimtCacheConstants simt_cache_constants{
    .dram_delay = 1.0492,
    .instruction_delay = 1.0795,
    .instruction_latency = 9.5377,
    .fp64_delay = 1.1075,
    .conversions = 1.6364,
    .l1_delay = 0.5160,
    .sectors_in_flight = 16.3210,
    .pipe_norm = 2.1206,
    .norm = 4.5784,
    .clock_response = 0.8744,
};

}  // namespace gpuproj
