#include "collector/simulate/engine/launch/rounds.hpp"

#include <algorithm>
#include <chrono>

#include "collector/simulate/engine/interpreter.hpp"

namespace gpuproj::simulate {

namespace {

using Clock = std::chrono::steady_clock;

/// To wake a thread and to wait for it takes some microseconds: rounds that are shorter are not worth it.
constexpr double worth_sharing_s = 30e-6;

}  // namespace

/// Gives free places to blocks: the hardware deals them round robin over the SMs first, then to whichever has room.
std::uint64_t Rounds::fill(std::span<SmContext> sms, std::uint64_t next, std::uint64_t end, std::uint32_t resident) {
    if (next == end) return next;
    // Those that may go on are full, and others may be running them by now.
    room_.clear();
    for (std::size_t i = 0; i < sms.size(); ++i) {
        if (progress_[i].stage.load(std::memory_order_acquire) == Stage::waits && sms[i].busy_blocks < resident)
            room_.push_back(&sms[i]);
    }
    // The blocks of a cluster come together.
    const std::uint32_t together = sms.front().launch->cluster_blocks;
    for (std::uint32_t slot = 0; slot + together <= resident && !room_.empty(); slot += together) {
        for (SmContext* sm : room_) {
            if (next == end) return next;
            if (sm->busy_blocks == resident) continue;
            const auto first = sm->places.begin() + slot;
            if (std::any_of(first, first + together, [](const BlockPlace& place) { return place.busy; })) continue;
            for (std::uint32_t i = 0; i < together; ++i) place_block(*sm, slot + i, next++);
        }
    }
    return next;
}

Presence Rounds::run(std::span<SmContext> sms, std::uint64_t first, std::uint64_t end, std::uint32_t resident,
                     const Between& between) {
    progress_ = std::vector<Progress>(sms.size());
    backlog_.begin(sms.size());
    for (SmContext& sm : sms) sm.presence = {};
    const WorkerPool::Beside l2 = [&](std::size_t thread, WorkerPool::Moment moment) {
        return moment == WorkerPool::Moment::before_job ? backlog_.serve_overdue(thread) : backlog_.serve(thread);
    };
    const WorkerPool::Beside l2_and_early = [&](std::size_t thread, WorkerPool::Moment moment) {
        return l2(thread, moment) || (moment == WorkerPool::Moment::waiting && begin_early(sms, thread));
    };
    bool to_rest = false;
    try {
        for (std::uint64_t next = first;;) {
            pool_.beside(between.begins_early && !to_rest ? &l2_and_early : &l2, backlog_.serving_threads());
            next = fill(sms, next, end, resident);
            std::uint64_t alive = 0;
            for (std::size_t i = 0; i < sms.size(); ++i) {
                const bool waits = progress_[i].stage.load(std::memory_order_acquire) == Stage::waits;
                alive += waits ? sms[i].alive_warps : progress_[i].alive;
            }
            if (alive == 0) break;
            // What is left at the end is left to one thread.
            round(sms, alive, resident, to_rest ? 0 : next == end ? 1 : 2);
            if (to_rest) between.at_rest(next);
            const Between::Then then = between.after_round(next);
            to_rest = then == Between::Then::rest;
            if (then == Between::Then::begin_no_more) end = next;
        }
        pool_.beside(nullptr);
        backlog_.finish();
    } catch (...) {
        pool_.beside(nullptr);
        backlog_.abandon();
        throw;
    }
    Presence presence;
    for (const SmContext& sm : sms) presence += sm.presence;
    return presence;
}

/// Its next round, whose number it knows.
void Rounds::step(SmContext& sm) {
    sm.to_l2 = &backlog_.queues_of(progress_of(sm).rounds++)[static_cast<std::size_t>(sm.index)];
    step_sm(sm);
}

/// Its part of this round, unless it is done early.
void Rounds::execute(SmContext& sm, std::uint32_t resident) {
    Progress& progress = progress_of(sm);
    Stage stage = progress.stage.load(std::memory_order_acquire);
    const bool begun = stage == Stage::runs || stage == Stage::is_done_early;
    if (!begun && progress.stage.compare_exchange_strong(stage, Stage::runs, std::memory_order_acq_rel)) {
        step(sm);
    } else {  // somebody has begun with it
        while (progress.stage.load(std::memory_order_acquire) != Stage::is_done_early) __builtin_ia32_pause();
    }
    if (progress.error) std::rethrow_exception(progress.error);
    progress.alive = sm.alive_warps;
    const bool full = sm.busy_blocks == resident;
    progress.stage.store(full ? Stage::may_go_on : Stage::waits, std::memory_order_release);
}

bool Rounds::begin_early(std::span<SmContext> sms, std::size_t thread) {
    // Those that the thread will come to first in the next round.
    const std::size_t own = sms.size() * thread / pool_.threads();
    for (std::size_t k = 0; k < sms.size(); ++k) {
        SmContext& sm = sms[(own + k) % sms.size()];
        Progress& progress = progress_of(sm);
        Stage stage = Stage::may_go_on;
        if (!progress.stage.compare_exchange_strong(stage, Stage::runs, std::memory_order_acq_rel)) continue;
        try {
            step(sm);
        } catch (...) {
            progress.error = std::current_exception();
        }
        progress.stage.store(Stage::is_done_early, std::memory_order_release);
        return true;
    }
    return false;
}

void Rounds::round(std::span<SmContext> sms, std::uint64_t alive_warps, std::uint32_t resident,
                   std::uint64_t may_be_left) {
    const auto warps = static_cast<double>(alive_warps);
    const bool shared = pool_.threads() > 1 && warps * warp_s_ > worth_sharing_s;
    const Clock::time_point begin = Clock::now();
    const auto job = [&](std::size_t i) { execute(sms[i], resident); };
    backlog_.may_leave(shared ? may_be_left : 0);
    pool_.run(sms.size(), job, !shared);
    backlog_.add_round();
    const double round_s = std::chrono::duration<double>(Clock::now() - begin).count();
    warp_s_ = round_s * (shared ? static_cast<double>(pool_.threads()) : 1) / std::max(warps, 1.0);
}

}  // namespace gpuproj::simulate
