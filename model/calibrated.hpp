// `calibrated`: the time of every resource that a kernel uses, combined, corrected by the reference time, with an
// interval. Our own; docs/calibrated.md has the equations, the sources and the measured errors.
#pragma once

#include "model/model.hpp"

namespace gpuproj {

/// The counters of the reference GPU become architecture-neutral work (calibrated_work.hpp); that work takes each
/// resource of the target a time, and together they take T (calibrated_time.hpp). With a reference time
/// T (measured / T on the reference)^alpha (calibrated_transfer.hpp). Low and high are the 80 % interval
/// (calibrated_interval.hpp).
/// Needs DRAM traffic, counts of instructions, and the parameters of the reference GPU; everything else
/// is estimated where it was not counted. Inapplicable names what is missing.
Outcome predict_calibrated(const ModelInput& input);

/// The same for many kernels: the GPUs are prepared once, a kernel once for all targets. The targets outlive it.
KernelPredictor prepare_calibrated(std::span<const Gpu* const> targets, const Gpu* reference,
                                   const ModelOptions& options);

/// The same without bounds, limiters and warnings: what totals need.
KernelEstimator prepare_calibrated_estimates(std::span<const Gpu* const> targets, const Gpu* reference,
                                             const ModelOptions& options);

/// The counters that the target would have had itself, where a simulated profile tells (other_gpus.hpp) and they are
/// not those of the reference; empty otherwise.
Explanation explain_calibrated(const ModelInput& input);

/// Whether what was set changes the GPU's rates, limits or sizes. A rate that is known by compute capability changes by
/// what was set over what the GPU's file had: where that had none, it does not.
bool calibrated_follows(const Gpu& changed);

}  // namespace gpuproj
