// Barriers in shared memory: what bulk copies need of them too.
#pragma once

#include <cstring>

#include "collector/simulate/engine/mbarrier.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

inline Mbarrier load_barrier(const std::byte* at) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return Mbarrier::from_bits(bits);
}
inline void store_barrier(std::byte* at, const Mbarrier& barrier) {
    const std::uint64_t bits = barrier.bits();
    std::memcpy(at, &bits, sizeof bits);
}
/// What is done to a barrier must find one: memory that holds none is a fault.
inline void require_barrier(const Warp& warp, const Inst& inst, std::uint32_t lane, const Mbarrier& barrier) {
    if (!barrier.valid)
        fault(warp, inst, FaultKind::barrier, "use of an mbarrier that was not initialised", static_cast<int>(lane));
}
/// `bytes` more to come, or fewer.
inline void expect_bytes(const Warp& warp, const Inst& inst, std::uint32_t lane, Mbarrier& barrier,
                         std::int64_t bytes) {
    barrier.bytes += bytes;
    if (barrier.bytes > Mbarrier::most_bytes || barrier.bytes < -Mbarrier::most_bytes)
        fault(warp, inst, FaultKind::barrier, "more bytes awaited at an mbarrier than it can count",
              static_cast<int>(lane));
}

/// The barrier at this address of the cluster's shared memory is told of bytes that have arrived.
inline void complete(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint32_t address, std::uint32_t bytes) {
    std::byte* place = cluster_memory(warp, inst, address, sizeof(std::uint64_t), static_cast<int>(lane));
    Mbarrier barrier = load_barrier(place);
    require_barrier(warp, inst, lane, barrier);
    expect_bytes(warp, inst, lane, barrier, -std::int64_t{bytes});
    barrier.complete_if_due();
    store_barrier(place, barrier);
}
/// Calls body with the bits that name a block in addresses, for each block of the cluster in a mask.
template <class Body>
void for_blocks(std::uint32_t blocks, Body&& body) {
    constexpr std::uint32_t most = 16;
    for (std::uint32_t rank = 0; rank < most; ++rank)
        if ((blocks >> rank & 1U) != 0) body((rank + 1) << rank_shift);
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
