// How much of what the model missed on the reference GPU it will miss on the target too, and how much it may miss.
#pragma once

#include "model/calibrated_constants.hpp"
#include "model/calibrated_time.hpp"

namespace gpuproj::calibrated {

/// How the GPU of a prediction relates to that of the counters.
enum class Relation : std::uint8_t { itself, itself_at_other_clocks, same_architecture, other };
inline constexpr std::size_t relations = 4;

/// ln(measured / model) in a linear Gaussian model: a factor of the kernel, the same everywhere; one of each resource,
/// as far as it limits; and what belongs to the GPU alone.
class TransferOfError {
public:
    /// What follows from the reference alone.
    TransferOfError(const Times& reference, const Work& work, const Constants& constants);

    /// The exponent of predicted = model(target) (measured / model)(reference)^alpha: what the target is expected to
    /// share of the reference's error. So it is large where both are limited by the same resource, 0 would ignore the
    /// reference time, and on the reference GPU itself, whose own error is shared too, it is 1.
    double alpha(const Times& target, Relation relation) const;

    /// The variance of ln(measured / predicted) on the target, from counters (as if all had been counted) or with the
    /// reference time.
    double variance(const Times& target, Relation relation, bool reference_time) const;

private:
    double shared(const Times& target, Relation relation) const;  // covariance of the errors there and here
    double own(Relation relation, double memory_share) const;     // variance that belongs to one GPU

    PerResource<double> each_{}, weight_{};  // variances of the resources' factors; times the reference's shares
    double kernel_ = 0, here_ = 0;           // variances: of the kernel's factor; of the resources', on the reference
    double own_same_ = 0, own_other_ = 0, scattered_ = 0, memory_share_ = 0;
};

/// `predicted` on the target, kept on its side of what was `measured` on the reference, both in one unit or both as
/// logarithms: a GPU of one architecture with the reference on which no resource takes less time is not faster,
/// whatever the model misses of the kernel on both; and the other way round.
double in_order(double predicted, double measured, const Times& target, const Times& reference, Relation relation);

}  // namespace gpuproj::calibrated
