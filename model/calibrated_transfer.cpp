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

double transfer(const Times& reference, const Times& target, const Work& work, bool same_architecture,
                const Constants& c) {
    const auto variance = variances(c);
    double both = 0, here = 0;
    for (std::size_t i = 0; i < resources; ++i) {
        const double share = reference.share(i);
        both += variance[i] * share * target.share(i);
        here += variance[i] * square(share);
    }
    const double latency_share = reference.share(static_cast<std::size_t>(Resource::latency));
    const double own = square(same_architecture ? c.sd_same : c.sd_other) +
                       square(c.sd_scattered * work.scattered) * (1 - latency_share);
    const double kernel = square(work.partial_counters ? sd_kernel_partial : sd_kernel);
    return (kernel + both) / (kernel + here + own);
}

}  // namespace gpuproj::calibrated
