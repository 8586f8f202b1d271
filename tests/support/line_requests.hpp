// Accesses of a warp, requests to L2, and GPUs of little more than an L2, for tests of the memory hierarchy.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::test {

using namespace gpuproj::simulate;

using Addresses = std::array<std::uint64_t, 32>;

/// The address, or offset, of each lane.
template <class Array, class F>
Array lanes(F address) {
    Array result{};
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        result[lane] = static_cast<typename Array::value_type>(address(lane));
    return result;
}

inline SectorList coalesced(const Addresses& address, std::uint32_t mask, std::uint32_t bytes) {
    SectorList list;
    coalesce(address, mask, bytes, list);
    return list;
}

/// What L1 makes of one access.
inline std::uint32_t send(L1Cache& l1, const SectorList& list, AccessKind kind, std::vector<LineRequest>& to_l2) {
    std::array<LineRequest, 64> requests{};
    const bool stores = kind == AccessKind::store || kind == AccessKind::local_store;
    const std::uint32_t count = requests_of(list, stores, requests.data());
    return l1.access(std::span(requests).first(count), kind, to_l2);
}

/// Of one sector.
inline LineRequest request(std::uint64_t sector, AccessKind kind, std::uint32_t words = 0) {
    return {sector / 4, 1U << sector % 4, kind, words};
}
inline LineRequest load(std::uint64_t sector) {
    return request(sector, AccessKind::load);
}
inline LineRequest store(std::uint64_t sector, std::uint32_t words = 0xFF) {
    return request(sector, AccessKind::store, words);
}
inline LineRequest atomic(std::uint64_t sector) {
    return request(sector, AccessKind::atomic);
}
inline std::uint32_t sectors_of(const std::vector<LineRequest>& requests) {
    std::uint32_t count = 0;
    for (const LineRequest each : requests) count += sectors_in(each.sectors());
    return count;
}

inline void run(L2Cache& cache, std::vector<LineRequest> requests) {
    std::array queues{std::move(requests)};
    cache.process(queues);
}

inline Gpu gpu_of(const char* capability, std::uint64_t l2_bytes) {
    Gpu gpu;
    gpu.compute_capability = capability;
    gpu.sm_count = Known<int>{15, Quality::datasheet, "", {}};
    gpu.l2_size = Known<Bytes>{{static_cast<double>(l2_bytes)}, Quality::datasheet, "", {}};
    return gpu;
}

}  // namespace gpuproj::test
