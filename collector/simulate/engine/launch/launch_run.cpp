#include "collector/simulate/engine/launch/launch_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "collector/simulate/engine/launch/counting.hpp"
#include "collector/simulate/engine/launch/launch_context.hpp"
#include "collector/simulate/engine/launch/touched_memory.hpp"

namespace gpuproj::simulate {

namespace {

constexpr std::size_t grid_workspace_bytes = 1024;
/// Where warps are less alike, few waves say little: the long ones are more and more of those that run at once.
constexpr double least_balance = 0.5;
constexpr std::chrono::milliseconds between_reports{100}, between_looks{50};
constexpr std::chrono::seconds to_finish{5};  // blocks that have begun, of a launch that is cut off

/// The counters of the SMs, put aside while blocks run that are not to be counted.
class Uncounted {
public:
    explicit Uncounted(std::span<SmContext> sms) : sms_(sms) {
        for (const SmContext& sm : sms) kept_.push_back({sm.counters, sm.warp_counts, sm.thread_counts});
    }
    void restore() {
        for (std::size_t i = 0; i < sms_.size(); ++i) {
            // What was out of bounds is told wherever it was.
            kept_[i].memory.out_of_bounds = sms_[i].counters.out_of_bounds;
            sms_[i].counters = kept_[i].memory;
            sms_[i].warp_counts = kept_[i].warps;
            sms_[i].thread_counts = kept_[i].threads;
        }
    }

private:
    struct Kept {
        MemoryCounters memory;
        std::vector<std::uint64_t> warps, threads;
    };
    std::span<SmContext> sms_;
    std::vector<Kept> kept_;
};

/// How many SmContexts share the blocks of a launch whose memory is not simulated, by the instructions of its warps:
/// some 100 us of work for each.
std::size_t enough_contexts(double instructions) {
    constexpr double instructions_each = 8192;
    return static_cast<std::size_t>(instructions / instructions_each) + 1;
}

}  // namespace

LaunchRun::LaunchRun(EngineState& state, const LaunchRequest& request, const KernelInfo& info, const Repeats::Key& key)
    : state_(state),
      request_(request),
      info_(info),
      key_(key),
      program_(request.module->program()),
      launch_(launch_context(request, info)),
      blocks_(std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2]),
      shared_(std::uint64_t{info.static_shared_bytes} + request.dynamic_shared_bytes) {
    launch_.ignore_out_of_bounds = state.options.ignore_out_of_bounds;
    const auto rules = occupancy_rules(state.reference);
    const std::uint32_t unit = rules ? rules->shared_unit : 1;
    launch_.reserved_offset = std::max(launch_.reserved_offset, (launch_.shared_bytes + unit - 1) / unit * unit);
    launch_.grid_id = state.launches++;
    launch_.memory = &state.memory;
    launch_.sm_count = state.config.sm_count;
    launch_.blocks = &state.blocks;
    for (std::size_t function = 0; function < launch_.first_slot.size(); ++function)
        if (launch_.first_slot[function] != no_slot) request.module->make_ready(function);
}

LaunchReport LaunchRun::run() {
    lend_memory();
    fit_blocks();
    look_for_its_like();
    prepare_sms();
    plan_counting();
    plan_sampling();
    try {
        execute();
        if (cut_ && request_.count && report_.counted_blocks == 0) stop();
    } catch (const LaunchFault& fault) {
        report_.fault = Fault{fault.kind, fault.what()};
    }
    if (launch_.line_sample) {
        state_.l2.charge();
        state_.l2.end_sample(*launch_.line_sample);
    }
    take_memory_back();
    if (request_.count) count();
    remember();
    return std::move(report_);
}

void LaunchRun::lend_memory() {
    if (request_.cooperative) workspace_ = state_.memory.allocate(grid_workspace_bytes);
    if (workspace_ != nullptr) std::memset(workspace_, 0, grid_workspace_bytes);
    launch_.grid_workspace = reinterpret_cast<std::uint64_t>(workspace_);
    lends_parameters_ = launch_.kernel->addresses_parameters && !request_.parameters.empty();
    if (lends_parameters_) state_.memory.add(request_.parameters.data(), request_.parameters.size());
}

