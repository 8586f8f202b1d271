// Control flow: branches on a stack of paths that meet again at immediate post-dominators; calls; barriers.
#include "collector/simulate/engine/branch_mode.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/paths.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

const Inst* at(const Warp& warp, std::uint32_t index) {
    return warp.code->instructions.data() + index;
}

/// First instruction of every basic block: paths that meet here are joined, the block is counted, and a warp that has
/// run long enough lets others go on. `target`: the block; imm: its instructions; mode: 1 where paths may meet.
void block_entry(Warp& warp, const Inst& inst) {
    // Several stacked paths may meet at the same block.
    const std::size_t least = warp.stack_base + 1;
    while (inst.mode != 0 && warp.stack.size() > least && warp.stack.back().reconverge == &inst) {
        warp.stack.pop_back();
        // Paths that took turns stand in any order: the next one may have lost all its lanes and meet elsewhere.
        while (warp.stack.size() > least && warp.stack.back().mask == 0) warp.stack.pop_back();
        const StackEntry& next = warp.stack.back();
        if (next.mask == 0) continue;  // its lanes have left
        warp.active = next.mask;
        if (next.pc != &inst) {
            warp.pc = next.pc;
            return;
        }
    }
    warp.warp_counts[inst.target] += 1;
    warp.thread_counts[inst.target] += lane_count(warp.active);
    *warp.clock += static_cast<std::uint64_t>(inst.imm);
    warp.budget -= static_cast<std::int32_t>(inst.imm);
    if (warp.budget < 0) give_way(warp);
}

/// The path as it was waits at the meeting point, unless an outer path waits there for the same lanes already (a loop
/// that loses lanes in every round must not grow the stack).
void wait_at(Warp& warp, const Inst* meet) {
    if (warp.stack.size() > warp.stack_base + 1 && warp.stack.back().reconverge == meet) {
        warp.stack.pop_back();
    } else {
        warp.stack.back().pc = meet;
        warp.stack.back().mask = warp.active;
    }
}

/// Lanes of `taken` go to `target`, the others of this path go on.
void diverge(Warp& warp, const Inst& inst, std::uint32_t taken, const Inst* target) {
    const std::uint32_t rest = warp.active & ~taken;
    if (rest == 0) {
        warp.pc = target;
        return;
    }
    if (taken == 0 || target == warp.pc) return;
    if (inst.mode != branch_of_predicates) ++warp.sm->counters.divergent_branches;
    const Inst* meet = inst.imm < 0 ? nullptr : at(warp, static_cast<std::uint32_t>(inst.imm));
    wait_at(warp, meet);
    if (warp.pc != meet) warp.stack.push_back({warp.pc, meet, rest});
    if (target != meet) warp.stack.push_back({target, meet, taken});
    warp.active = warp.stack.back().mask;
    warp.pc = warp.stack.back().pc;
}

/// Blocks that all lanes pass by but the machine issues all the same, because its instructions have conditions there.
void count_passed_by(Warp& warp, const Inst& first_entry, const Inst& end_entry) {
    for (std::uint32_t block = first_entry.target; block < end_entry.target; ++block) ++warp.warp_counts[block];
}

/// imm: instruction where the paths meet, -1 at the end of the function; mode: branch_of_predicates or 0.
void branch(Warp& warp, const Inst& inst) {
    const Inst* const target = at(warp, inst.target);
    // At the jump over the other way, lanes that parted before may be there, to meet at its target.
    const bool all = inst.guard != no_ref || warp.stack.back().reconverge != target;
    if (inst.mode == branch_of_predicates && warp.exec == warp.active && all) count_passed_by(warp, *warp.pc, *target);
    diverge(warp, inst, warp.exec, target);
}

