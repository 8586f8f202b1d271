// Threads of a warp that exchange values need not do so in one place of the code: those that wait at an instruction of
// the same kind on another way take part (PTX ISA 9.7.9.6: "have executed shfl.sync with the same qualifiers"), as
// ptxas lets them by WARPSYNC.COLLECTIVE.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/paths.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// Bytes per lane of what an instruction reads (a, b, c) and writes (d, e); 0: a predicate.
struct Widths {
    std::uint32_t a = 4, b = 4, c = 4, d = 4, e = 0;
};

/// The registers of an instruction that has up to five.
class Registers {
public:
    Registers(const Inst& inst, Widths widths)
        : refs_{inst.a, inst.b, inst.c, inst.d, inst.e}, widths_{widths.a, widths.b, widths.c, widths.d, widths.e} {}

    static constexpr std::size_t count = 5, sources = 3;
    /// What some lanes have in each of them.
    using Values = std::array<std::array<std::byte, std::size_t{8} * lanes>, count>;

    /// Whether another instruction's values can stand in these registers: none is to be two at once, or a constant's.
    bool fit(const Registers& other) const {
        for (std::size_t i = 0; i < count; ++i) {
            if ((refs_[i] == no_ref) != (other.refs_[i] == no_ref)) return false;
            if (refs_[i] == other.refs_[i]) continue;
            if ((refs_[i] & constant_bit) != 0) return false;
            for (std::size_t k = 0; k < sources && i < sources; ++k)
                if (k != i && refs_[k] == refs_[i] && other.refs_[k] != other.refs_[i]) return false;
        }
        return true;
    }
    void get(const Warp& warp, std::uint32_t mask, Values& values, std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i) {
            if (refs_[i] == no_ref) continue;
            const auto* from = source<std::byte>(warp, refs_[i]);
            copy(from, values[i].data(), widths_[i], mask);
        }
    }
    /// The other way round. A register that is named twice has one value (`fit`).
    void set(Warp& warp, std::uint32_t mask, const Values& values, std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i) {
            if (refs_[i] == no_ref || (refs_[i] & constant_bit) != 0) continue;
            copy(values[i].data(), destination<std::byte>(warp, refs_[i]), widths_[i], mask);
        }
    }

private:
    static void copy(const std::byte* from, std::byte* to, std::size_t width, std::uint32_t mask) {
        if (width != 0) {
            for_lanes(mask, [&](std::uint32_t lane) { std::memcpy(to + lane * width, from + lane * width, width); });
            return;
        }
        std::uint32_t of = 0, into = 0;
        std::memcpy(&of, from, sizeof of);
        std::memcpy(&into, to, sizeof into);
        into = (into & ~mask) | (of & mask);
        std::memcpy(to, &into, sizeof into);
    }

    std::array<Ref, count> refs_;
    std::array<std::uint32_t, count> widths_;
};

/// Executes an instruction that waits for `members`, for those that have come to it and to others of its kind.
template <Handler Run, Widths Of>
void run_together(Warp& warp, const Inst& inst, std::uint32_t members) {
    if (!all_here(warp, inst, members)) return;
    if (!warp.parted) return Run(warp, inst);
    struct Guest {
        StackEntry* path = nullptr;
        Registers registers;
        Registers::Values replaced;
    };
    const Registers own(inst, Of);
    std::vector<Guest> guests;
    for_waiting_paths(warp, members, [&](StackEntry& path) {
        const Registers registers(*path.pc, Of);
        if (path.pc->handler == inst.handler && path.pc->mode == inst.mode && own.fit(registers))
            guests.push_back({&path, registers, {}});
    });
    const std::uint32_t hosts = warp.exec;
    for (Guest& guest : guests) {
        Registers::Values values;  // NOLINT(*-member-init): filled as far as it is read
        const std::uint32_t mask = guest.path->mask;
        guest.registers.get(warp, mask, values, 0, Registers::sources);
        own.get(warp, mask, guest.replaced, 0, Registers::count);
        own.set(warp, mask, values, 0, Registers::sources);
        warp.exec |= mask;
    }
    Run(warp, inst);
    warp.exec = hosts;
    for (const Guest& guest : guests) {
        Registers::Values values;  // NOLINT(*-member-init): the same
        const std::uint32_t mask = guest.path->mask;
        own.get(warp, mask, values, Registers::sources, Registers::count);
        own.set(warp, mask, guest.replaced, 0, Registers::count);
        guest.registers.set(warp, mask, values, Registers::sources, Registers::count);
        go_on_behind(*guest.path);
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
