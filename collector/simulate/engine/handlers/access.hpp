// Accesses of a warp to global and shared memory: checked and counted.
#pragma once

#include "collector/simulate/engine/checks.hpp"
#include "collector/simulate/engine/handlers/lie.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// The same for lanes that lie anyhow, the signs of whose addresses do not differ.
inline bool inside_recent(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask,
                          std::uint32_t bytes) {
    const auto first = static_cast<std::int64_t>(address[std::countr_zero(mask)]);
    std::int64_t low = first, high = first;
    std::uint64_t bits = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::int64_t at = ((mask >> lane) & 1U) != 0 ? static_cast<std::int64_t>(address[lane]) : first;
        low = at < low ? at : low;
        high = at > high ? at : high;
        bits |= static_cast<std::uint64_t>(at);
    }
    const Range& range = recent_range(*warp.sm, inst);
    const std::uint64_t align = (bytes < 16 ? bytes : 16) - 1;
    const auto begin = static_cast<std::uint64_t>(low), end = static_cast<std::uint64_t>(high);
    return low >= 0 && (bits & align) == 0 && begin >= range.begin && end < range.end && range.end - end >= bytes;
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

/// Checks and counts an access of `mask`'s lanes, gives those that have data (all but for accesses out of bounds that
/// are ignored) and how they lie. A warp pauses here: other blocks may see or want what is there.
inline std::uint32_t access_global(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask,
                                   std::uint32_t bytes, AccessKind kind, Lie& lie) {
    lie = mask == 0 ? Lie::apart : lie_of(address, mask, bytes);
    std::uint32_t reachable = mask;
    if (!plainly_alive(warp, inst, address, mask, bytes, lie)) {
        reachable = reachable_global(warp, inst, address, mask, bytes);
        if (reachable != mask) lie = Lie::apart;
    }
    count_global(warp, inst, address, mask, bytes, kind, lie);
    warp.pause = true;
    return reachable;
}

/// How the lanes of each of the four octets lie: one bit each. A single element for all is a point.
struct OctetLies {
    std::uint32_t rows = 0, points = 0;
    bool regular() const { return (rows | points) == 0xF; }
    bool row(std::uint32_t i) const { return (rows >> i & 1) != 0; }
    bool point(std::uint32_t i) const { return (points >> i & 1) != 0; }
};

inline OctetLies octets_of(const std::uint32_t* offset, std::uint32_t bytes) {
    const Octet<std::uint32_t> step = steps<std::uint32_t>(bytes);
    OctetLies lies;
    for (std::uint32_t i = 0; i < lanes / octet; ++i) {
        const Octet<std::uint32_t> from_first = load_octet(offset + i * octet) - offset[i * octet];
        lies.rows |= static_cast<std::uint32_t>(is_zero<std::uint32_t>(from_first ^ step)) << i;
        lies.points |= static_cast<std::uint32_t>(is_zero<std::uint32_t>(from_first)) << i;
    }
    return lies;
}

/// Whether all accesses of a warp are inside shared memory and aligned, told from the octets' ends.
inline bool plainly_inside(const Warp& warp, const std::uint32_t* offset, std::uint32_t bytes, const OctetLies& lies) {
    if (!lies.regular() || !std::has_single_bit(bytes)) return false;
    std::uint32_t bits = 0, highest = 0;
    for (std::uint32_t i = 0; i < lanes; i += octet) {
        for (const std::uint32_t end : {offset[i], offset[i + octet - 1]}) {
            bits |= end;
            highest = end > highest ? end : highest;
        }
    }
    const std::uint32_t align = (bytes < 16 ? bytes : 16) - 1;
    return (bits & align) == 0 && std::uint64_t{highest} + bytes <= warp.block->shared.size();
}

/// For accesses that take `Passes` of them at least: whole warp, half warps or quarters at a time.
template <std::uint32_t Passes>
inline bool passes_free(const std::uint32_t* offset, const OctetLies& lies) {
    constexpr std::uint32_t places = lanes / Passes, octets = places / octet, width = 4 * Passes;
    constexpr std::uint32_t all = places == lanes ? ~0U : (1U << (places % lanes)) - 1;
    for (std::uint32_t begin = 0; begin < lanes / octet; begin += octets) {
        std::uint32_t taken = 0;
        for (std::uint32_t i = begin; i < begin + octets; ++i) {
            // The banks of the octet: a stretch of a ring of `places`.
            const std::uint64_t stretch = (lies.row(i) ? std::uint64_t{0xFF} : std::uint64_t{1})
                                          << (offset[i * octet] / width % places);
            const std::uint32_t own = static_cast<std::uint32_t>(stretch | stretch >> places) & all;
            if ((taken & own) != 0) {
                bool again = false;  // the very places of an octet before
                for (std::uint32_t other = begin; other < i; ++other)
                    again |= lies.row(other) == lies.row(i) && offset[other * octet] == offset[i * octet];
                if (!again) return false;
            }
            taken |= own;
        }
    }
    return true;
}

/// The passes of aligned accesses of all lanes, `width` bytes each as the hardware moves them, where they are seen to
/// be free of bank conflicts (shared_bank_passes says what that is). 0: not known.
inline std::uint32_t passes_if_free(const std::uint32_t* offset, std::uint32_t bytes, std::uint32_t width,
                                    const OctetLies& lies) {
    if (bytes != width && lies.points != 0xF) return 0;
    if (width == 4) return passes_free<1>(offset, lies) ? 1 : 0;
    if (lies.points == 0xF) {
        // One place for each half of the warp; of 8 bytes, one for both, which then go together.
        const bool halves = offset[0] == offset[octet] && offset[2 * octet] == offset[3 * octet];
        if (width == 16) return halves ? 2 : 0;
        return width == 8 && halves && offset[0] == offset[2 * octet] ? 1 : 0;
    }
    if (lies.points != 0) return 0;
    if (width == 8) return passes_free<2>(offset, lies) ? 2 : 0;
    return width == 16 && passes_free<4>(offset, lies) ? 4 : 0;
}

/// Checks and counts an access of `mask`'s lanes to shared memory; gives how they lie, none of it regular unless all
/// lanes take part.
inline OctetLies access_shared(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask,
                               std::uint32_t bytes, bool store) {
    OctetLies lies;
    if (mask == full_mask) lies = octets_of(offset, bytes);
    if (!plainly_inside(warp, offset, bytes, lies)) {
        check_shared(warp, inst, offset, mask, bytes);
        count_shared(warp, inst, offset, mask, bytes, store);
        return lies;
    }
    const SmContext& sm = *warp.sm;
    const std::uint32_t width = bytes > inst.wide_bytes ? bytes : inst.wide_bytes;
    if (!sm.launch->count || inst.wide_bytes == 0) return lies;
    if (const std::uint32_t passes = passes_if_free(offset, bytes, width, lies); passes != 0)
        count_free_shared(warp, passes, store);
    else
        count_shared(warp, inst, offset, mask, bytes, store);
    return lies;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