/// How many blocks are on how many SMs of the reference at once.
void LaunchRun::fit_blocks() {
    const std::uint32_t threads = request_.block[0] * request_.block[1] * request_.block[2];
    fit_ = occupancy(state_.reference, threads, info_.registers, shared_).value_or(Occupancy{});
    // A kernel too large for the reference GPU runs all the same, one block at a time; the runtime notes it.
    resident_ = std::max(1U, fit_.blocks_per_sm);
    const auto sm_count = static_cast<std::uint64_t>(state_.config.sm_count);
    // Blocks of a cooperative grid wait for each other, so that all of them run together.
    if (request_.cooperative)
        resident_ = std::max<std::uint32_t>(resident_, static_cast<std::uint32_t>((blocks_ + sm_count - 1) / sm_count));
    // A cluster's blocks are on one SM here, so that one host thread has all of its memory.
    resident_ = std::max(resident_ / launch_.cluster_blocks, 1U) * launch_.cluster_blocks;
    used_sms_ = static_cast<std::size_t>(std::min<std::uint64_t>(sm_count, blocks_ / launch_.cluster_blocks));
    at_once_ = std::uint64_t{resident_} * used_sms_;
    report_.resident_blocks_per_sm = resident_;
}

void LaunchRun::look_for_its_like() {
    // With blocks left out, counters have an error of their own, and launches would seem to differ.
    may_be_steady_ = request_.count && !is_counted_whole() && !state_.options.sample;
    if (may_be_steady_) source_ = state_.steady.source_of(key_);
    report_.steady = source_ != Steady::Source::simulation;
    report_.alike = source_ == Steady::Source::alike;
}

void LaunchRun::prepare_sms() {
    // Of the blocks that the reference has at once, whatever the host makes of them.
    const MemoryConfig config = memory_config(state_.reference, shared_ * resident_);
    if (report_.steady && !program_.knows_sms) {
        // Each has to find out anew which memory is alive, and more.
        used_sms_ = std::min(used_sms_, enough_contexts(state_.steady.instructions(key_)));
        resident_ = static_cast<std::uint32_t>((at_once_ + used_sms_ - 1) / used_sms_ + launch_.cluster_blocks - 1) /
                    launch_.cluster_blocks * launch_.cluster_blocks;
    }
    launch_.frame_stride =
        state_.blocks.prepare(resident_ * used_sms_, launch_.warps.size(), launch_.kernel->frame_bytes);
    if (state_.sms.size() < used_sms_) state_.sms.resize(used_sms_);
    sms_ = std::span<SmContext>(state_.sms.data(), used_sms_);
    for (std::size_t i = 0; i < used_sms_; ++i) {
        sms_[i].index = static_cast<int>(i);
        prepare(sms_[i], launch_, config, resident_);
        sms_[i].launches = DeviceLaunches();
        if (program_.launches) sms_[i].launches.reserve(state_.memory);
    }
}

/// Which blocks are counted.
void LaunchRun::plan_counting() {
    phases_ = {{0, blocks_, request_.count ? Phase::Kind::counted : Phase::Kind::plain}};
    const auto& sample = state_.options.sample;
    if (request_.count && sample && !request_.cooperative && launch_.cluster_blocks == 1 &&
        !state_.whole.contains(request_.kernel))
        phases_ = plan_phases(blocks_, at_once_, *sample);
    leaves_out_ = is_only_sampled() && phases_.size() > 1;
    grows_ = leaves_out_ && sample && sample->blocks == 0;
    for (const Phase& phase : phases_) to_run_ += phase.end - phase.first;
}

/// Behind the first run of a sample whose size depends on it.
void LaunchRun::add_runs() {
    if (warp_balance(sms_).value_or(1) < least_balance) want_all_blocks();
    // Of the blocks that warmed the caches, half of all, accesses are not counted.
    const double work =
        simulation_work(instructions(), 2 * static_cast<double>(traffic_of(sms_, l2_).memory.line_requests));
    for (const Phase& phase : other_runs(blocks_, at_once_, work)) {
        phases_.push_back(phase);
        to_run_ += phase.end - phase.first;
    }
}

