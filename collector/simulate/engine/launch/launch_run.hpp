// One launch, from its request to its report.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collector/simulate/engine/launch/engine_state.hpp"
#include "collector/simulate/engine/launch/host_wait.hpp"
#include "collector/simulate/engine/launch/sampled_lines.hpp"
#include "collector/simulate/engine/launch/traffic.hpp"
#include "collector/simulate/engine/launch/windows.hpp"
#include "collector/simulate/engine/sample.hpp"
#include "model/occupancy.hpp"

namespace gpuproj::simulate {

/// Executes a launch that is not refused and does not repeat an earlier one. The members are in the order in which they
/// become known.
class LaunchRun {
public:
    LaunchRun(EngineState& state, const LaunchRequest& request, const KernelInfo& info, const Repeats::Key& key);
    /// Once.
    LaunchReport run();
    /// It was given up, as some blocks say too little of the others, or wait for them.
    bool wants_all_blocks() const { return wants_all_blocks_; }

private:
    using Clock = std::chrono::steady_clock;

    void lend_memory();
    void fit_blocks();
    void look_for_its_like();
    void prepare_sms();
    void plan_counting();
    void plan_sampling();
    void execute();
    void execute(const Phase& phase);
    void add_runs();
    void pass_unseen();
    Rounds::Between::Then after_round(const Phase& phase, std::uint64_t next);
    [[noreturn]] void stop() const;
    [[noreturn]] void want_all_blocks();
    Rounds::Between::Then cut(std::uint64_t next, Clock::time_point now);
    void at_rest(std::uint64_t next);
    void begin_lines();
    void take_memory_back();
    void count();
    void remember();
    bool is_only_sampled() const { return is_only(state_.options.sample); }
    bool is_counted_whole() const { return state_.options.count_every_launch; }
    double instructions() const;
    Traffic of_all_lines(const Traffic& traffic) const;

    EngineState& state_;
    const LaunchRequest& request_;
    const KernelInfo& info_;
    const Repeats::Key& key_;
    const Program& program_;
    LaunchContext launch_;
    LaunchReport report_;

    std::uint64_t blocks_ = 0;
    void* workspace_ = nullptr;      // the barrier of a cooperative grid lives in memory that the driver provides
    bool lends_parameters_ = false;  // to a kernel that reads them by their addresses
    std::uint64_t shared_ = 0;       // bytes of a block
    Occupancy fit_;                  // on the reference
    std::uint32_t resident_ = 1;     // blocks of an SM at once
    std::size_t used_sms_ = 0;       // by its blocks
    std::uint64_t at_once_ = 0;      // blocks of the reference
    bool may_be_steady_ = false;
    bool leaves_out_ = false;  // blocks that are not executed at all
    bool grows_ = false;       // how many are executed depends on the first
    bool wants_all_blocks_ = false;
    Steady::Source source_ = Steady::Source::simulation;

    std::span<SmContext> sms_;
    std::vector<Phase> phases_;
    std::uint64_t to_run_ = 0;       // blocks of all phases
    std::uint32_t sample_bits_ = 0;  // of a line's address
    std::optional<Windows> windows_;
    std::optional<SampledLines> lines_;

    Clock::time_point begin_, reported_, looked_;
    HostWait host_wait_;
    /// When no more blocks were to begin, and the first of those.
    struct Cut {
        Clock::time_point when;
        std::uint64_t next = 0;
    };
    std::optional<Cut> cut_;
    std::uint64_t done_ = 0;  // blocks of earlier phases
    Presence presence_;
    L2Counters l2_;    // of all phases
    double work_ = 0;  // simulation_work
};

}  // namespace gpuproj::simulate
