// The quadrant-split chart as data (Konstantinidis 2017, section 3.3): one kernel, all GPUs. Nothing is drawn here.
// x is memory bandwidth, y compute throughput, both linear from 0; the kernel is a half-line of slope O_krn.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/evaluate.hpp"

namespace gpuproj {

struct RatePoint {
    BytesPerSecond bandwidth;
    OperationsPerSecond throughput;
};

struct QuadrantGpu {
    std::size_t target = 0;  // of the evaluation
    std::string name;
    Quality quality = Quality::unverified;  // the worse of bandwidth and throughput
    std::optional<RatePoint> peak;          // of the datasheet
    RatePoint sustained;                    // B_mem, T_op
    RatePoint after_mix;                    // B_mem, T_op E_mix
    RatePoint adjusted;                     // B_mem, T'_op
    double e_instr = 0;
    RatePoint attained;                   // on the line: straight down (memory bound) or left (compute bound)
    Limiter limiter = Limiter::compute;   // compute or memory
    Seconds duration;                     // of all launches, at `attained`
    std::optional<RatePoint> measured;    // of a measured time: on the profile's own GPU
    std::optional<RatePoint> predicted;   // by the model of the chart, where that is another one
    std::optional<double> peak_utilized;  // attained / datasheet peak of the side that binds
};

struct QuadrantLeftOut {
    std::string gpu;
    std::string reason;
};

struct QuadrantChart {
    std::size_t kernel = 0;  // of the profile
    std::string name;
    std::string model;  // whose predictions are shown beside the quantitative roofline's
    KType k_type = KType::fp32;
    std::optional<OperationsPerByte> slope;  // O_krn; absent without DRAM traffic: the half-line is vertical
    double e_mix = 0;
    Operations w_comp;
    Bytes w_traf;
    std::vector<QuadrantGpu> gpus;
    std::vector<QuadrantLeftOut> left_out;
    std::optional<std::string> reason;  // why there is nothing to draw at all
};

/// Kernel `kernel` of the profile on all targets. `model` is that of the evaluation whose predictions are shown beside
/// the quantitative roofline's.
QuadrantChart quadrant_chart(const EvaluationInput& input, const Evaluation& evaluation, std::size_t model,
                             std::size_t kernel);

/// Puts a measured time of all launches on GPU `name`, made known besides the profile, on the chart. False if the chart
/// has no such GPU.
bool add_measured(QuadrantChart& chart, const std::string& name, Seconds duration);

}  // namespace gpuproj