/// brx.idx a, table: one path per distinct target.
void branch_indexed(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint32_t>(warp, inst.a);
    const std::vector<std::uint32_t>& table = warp.code->jump_tables[inst.list];
    std::uint32_t left = warp.exec;
    const std::uint32_t all = warp.active;
    const Inst* meet = inst.imm < 0 ? nullptr : at(warp, static_cast<std::uint32_t>(inst.imm));
    const auto first_lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const Inst* fall_through = warp.pc;
    const std::uint32_t skipping = all & ~left;
    const auto same_target = [&](std::uint32_t lane) {
        if (a[lane] >= table.size())
            fault(warp, inst, FaultKind::illegal_address, "brx.idx index outside its table", static_cast<int>(lane));
        const std::uint32_t target = table[a[lane]];
        std::uint32_t mask = 0;
        for (std::uint32_t other = 0; other < lanes; ++other) {
            if (((left >> other) & 1U) != 0 && a[other] < table.size() && table[a[other]] == target)
                mask |= 1U << other;
        }
        return mask;
    };
    if (same_target(first_lane) == all) {
        warp.pc = at(warp, table[a[first_lane]]);
        return;
    }
    ++warp.sm->counters.divergent_branches;
    wait_at(warp, meet);
    const auto push = [&](const Inst* target, std::uint32_t mask) {
        if (target == meet || mask == 0) return;
        warp.stack.push_back({target, meet, mask});
    };
    push(fall_through, skipping);
    while (left != 0) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        const std::uint32_t mask = same_target(lane);
        push(at(warp, table[a[lane]]), mask);
        left &= ~mask;
    }
    warp.active = warp.stack.back().mask;
    warp.pc = warp.stack.back().pc;
}

/// Lanes leave for good, or to their caller: out of every waiting path of this activation.
void leave(Warp& warp, std::uint32_t mask, std::size_t from) {
    for (std::size_t i = from; i < warp.stack.size(); ++i) warp.stack[i].mask &= ~mask;
    warp.active &= ~mask;
}
void exit_lanes(Warp& warp, const Inst&) {
    warp.alive &= ~warp.exec;
    for (Frame& frame : warp.frames) frame.call_mask &= ~warp.exec;
    leave(warp, warp.exec, 0);
    if (warp.active == 0) unwind(warp);
}
void return_lanes(Warp& warp, const Inst& inst) {
    if (warp.frames.size() == 1) return exit_lanes(warp, inst);
    leave(warp, warp.exec, warp.stack_base);
    if (warp.active == 0) unwind(warp);
}

/// Arguments go from the caller's frame into the callee's, lane by lane. `list`: the call site; indirect calls go once
/// per distinct function in `a`.
void call(Warp& warp, const Inst& inst) {
    const CallSite& site = warp.code->calls[inst.list];
    if (site.builtin != Builtin::none) return call_builtin(warp, inst, site);
    std::int32_t callee = site.callee;
    std::uint32_t mask = warp.exec;
    if (callee < 0) {
        const auto* a = source<std::uint64_t>(warp, inst.a);
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        const std::uint64_t value = a[lane];
        const std::uint64_t index = value & ~window_mask;
        if ((value & window_mask) != function_window || index >= warp.sm->launch->program->functions.size()) {
            fault(warp, inst, FaultKind::illegal_address, "call of something that is no function",
                  static_cast<int>(lane));
        }
        callee = static_cast<std::int32_t>(index);
        std::uint32_t same = 0;
        for (std::uint32_t other = 0; other < lanes; ++other) {
            if (((mask >> other) & 1U) != 0 && a[other] == value) same |= 1U << other;
        }
        if (same != mask) {
            // The other lanes make their call when these have come back: they wait at this very instruction.
            ++warp.sm->counters.divergent_branches;
            const std::uint32_t all = warp.active;
            warp.stack.back().pc = &inst + 1;
            warp.stack.back().mask = all;
            warp.stack.push_back({&inst, &inst + 1, mask & ~same});
            warp.stack.push_back({&inst + 1, &inst + 1, same});
            warp.active = same;
            mask = same;
        }
    }
    const Code& code = warp.sm->launch->program->functions[static_cast<std::size_t>(callee)];
    if (!code.defined)
        fault(warp, inst, FaultKind::unsupported, "call of '" + code.name + "', which this module does not define", -1);
    if (!code.unsupported.empty()) fault(warp, inst, FaultKind::unsupported, code.unsupported, -1);
    if (code.parameters.size() != site.arguments.size())
        fault(warp, inst, FaultKind::trap, "call with the wrong number of arguments", -1);
    std::byte* caller_frame = warp.frame;
    warp.stack.back().pc = warp.pc;
    warp.stack.back().mask = warp.active;
    warp.active = mask;
    push_frame(warp, code, &site);
    for (std::size_t i = 0; i < site.arguments.size(); ++i)
        pass_between(caller_frame, site.arguments[i], warp.frame, code.parameters[i], mask);
}

void trap(Warp& warp, const Inst& inst) {
    fault(warp, inst, FaultKind::trap, "trap instruction", std::countr_zero(warp.exec));
}

