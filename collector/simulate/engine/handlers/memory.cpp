// Loads and stores of all state spaces (PTX ISA 9.7.9).
#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "collector/simulate/engine/handlers/access.hpp"
#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/vectors.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// A value from memory as the register holds it.
template <class Register, class Raw>
inline Register widened(const std::byte* at) {
    Raw raw;
    std::memcpy(&raw, at, sizeof(Raw));
    if constexpr (sizeof(Register) > 8 || sizeof(Raw) > 8) {
        Register value{};
        std::memcpy(&value, &raw, sizeof(Raw));
        return value;
    } else {
        return static_cast<Register>(raw);
    }
}
/// `count` neighbours to neighbouring lanes; a constant stride keeps the loop short.
template <class Raw, class Register>
inline void load_row(Register* d, const std::byte* from, std::uint32_t count) {
    if constexpr (sizeof(Raw) == sizeof(Register)) {
        std::memcpy(static_cast<void*>(d), from, sizeof(Raw) * count);
    } else {
        for (std::uint32_t i = 0; i < count; ++i) d[i] = widened<Register, Raw>(from + i * sizeof(Raw));
    }
}

/// One element per active lane, widened to the register, from wherever `at(lane)` points.
template <class Raw, class Register, class At>
inline void load_element(Warp& warp, Ref ref, std::uint32_t mask, At&& at) {
    if (ref == no_ref) return;
    auto* d = destination<Register>(warp, ref);
    for_lanes(mask, [&](std::uint32_t lane) { d[lane] = widened<Register, Raw>(at(lane)); });
}
/// What lanes get whose access was out of bounds and ignored.
template <class Raw, class Register>
inline void load_zeros(Warp& warp, Ref ref, std::uint32_t mask) {
    static constexpr Raw zero{};
    load_element<Raw, Register>(warp, ref, mask,
                                [](std::uint32_t) { return reinterpret_cast<const std::byte*>(&zero); });
}
template <class Raw, class Register, class At>
inline void store_element(Warp& warp, Ref ref, std::uint32_t mask, At&& at) {
    const auto* s = source<Register>(warp, ref);
    for_lanes(mask, [&](std::uint32_t lane) { std::memcpy(at(lane), s + lane, sizeof(Raw)); });
}

inline std::byte* pointer(std::uint64_t address) {
    return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): that is what addresses are here
}

struct Bits128 {
    std::uint64_t low, high;
};

/// A single load of all lanes, as each eight of them lie.
template <class Raw, class Register, class At>
void load_octets(const OctetLies& lies, Register* d, At&& at) {
    for (std::uint32_t lane = 0; lane < lanes; lane += octet) {
        if (lies.row(lane / octet)) {
            load_row<Raw>(d + lane, at(lane), octet);
        } else if (lies.point(lane / octet)) {
            std::fill_n(d + lane, octet, widened<Register, Raw>(at(lane)));
        } else {
            for (std::uint32_t i = lane; i < lane + octet; ++i) d[i] = widened<Register, Raw>(at(i));
        }
    }
}
template <class Raw, class At>
void store_octets(const OctetLies& lies, const Raw* s, At&& at) {
    for (std::uint32_t lane = 0; lane < lanes; lane += octet) {
        if (lies.row(lane / octet)) {
            std::memcpy(at(lane), s + lane, sizeof(Raw) * octet);
        } else {
            for (std::uint32_t i = lane; i < lane + octet; ++i) std::memcpy(at(i), s + i, sizeof(Raw));
        }
    }
}

// Where the lanes' data is, per space. `prepare` checks and counts once per instruction, and gives the lanes that have
// data; `at` gives lane's host address.
struct Global {
    alignas(64) std::uint64_t address[lanes];
    Lie lie = Lie::apart;
    [[gnu::always_inline]] std::uint32_t prepare(Warp& warp, const Inst& inst, std::uint32_t mask, bool store) {
        lane_addresses(warp, inst, address);
        const std::uint32_t bytes = std::uint32_t{inst.bytes} * inst.count;
        lie = may_be_together(warp, inst) ? Lie::apart : lie_of(address, mask, bytes);
        return access_global(warp, inst, address, mask, bytes, store ? AccessKind::store : AccessKind::load, lie);
    }
    std::byte* at(std::uint32_t lane) const { return pointer(address[lane]); }

