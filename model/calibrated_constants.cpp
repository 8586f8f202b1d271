// Written by gpuproj_fit.
#include "model/calibrated_constants.hpp"

namespace gpuproj::calibrated {

const Calibration fitted{
    .version = 1,
    .provenance = "start values of the fit",
    .constants = {0.3, 0.9, 0.9, 0.8,  0.9,  0.95, 0.95, 0.9,  1,    0.4, 1.25,
                  1,   2,   1.5, 0.15, 0.15, 0.15, 0.5,  0.08, 0.15, 0.4},
    .interval_counters = {{0.2779, 0.3435, 0.2945, 0.3076}, {0.601, 0.5831, 0.5721, 0.6342}},
    .interval_time = {{0.1771, 0.2523, 0.2035, 0.1958}, {0.4921, 0.476, 0.4582, 0.4495}},
    .ratio_counters = {0.0752, 0.0567, 0.1899},
    .ratio_time = {0.0737, 0.0555, 0.1918},
};

}  // namespace gpuproj::calibrated
