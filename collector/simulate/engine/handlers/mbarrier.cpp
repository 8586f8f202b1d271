// Barriers in shared memory (PTX ISA 9.7.13.15), lane after lane. One block's warps run in one host thread, so that
// none of it has to be atomic.
#include "collector/simulate/engine/mbarrier.hpp"

#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/mbarrier.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// Calls body(lane, barrier) for each lane that is on; what it does to the barrier is kept.
template <class Body>
void for_barriers(Warp& warp, const Inst& inst, bool must_be_valid, Body&& body) {
    alignas(64) std::uint32_t offset[lanes];
    lane_offsets(warp, inst, offset);
    for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        std::byte* at = cluster_memory(warp, inst, offset[lane], sizeof(std::uint64_t), static_cast<int>(lane));
        Mbarrier barrier = load_barrier(at);
        if (must_be_valid) require_barrier(warp, inst, lane, barrier);
        body(lane, barrier);
        store_barrier(at, barrier);
    }
}
void count(Warp& warp, const Inst& inst, bool store) {
    alignas(64) std::uint32_t offset[lanes];
    lane_offsets(warp, inst, offset);
    for (std::uint32_t& place : offset) place &= shared_offset_mask;
    count_shared(warp, inst, offset, warp.exec, sizeof(std::uint64_t), store);
}

/// Where there is a barrier already, other threads may have yet to see that its last phase is over: on the machine they
/// are awake by then. They get a few turns, so that those that sleep between two looks have one.
bool lets_others_look(Warp& warp, const Inst& inst) {
    constexpr std::uint32_t turns = 4;
    bool taken = false;
    for_barriers(warp, inst, false, [&](std::uint32_t, const Mbarrier& barrier) { taken |= barrier.valid; });
    if (!taken || inst.guard != no_ref || warp.polled >= turns) {
        warp.polled = 0;
        return false;
    }
    warp.polled += 1;
    warp.pc = &inst;
    warp.pause = true;
    warp.accesses = turn_accesses;
    return true;
}

/// [a + imm], b arrivals.
void init(Warp& warp, const Inst& inst) {
    if (lets_others_look(warp, inst)) return;
    const auto* arrivals = source<std::uint32_t>(warp, inst.b);
    for_barriers(warp, inst, false, [&](std::uint32_t lane, Mbarrier& barrier) {
        if (arrivals[lane] == 0 || arrivals[lane] > Mbarrier::most_arrivals)
            fault(warp, inst, FaultKind::barrier, "an mbarrier for none or too many arrivals", static_cast<int>(lane));
        barrier = {true, false, arrivals[lane], arrivals[lane], 0};
    });
    count(warp, inst, true);
}

/// The barrier stays as it is. What comes to an invalid barrier is undefined, but a machine lets it pass: threads that
/// are late at a phase that is over, and a second object that ends in the same memory.
void invalidate(Warp& warp, const Inst& inst) {
    for_barriers(warp, inst, true, [](std::uint32_t, const Mbarrier&) {});
    count(warp, inst, true);
}

/// d, [a + imm], b: arrivals, or bytes with one arrival. d gets the barrier as it was.
void arrive(Warp& warp, const Inst& inst) {
    const auto* number = source<std::uint32_t>(warp, inst.b);
    auto* d = inst.d == no_ref ? nullptr : destination<std::uint64_t>(warp, inst.d);
    for_barriers(warp, inst, true, [&](std::uint32_t lane, Mbarrier& barrier) {
        const std::uint64_t before = barrier.bits();
        const bool bytes = (inst.mode & arrive_expects_bytes) != 0;
        const std::int64_t arrivals = bytes ? 1 : number[lane];
        if ((inst.mode & arrive_is_made_up_for) != 0) return;
        if (bytes) expect_bytes(warp, inst, lane, barrier, number[lane]);
        if (arrivals > barrier.pending)
            fault(warp, inst, FaultKind::barrier, "more arrivals at an mbarrier than it expects",
                  static_cast<int>(lane));
        if ((inst.mode & arrive_drops) != 0) barrier.expected -= arrivals;
        barrier.pending -= arrivals;
        if ((inst.mode & arrive_never_completes) != 0 && barrier.pending == 0)
            fault(warp, inst, FaultKind::barrier, "mbarrier.arrive.noComplete that completes the phase",
                  static_cast<int>(lane));
        barrier.complete_if_due();
        if (d != nullptr) d[lane] = before;
    });
    count(warp, inst, true);
}

/// [a + imm], b bytes. mode: 0 expected, 1 complete.
void transactions(Warp& warp, const Inst& inst) {
    const auto* bytes = source<std::uint32_t>(warp, inst.b);
    for_barriers(warp, inst, true, [&](std::uint32_t lane, Mbarrier& barrier) {
        expect_bytes(warp, inst, lane, barrier,
                     inst.mode == 0 ? std::int64_t{bytes[lane]} : -std::int64_t{bytes[lane]});
        if (inst.mode == 1) barrier.complete_if_due();
    });
    count(warp, inst, true);
}

/// p, [a + imm], b: the state an arrival gave, or the parity of a phase. Whether that phase is over.
void wait(Warp& warp, const Inst& inst) {
    const bool by_parity = (inst.mode & wait_for_parity) != 0;
    const auto* parity = by_parity ? source<std::uint32_t>(warp, inst.b) : nullptr;
    const auto* state = by_parity ? nullptr : source<std::uint64_t>(warp, inst.b);
    std::uint32_t over = 0;
    for_barriers(warp, inst, true, [&](std::uint32_t lane, const Mbarrier& barrier) {
        const bool odd = by_parity ? (parity[lane] & 1U) != 0 : Mbarrier::from_bits(state[lane]).odd_phase;
        over |= static_cast<std::uint32_t>(barrier.odd_phase != odd) << lane;
    });
    if (over != warp.exec) {
        // It may block for a while: the machine then issues nothing, and nothing is counted. Where other paths of the
        // warp are waiting for their turn it must not.
        constexpr std::int32_t tries = 200;
        if ((inst.mode & wait_blocks) != 0 && over == 0 && inst.guard == no_ref && warp.stack.size() == 1 &&
            warp.budget > 0) {
            warp.budget -= turn / tries;
            warp.pc = &inst;
            warp.pause = true;
            return;
        }
        commit_predicate(warp, inst.d, over);
        count(warp, inst, false);
        give_way(warp, true);
        return;
    }
    commit_predicate(warp, inst.d, over);
    count(warp, inst, false);
    warp.polled = 0;
}

/// d, a: arrivals that were pending in a state.
void pending(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint64_t>(warp, inst.a);
    alignas(64) std::uint32_t out[lanes];
    for (int lane = 0; lane < lanes; ++lane)
        out[lane] = static_cast<std::uint32_t>(Mbarrier::from_bits(a[lane]).pending);
    commit(destination<std::uint32_t>(warp, inst.d), out, warp.exec);
}

}  // namespace

Handler select_mbarrier(const Spec& spec) {
    switch (spec.op) {
        case Op::mbarrier_init:
            return init;
        case Op::mbarrier_inval:
            return invalidate;
        case Op::mbarrier_arrive:
            return arrive;
        case Op::mbarrier_transactions:
            return transactions;
        case Op::mbarrier_wait:
            return wait;
        case Op::mbarrier_pending:
            return pending;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