    /// What a single load does for all of `mask` at once; false: it has to go lane by lane.
    template <class Raw, class Register>
    [[gnu::always_inline]] bool load_together(Register* d, std::uint32_t mask) const {
        const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
        if (lie == Lie::row) {
            if (mask == full_mask)
                load_row<Raw>(d, at(0), lanes);  // its length known, this is a few moves
            else
                load_row<Raw>(d + first, at(first), static_cast<std::uint32_t>(std::popcount(mask)));
        } else if (lie == Lie::point) {
            const auto value = widened<Register, Raw>(at(first));
            each_lane(d, mask, [&](int) { return value; });
        } else {
            if (mask != full_mask || sizeof(Raw) == sizeof(Bits128)) return false;  // those are moved whole
            load_octets<Raw>(octets_of(address, sizeof(Raw)), d, [&](std::uint32_t lane) { return at(lane); });
        }
        return true;
    }
    template <class Raw, class Register>
    bool store_together(const Register* s, std::uint32_t mask) const {
        if constexpr (sizeof(Raw) != sizeof(Register)) return false;
        if (lie != Lie::row) {
            if (mask != full_mask || sizeof(Raw) == sizeof(Bits128)) return false;
            store_octets(octets_of(address, sizeof(Raw)), s, [&](std::uint32_t lane) { return at(lane); });
            return true;
        }
        const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
        if (mask == full_mask)
            std::memcpy(at(0), s, sizeof(Raw) * lanes);
        else
            std::memcpy(at(first), s + first, sizeof(Raw) * static_cast<std::uint32_t>(std::popcount(mask)));
        return true;
    }
};
struct Constant : Global {
    std::uint32_t prepare(Warp& warp, const Inst& inst, std::uint32_t mask, bool /*store*/) {
        lane_addresses(warp, inst, address);
        // A constant at a fixed address is an operand of its user.
        if (inst.has_base) count_constant(warp, inst, address, mask);
        const std::uint32_t bytes = std::uint32_t{inst.bytes} * inst.count;
        lie = lie_of(address, mask, bytes);
        if (!plainly_alive(warp, inst, address, mask, bytes, lie)) check_global(warp, inst, address, mask, bytes);
        return mask;
    }
};
struct Shared {
    alignas(64) std::uint32_t offset[lanes];
    OctetLies lies;
    std::byte* base = nullptr;
    [[gnu::always_inline]] std::uint32_t prepare(Warp& warp, const Inst& inst, std::uint32_t mask, bool store) {
        lane_offsets(warp, inst, offset);
        lies = access_shared(warp, inst, offset, mask, std::uint32_t{inst.bytes} * inst.count, store);
        base = warp.block->shared.data();
        return mask;
    }
    std::byte* at(std::uint32_t lane) const { return base + offset[lane]; }

    /// As of Global: only where all lanes take part.
    template <class Raw, class Register>
    bool load_together(Register* d, std::uint32_t mask) const {
        if (mask != full_mask) return false;
        load_octets<Raw>(lies, d, [&](std::uint32_t lane) { return at(lane); });
        return true;
    }
    template <class Raw, class Register>
    bool store_together(const Register* s, std::uint32_t mask) const {
        if (mask != full_mask || sizeof(Raw) != sizeof(Register)) return false;
        store_octets(lies, s, [&](std::uint32_t lane) { return at(lane); });
        return true;
    }
};
/// Shared memory of any block of the cluster.
struct Cluster {
    std::byte* place[lanes];
    std::uint32_t prepare(Warp& warp, const Inst& inst, std::uint32_t mask, bool store) {
        alignas(64) std::uint32_t offset[lanes];
        lane_offsets(warp, inst, offset);
        for_lanes(mask, [&](std::uint32_t lane) {
            place[lane] = cluster_memory(warp, inst, offset[lane], std::uint32_t{inst.bytes} * inst.count,
                                         static_cast<int>(lane));
            offset[lane] &= shared_offset_mask;
        });
        count_shared(warp, inst, offset, mask, std::uint32_t{inst.bytes} * inst.count, store);
        warp.pause = true;  // other blocks may wait for it
        return mask;
    }
    std::byte* at(std::uint32_t lane) const { return place[lane]; }
};

