// What machine code leaves of its accesses to memory: to count, or to be done by the handlers.
#include "collector/simulate/engine/recorded.hpp"

#include <exception>

#include "collector/simulate/engine/handlers/access.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

constexpr std::size_t octets = lanes / octet, to_next = octet;  // elements
constexpr std::uint32_t all_of(OctetLie lie) {
    return 0x01010101U * static_cast<std::uint32_t>(lie);
}
/// Where the first lane of each octet is.
template <class A>
std::array<A, octets> firsts(const A* at) {
    return {at[0], at[to_next], at[2 * to_next], at[3 * to_next]};
}
/// Whether the octets follow each other at this distance.
template <class A>
bool follow(const std::array<A, octets>& first, A distance) {
    return first[1] - first[0] == distance && first[2] - first[1] == distance && first[3] - first[2] == distance;
}

/// Of all lanes, `lies` those of the octets, as Lie has it.
template <class A>
Lie together(const A* at, std::uint32_t lies, std::uint32_t bytes) {
    if (lies == all_of(OctetLie::row) && follow<A>(firsts(at), octet * bytes)) return Lie::row;
    if (lies == all_of(OctetLie::point) && follow<A>(firsts(at), 0)) return Lie::point;
    return Lie::apart;
}

/// Of the octets. Each was stored by itself: a load of all four would have to wait for the stores.
std::uint32_t lies_at(const std::byte* at) {
    std::uint32_t lies = 0;
    for (std::uint32_t i = 0; i < octets; ++i) lies |= std::to_integer<std::uint32_t>(at[i]) << 8 * i;
    return lies;
}

/// In place of octets' lies, where they are not known: some lanes are idle.
constexpr std::uint32_t unknown = ~0U;

/// Of device memory, `mask` not 0. `lies`: of the octets.
void count_device(Warp& warp, const Inst& inst, const std::uint64_t* recorded, std::uint32_t mask, std::uint32_t lies,
                  bool store) {
    if (inst.wide_bytes == 0) return;
    const std::uint32_t bytes = std::uint32_t{inst.bytes} * inst.count;
    const std::uint64_t imm = inst.has_base ? static_cast<std::uint64_t>(inst.imm) : 0;
    const std::uint32_t width = moved_bytes(inst, bytes);
    const Lie lie = lies != unknown ? together(recorded, lies, bytes) : lie_of(recorded, mask, bytes);
    const std::uint64_t any = recorded[std::countr_zero(mask)];
    if (lie == Lie::point || (lie == Lie::row && width == bytes)) {
        const std::uint64_t threads = lane_count(mask);
        return count_stretch(warp, inst, any + imm, lie == Lie::row ? threads * bytes : width, width, threads, store);
    }
    alignas(64) std::uint64_t address[lanes];
    if (mask == full_mask) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) address[lane] = recorded[lane] + imm;
    } else {  // of octets without an active lane nothing was recorded
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            address[lane] = ((mask >> lane & 1U) != 0 ? recorded[lane] : any) + imm;
    }
    count_global(warp, inst, address, mask, bytes, store ? AccessKind::store : AccessKind::load, Lie::apart,
                 sector_changes(address, width));
}

/// Whether no two octets want different words of a bank, each a row of words or a single one; false also where that is
/// not known.
bool without_conflict(const std::uint32_t* offset, std::uint32_t lies) {
    constexpr std::uint32_t row_of_banks = 0xFF;
    std::uint32_t taken = 0;
    const auto lie_of_octet = [&](std::size_t i) { return static_cast<OctetLie>(lies >> 8 * i & 0xFFU); };
    for (std::size_t i = 0; i < octets; ++i) {
        const OctetLie lie = lie_of_octet(i);
        if (lie == OctetLie::apart) return false;
        const std::uint32_t word = offset[i * to_next] / sizeof(std::uint32_t);
        const std::uint32_t wanted = std::rotl(lie == OctetLie::row ? row_of_banks : 1U, static_cast<int>(word % 32));
        // As matrices of narrow blocks have it, octets may want what the one before does, or the one before that.
        const auto wants_what = [&](std::size_t other) {
            return offset[other * to_next] == offset[i * to_next] && lie_of_octet(other) == lie;
        };
        const bool again = (i > 0 && wants_what(i - 1)) || (i > 1 && wants_what(i - 2));
        if ((taken & wanted) != 0 && !again) return false;
        taken |= wanted;
    }
    return true;
}

bool is_of_words(const Inst& inst) {
    return inst.bytes == sizeof(std::uint32_t) && inst.count == 1 && inst.wide_bytes <= sizeof(std::uint32_t);
}

}  // namespace

