// Fitting the constants of `simt-cache` on kernels measured at several clocks of one GPU.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/observations.hpp"
#include "model/simt_cache.hpp"

namespace gpuproj::fit {

/// One kernel at one pair of clocks.
struct ClockPoint {
    SimtCacheKernel kernel;
    Gpu gpu;  // at the clocks
    double measured_s = 0;
    bool fitted = false;  // the corners and the middle of the clocks; the others only judge
};

struct ClockedKernel {
    std::string name;
    std::vector<ClockPoint> points;
};

/// Throws Error where a row lacks what the model asks for, or its clocks.
std::vector<ClockedKernel> clocked_kernels(const ObservationTable& table, const Gpu& gpu);

double predicted_s(const ClockPoint& point, const SimtCacheConstants& constants);

/// The constants' priors.
SimtCacheConstants prior_constants();

/// Minimises, summed over kernels, |mean of ln(predicted / measured)| / 0.13 + half the mean distance from that mean /
/// 0.02 (the first is the absolute error, the second that of scaling from one clock to another; 0.13 and 0.02 are what
/// is asked of the two), plus half the squared distance of every constant from its prior in standard deviations. By the
/// simplex of Nelder and Mead, restarted.
SimtCacheConstants fit_constants(std::span<const ClockedKernel> kernels);

struct KernelErrors {
    double absolute = 0;  // mean |p/m - 1| over the clocks
    double scaling =
        0;  // mean over ordered pairs of clocks, the prediction corrected at the first by its measured time
    double bias_ln = 0;
};
KernelErrors errors(const ClockedKernel& kernel, const SimtCacheConstants& constants);

/// Baselines of scaling: time in proportion to 1 / sqrt(core clock x memory clock); nothing for the absolute time.
KernelErrors square_root_errors(const ClockedKernel& kernel);

/// Wang & Chu's equations with the constants that they published for the GeForce GTX 1080 Ti (facts of the
/// NV-DVFS-Benchmark), no application patched.
KernelErrors published_errors(const ClockedKernel& kernel);

}  // namespace gpuproj::fit
