// Bulk copies (PTX ISA 9.7.9.25): one thread moves many bytes. They are there at once, which every wait allows.
#include <algorithm>
#include <cmath>

#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/mbarrier.hpp"
#include "collector/simulate/engine/handlers/reduce.hpp"
#include "collector/simulate/engine/tensor_copy.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

constexpr std::uint32_t unit = 16;  // addresses and sizes are multiples of it

/// One end of a copy, looked at in pieces of 16 bytes as a warp's lanes would move them.
struct End {
    bool shared = false;
    std::uint64_t address = 0;

    /// Every byte must be there; traffic is counted. Gives where it is.
    std::byte* reach(Warp& warp, const Inst& inst, int lane, std::uint32_t bytes, AccessKind kind) const {
        const bool store = kind != AccessKind::load;
        if (address % unit != 0)
            fault(warp, inst, FaultKind::misaligned_address, "a bulk copy's address that is no multiple of 16", lane);
        for (std::uint32_t at = 0; at < bytes; at += unit * lanes) {
            const std::uint32_t pieces = std::min<std::uint32_t>(lanes, (bytes - at) / unit);
            const std::uint32_t mask = pieces == lanes ? full_mask : (1U << pieces) - 1;
            alignas(64) std::uint64_t addresses[lanes];
            alignas(64) std::uint32_t offsets[lanes];
            for (std::uint32_t i = 0; i < lanes; ++i) {
                addresses[i] = address + at + std::uint64_t{i} * unit;
                offsets[i] = static_cast<std::uint32_t>(addresses[i]) & shared_offset_mask;
            }
            if (shared) {
                cluster_memory(warp, inst, static_cast<std::uint32_t>(addresses[pieces - 1]), unit, lane);
                count_shared(warp, inst, offsets, mask, unit, store);
            } else {
                check_global(warp, inst, addresses, mask, unit);
                count_global(warp, inst, addresses, mask, unit, kind);
            }
        }
        return shared ? cluster_memory(warp, inst, static_cast<std::uint32_t>(address), 0, lane)
                      : reinterpret_cast<std::byte*>(address);  // NOLINT
    }
};

/// [a], [b], c bytes{, [e]}{, d}: the barrier at e is told when they have arrived. d: blocks of the cluster that get
/// them, or bytes of every 16 that are moved; imm: of those that reduce, as BulkReduction says.
void copy(Warp& warp, const Inst& inst) {
    const auto* to = source<std::uint64_t>(warp, inst.a);
    const auto* from = source<std::uint64_t>(warp, inst.b);
    const auto* bytes = source<std::uint32_t>(warp, inst.c);
    const auto* told = inst.e == no_ref ? nullptr : source<std::uint64_t>(warp, inst.e);
    const auto* masks = inst.d == no_ref ? nullptr : source<std::uint32_t>(warp, inst.d);
    const BulkReduction reduced = BulkReduction::from_bits(inst.imm);
    const bool reduces = (inst.mode & bulk_reduces) != 0;
    const Reduce reduce =
        reduces ? reduction(static_cast<ptx::Type>(reduced.type), static_cast<Atomic>(reduced.operation)) : nullptr;
    const AccessKind kind = reduces ? AccessKind::atomic : AccessKind::store;
    for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        const auto at = static_cast<int>(lane);
        if (bytes[lane] % unit != 0)
            fault(warp, inst, FaultKind::misaligned_address, "a bulk copy of no multiple of 16 bytes", at);
        const End source_end{(inst.mode & bulk_from_shared) != 0, from[lane]};
        const std::byte* read = source_end.reach(warp, inst, at, bytes[lane], AccessKind::load);
        const auto put = [&](std::uint64_t address, std::uint32_t barrier) {
            const End end{(inst.mode & bulk_to_shared) != 0, address};
            std::byte* written = end.reach(warp, inst, at, bytes[lane], kind);
            if (reduces) {
                reduce(written, read, bytes[lane]);
            } else if ((inst.mode & bulk_masks) != 0) {
                for (std::uint32_t i = 0; i < bytes[lane]; ++i)
                    if ((masks[lane] >> i % unit & 1U) != 0) written[i] = read[i];
            } else if (bytes[lane] != 0) {  // no pointer of a copy of nothing has to point anywhere
                std::memmove(written, read, bytes[lane]);
            }
            if (told != nullptr) complete(warp, inst, lane, barrier, bytes[lane]);
        };
        const auto barrier = told == nullptr ? 0 : static_cast<std::uint32_t>(told[lane]);
        if ((inst.mode & bulk_multicasts) != 0)
            for_blocks(masks[lane], [&](std::uint32_t rank) {
                put((to[lane] & shared_offset_mask) | rank, (barrier & shared_offset_mask) | rank);
            });
        else
            put(to[lane], barrier);
    }
    warp.pause = true;
}

