// Loads and stores (PTX ISA 9.7.9) of whatever state space.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <emmintrin.h>

#include <array>
#include <type_traits>

#include "collector/simulate/engine/handlers/access.hpp"
#include "collector/simulate/engine/handlers/elements.hpp"
#include "collector/simulate/engine/handlers/places.hpp"
#include "collector/simulate/engine/handlers/vectors.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

// What one vector instruction moves for a lane, up to 16 bytes, other threads see whole or not at all: CUB passes a
// value and its state to other blocks that way, and those may be on another thread of the host.
template <std::uint32_t Bytes>
inline void copy_whole(const std::byte* from, std::byte* to) {
    // 16 bytes that are aligned are one access on all processors that have AVX. volatile: compilers divide others.
    const auto copy = [&]<class Whole>(Whole) {
        for (std::uint32_t i = 0; i < Bytes; i += sizeof(Whole)) {
            // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): move_vectors fills it from registers
            const Whole whole = *reinterpret_cast<const volatile Whole*>(from + i);
            *reinterpret_cast<volatile Whole*>(to + i) = whole;
        }
    };
    if constexpr (Bytes == sizeof(std::uint64_t))
        copy(std::uint64_t{});
    else
        copy(__m128i{});
}
/// One vector per lane of `mask`, of `Bytes` in all.
template <std::uint32_t Bytes, class Raw, class Register, bool Store, class Place>
void move_vectors(Warp& warp, const Inst& inst, std::uint32_t mask, const Place& place) {
    constexpr std::uint32_t count = Bytes / sizeof(Raw);
    std::array<Register*, count> registers;  // NOLINT(*-member-init): filled at once
    for (std::uint32_t i = 0; i < count; ++i) {
        const Ref ref = element(warp, inst, i);
        registers[i] = ref == no_ref ? nullptr : const_cast<Register*>(source<Register>(warp, ref));
    }
    if constexpr (std::is_same_v<Raw, Register> && Bytes <= sizeof(Bits128) && (count == 2 || count == 4) &&
                  (sizeof(Raw) == 4 || sizeof(Raw) == 8)) {
        if (mask == full_mask) {
            for (std::uint32_t lane = 0; lane < lanes; lane += 4) {
                if constexpr (Store)
                    FourLanes<Raw, Bytes>::store(
                        registers, lane, {place.at(lane), place.at(lane + 1), place.at(lane + 2), place.at(lane + 3)});
                else
                    FourLanes<Raw, Bytes>::load(
                        {place.at(lane), place.at(lane + 1), place.at(lane + 2), place.at(lane + 3)}, registers, lane);
            }
            return;
        }
    }
    for_lanes(mask, [&](std::uint32_t lane) {
        alignas(16) std::byte whole[Bytes];
        if constexpr (Store) {
            for (std::uint32_t i = 0; i < count; ++i)
                std::memcpy(whole + i * sizeof(Raw), registers[i] + lane, sizeof(Raw));
            copy_whole<Bytes>(whole, place.at(lane));
        } else {
            copy_whole<Bytes>(place.at(lane), whole);
            for (std::uint32_t i = 0; i < count; ++i)
                if (registers[i] != nullptr) registers[i][lane] = widened<Register, Raw>(whole + i * sizeof(Raw));
        }
    });
}
/// Whether it is such a vector; then it is moved.
template <class Raw, class Register, bool Store, class Place>
bool move_vectors(Warp& warp, const Inst& inst, std::uint32_t mask, const Place& place) {
    const auto move = [&]<std::uint32_t Bytes>(std::integral_constant<std::uint32_t, Bytes>) {
        if constexpr (Bytes > sizeof(Raw) || sizeof(Raw) == sizeof(Bits128)) {
            if (inst.count * sizeof(Raw) == Bytes) {
                move_vectors<Bytes, Raw, Register, Store>(warp, inst, mask, place);
                return true;
            }
        }
        return false;
    };
    return move(std::integral_constant<std::uint32_t, 8>{}) || move(std::integral_constant<std::uint32_t, 16>{}) ||
           move(std::integral_constant<std::uint32_t, 32>{});
}

/// Lanes that are in a row, or (step 0) in one place.
struct Together {
    std::uint64_t begin = 0;
    std::uint32_t step = 0;
    std::byte* at(std::uint32_t lane) const { return pointer(begin + std::uint64_t{lane} * step); }
};
/// An access to device memory of all lanes together. False: it has to go the general way.
template <class Raw, class Register, bool Store>
inline bool move_together(Warp& warp, const Inst& inst) {
    Together place;
    const Lie lie = access_together(warp, inst, Store, place.begin);
    if (lie == Lie::apart) return false;
    if (lie == Lie::row) place.step = std::uint32_t{inst.bytes} * inst.count;
    if (inst.count > 1 || sizeof(Raw) == sizeof(Bits128)) {
        if (move_vectors<Raw, Register, Store>(warp, inst, full_mask, place)) return true;
    }
    for (std::uint32_t i = 0; i < inst.count; ++i) {
        const Ref ref = element(warp, inst, i);
        const auto at = [&](std::uint32_t lane) { return place.at(lane) + i * sizeof(Raw); };
        if constexpr (Store) {
            const auto* s = source<Register>(warp, ref);
            if (sizeof(Raw) == sizeof(Register) && place.step == sizeof(Raw))
                std::memcpy(at(0), s, sizeof(Raw) * lanes);
            else
                store_element<Raw, Register>(warp, ref, full_mask, at);
        } else if (ref != no_ref) {
            auto* d = destination<Register>(warp, ref);
            if (place.step == sizeof(Raw))
                load_row<Raw>(d, at(0), lanes);
            else if (place.step == 0)
                std::fill_n(d, lanes, widened<Register, Raw>(at(0)));
            else
                load_element<Raw, Register>(warp, ref, full_mask, at);
        }
    }
    return true;
}

