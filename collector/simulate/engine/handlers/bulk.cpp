// Bulk copies (PTX ISA 9.7.9.25): one thread moves many bytes. They are there at once, which every wait allows.
#include <algorithm>

#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/mbarrier.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

constexpr std::uint32_t unit = 16;  // addresses and sizes are multiples of it

/// One end of a copy, looked at in pieces of 16 bytes as a warp's lanes would move them.
struct End {
    bool shared = false;
    std::uint64_t address = 0;

    /// Every byte must be there; traffic is counted. Gives where it is.
    std::byte* reach(Warp& warp, const Inst& inst, int lane, std::uint32_t bytes, bool store) const {
        if (address % unit != 0)
            fault(warp, inst, FaultKind::misaligned_address, "a bulk copy's address that is no multiple of 16", lane);
        for (std::uint32_t at = 0; at < bytes; at += unit * lanes) {
            const std::uint32_t pieces = std::min<std::uint32_t>(lanes, (bytes - at) / unit);
            const std::uint32_t mask = pieces == lanes ? full_mask : (1U << pieces) - 1;
            alignas(64) std::uint64_t addresses[lanes];
            alignas(64) std::uint32_t offsets[lanes];
            for (std::uint32_t i = 0; i < lanes; ++i) {
                addresses[i] = address + at + i * unit;
                offsets[i] = static_cast<std::uint32_t>(addresses[i]) & shared_offset_mask;
            }
            if (shared) {
                cluster_memory(warp, inst, static_cast<std::uint32_t>(addresses[pieces - 1]), unit, lane);
                count_shared(warp, inst, offsets, mask, unit, store);
            } else {
                check_global(warp, inst, addresses, mask, unit);
                count_global(warp, inst, addresses, mask, unit, store ? AccessKind::store : AccessKind::load);
            }
        }
        return shared ? cluster_memory(warp, inst, static_cast<std::uint32_t>(address), 0, lane)
                      : reinterpret_cast<std::byte*>(address);  // NOLINT
    }
};

/// [a], [b], c bytes{, [e]}: the barrier at e is told when they have arrived.
void copy(Warp& warp, const Inst& inst) {
    const auto* to = source<std::uint64_t>(warp, inst.a);
    const auto* from = source<std::uint64_t>(warp, inst.b);
    const auto* bytes = source<std::uint32_t>(warp, inst.c);
    for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        const auto at = static_cast<int>(lane);
        if (bytes[lane] % unit != 0)
            fault(warp, inst, FaultKind::misaligned_address, "a bulk copy of no multiple of 16 bytes", at);
        const End source_end{(inst.mode & bulk_from_shared) != 0, from[lane]};
        const End destination_end{(inst.mode & bulk_to_shared) != 0, to[lane]};
        const std::byte* read = source_end.reach(warp, inst, at, bytes[lane], false);
        std::byte* written = destination_end.reach(warp, inst, at, bytes[lane], true);
        std::memmove(written, read, bytes[lane]);
        if (inst.e == no_ref) continue;
        complete(warp, inst, lane, static_cast<std::uint32_t>(source<std::uint64_t>(warp, inst.e)[lane]), bytes[lane]);
    }
    warp.pause = true;
}

/// clusterlaunchcontrol.try_cancel [a], [b]: the response is all zeros, for no: a machine whose blocks have all started
/// says so, too, and each of them does its own work. mode 1: in every block of the cluster, and to its barrier.
void try_cancel(Warp& warp, const Inst& inst) {
    const auto* response = source<std::uint64_t>(warp, inst.a);
    const auto* barrier = source<std::uint64_t>(warp, inst.b);
    const auto answer = [&](std::uint32_t lane, std::uint32_t rank) {
        const End end{true, response[lane] | rank};
        std::memset(end.reach(warp, inst, static_cast<int>(lane), unit, true), 0, unit);
        complete(warp, inst, lane, static_cast<std::uint32_t>(barrier[lane]) | rank, unit);
    };
    for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        if (inst.mode == 0) answer(lane, 0);
        const std::uint32_t blocks = inst.mode == 0 ? 0 : warp.sm->launch->cluster_blocks;
        for (std::uint32_t block = 0; block < blocks; ++block) answer(lane, (block + 1) << rank_shift);
    }
    warp.pause = true;
}

}  // namespace

Handler select_bulk(const Spec& spec) {
    switch (spec.op) {
        case Op::bulk_copy:
            return copy;
        case Op::try_cancel:
            return try_cancel;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