/// st.bulk [a], b bytes: zeros.
void fill_with_zeros(Warp& warp, const Inst& inst) {
    constexpr std::uint32_t word = 8;
    const auto* to = source<std::uint64_t>(warp, inst.a);
    const auto* bytes = source<std::uint64_t>(warp, inst.b);
    for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        const auto at = static_cast<int>(lane);
        const auto begin = static_cast<std::uint32_t>(to[lane]);
        if (bytes[lane] % word != 0 || begin % word != 0)
            fault(warp, inst, FaultKind::misaligned_address, "a bulk store of no multiple of 8 bytes", at);
        if (bytes[lane] > shared_offset_mask)
            fault(warp, inst, FaultKind::illegal_address, "a bulk store of more than shared memory holds", at);
        const auto size = static_cast<std::uint32_t>(bytes[lane]);
        if (size == 0) continue;
        cluster_memory(warp, inst, begin + size - word, word, at);
        std::memset(cluster_memory(warp, inst, begin, 0, at), 0, size);
        for (std::uint32_t done = 0; done < size; done += word * lanes) {
            const std::uint32_t pieces = std::min<std::uint32_t>(lanes, (size - done) / word);
            alignas(64) std::uint32_t offsets[lanes];
            for (std::uint32_t i = 0; i < lanes; ++i) offsets[i] = (begin & shared_offset_mask) + done + i * word;
            count_shared(warp, inst, offsets, pieces == lanes ? full_mask : (1U << pieces) - 1, word, true);
        }
    }
}

/// createpolicy: mode holds the priority of what is chosen, that of the rest, and whether a range of addresses is
/// chosen or a fraction of them. The bits are those of ptxas' code for sm_80.
void create_policy(Warp& warp, const Inst& inst) {
    constexpr std::uint64_t fractional = std::uint64_t{2} << 59, range = std::uint64_t{3} << 59;
    const std::uint64_t priorities = std::uint64_t{inst.mode & 3U} << 57 | std::uint64_t{inst.mode >> 2 & 1U} << 56;
    auto* d = destination<std::uint64_t>(warp, inst.d);
    if ((inst.mode & policy_of_range) == 0) {
        constexpr float steps = 15.99F;
        const auto* b = source<float>(warp, inst.b);
        each_lane(d, warp.exec, [&](int lane) {
            const float chosen = b[lane] * steps;
            const auto sixteenths = static_cast<std::uint64_t>(chosen > 0 && chosen < 1e9F ? chosen : 0);
            return fractional | priorities | (sixteenths & 15U) << 52;
        });
        return;
    }
    const auto* a = source<std::uint64_t>(warp, inst.a);
    const auto* b = source<std::uint32_t>(warp, inst.b);
    const auto* c = source<std::uint32_t>(warp, inst.c);
    each_lane(d, warp.exec, [&](int lane) {
        if (c[lane] == 0) return range;
        constexpr std::uint32_t least = 12, most_blocks = 127;
        const auto whole = static_cast<std::uint32_t>(std::ceil(std::log2(static_cast<float>(c[lane]))));
        const std::uint32_t shift = whole > least + 7 ? whole - 7 : least;
        const std::uint64_t begin = a[lane] >> shift;
        // The size is rounded up in 32 bits, and may come out as nothing.
        const std::uint64_t end = (a[lane] + (b[lane] + (std::uint32_t{1} << shift) - 1)) >> shift;
        const std::uint64_t blocks = std::min<std::uint64_t>(end - begin, most_blocks);
        return range | priorities | std::uint64_t{shift - least} << 52 | (begin & most_blocks) << 44 | blocks << 37;
    });
}

/// clusterlaunchcontrol.try_cancel [a], [b]: the response is all zeros, for no: a machine whose blocks have all started
/// says so, too, and each of them does its own work. mode 1: in every block of the cluster, and to its barrier.
void try_cancel(Warp& warp, const Inst& inst) {
    const auto* response = source<std::uint64_t>(warp, inst.a);
    const auto* barrier = source<std::uint64_t>(warp, inst.b);
    const auto answer = [&](std::uint32_t lane, std::uint32_t rank) {
        const End end{true, response[lane] | rank};
        std::memset(end.reach(warp, inst, static_cast<int>(lane), unit, AccessKind::store), 0, unit);
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
            if (spec.type != ptx::Type::none && reduction(spec.type, spec.atomic) == nullptr) return nullptr;
            return copy;
        case Op::bulk_zero:
            return fill_with_zeros;
        case Op::create_policy:
            return create_policy;
        case Op::try_cancel:
            return try_cancel;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
