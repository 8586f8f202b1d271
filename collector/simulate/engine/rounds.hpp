// Executes blocks on all SMs, round by round.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "collector/simulate/engine/warp.hpp"
#include "collector/simulate/engine/worker_pool.hpp"

namespace gpuproj::simulate {

/// In a round every resident block runs until its warps have had their share of accesses; the requests that come of it
/// reach L2 in an order that does not depend on who made them. L2 answers nobody, so that with several host threads it
/// works on one round while the next is executed.
class Rounds {
public:
    Rounds(WorkerPool& pool, L2Cache& l2) : pool_(pool), l2_(l2) {}

    /// Runs blocks [first, end) of the launch that `sms` are prepared for, at most `resident` at once on each.
    /// `after_round` gets the next block that has no place yet; what it throws, and LaunchFault, ends the run.
    Presence run(std::span<SmContext> sms, std::uint64_t first, std::uint64_t end, std::uint32_t resident,
                 const std::function<void(std::uint64_t next)>& after_round);

private:
    using Queues = std::vector<std::vector<LineRequest>>;
    void round(std::span<SmContext> sms, std::uint64_t alive_warps, bool count);

    WorkerPool& pool_;
    L2Cache& l2_;
    Queues filling_, waiting_;  // one queue per SM: of this round, and of the one before
    double warp_s_ = 0.5e-6;    // what a warp took in the last round, to judge the next by
};

}  // namespace gpuproj::simulate
