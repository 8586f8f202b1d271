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

}  // namespace gpuproj::simulate::GPUPROJ_ISA