/// Of which blocks and lines memory need not be simulated.
void LaunchRun::plan_sampling() {
    sample_bits_ = std::min(state_.l2.sample_bits(), L1Cache::sample_bits(sms_.front().l1->config()));
    const bool whole = may_be_steady_ || (is_only_sampled() && request_.count && !leaves_out_);
    if (!whole || report_.steady || request_.waits != nullptr || request_.host_goes_on) return;
    if (sample_bits_ > 0) lines_.emplace(state_.options.windows, state_.simulated_work);
    // Where blocks wait for each other or for the host, how far they are says little of what they have done.
    if (!request_.cooperative) windows_.emplace(state_.options.windows, state_.simulated_work, blocks_, at_once_);
}

void LaunchRun::execute() {
    begin_ = reported_ = looked_ = Clock::now();
    for (std::size_t i = 0; i < phases_.size() && !cut_; ++i) {
        const Phase phase = phases_[i];
        if (report_.steady) {
            execute(phase);
        } else if (phase.kind == Phase::Kind::counted) {
            state_.l2.charge();  // what others wrote
            state_.l2.reset_counters();
            execute(phase);
            // What is dirty in L2 at the end reaches DRAM later; the blocks that wrote it are charged.
            state_.l2.charge();
            l2_ += state_.l2.counters();
        } else {
            Uncounted others(sms_);
            execute(phase);
            others.restore();
        }
        if (grows_ && i == 1) add_runs();
    }
    if (phases_.size() > 1) pass_unseen();
}

/// The blocks that caches do not see would have put what they move in the place of what L2 holds, and the next launch,
/// of which the same blocks are seen, would find theirs there. Within a launch what blocks share stays.
void LaunchRun::pass_unseen() {
    if (report_.counted_blocks == 0) return;
    const auto sectors = static_cast<double>(l2_.dram_read_sectors + l2_.dram_write_sectors);
    const double each = sectors / static_cast<double>(report_.counted_blocks);
    if (static_cast<double>(blocks_ - report_.counted_blocks) * each * sector_bytes <
        static_cast<double>(state_.config.l2_bytes))
        return;
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max() / sector_bytes;
    state_.l2.drop(0, all);
}

void LaunchRun::execute(const Phase& phase) {
    launch_.count = phase.kind != Phase::Kind::plain && !report_.steady;
    Rounds::Between between;
    // Who looks at what warps wait for must not meet them running.
    between.begins_early = request_.waits == nullptr;
    between.after_round = [&](std::uint64_t next) { return after_round(phase, next); };
    between.at_rest = [&](std::uint64_t next) { at_rest(next); };
    const Presence more = state_.rounds.run(sms_, phase.first, phase.end, resident_, between);
    const std::uint64_t executed = (cut_ ? cut_->next : phase.end) - phase.first;
    done_ += executed;
    if (phase.kind != Phase::Kind::counted) return;
    presence_ += more;
    report_.counted_blocks += executed;
}

void LaunchRun::stop() const {
    throw LaunchFault(FaultKind::stopped, fmt::format("kernel {} was stopped", request_.kernel));
}

void LaunchRun::want_all_blocks() {
    wants_all_blocks_ = true;
    stop();
}

/// The caller waits no longer.
Rounds::Between::Then LaunchRun::cut(std::uint64_t next, Clock::time_point now) {
    if (!cut_) {
        cut_ = Cut{now, next};
        report_.cut_off = next < blocks_;
        return Rounds::Between::Then::begin_no_more;
    }
    if (now - cut_->when > to_finish) stop();
    return Rounds::Between::Then::go_on;
}

Rounds::Between::Then LaunchRun::after_round(const Phase& phase, std::uint64_t next) {
    using Then = Rounds::Between::Then;
    const EngineOptions& options = state_.options;
    const Clock::time_point now = Clock::now();
    if (options.timeout_s && std::chrono::duration<double>(now - begin_).count() > *options.timeout_s)
        throw LaunchFault(FaultKind::timeout,
                          fmt::format("kernel {} ran longer than {} s", request_.kernel, *options.timeout_s));
    if (request_.stop != nullptr && *request_.stop) stop();
    if (request_.waits && !report_.waited && host_wait_.seems_so(sms_, next, now)) {
        report_.waited = true;
        request_.waits();
    }
    if (options.progress && now - reported_ > between_reports) {
        reported_ = now;
        options.progress(static_cast<double>(done_ + next - phase.first) / static_cast<double>(to_run_));
    }
    if (options.cut_off != nullptr && *options.cut_off) return cut(next, now);
    const bool looks = leaves_out_ && now - looked_ > between_looks;
    if (looks) looked_ = now;
    const bool rest = looks || (lines_ && lines_->wants_rest()) || (windows_ && windows_->wants_rest(next));
    return rest ? Then::rest : Then::go_on;
}

