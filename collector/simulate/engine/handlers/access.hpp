// Accesses of a warp to global and shared memory: checked and counted.
#pragma once

#include "collector/simulate/engine/checks.hpp"
#include "collector/simulate/engine/handlers/lie.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// The register of vector element `i`: `d` itself for scalars.
inline Ref element(const Warp& warp, const Inst& inst, std::uint32_t i) {
    return inst.count == 1 ? inst.d : warp.code->lists[inst.list + i];
}

/// Whether the lanes of `mask`, however they lie, access the range that this instruction met last, all aligned.
inline bool inside_recent(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask,
                          std::uint32_t bytes) {
    const Range& range = recent_range(*warp.sm, inst);
    if (range.end - range.begin < bytes) return false;
    const std::uint64_t last = range.end - range.begin - bytes;
    std::uint64_t beyond = 0, bits = 0;  // beyond: the uppermost bit is set if an offset is not in 0 ... last
    const auto look_at = [&](std::uint64_t at, std::uint64_t on) {
        const std::uint64_t offset = at - range.begin;
        beyond |= (offset | (last - offset)) & on;
        bits |= at & on;
    };
    if (mask == full_mask) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) look_at(address[lane], ~std::uint64_t{0});
    } else {
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            look_at(address[lane], std::uint64_t{0} - std::uint64_t{(mask >> lane) & 1U});
    }
    const std::uint64_t align = (bytes < 16 ? bytes : 16) - 1;
    return beyond >> 63 == 0 && (bits & align) == 0;
}

/// Whether the lanes of `mask` may access memory there: `lie` is theirs. False: not known, the slow way has to say.
inline bool plainly_alive(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask,
                          std::uint32_t bytes, Lie lie) {
    if (mask == 0 || !std::has_single_bit(bytes)) return false;
    if (lie == Lie::apart) return inside_recent(warp, inst, address, mask, bytes);
    const std::uint64_t low = address[std::countr_zero(mask)];
    const std::uint64_t high = address[31 - std::countl_zero(mask)];
    const Range& range = recent_range(*warp.sm, inst);
    const std::uint64_t align = (bytes < 16 ? bytes : 16) - 1;
    return (low & align) == 0 && low >= range.begin && high >= low && high < range.end && range.end - high >= bytes;
}

/// Checks and counts an access of `mask`'s lanes, which lie as `lie` says (apart also where it is not known), and gives
/// those that have data: all but for accesses out of bounds that are ignored. A warp pauses here: others may see or
/// want what is there.
[[gnu::always_inline]] inline std::uint32_t access_global(Warp& warp, const Inst& inst, const std::uint64_t* address,
                                                          std::uint32_t mask, std::uint32_t bytes, AccessKind kind,
                                                          Lie& lie) {
    std::uint32_t reachable = mask;
    if (!plainly_alive(warp, inst, address, mask, bytes, lie)) {
        reachable = reachable_global(warp, inst, address, mask, bytes);
        if (reachable != mask) lie = Lie::apart;
    }
    if (warp.sm->counts) {
        const std::uint32_t width = moved_bytes(inst, bytes);
        count_global(warp, inst, address, mask, bytes, kind, lie,
                     lie == Lie::apart ? sector_changes(address, width) : 0);
    }
    give_way_to_block(warp);
    return reachable;
}

/// Whether it is looked at by access_together.
inline bool may_be_together(const Warp& warp, const Inst& inst) {
    const std::uint32_t bytes = std::uint32_t{inst.bytes} * inst.count;
    return warp.exec == full_mask && inst.has_base && inst.a_width == sizeof(std::uint64_t) &&
           std::has_single_bit(bytes) && inst.wide_bytes <= bytes;
}

/// An access of all lanes that are in a row, or in one place, from `begin` on: most are. Checked and counted then;
/// apart: they are not, or nothing is known of what is there, and nothing was done.
inline Lie access_together(Warp& warp, const Inst& inst, bool store, std::uint64_t& begin) {
    if (!may_be_together(warp, inst)) return Lie::apart;
    const std::uint32_t bytes = std::uint32_t{inst.bytes} * inst.count;
    const auto* address = source<std::uint64_t>(warp, inst.a);
    // Most that are apart can be told by three lanes.
    const std::uint64_t next = address[1] - address[0], last = address[lanes - 1] - address[0];
    if ((next != 0 && next != bytes) || last != next * (lanes - 1)) return Lie::apart;
    const Lie lie = lie_of_warp(address, bytes);
    if (lie == Lie::apart) return lie;
    begin = *address + static_cast<std::uint64_t>(inst.imm);
    const std::uint64_t length = lie == Lie::row ? lanes * bytes : bytes;
    const Range& range = recent_range(*warp.sm, inst);
    const std::uint64_t size = range.end - range.begin, offset = begin - range.begin;
    if (offset > size || size - offset < length || (begin & ((bytes < 16 ? bytes : 16) - 1)) != 0) return Lie::apart;
    if (warp.sm->counts && inst.wide_bytes != 0) count_stretch(warp, inst, begin, length, bytes, lanes, store);
    give_way_to_block(warp);
    return lie;
}