void count_accesses(Warp& warp, const RecordedAccess* first, std::size_t count, const std::byte* stack) {
    const auto mask_of = [&](const RecordedAccess& access) {
        std::uint32_t taking_part = full_mask;
        if (access.lanes != 0) std::memcpy(&taking_part, stack + access.lanes, sizeof(taking_part));
        return warp.active & taking_part;  // octets without an active lane say nothing
    };
    const auto offset_of = [&](const RecordedAccess& access) {
        return reinterpret_cast<const std::uint32_t*>(stack + access.addresses);
    };
    for (std::size_t i = 0; i < count; ++i) {
        const RecordedAccess& access = first[i];
        const Inst& inst = *access.inst;
        if (access.shared && access.like != i) continue;  // counted with the first of them
        const std::uint32_t mask = mask_of(access);
        if (mask == 0) continue;
        std::uint32_t lies = unknown;
        if (access.lanes == 0 && mask == full_mask) lies = lies_at(stack + access.lies);
        if (!access.shared) {
            const auto* address = reinterpret_cast<const std::uint64_t*>(stack + access.addresses);
            count_device(warp, inst, address, mask, lies, access.store);
        } else if (lies != unknown && is_of_words(inst) && without_conflict(offset_of(access), lies)) {
            // Most take one pass: a word goes to any number of lanes.
            MemoryCounters& counters = warp.sm->counters;
            counters.shared_loads += access.like_loads;
            counters.shared_stores += access.like_stores;
            counters.shared_passes += std::uint32_t{access.like_loads} + access.like_stores;
        } else {
            const std::uint32_t bytes = std::uint32_t{inst.bytes} * inst.count;
            access_shared(warp, inst, offset_of(access), mask, bytes, access.store);
            if (inst.wide_bytes == 0) continue;
            const std::uint32_t width = moved_bytes(inst, bytes);
            SharedPattern& pattern = warp.sm->patterns.of(inst, 0);
            std::uint32_t others = std::uint32_t{access.like_loads} + access.like_stores - 1;
            for (std::size_t j = i + 1; others > 0; ++j) {
                if (!first[j].shared || first[j].like != i) continue;
                count_pattern(*warp.sm, pattern, offset_of(first[j]), mask, width, first[j].store);
                --others;
            }
        }
    }
}

bool access_octet(Warp& warp, const RecordedAccess& access, std::byte* stack, std::uint32_t number,
                  std::uint32_t taking_part) {
    const Inst& inst = *access.inst;
    const std::uint32_t first = number * octet;
    const auto for_octet = [&](auto&& f) {
        for (std::uint32_t i = 0; i < octet; ++i)
            if ((taking_part >> i & 1U) != 0) f(i);
    };
    const std::uint32_t width = access.register_bytes;
    // The handler works on the frame, which may have older values.
    if (inst.has_base && inst.a_width == sizeof(std::uint64_t)) {
        auto* a = destination<std::uint64_t>(warp, inst.a);
        const auto* address = reinterpret_cast<const std::uint64_t*>(stack + access.addresses);
        for_octet([&](std::uint32_t i) { a[first + i] = address[first + i]; });
    } else if (inst.has_base) {
        auto* a = destination<std::uint32_t>(warp, inst.a);
        const auto* offset = reinterpret_cast<const std::uint32_t*>(stack + access.addresses);
        const auto imm = access.shared ? static_cast<std::uint32_t>(inst.imm) : 0U;
        for_octet([&](std::uint32_t i) { a[first + i] = offset[first + i] - imm; });
    }
    const auto each_value = [&](auto&& move) {
        for (std::uint32_t i = 0; i < inst.count; ++i) {
            const Ref ref = element(warp, inst, i);
            if (ref == no_ref || (ref & constant_bit) != 0) continue;
            std::byte* const values = stack + access.values + std::size_t{i} * element_bytes;
            std::byte* const home = warp.frame + ref + std::size_t{first} * width;
            for_octet([&](std::uint32_t lane) {
                const std::uint32_t step = width < 4 ? 4 : width;
                move(home + std::size_t{lane} * width, values + std::size_t{lane} * step);
            });
        }
    };
    if (access.store) each_value([&](std::byte* home, const std::byte* value) { std::memcpy(home, value, width); });
    const std::uint32_t accesses = warp.accesses;
    const bool pause = warp.pause, counts = warp.sm->counts;
    const std::uint32_t exec = warp.exec;
    warp.sm->counts = false;
    bool done = true;
    try {
        warp.exec = taking_part << first;
        access.handler(warp, inst);
    } catch (...) {
        warp.sm->error = std::current_exception();
        done = false;
    }
    warp.sm->counts = counts;
    warp.exec = exec;
    warp.accesses = accesses;
    warp.pause = pause || !done;
    if (!access.store) {
        each_value([&](const std::byte* home, std::byte* value) {
            std::memset(value, 0, sizeof(std::uint32_t));
            std::memcpy(value, home, width);
        });
    }
    return done;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