/// A lane's bytes are in words that lie among those of the others.
struct Local {
    alignas(64) std::uint32_t offset[lanes];
    Warp* of = nullptr;
    bool alike = false;       // all lanes have the same offset:
    std::uint32_t first = 0;  // the first active lane's
    std::uint32_t prepare(Warp& warp, const Inst& inst, std::uint32_t mask, bool store) {
        lane_offsets(warp, inst, offset);
        if (!inst.has_base) {
            for (std::uint32_t& place : offset) place += warp.frames.back().local_base;
        }
        const std::uint32_t bytes = std::uint32_t{inst.bytes} * inst.count;
        first = offset[std::countr_zero(mask) % lanes];  // % lanes: the compiler cannot know that mask is not 0
        alike = is_one_place(offset, mask);
        const bool plain = std::has_single_bit(bytes) && first % std::min<std::uint32_t>(bytes, 16) == 0 &&
                           std::uint64_t{first} + bytes <= warp.local_stride;
        if (!alike || !plain) check_local(warp, inst, offset, mask, bytes);
        count_local(warp, inst, offset, mask, bytes, store, alike);
        of = &warp;
        warp.accesses += 1;
        if (warp.accesses >= turn_accesses) warp.pause = true;
        return mask;
    }

    /// The words of all lanes at the same offset, `further` bytes on.
    std::uint32_t* row(std::uint32_t further) const {
        return reinterpret_cast<std::uint32_t*>(local_byte(*of, 0, first + further));
    }
    template <class Raw, class Register>
    void load(Register* d, std::uint32_t mask, std::uint32_t further) const {
        if (alike && sizeof(Raw) == sizeof(Register)) {
            if constexpr (sizeof(Raw) == 4) {
                const std::uint32_t* words = row(further);
                each_lane(d, mask, [&](int lane) { return static_cast<Register>(words[lane]); });
                return;
            } else if constexpr (sizeof(Raw) == 8) {
                const std::uint32_t *low = row(further), *high = row(further + 4);
                each_lane(d, mask,
                          [&](int lane) { return static_cast<Register>(low[lane] | std::uint64_t{high[lane]} << 32); });
                return;
            }
        }
        for_lanes(mask, [&](std::uint32_t lane) {
            std::array<std::byte, sizeof(Raw)> raw;  // NOLINT(*-member-init): filled at once
            if constexpr (sizeof(Raw) <= 4) {
                std::memcpy(raw.data(), local_byte(*of, lane, offset[lane] + further), sizeof(Raw));
            } else {
                for (std::uint32_t byte = 0; byte < sizeof(Raw); byte += 4)
                    std::memcpy(raw.data() + byte, local_byte(*of, lane, offset[lane] + further + byte), 4);
            }
            d[lane] = widened<Register, Raw>(raw.data());
        });
    }
    template <class Raw, class Register>
    void store(const Register* s, std::uint32_t mask, std::uint32_t further) const {
        if (alike && sizeof(Raw) == sizeof(Register)) {
            if constexpr (sizeof(Raw) == 4) {
                each_lane(row(further), mask, [&](int lane) { return static_cast<std::uint32_t>(s[lane]); });
                return;
            } else if constexpr (sizeof(Raw) == 8) {
                each_lane(row(further), mask, [&](int lane) { return static_cast<std::uint32_t>(s[lane]); });
                each_lane(row(further + 4), mask, [&](int lane) { return static_cast<std::uint32_t>(s[lane] >> 32); });
                return;
            }
        }
        for_lanes(mask, [&](std::uint32_t lane) {
            const auto* raw = reinterpret_cast<const std::byte*>(s + lane);
            if constexpr (sizeof(Raw) <= 4) {
                std::memcpy(local_byte(*of, lane, offset[lane] + further), raw, sizeof(Raw));
            } else {
                for (std::uint32_t byte = 0; byte < sizeof(Raw); byte += 4)
                    std::memcpy(local_byte(*of, lane, offset[lane] + further + byte), raw + byte, 4);
            }
        });
    }
};

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

template <class Place>
concept Regular = std::is_base_of_v<Global, Place> || std::is_same_v<Place, Shared>;

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

template <class Raw, class Register>
void load_global(Warp& warp, const Inst& inst) {
    if (move_together<Raw, Register, false>(warp, inst) || load_point<Raw, Register>(warp, inst)) return;
    load_lanes<Global, Raw, Register>(warp, inst);
}
template <class Raw, class Register>
void store_global(Warp& warp, const Inst& inst) {
    if (!move_together<Raw, Register, true>(warp, inst)) store_lanes<Global, Raw, Register>(warp, inst);
}

