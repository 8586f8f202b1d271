#include "collector/simulate/memory/other_l1.hpp"

namespace gpuproj::simulate {

namespace {

/// Of GPUs that keep no global loads in L1, for the others (Tuning Guides of Kepler, Maxwell and Pascal).
constexpr std::uint64_t read_only_bytes = std::uint64_t{48} << 10;

MemoryConfig config_of(std::uint64_t size) {
    MemoryConfig config;
    config.l1_bytes = size == 0 ? read_only_bytes : size;
    config.l1_global_loads = size > 0;
    config.l1_stores_update = true;
    config.l1_ways = 16;
    return config;
}

}  // namespace

OtherL1::OtherL1() {
    for (const std::uint64_t size : other_l1_sizes) caches_.emplace_back(config_of(size));
}

void OtherL1::invalidate() {
    for (std::size_t i = 0; i < caches_.size(); ++i) caches_[i].invalidate(config_of(other_l1_sizes[i]));
}
void OtherL1::keep_only(const LineSample& sample) {
    for (L1Cache& cache : caches_) cache.keep_only(sample);
}

void OtherL1::see(AccessTrace& trace, OtherL1Hits& hits) {
    // One cache after the other, each of which then stays in the caches of the host; the order is found once.
    ordered_.clear();
    trace.in_turn([&](std::span<const LineRequest> requests, AccessKind kind) {
        ordered_.push_back({static_cast<std::uint32_t>(requests.size()), kind, requests.data()});
    });
    for (std::size_t i = 0; i < caches_.size(); ++i) {
        missed_.clear();
        for (const Access& access : ordered_)
            hits[i] += caches_[i].access({access.requests, access.count}, access.kind, missed_);
    }
}

}  // namespace gpuproj::simulate
