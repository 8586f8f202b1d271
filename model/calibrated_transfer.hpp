// How much of what the model missed on the reference GPU it will miss on the target too.
#pragma once

#include "model/calibrated_constants.hpp"
#include "model/calibrated_time.hpp"

namespace gpuproj::calibrated {

/// The exponent alpha of predicted = model(target) (measured / model)(reference)^alpha. It is the posterior mean of
/// ln(measured / model) on the target in a linear Gaussian model: a factor of the kernel, the same everywhere; one of
/// each resource, as far as it limits; and what belongs to the GPU alone. So alpha is large where reference and target
/// are limited by the same resource, and 0 would ignore the reference time.
double transfer(const Times& reference, const Times& target, const Work& work, bool same_architecture,
                const Constants& constants);

}  // namespace gpuproj::calibrated