/// Generic addresses: each lane may point anywhere; the lanes of one space go together.
template <class Raw, class Register, bool Store>
void generic(Warp& warp, const Inst& inst) {
    if (move_together<Raw, Register, Store>(warp, inst)) return;
    if constexpr (!Store)
        if (load_point<Raw, Register>(warp, inst)) return;
    alignas(64) std::uint64_t address[lanes];
    lane_addresses(warp, inst, address);
    const std::uint32_t all = warp.exec;
    const GenericSplit split = split_generic(address, all);
    const auto run = [&]<class Place>(std::type_identity<Place>, std::uint32_t mask) {
        if (mask == 0) return;
        warp.exec = mask;
        if constexpr (Store)
            store_lanes<Place, Raw, Register>(warp, inst);
        else
            load_lanes<Place, Raw, Register>(warp, inst);
    };
    run(std::type_identity<Global>{}, split.global);
    run(std::type_identity<Shared>{}, split.shared & ~split.cluster);
    run(std::type_identity<Cluster>{}, split.cluster);
    run(std::type_identity<Local>{}, split.local);
    warp.exec = all;
}

/// Kernel parameters are the same for all lanes.
template <class Raw, class Register>
void load_parameter(Warp& warp, const Inst& inst) {
    for (std::uint32_t i = 0; i < inst.count; ++i) {
        const Ref ref = element(warp, inst, i);
        if (ref == no_ref) continue;
        const auto value = widened<Register, Raw>(warp.sm->launch->parameters + inst.imm + i * sizeof(Raw));
        each_lane(destination<Register>(warp, ref), warp.exec, [&](int) { return value; });
    }
}
/// Parameters of calls live in the frame: `a` the area, `a_width` its bytes per lane, `imm` the offset in it.
template <class Raw, class Register, bool Store>
void frame_access(Warp& warp, const Inst& inst) {
    auto* area = destination<std::byte>(warp, inst.a);
    const auto stride = static_cast<std::size_t>(inst.target);
    if constexpr (sizeof(Raw) == sizeof(Register)) {
        if (stride == sizeof(Raw) && warp.exec == full_mask && inst.d != no_ref) {
            if constexpr (Store)
                std::memcpy(area, source<Register>(warp, inst.d), sizeof(Raw) * lanes);
            else
                std::memcpy(destination<Register>(warp, inst.d), area, sizeof(Raw) * lanes);
            return;
        }
    }
    for (std::uint32_t i = 0; i < inst.count; ++i) {
        const auto at = [&](std::uint32_t lane) {
            return area + lane * stride + static_cast<std::size_t>(inst.imm) + i * sizeof(Raw);
        };
        if constexpr (Store)
            store_element<Raw, Register>(warp, element(warp, inst, i), warp.exec, at);
        else
            load_element<Raw, Register>(warp, element(warp, inst, i), warp.exec, at);
    }
}

/// cp.async.ca.shared.global [a + imm], [b], bytes: copied at once, which every wait allows. `target` holds the offset
/// of the source, `c` the number of bytes really read (the rest is zeros), if given.
void copy_async(Warp& warp, const Inst& inst) {
    alignas(64) std::uint32_t to[lanes];
    alignas(64) std::uint64_t from[lanes];
    lane_offsets(warp, inst, to);
    const auto* b = source<std::uint64_t>(warp, inst.b);
    for (int lane = 0; lane < lanes; ++lane)
        from[lane] =
            b[lane] + static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(inst.target)));
    const std::uint32_t bytes = inst.bytes;
    const auto* sizes = inst.c == no_ref ? nullptr : source<std::uint32_t>(warp, inst.c);
    std::uint32_t reading = warp.exec;
    if (sizes != nullptr)
        for_lanes(warp.exec, [&](std::uint32_t lane) {
            if (sizes[lane] == 0) reading &= ~(1U << lane);
        });
    Lie lie = reading == 0 ? Lie::apart : lie_of(from, reading, bytes);
    reading = access_global(warp, inst, from, reading, bytes, AccessKind::load, lie);
    access_shared(warp, inst, to, warp.exec, bytes, true);
    std::byte* shared = warp.block->shared.data();
    const auto copy_all = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
        for_lanes(reading, [&](std::uint32_t lane) { std::memcpy(shared + to[lane], pointer(from[lane]), Bytes); });
    };
    if (sizes == nullptr && reading == warp.exec) {
        if (bytes == 16) return copy_all(std::integral_constant<std::size_t, 16>{});
        if (bytes == 8) return copy_all(std::integral_constant<std::size_t, 8>{});
        if (bytes == 4) return copy_all(std::integral_constant<std::size_t, 4>{});
    }
    for_lanes(warp.exec, [&](std::uint32_t lane) {
        const std::uint32_t wanted = sizes == nullptr || sizes[lane] > bytes ? bytes : sizes[lane];
        const std::uint32_t read = ((reading >> lane) & 1U) != 0 ? wanted : 0;
        if (read > 0) std::memcpy(shared + to[lane], pointer(from[lane]), read);
        if (read < bytes) std::memset(shared + to[lane] + read, 0, bytes - read);
    });
}

