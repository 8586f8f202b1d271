// Executes blocks on all SMs, round by round.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "collector/simulate/engine/launch/l2_backlog.hpp"
#include "collector/simulate/engine/launch/worker_pool.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// In a round every resident block runs until its warps have had their share of accesses; the requests that come of it
/// reach L2 in an order that does not depend on who made them. With several host threads it serves them while later
/// rounds are executed (l2_backlog.hpp). And an SM all of whose places are taken after a round gets no new block before
/// the next: a thread with nothing else to do begins with it there, instead of waiting for the others.
class Rounds {
public:
    Rounds(WorkerPool& pool, L2Cache& l2) : backlog_(l2, pool.threads()), pool_(pool) {}
    Rounds(const Rounds&) = delete;
    Rounds& operator=(const Rounds&) = delete;

    /// What is done between rounds; what these throw ends the run.
    struct Between {
        /// How it goes on. rest: the next round shall end with all SMs at rest; begin_no_more: blocks that have no
        /// place yet get none.
        enum class Then : std::uint8_t { go_on, rest, begin_no_more };
        /// Gets the next block that has no place yet. It may look at the SMs only if nobody `begins_early`.
        std::function<Then(std::uint64_t next)> after_round;
        /// The same, when nobody is in a round and L2 has had all requests; whether memory is simulated may change
        /// here.
        std::function<void(std::uint64_t next)> at_rest;
        bool begins_early = true;
    };
    /// Runs blocks [first, end) of the launch that `sms` are prepared for, at most `resident` at once on each.
    /// LaunchFault ends the run.
    Presence run(std::span<SmContext> sms, std::uint64_t first, std::uint64_t end, std::uint32_t resident,
                 const Between& between);

private:
    /// How far an SM is.
    enum class Stage : std::uint8_t {
        waits,         // it has yet to run in this round, or has places for new blocks behind it
        may_go_on,     // it has run, and gets no new blocks
        runs,          // in this round, or in the next already
        is_done_early  // in the next round
    };
    struct alignas(64) Progress {
        std::atomic<Stage> stage{Stage::waits};
        std::uint64_t rounds = 0;  // that it has run in
        std::uint64_t alive = 0;   // warps, when it had run in the last
        std::exception_ptr error;  // of the round that it began early
    };
    Progress& progress_of(const SmContext& sm) { return progress_[static_cast<std::size_t>(sm.index)]; }
    void step(SmContext& sm);
    void execute(SmContext& sm, std::uint32_t resident);
    bool begin_early(std::span<SmContext> sms, std::size_t thread);
    std::uint64_t fill(std::span<SmContext> sms, std::uint64_t next, std::uint64_t end, std::uint32_t resident);
    void round(std::span<SmContext> sms, std::uint64_t alive_warps, std::uint32_t resident, std::uint64_t may_be_left);

    L2Backlog backlog_;
    WorkerPool& pool_;
    std::vector<Progress> progress_;  // of the SMs
    std::vector<SmContext*> room_;    // SMs with room for blocks
    double warp_s_ = 0.5e-6;          // what a warp took in the last round, to judge the next by
};

}  // namespace gpuproj::simulate
