// Every intermediate value of a prediction, so that any figure can be recomputed by hand.
#pragma once

#include <string>

#include "model/gpu.hpp"
#include "model/model.hpp"
#include "model/prediction.hpp"
#include "model/profile.hpp"

namespace gpuproj {

/// Equations (4.1)-(4.8) of Konstantinidis 2017 with the kernel's numbers, one per line, in base units and in full.
std::string explain_kernel(const KernelRecord& kernel, const KernelParameters& parameters);

/// Equations (4.9)-(4.18) and (5.13) with the numbers of one GPU; for a model without these intermediate
/// values its bounds, and for `roofline` the peaks they come from.
std::string explain_prediction(const Prediction& prediction, const Model& model, const Gpu& gpu,
                               const ModelOptions& options);

/// The steps that a model gives itself, one per line, in base units and in full.
std::string explain_steps(const Explanation& steps);

}  // namespace gpuproj