/// mapa d, a, b: the address that a has in block b of the cluster, generic if mode is 1.
template <class T>
void map_rank(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const auto* b = source<std::uint32_t>(warp, inst.b);
    const std::uint32_t own = warp.block->rank;
    each_lane(destination<T>(warp, inst.d), warp.exec, [&](int lane) {
        const T rank = b[lane] == own ? 0 : static_cast<T>(b[lane] + 1);
        const T offset = static_cast<T>(a[lane] & shared_offset_mask);
        return static_cast<T>(rank << rank_shift | offset | (inst.mode == 1 ? static_cast<T>(shared_window) : 0));
    });
}
/// getctarank d, a: which block of the cluster a shared-memory address belongs to.
template <class T>
void rank_of(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const std::uint32_t own = warp.block->rank;
    each_lane(destination<std::uint32_t>(warp, inst.d), warp.exec, [&](int lane) {
        const auto rank = static_cast<std::uint32_t>(a[lane] >> rank_shift & 0xFFU);
        return rank == 0 ? own : rank - 1;
    });
}

/// alloca d, a, imm: `a` bytes of local memory at a multiple of imm; the largest wish of the lanes counts for all.
template <class T>
void allocate_stack(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    T bytes = 0;
    for_lanes(warp.exec, [&](std::uint32_t lane) { bytes = std::max(bytes, a[lane]); });
    const auto align = static_cast<T>(inst.imm);
    constexpr T most = T{1} << 30;
    const auto wanted = static_cast<std::uint32_t>(std::min<T>(bytes, most) + align + 15) / 16 * 16;
    const T begin = (static_cast<T>(grow_stack(warp, wanted)) + align - 1) / align * align;
    T* d = destination<T>(warp, inst.d);
    each_lane(d, warp.exec, [&](int) { return begin; });
}
/// stacksave d, stackrestore a. What was allocated in between is freed only when the function returns.
template <class T>
void save_stack(Warp& warp, const Inst& inst) {
    const auto top = static_cast<T>(grow_stack(warp, 0));
    each_lane(destination<T>(warp, inst.d), warp.exec, [&](int) { return top; });
}
void restore_stack(Warp& warp, const Inst& inst) {
    if (warp.exec != warp.frames.back().call_mask) return;  // others still use what they have
    Frame& frame = warp.frames.back();
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.exec));
    const std::uint64_t top =
        inst.a_width == 8 ? source<std::uint64_t>(warp, inst.a)[lane] : source<std::uint32_t>(warp, inst.a)[lane];
    const std::uint32_t own = frame.local_base + frame.code->local_bytes;
    if (top >= own && top <= own + frame.allocated) frame.allocated = static_cast<std::uint32_t>(top) - own;
}

/// isspacep.space d, a. mode: 0 global, 1 shared of the cluster, 2 local, 3 const or param, 4 shared of the block.
void is_space(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint64_t>(warp, inst.a);
    std::uint32_t bits = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        const std::uint64_t window = a[lane] & window_mask;
        const bool holds = inst.mode == 0   ? window == 0
                           : inst.mode == 1 ? window == shared_window
                           : inst.mode == 4 ? window == shared_window && (a[lane] >> rank_shift & 0xFFU) == 0
                           : inst.mode == 2 ? window == local_window
                                            : false;
        bits |= static_cast<std::uint32_t>(holds) << lane;
    }
    commit_predicate(warp, inst.d, bits);
}