void LaunchRun::at_rest(std::uint64_t next) {
    if (leaves_out_ && host_wait_.all_poll(sms_, next, Clock::now())) want_all_blocks();
    if (windows_ && windows_->wants_rest(next)) {
        windows_->go_on(next, instructions(), of_all_lines(traffic_of(sms_, state_.l2.counters_with_dirty())));
        launch_.count = windows_->simulates();
    }
    if (!lines_ || lines_->begun() || !launch_.count) return;
    if (lines_->begins(instructions(), traffic_of(sms_, state_.l2.counters()))) begin_lines();
}

void LaunchRun::begin_lines() {
    launch_.line_sample = state_.l2.sample(sample_bits_);
    state_.l2.begin_sample(*launch_.line_sample);
    for (SmContext& sm : sms_) {
        sm.l1->keep_only(*launch_.line_sample);
        if (sm.other_l1) sm.other_l1->keep_only(*launch_.line_sample);
    }
}

void LaunchRun::take_memory_back() {
    note_written(sms_, state_.memory);
    for (const SmContext& sm : sms_) report_.accesses_out_of_bounds += sm.counters.out_of_bounds;
    if (workspace_ != nullptr) state_.memory.release(workspace_);
    if (lends_parameters_) state_.memory.remove(request_.parameters.data());
    if (program_.launches) {
        report_.refused = collect_refused(sms_);
        report_.children = collect_launches(sms_, state_.memory);
    }
}

void LaunchRun::count() {
    const int most = state_.reference.max_warps_per_sm ? state_.reference.max_warps_per_sm->value : 48;
    // Occupancy counts SMs that have work, as the hardware's counter does.
    const double occupied = presence_.sms > 0 ? presence_.warps / presence_.sms / most : 0;
    Traffic traffic = traffic_of(sms_, l2_);
    work_ = simulation_work(instructions(), static_cast<double>(traffic.memory.line_requests));
    if (!report_.fault) traffic = of_all_lines(traffic);
    if (launch_.line_sample) report_.sampled_lines = launch_.line_sample->one_in();
    if (windows_ && !report_.fault) {
        traffic = windows_->total(instructions(), traffic);
        report_.estimated_share = windows_->estimated_share(instructions());
    }
    if (!report_.steady) state_.simulated_work += work_;
    report_.counted = counted_of(launch_, state_.capability, sms_, traffic,
                                 std::min(occupied, fit_.fraction > 0 ? fit_.fraction : 1.0));
    if (report_.counted_blocks < blocks_ && report_.counted_blocks > 0)
        report_.counted =
            scaled(report_.counted, static_cast<double>(blocks_) / static_cast<double>(report_.counted_blocks));
}

/// For launches to come.
void LaunchRun::remember() {
    if (cut_ && !report_.steady) return;
    if (is_only_sampled()) {
        if (request_.count && !is_counted_whole()) state_.known.executed(key_, report_);
        return;
    }
    if (report_.steady)
        state_.steady.complete(key_, source_, report_.counted);
    else if (may_be_steady_ && !report_.fault && !report_.waited)
        state_.steady.simulated(key_, report_.counted, work_);
    if (!is_counted_whole() && !report_.waited && !request_.host_goes_on)
        state_.repeats.executed(key_, trace_of(sms_, launch_.grid_workspace), report_, state_.memory);
}

double LaunchRun::instructions() const {
    std::uint64_t sum = 0;
    for (const SmContext& sm : sms_) sum += sm.clock;
    return static_cast<double>(sum);
}

/// Of all lines, if only some of them are simulated.
Traffic LaunchRun::of_all_lines(const Traffic& traffic) const {
    return lines_ && launch_.line_sample ? lines_->total(traffic, *sms_.front().l1, launch_.line_sample->one_in())
                                         : traffic;
}

}  // namespace gpuproj::simulate
