#include "model/calibrated_transfer.hpp"

#include <algorithm>
#include <functional>

namespace gpuproj::calibrated {

namespace {

/// Of the factor that is the same for all resources and GPUs: with all counters, and where of memory
/// accesses nothing but DRAM traffic was counted (as seen in HeCBench's kernels on an RTX 3080).
constexpr double sd_kernel = 0.2, sd_kernel_partial = 0.8;

/// Of atomic operations on one word: that they take a clock is said of one architecture alone; a factor of two.
constexpr double sd_atomic = 0.7;

constexpr double square(double x) {
    return x * x;
}

/// Variances of the kernel's own multiplier of each resource.
PerResource<double> variances(const Constants& c) {
    PerResource<double> all{};
    all.fill(square(c.sd_pipe));
    const auto set = [&](Resource resource, double sd) { all[static_cast<std::size_t>(resource)] = square(sd); };
    for (const Resource r : {Resource::shared, Resource::l1, Resource::l2}) set(r, c.sd_memory);
    set(Resource::dram, c.sd_dram);
    set(Resource::latency, c.sd_latency);
    set(Resource::atomic, sd_atomic);
    return all;
}

double share_of_memory(const Times& times) {
    double sum = 0;
    for (const Resource r : {Resource::l1, Resource::l2, Resource::dram})
        sum += times.share(static_cast<std::size_t>(r));
    return sum;
}

}  // namespace

TransferOfError::TransferOfError(const Times& reference, const Work& work, const Constants& c)
    : each_(variances(c)), kernel_(square(work.partial_counters ? sd_kernel_partial : sd_kernel)) {
    for (std::size_t i = 0; i < resources; ++i) {
        weight_[i] = each_[i] * reference.share(i);
        here_ += weight_[i] * reference.share(i);
    }
    own_same_ = square(c.sd_same);
    own_other_ = square(c.sd_other);
    scattered_ = square(c.sd_scattered * work.scattered);
    memory_share_ = share_of_memory(reference);
}

double TransferOfError::own(Relation relation, double memory_share) const {
    // How DRAM takes scattered accesses (banks, partitions) differs by GPU, and matters as far as memory limits.
    return (relation == Relation::other ? own_other_ : own_same_) + scattered_ * memory_share;
}

double TransferOfError::shared(const Times& target, Relation relation) const {
    double both = 0;
    for (std::size_t i = 0; i < resources; ++i) both += weight_[i] * target.power[i];
    both = kernel_ + both / target.power_sum;
    const bool same_gpu = relation == Relation::itself || relation == Relation::itself_at_other_clocks;
    return same_gpu ? both + own(relation, memory_share_) : both;
}

double TransferOfError::alpha(const Times& target, Relation relation) const {
    return shared(target, relation) / (kernel_ + here_ + own(relation, memory_share_));
}

double TransferOfError::variance(const Times& target, Relation relation, bool reference_time) const {
    double there = 0, memory = 0;
    for (std::size_t i = 0; i < resources; ++i) there += each_[i] * target.power[i] * target.power[i];
    for (const Resource r : {Resource::l1, Resource::l2, Resource::dram}) {
        memory += target.power[static_cast<std::size_t>(r)];
    }
    const double rest = there / square(target.power_sum) + own(relation, memory / target.power_sum);
    if (!reference_time) return square(sd_kernel) + rest;
    const double all = kernel_ + rest;
    return std::max(all - alpha(target, relation) * shared(target, relation), 0.0);
}

double in_order(double predicted, double measured, const Times& target, const Times& reference, Relation relation) {
    if (relation == Relation::other) return predicted;
    const auto no_faster = [](const Times& a, const Times& b) {
        return std::ranges::equal(a.of, b.of, std::ranges::greater_equal{});
    };
    if (no_faster(target, reference)) predicted = std::max(predicted, measured);
    if (no_faster(reference, target)) predicted = std::min(predicted, measured);
    return predicted;
}

}  // namespace gpuproj::calibrated
