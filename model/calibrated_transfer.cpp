#include "model/calibrated_transfer.hpp"

namespace gpuproj::calibrated {

namespace {

/// Of the factor that is the same for all resources and GPUs: with all counters, and where even loads and stores were
/// not counted (as seen in HeCBench's kernels on an RTX 3080).
constexpr double sd_kernel = 0.25, sd_kernel_partial = 0.8;

constexpr double square(double x) {
    return x * x;
}

/// Variances of the kernel's own multiplier of each resource, in the order of Resource.
PerResource<double> variances(const Constants& c) {
    const double pipe = square(c.sd_pipe), memory = square(c.sd_memory);
    return {pipe, pipe, pipe, pipe, pipe, pipe, pipe, memory, memory, memory, square(c.sd_dram), square(c.sd_latency)};
}

}  // namespace

TransferOfError::TransferOfError(const Times& reference, const Work& work, const Constants& c)
    : kernel_(square(work.partial_counters ? sd_kernel_partial : sd_kernel)) {
    const auto variance = variances(c);
    for (std::size_t i = 0; i < resources; ++i) {
        weight_[i] = variance[i] * reference.share(i);
        here_ += weight_[i] * reference.share(i);
    }
    const double latency_share = reference.share(static_cast<std::size_t>(Resource::latency));
    const double scattered = square(c.sd_scattered * work.scattered) * (1 - latency_share);
    own_same_ = square(c.sd_same) + scattered;
    own_other_ = square(c.sd_other) + scattered;
}

double TransferOfError::alpha(const Times& target, Relation relation) const {
    double both = 0;
    for (std::size_t i = 0; i < resources; ++i) both += weight_[i] * target.power[i];
    both = kernel_ + both / target.power_sum;
    const double own = relation == Relation::other ? own_other_ : own_same_;
    // On the reference GPU itself its own error is shared too.
    return (relation == Relation::itself ? both + own : both) / (kernel_ + here_ + own);
}

}  // namespace gpuproj::calibrated
