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
#include <utility>
#include <vector>

#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/paths.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// Bytes per lane of what an instruction reads (a, b, c) and writes (d, e); 0: a predicate.
struct Widths {
    std::uint32_t a = 4, b = 4, c = 4, d = 4, e = 0;
};

/// The registers of an instruction that has up to five, in the frame of one of the paths that execute it together.
class Registers {
public:
    static constexpr std::size_t count = 5, sources = 3;

    Registers(const Inst& inst, const std::byte* constants, std::byte* frame)
        : refs_{inst.a, inst.b, inst.c, inst.d, inst.e}, constants_(constants), frame_(frame) {}

    bool has(std::size_t i) const { return refs_[i] != no_ref; }
    const std::byte* source(std::size_t i) const {
        return ((refs_[i] & constant_bit) != 0 ? constants_ : frame_) + (refs_[i] & ~constant_bit);
    }
    std::byte* destination(std::size_t i) const { return frame_ + refs_[i]; }

private:
    std::array<Ref, count> refs_;
    const std::byte* constants_;
    std::byte* frame_;
};

/// What some lanes have in a register of so many bytes per lane.
inline void copy_lanes(const std::byte* from, std::byte* to, std::size_t width, std::uint32_t mask) {
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

/// Executes an instruction that waits for `members`, for those that have come to it and to others of its kind, in this
/// function and elsewhere. Where there are such others, all have part by registers that are nobody's own.
template <Handler Run, Widths Of>
void run_together(Warp& warp, const Inst& inst, std::uint32_t members) {
    if (!all_here(warp, inst, members)) return;
    const std::vector<WaitingPath> others = waiting_paths(warp, inst, members, [](const Inst& here, const Inst& there) {
        return here.handler == there.handler && here.mode == there.mode;
    });
    if (others.empty()) return Run(warp, inst);
    struct Part {
        std::uint32_t mask = 0;
        Registers registers;
    };
    std::vector<Part> parts{{warp.exec, Registers(inst, warp.constants, warp.frame)}};
    for (const auto& [path, frame] : others)
        parts.push_back({path->mask, Registers(*path->pc, frame->code->constants.data(), frame->base)});

    constexpr std::array<std::uint32_t, Registers::count> widths{Of.a, Of.b, Of.c, Of.d, Of.e};
    constexpr std::size_t stride = std::size_t{8} * lanes;
    alignas(64) std::array<std::byte, stride * Registers::count> common{};
    Inst shared = inst;
    const std::array<Ref*, Registers::count> refs{&shared.a, &shared.b, &shared.c, &shared.d, &shared.e};
    for (std::size_t i = 0; i < Registers::count; ++i) {
        const bool wanted = std::ranges::any_of(parts, [&](const Part& part) { return part.registers.has(i); });
        *refs[i] = wanted ? static_cast<Ref>(i * stride) : no_ref;
    }
    const std::uint32_t own = warp.exec;
    for (const Part& part : parts) {
        warp.exec |= part.mask;
        for (std::size_t i = 0; i < Registers::sources; ++i)
            if (part.registers.has(i))
                copy_lanes(part.registers.source(i), common.data() + i * stride, widths[i], part.mask);
    }
    std::byte* const frame = std::exchange(warp.frame, common.data());
    Run(warp, shared);
    warp.frame = frame;
    warp.exec = own;
    for (const Part& part : parts) {
        for (std::size_t i = Registers::sources; i < Registers::count; ++i)
            if (part.registers.has(i))
                copy_lanes(common.data() + i * stride, part.registers.destination(i), widths[i], part.mask);
    }
    for (const WaitingPath& other : others) go_on_behind(*other.path);
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