template <template <class, class> class Wanted>
Handler pick_types(const Spec& spec) {
    using enum ptx::Type;
    const auto by_width = [&]<class Raw>(Raw) -> Handler {
        switch (spec.d_width) {
            case 1:
                if constexpr (sizeof(Raw) <= 1)
                    return Wanted<Raw, std::uint8_t>::handler;
                else
                    return nullptr;
            case 2:
                if constexpr (sizeof(Raw) <= 2)
                    return Wanted<Raw, std::uint16_t>::handler;
                else
                    return nullptr;
            case 4:
                if constexpr (sizeof(Raw) <= 4)
                    return Wanted<Raw, std::uint32_t>::handler;
                else
                    return nullptr;
            case 8:
                return Wanted<Raw, std::uint64_t>::handler;
            default:
                return nullptr;
        }
    };
    switch (spec.type) {
        case b8:
        case u8:
            return by_width(std::uint8_t{});
        case s8:
            return by_width(std::int8_t{});
        case b16:
        case u16:
        case f16:
        case bf16:
            return by_width(std::uint16_t{});
        case s16:
            return by_width(std::int16_t{});
        case b32:
        case u32:
        case f32:
        case f16x2:
        case bf16x2:
        case tf32:
            return by_width(std::uint32_t{});
        case s32:
            return by_width(std::int32_t{});
        case b64:
        case u64:
        case s64:
        case f64:
            return by_width(std::uint64_t{});
        case b128:
            return spec.d_width == 16 ? Wanted<Bits128, Bits128>::handler : nullptr;
        default:
            return nullptr;
    }
}
template <class Place>
struct Loads {
    template <class Raw, class Register>
    struct Of {
        static constexpr Handler handler = load_lanes<Place, Raw, Register>;
    };
};
template <class Place>
struct Stores {
    template <class Raw, class Register>
    struct Of {
        static constexpr Handler handler = store_lanes<Place, Raw, Register>;
    };
};
template <class Raw, class Register>
struct GlobalLoads {
    static constexpr Handler handler = load_global<Raw, Register>;
};
template <class Raw, class Register>
struct GlobalStores {
    static constexpr Handler handler = store_global<Raw, Register>;
};
template <bool Store>
struct Generics {
    template <class Raw, class Register>
    struct Of {
        static constexpr Handler handler = generic<Raw, Register, Store>;
    };
};
template <bool Store>
struct Frames {
    template <class Raw, class Register>
    struct Of {
        static constexpr Handler handler = frame_access<Raw, Register, Store>;
    };
};
template <class Raw, class Register>
struct Parameters {
    static constexpr Handler handler = load_parameter<Raw, Register>;
};

}  // namespace

Handler select_memory(const Spec& spec) {
    switch (spec.op) {
        case Op::ld_param:
            return pick_types<Parameters>(spec);
        case Op::ld_global:
            return pick_types<GlobalLoads>(spec);
        case Op::ld_constant:
            return pick_types<Loads<Constant>::Of>(spec);
        case Op::ld_shared:
            return pick_types<Loads<Shared>::Of>(spec);
        case Op::ld_local:
            return pick_types<Loads<Local>::Of>(spec);
        case Op::ld_generic:
            return pick_types<Generics<false>::Of>(spec);
        case Op::ld_frame:
            return pick_types<Frames<false>::Of>(spec);
        case Op::st_global:
            return pick_types<GlobalStores>(spec);
        case Op::st_shared:
            return pick_types<Stores<Shared>::Of>(spec);
        case Op::st_local:
            return pick_types<Stores<Local>::Of>(spec);
        case Op::st_generic:
            return pick_types<Generics<true>::Of>(spec);
        case Op::st_frame:
            return pick_types<Frames<true>::Of>(spec);
        case Op::ld_cluster:
            return pick_types<Loads<Cluster>::Of>(spec);
        case Op::st_cluster:
            return pick_types<Stores<Cluster>::Of>(spec);
        case Op::map_rank:
            return size_of(spec.type) == 8 ? map_rank<std::uint64_t> : map_rank<std::uint32_t>;
        case Op::rank_of:
            return size_of(spec.type) == 8 ? rank_of<std::uint64_t> : rank_of<std::uint32_t>;
        case Op::allocate_stack:
            return size_of(spec.type) == 8 ? allocate_stack<std::uint64_t> : allocate_stack<std::uint32_t>;
        case Op::save_stack:
            return size_of(spec.type) == 8 ? save_stack<std::uint64_t> : save_stack<std::uint32_t>;
        case Op::restore_stack:
            return restore_stack;
        case Op::cp_async:
            return copy_async;
        case Op::is_space:
            return is_space;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