/// Whether all lanes can be moved at once.
template <class Place>
concept Regular = std::is_base_of_v<Global, Place> || std::is_same_v<Place, Shared>;

/// A load, checked and counted.
template <class Place, class Raw, class Register>
void load_lanes(Warp& warp, const Inst& inst) {
    Place place;
    const std::uint32_t mask = place.prepare(warp, inst, warp.exec, false);
    if constexpr (Regular<Place>) {
        if (inst.count == 1 && inst.d != no_ref && mask == warp.exec &&
            place.template load_together<Raw>(destination<Register>(warp, inst.d), mask))
            return;
    }
    if constexpr (Regular<Place>) {
        if (mask == warp.exec && move_vectors<Raw, Register, false>(warp, inst, mask, place)) return;
    }
    for (std::uint32_t i = 0; i < inst.count; ++i) {
        const Ref ref = element(warp, inst, i);
        if constexpr (std::is_same_v<Place, Local>) {
            if (ref != no_ref)
                place.template load<Raw>(destination<Register>(warp, ref), mask,
                                         i * static_cast<std::uint32_t>(sizeof(Raw)));
        } else {
            load_element<Raw, Register>(warp, ref, mask,
                                        [&](std::uint32_t lane) { return place.at(lane) + i * sizeof(Raw); });
            if (mask != warp.exec) load_zeros<Raw, Register>(warp, ref, warp.exec & ~mask);
        }
    }
}
/// A store, checked and counted.
template <class Place, class Raw, class Register>
void store_lanes(Warp& warp, const Inst& inst) {
    Place place;
    const std::uint32_t mask = place.prepare(warp, inst, warp.exec, true);
    if constexpr (Regular<Place>) {
        if (inst.count == 1 && place.template store_together<Raw>(source<Register>(warp, inst.d), mask)) return;
    }
    if constexpr (Regular<Place>) {
        if (move_vectors<Raw, Register, true>(warp, inst, mask, place)) return;
    }
    for (std::uint32_t i = 0; i < inst.count; ++i) {
        if constexpr (std::is_same_v<Place, Local>)
            place.template store<Raw>(source<Register>(warp, element(warp, inst, i)), mask,
                                      i * static_cast<std::uint32_t>(sizeof(Raw)));
        else
            store_element<Raw, Register>(warp, element(warp, inst, i), mask,
                                         [&](std::uint32_t lane) { return place.at(lane) + i * sizeof(Raw); });
    }
}

/// A load of a value that all active lanes want: what follows pointers to one object does little else, in warps some of
/// whose lanes are idle, too. False: it has to go the general way.
template <class Raw, class Register>
inline bool load_point(Warp& warp, const Inst& inst) {
    if (inst.count != 1 || !inst.has_base || inst.a_width != sizeof(std::uint64_t)) return false;
    if (sizeof(Raw) == sizeof(Bits128)) return false;  // those are moved whole
    const auto* a = source<std::uint64_t>(warp, inst.a);
    if (!is_one_place(a, warp.exec)) return false;
    const std::uint64_t address = a[std::countr_zero(warp.exec)] + static_cast<std::uint64_t>(inst.imm);
    const std::uint64_t window = address & window_mask;
    if (window == local_window || window == shared_window) return false;
    if (address % sizeof(Raw) != 0 || !meet_stretch(warp, inst, address, sizeof(Raw))) return false;
    if (warp.sm->counts && inst.wide_bytes != 0) {
        const std::uint32_t width = moved_bytes(inst, sizeof(Raw));
        count_stretch(warp, inst, address, width, width, lane_count(warp.exec), false);
    }
    give_way_to_block(warp);
    if (inst.d == no_ref) return true;
    const auto value = widened<Register, Raw>(pointer(address));
    each_lane(destination<Register>(warp, inst.d), warp.exec, [&](int) { return value; });
    return true;
}

/// For pick_types.
template <class Place>
struct Loads {
    template <class Raw, class Register>
    struct Of {
        static constexpr Handler handler = load_lanes<Place, Raw, Register>;
    };
};
/// For pick_types.
template <class Place>
struct Stores {
    template <class Raw, class Register>
    struct Of {
        static constexpr Handler handler = store_lanes<Place, Raw, Register>;
    };
};

}  // namespace gpuproj::simulate::GPUPROJ_ISA
