// How much of what the model missed on the reference GPU it will miss on the target too.
#pragma once

#include "model/calibrated_constants.hpp"
#include "model/calibrated_time.hpp"

namespace gpuproj::calibrated {

/// How the GPU of a prediction relates to that of the counters.
enum class Relation : std::uint8_t { itself, same_architecture, other };
inline constexpr std::size_t relations = 3;

/// The exponent alpha of predicted = model(target) (measured / model)(reference)^alpha. It is the posterior mean of
/// ln(measured / model) on the target in a linear Gaussian model: a factor of the kernel, the same everywhere; one of
/// each resource, as far as it limits; and what belongs to the GPU alone. So alpha is large where reference and target
/// are limited by the same resource, 0 would ignore the reference time, and on the reference GPU itself it is 1.
class TransferOfError {
public:
    /// What follows from the reference alone.
    TransferOfError(const Times& reference, const Work& work, const Constants& constants);
    double alpha(const Times& target, Relation relation) const;

private:
    PerResource<double> weight_{};  // of the target's shares
    double kernel_ = 0, here_ = 0;  // variances
    double own_same_ = 0, own_other_ = 0;
};

}  // namespace gpuproj::calibrated
