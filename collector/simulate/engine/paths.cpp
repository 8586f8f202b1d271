// The paths of a warp whose lanes have gone different ways: they take turns, because one may wait for another.
//
// Within an activation of a function the paths are entries of one stack, and meet again where the stack says. Where a
// path waits inside of a function for lanes that are outside of it, for instance for who has a lock already and has
// returned with it, the activation is set aside with its lanes, as a strand that has frames and a stack of its own; the
// rest of the warp goes on without it. Strands come together again where all_here waits for their lanes.
#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "collector/simulate/engine/checks.hpp"
#include "collector/simulate/engine/paths.hpp"

namespace gpuproj::simulate {

namespace {

/// Whether a path above waits to be joined by entry `i`.
bool waits(const std::vector<StackEntry>& stack, std::size_t i) {
    return std::any_of(stack.begin() + static_cast<std::ptrdiff_t>(i) + 1, stack.end(), [&](const StackEntry& above) {
        return above.mask != 0 && above.reconverge == stack[i].pc && (above.mask & ~stack[i].mask) == 0;
    });
}

/// Lanes that wait where paths meet, for a path that may be waiting for them, go on without it: they become a path
/// beside it. On the machine a lane that has a lock goes on, too, while others of its warp still ask for it.
bool part(Warp& warp) {
    const std::size_t base = warp.stack_base;
    std::uint32_t above = warp.active;
    for (std::size_t i = warp.stack.size() - 1; i-- > base;) {
        StackEntry& waiting = warp.stack[i];
        const std::uint32_t left = waiting.mask & ~above;
        above |= waiting.mask;
        if (left == 0 || waiting.pc == nullptr || !waits(warp.stack, i)) continue;
        const StackEntry gone{waiting.pc, waiting.reconverge, left};
        const std::uint32_t all = waiting.mask;
        waiting.mask &= ~left;
        warp.stack.back().pc = warp.pc;
        if (i == base)  // all of them end with the function
            warp.stack.insert(warp.stack.begin() + static_cast<std::ptrdiff_t>(base), {nullptr, nullptr, all});
        warp.stack.push_back(gone);
        unwind(warp);
        return true;
    }
    return false;
}

/// Whether path `i` could run, of those below one that does.
bool can_run(const std::vector<StackEntry>& stack, std::size_t i) {
    return stack[i].mask != 0 && stack[i].pc != nullptr && !waits(stack, i);
}

/// Whether some lanes are on another path: neither where this one will meet them, nor where it was called.
bool other_paths(const Warp& warp) {
    std::size_t end = warp.stack.size();
    for (std::size_t f = warp.frames.size(); f-- > 0;) {
        for (std::size_t i = warp.frames[f].stack_base; i + 1 < end; ++i)
            if (can_run(warp.stack, i)) return true;
        end = warp.frames[f].stack_base;
    }
    return false;
}

/// The path that runs waits, and path `i` runs instead.
void run_instead(Warp& warp, std::size_t i) {
    warp.stack.back().pc = warp.pc;
    const auto at = warp.stack.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(at, at + 1, warp.stack.end());
    unwind(warp);
}

/// The path that has waited longest for its turn is next; whoever is waited for stays below. False: there is none.
bool next_path(Warp& warp) {
    for (std::size_t i = warp.stack_base; i + 1 < warp.stack.size(); ++i) {
        if (!can_run(warp.stack, i)) continue;
        run_instead(warp, i);
        return true;
    }
    return false;
}

/// Leaves the lanes of `kept` in a stack and its frames, and no entries without any.
void keep(std::uint32_t kept, std::vector<StackEntry>& stack, std::vector<Frame>& frames) {
    for (StackEntry& entry : stack) entry.mask &= kept;
    for (Frame& frame : frames) {
        frame.call_mask &= kept;
        frame.stack_base -= static_cast<std::size_t>(
            std::count_if(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(frame.stack_base),
                          [](const StackEntry& entry) { return entry.mask == 0; }));
    }
    std::erase_if(stack, [](const StackEntry& entry) { return entry.mask == 0; });
}

/// Lanes that are on some path of the activations before the current one (`outer`) and of it.
struct Present {
    std::uint32_t outer = 0, inner = 0;
};
Present present_lanes(const std::vector<StackEntry>& stack, std::size_t stack_base) {
    Present lanes;
    for (std::size_t i = 0; i < stack.size(); ++i) (i < stack_base ? lanes.outer : lanes.inner) |= stack[i].mask;
    return lanes;
}

/// Takes the warp's current strand, which goes on where the warp is.
Strand taken(Warp& warp) {
    warp.stack.back().pc = warp.pc;
    return {std::move(warp.frames), std::move(warp.stack)};
}
void resume(Warp& warp, Strand strand) {
    warp.frames = std::move(strand.frames);
    warp.stack = std::move(strand.stack);
    enter(warp, warp.frames.back());
    warp.active = warp.stack.back().mask;
    warp.pc = warp.stack.back().pc;
}
void run_instead(Warp& warp, std::vector<Strand>::iterator strand) {
    Strand next = std::move(*strand);
    warp.strands.erase(strand);
    warp.strands.push_back(taken(warp));
    resume(warp, std::move(next));
}

/// Sets the current activation aside, with all lanes in it; those that have returned from it, or are waiting for it,
/// go on. False: there are none.
bool split(Warp& warp) {
    if (warp.frames.size() == 1) return false;
    const Present lanes = present_lanes(warp.stack, warp.stack_base);
    if ((lanes.outer & ~lanes.inner) == 0) return false;
    Strand aside = taken(warp);
    warp.frames = aside.frames;
    warp.stack = aside.stack;
    keep(lanes.inner, aside.stack, aside.frames);
    keep(~lanes.inner, warp.stack, warp.frames);
    warp.strands.push_back(std::move(aside));
    unwind(warp);
    return true;
}

/// Where lanes will go on in the activations before the current one. Entries at the end of a function only say so.
template <class Entry>
std::vector<Entry*> outer_entries(std::span<Entry> stack, const std::vector<Frame>& frames) {
    std::vector<Entry*> entries;
    for (Entry& entry : stack.first(frames.back().stack_base))
        if (entry.pc != nullptr) entries.push_back(&entry);
    return entries;
}
/// Takes the lanes of another strand along that waits at this instruction, unless it will go back another way, or some
/// of its lanes are elsewhere in the function.
bool joined(Warp& warp, const Strand& other, const Inst& inst) {
    const StackEntry& top = other.stack.back();
    if (!top.parked || top.pc != &inst) return false;
    const std::vector<StackEntry*> back = outer_entries(std::span(warp.stack), warp.frames);
    const std::vector<const StackEntry*> other_back = outer_entries(std::span(other.stack), other.frames);
    const bool same_way =
        std::ranges::equal(warp.frames, other.frames,
                           [](const Frame& a, const Frame& b) { return a.base == b.base && a.site == b.site; }) &&
        std::ranges::equal(back, other_back, [](const StackEntry* a, const StackEntry* b) {
            return a->pc == b->pc && a->reconverge == b->reconverge;
        });
    if (!same_way || (present_lanes(other.stack, other.frames.back().stack_base).inner & ~top.mask) != 0) return false;
    for (std::size_t i = 0; i < back.size(); ++i) back[i]->mask |= other_back[i]->mask;
    // Paths beside this one have none of its lanes.
    for (std::size_t i = warp.stack_base; i < warp.stack.size(); ++i)
        if ((warp.stack[i].mask & warp.active) != 0) warp.stack[i].mask |= top.mask;
    for (std::size_t i = 0; i < warp.frames.size(); ++i) warp.frames[i].call_mask |= other.frames[i].call_mask;
    return true;
}

/// Where a guard counts, what it counts of a waiting path was taken back: that comes to its instruction again.
bool can_be_taken_along(const StackEntry& path, const Inst& inst, SameWait same) {
    return path.parked && path.pc->guard == no_ref && same(inst, *path.pc);
}

/// The `wanted` lanes of paths that can be taken along become paths of their own, beside the others.
template <class F>
void set_apart(std::vector<StackEntry>& stack, std::vector<Frame>& frames, std::uint32_t wanted, F&& can_be_taken) {
    for (std::size_t i = stack.size(); i-- > 0;) {
        StackEntry rest = stack[i];
        rest.mask &= ~wanted;
        if (rest.mask == 0 || rest.mask == stack[i].mask || !can_be_taken(rest)) continue;
        stack[i].mask &= wanted;
        stack.insert(stack.begin() + static_cast<std::ptrdiff_t>(i), rest);
        for (Frame& frame : frames) frame.stack_base += frame.stack_base > i ? 1 : 0;
    }
}

}  // namespace

bool next_strand(Warp& warp) {
    if (warp.strands.empty()) return false;
    Strand next = std::move(warp.strands.front());
    warp.strands.erase(warp.strands.begin());
    resume(warp, std::move(next));
    return true;
}

void give_way(Warp& warp, bool waits_for_others) {
    // Only who spins, not who merely computes for long: the others would run ahead of it.
    constexpr std::int32_t instructions_per_poll = 100;
    constexpr std::uint32_t turns = 4;
    const std::int32_t given = warp.code->may_spin ? turn_of_spinning : turn;
    const bool polling = waits_for_others || warp.polls > given / instructions_per_poll;
    warp.polled = polling ? warp.polled + 1 : 0;
    warp.polls = 0;
    warp.pause = true;
    warp.accesses = turn_accesses;  // other blocks have their turn, too
    warp.budget = given;
    warp.stack.back().parked = false;
    const bool waits_long = waits_for_others || warp.polled >= turns;
    if (warp.code->may_spin && waits_long && part(warp)) {
        warp.parted = true;
        return;
    }
    const bool moved = next_path(warp);
    // Where all paths of the activation have had their turns, they may all be waiting for somebody else.
    const bool may_spin = warp.frames.front().code->may_spin;  // or what it calls
    if (may_spin && waits_long && (!moved || warp.polled >= 4 * turns) && split(warp)) {
        warp.parted = true;
        warp.polled = 0;
    } else if (!warp.strands.empty()) {
        run_instead(warp, warp.strands.begin());
    }
}

bool wait_for_others(Warp& warp, const Inst& inst, std::uint32_t wanted) {
    if (!warp.parted && !other_paths(warp)) return true;
    warp.parted = true;
    const std::size_t base = warp.stack_base;
    const auto again = [&] {
        if (inst.guard != no_ref) warp.thread_counts[inst.slot] -= lane_count(warp.exec);
        return false;
    };
    // This path waits at the instruction while others run.
    const auto park = [&] {
        static_cast<void>(again());
        warp.stack.back().parked = true;
        warp.pc = &inst;
    };
    const std::uint32_t came = warp.active;
    for (std::size_t i = warp.stack.size() - 1; i-- > base;) {
        const StackEntry& other = warp.stack[i];
        if (!other.parked || other.pc != &inst || other.reconverge != warp.stack.back().reconverge) continue;
        warp.active |= other.mask;
        warp.stack.erase(warp.stack.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::erase_if(warp.strands, [&](const Strand& other) { return joined(warp, other, inst); });
    warp.active |= warp.stack.back().mask;
    warp.stack.back().mask = warp.active;
    if (warp.active != came) {
        warp.pc = &inst;
        return again();
    }
    for (std::size_t i = base; i + 1 < warp.stack.size(); ++i) {
        if (warp.stack[i].parked || !can_run(warp.stack, i)) continue;
        park();
        run_instead(warp, i);
        return false;
    }
    const auto strand =
        std::ranges::find_if(warp.strands, [](const Strand& other) { return !other.stack.back().parked; });
    if (strand != warp.strands.end()) {
        park();
        run_instead(warp, strand);
        return false;
    }
    const Present present = present_lanes(warp.stack, base);
    if ((present.outer & ~present.inner & warp.alive & wanted) != 0) {
        park();
        split(warp);
        return false;
    }
    warp.stack.back().parked = false;
    return true;
}

std::vector<WaitingPath> waiting_paths(Warp& warp, const Inst& inst, std::uint32_t wanted, SameWait same) {
    std::vector<WaitingPath> found;
    if (!warp.parted) return found;
    const auto among = [&](std::vector<StackEntry>& stack, std::vector<Frame>& frames) {
        set_apart(stack, frames, wanted, [&](const StackEntry& path) { return can_be_taken_along(path, inst, same); });
        std::size_t end = stack.size();
        for (std::size_t depth = frames.size(); depth-- > 0; end = frames[depth].stack_base)
            for (std::size_t i = frames[depth].stack_base; i < end; ++i)
                if (can_be_taken_along(stack[i], inst, same) && (stack[i].mask & ~wanted) == 0)
                    found.push_back({&stack[i], &frames[depth]});
    };
    among(warp.stack, warp.frames);
    warp.stack_base = warp.frames.back().stack_base;
    for (Strand& strand : warp.strands) among(strand.stack, strand.frames);
    return found;
}

void let_others_go(Warp& warp, const Inst& inst, std::uint32_t wanted, SameWait same) {
    for (const WaitingPath& waiting : waiting_paths(warp, inst, wanted, same)) go_on_behind(*waiting.path);
}

}  // namespace gpuproj::simulate
