// The places of lanes in each state space: where their data is, checked and counted.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <algorithm>
#include <array>

#include "collector/simulate/engine/handlers/access.hpp"
#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/elements.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

// Where the lanes' data is, per space. `prepare` checks and counts once per instruction, and gives the lanes that have
// data; `at` gives lane's host address.
/// Global memory.
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
/// Shared memory of the own block.
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

/// Local memory: a lane's bytes are in words that lie among those of the others.
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

}  // namespace gpuproj::simulate::GPUPROJ_ISA