/// bar.sync a {, b}: the barrier's number in `a`, threads in `b`. The scheduler lets the warp go on.
void barrier(Warp& warp, const Inst& inst) {
    if (!all_here(warp, inst)) return;
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.exec));
    const std::uint32_t number = source<std::uint32_t>(warp, inst.a)[lane] & 15U;
    BarrierState& state = warp.block->barriers[number];
    if (inst.b != no_ref) state.expected = source<std::uint32_t>(warp, inst.b)[lane];
    if (inst.c != no_ref) {  // bar.red
        const std::uint32_t bits = predicate(warp, inst.c) & warp.exec;
        state.population += static_cast<std::uint32_t>(std::popcount(bits));
        state.all = state.all && bits == warp.exec;
        state.any = state.any || bits != 0;
        warp.reduction = &inst;
    }
    // Threads on other ways of the warp may come to the barrier there.
    let_others_go(warp, inst, full_mask, [](const Inst& here, const Inst& there) {
        return here.handler == there.handler && here.a == there.a && here.c == no_ref && there.c == no_ref;
    });
    state.arrived += 1;
    warp.block->awaited |= static_cast<std::uint16_t>(1U << number);
    warp.barrier = number;
    warp.state() = WarpState::at_barrier;
    warp.pause = true;
}
void barrier_arrive(Warp& warp, const Inst& inst) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.exec));
    const std::uint32_t number = source<std::uint32_t>(warp, inst.a)[lane] & 15U;
    BarrierState& state = warp.block->barriers[number];
    if (inst.b != no_ref) state.expected = source<std::uint32_t>(warp, inst.b)[lane];
    state.arrived += 1;
    warp.block->awaited |= static_cast<std::uint16_t>(1U << number);
    warp.pause = true;
}

/// barrier.cluster.arrive and .wait: the scheduler opens the barrier when all warps of the cluster have arrived.
const BlockContext& first_of_cluster(const Warp& warp) {
    return *warp.sm->places[warp.block->place - warp.block->rank].block;
}
void cluster_arrive(Warp& warp, const Inst&) {
    warp.cluster_arrived = true;
    warp.cluster_phase = first_of_cluster(warp).cluster_phase;
    warp.pause = true;
}
void cluster_wait(Warp& warp, const Inst&) {
    warp.pause = true;
    if (!warp.cluster_arrived || first_of_cluster(warp).cluster_phase != warp.cluster_phase) return;  // it is over
    warp.state() = WarpState::at_cluster_barrier;
    warp.sm->waiting_for_cluster += 1;
}

void nothing(Warp&, const Inst&) {}
/// On a machine a warp waits here until others see what it wrote, and those get to their own fence meanwhile: programs
/// whose warps exchange values without a barrier rely on it.
void fence(Warp& warp, const Inst&) {
    warp.pause = true;
}
/// Lets other warps and paths go on: spinning ones wait for them.
void yield(Warp& warp, const Inst&) {
    give_way(warp, true);
}
void poll(Warp& warp, const Inst&) {
    ++warp.polls;
}

}  // namespace

Handler select_control(const Spec& spec) {
    switch (spec.op) {
        case Op::block_entry:
            return block_entry;
        case Op::bra:
            return branch;
        case Op::brx:
            return branch_indexed;
        case Op::call:
            return call;
        case Op::ret:
            return return_lanes;
        case Op::exit:
            return exit_lanes;
        case Op::trap:
            return trap;
        case Op::bar_sync:
        case Op::bar_red:
            return barrier;
        case Op::bar_arrive:
            return barrier_arrive;
        case Op::cluster_arrive:
            return cluster_arrive;
        case Op::cluster_wait:
            return cluster_wait;
        case Op::fence:
            return fence;
        case Op::nop:
        case Op::prefetch:
            return nothing;
        case Op::sleep:
            return yield;
        case Op::poll:
            return poll;
        default:
            return nullptr;
    }
}

Handler select_handler(const Spec& spec) {
    for (const Select select : {select_integer_arithmetic,
                                select_integer_bits,
                                select_integer_carry,
                                select_integer_parts,
                                select_floating,
                                select_half,
                                select_move,
                                select_convert,
                                select_loads_stores,
                                select_spaces,
                                select_stack,
                                select_parameters,
                                select_copy_async,
                                select_atomic,
                                select_warp,
                                select_control,
                                select_matrix,
                                select_mbarrier,
                                select_bulk,
                                select_tensor,
                                select_warp_group,
                                select_slow_way}) {
        if (Handler handler = select(spec); handler != nullptr) return handler;
    }
    return nullptr;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