/// How the lanes of each of the four octets lie: one bit each. A single element for all is a point.
struct OctetLies {
    std::uint32_t rows = 0, points = 0;
    bool regular() const { return (rows | points) == 0xF; }
    bool row(std::uint32_t i) const { return (rows >> i & 1) != 0; }
    bool point(std::uint32_t i) const { return (points >> i & 1) != 0; }
};

/// Of addresses or offsets of all lanes.
template <class A>
[[gnu::always_inline]] inline OctetLies octets_of(const A* at, std::uint32_t bytes) {
    const Octet<A> step = steps<A>(bytes);
    OctetLies lies;
    for (std::uint32_t i = 0; i < lanes / octet; ++i) {
        const A* first = at + std::size_t{i} * octet;
        const Octet<A> from_first = load_octet(first) - *first;
        lies.rows |= static_cast<std::uint32_t>(is_zero<A>(from_first ^ step)) << i;
        lies.points |= static_cast<std::uint32_t>(is_zero<A>(from_first)) << i;
    }
    return lies;
}

/// The offset of a lane less the first active one's, 0 if it is not active.
inline std::uint32_t difference(const std::uint32_t* offset, std::uint32_t mask, std::uint32_t first,
                                std::uint32_t lane) {
    return ((mask >> lane) & 1U) != 0 ? offset[lane] - first : 0;
}

/// Whether the lanes of `mask` lie to each other as they did when the pattern was learnt, with the same mask.
inline bool lie_alike(const SharedPattern& pattern, const std::uint32_t* offset, std::uint32_t mask,
                      std::uint32_t first) {
    if (mask == full_mask) {
        Octet<std::uint32_t> differ{};
        for (std::uint32_t lane = 0; lane < lanes; lane += octet)
            differ |= (load_octet(offset + lane) - first) ^ load_octet(pattern.from_first.data() + lane);
        return is_zero<std::uint32_t>(differ);
    }
    std::uint32_t differ = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        differ |= difference(offset, mask, first, lane) ^ pattern.from_first[lane];
    return differ == 0;
}

/// Looks at lanes that lie as they did not the last time. `bytes`: of the instruction; `width`: what the hardware
/// moves.
void learn(SharedPattern& pattern, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes,
           std::uint32_t width);

/// Counts an access of shared memory whose lanes lie as the pattern has it.
inline void count_pattern(SmContext& sm, SharedPattern& pattern, const std::uint32_t* offset, std::uint32_t mask,
                          std::uint32_t width, bool store) {
    (store ? sm.counters.shared_stores : sm.counters.shared_loads) += 1;
    count_passes(sm.counters, pattern.banks, [&]() -> std::uint32_t {
        const std::uint32_t first = offset[std::countr_zero(mask)];
        std::uint8_t& passes = pattern.wide[first / 4 % pattern.wide.size()];
        if (passes == 0)
            passes = static_cast<std::uint8_t>(
                wide_bank_passes(std::span<const std::uint32_t, lanes>(offset, lanes), mask, width));
        return passes;
    });
}

/// Checks and counts an access of `mask`'s lanes to shared memory; gives how they lie, none of it regular unless all
/// lanes take part. `part`: of an instruction that makes several accesses.
[[gnu::always_inline]] inline OctetLies access_shared(Warp& warp, const Inst& inst, const std::uint32_t* offset,
                                                      std::uint32_t mask, std::uint32_t bytes, bool store,
                                                      std::uint32_t part = 0) {
    if (mask == 0) return {};
    SmContext& sm = *warp.sm;
    const std::uint32_t width = moved_bytes(inst, bytes);
    const std::uint32_t first = offset[std::countr_zero(mask)];
    const std::uint32_t phase = first & ((width > 4 ? width : 4) - 1);
    const std::uint64_t key = SharedPattern::key_of(mask, phase, bytes, width);
    SharedPattern& pattern = sm.patterns.of(inst, part);
    if (pattern.key != key || !lie_alike(pattern, offset, mask, first)) {
        learn(pattern, offset, mask, bytes, width);
        pattern.key = key;
    }
    const std::uint32_t align = std::has_single_bit(bytes) ? (bytes < 16 ? bytes : 16) - 1 : 0;
    if (((first | pattern.bits) & align) != 0 || first < pattern.below ||
        std::uint64_t{first} + pattern.above + bytes > warp.block->shared.size())
        check_shared(warp, inst, offset, mask, bytes);  // says which lane it is
    if (sm.counts && inst.wide_bytes != 0) count_pattern(sm, pattern, offset, mask, width, store);
    return {pattern.rows, pattern.points};
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
