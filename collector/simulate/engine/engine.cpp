#include "collector/simulate/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "collector/simulate/engine/block_pool.hpp"
#include "collector/simulate/engine/counting.hpp"
#include "collector/simulate/engine/expansions.hpp"
#include "collector/simulate/engine/float_environment.hpp"
#include "collector/simulate/engine/repeats.hpp"
#include "collector/simulate/engine/rounds.hpp"
#include "collector/simulate/engine/sampled_lines.hpp"
#include "collector/simulate/engine/steady.hpp"
#include "collector/simulate/engine/windows.hpp"
#include "model/occupancy.hpp"

namespace gpuproj::simulate {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t grid_workspace_bytes = 1024;
constexpr std::chrono::milliseconds between_reports{100};

}  // namespace

struct Engine::State {
    State(const Gpu& gpu, DeviceMemory& device_memory, EngineOptions engine_options)
        : reference(gpu),
          memory(device_memory),
          options(std::move(engine_options)),
          config(memory_config(gpu)),
          capability(capability_number(gpu.compute_capability)),
          l2(config),
          pool(options.threads),
          rounds(pool, l2),
          steady(l2, options.steady_after) {}

    Gpu reference;
    DeviceMemory& memory;
    EngineOptions options;
    MemoryConfig config;
    int capability;
    L2Cache l2;
    WorkerPool pool;
    Rounds rounds;
    std::vector<SmContext> sms;
    BlockPool blocks;
    Repeats repeats;
    Steady steady;
    std::uint64_t launches = 0;
    double simulated_work = 0;  // simulation_work of launches whose memory was simulated
};

Engine::Engine(const Gpu& reference, DeviceMemory& memory, EngineOptions options)
    : state_(std::make_unique<State>(reference, memory, std::move(options))) {}
Engine::~Engine() = default;

namespace {

/// Of at least one byte.
SectorRange sectors_of(const void* begin, std::size_t bytes) {
    const auto first = reinterpret_cast<std::uint64_t>(begin) / sector_bytes;
    const std::uint64_t last = (reinterpret_cast<std::uint64_t>(begin) + bytes - 1) / sector_bytes;
    return {first, last - first + 1};
}

}  // namespace

void Engine::host_wrote(const void* begin, std::size_t bytes) {
    state_->memory.wrote(reinterpret_cast<std::uint64_t>(begin), bytes);
}

void Engine::released(const void* begin, std::size_t bytes) {
    if (bytes == 0) return;
    const SectorRange sectors = sectors_of(begin, bytes);
    state_->l2.drop(sectors.first, sectors.count);
    state_->steady.dropped(sectors);
    state_->memory.wrote(reinterpret_cast<std::uint64_t>(begin), bytes);
}

void Engine::device_access(const void* begin, std::size_t bytes, bool written) {
    if (bytes == 0) return;
    const SectorRange sectors = sectors_of(begin, bytes);
    state_->l2.pass(sectors.first, sectors.count);
    state_->steady.passed(sectors);
    if (written) state_->memory.wrote(reinterpret_cast<std::uint64_t>(begin), bytes);
}

namespace {

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

/// Counters for the functions that the kernel can come to, and no others: a module may have thousands.
void place_counters(LaunchContext& launch) {
    const std::vector<Code>& functions = launch.program->functions;
    launch.first_slot.assign(functions.size(), no_slot);
    std::vector<std::size_t> open;
    const auto reach = [&](std::size_t index) {
        if (launch.first_slot[index] != no_slot) return;
        launch.first_slot[index] = launch.slots;
        launch.slots += functions[index].slots;
        open.push_back(index);
    };
    reach(static_cast<std::size_t>(launch.kernel - functions.data()));
    while (!open.empty()) {
        const Code& code = functions[open.back()];
        open.pop_back();
        for (const CallSite& site : code.calls) {
            if (site.builtin != Builtin::none) continue;
            if (site.callee >= 0) {
                reach(static_cast<std::size_t>(site.callee));
            } else {
                for (std::size_t any = 0; any < functions.size(); ++any) reach(any);
            }
        }
    }
}

/// Finds out whether a kernel waits for the host.
class HostWait {
public:
    /// `next`: the first block that has not begun. True when no warp has ended and no block begun for a while: a short
    /// one if all warps that could run poll, which a GPU's own threads would have answered.
    bool seems_so(std::span<const SmContext> sms, std::uint64_t next, Clock::time_point now) {
        constexpr auto while_polling = std::chrono::milliseconds(20), in_any_case = std::chrono::milliseconds(1000);
        std::uint64_t alive = 0;
        for (const SmContext& sm : sms) alive += sm.alive_warps;
        if (next != next_ || alive != alive_) {
            next_ = next;
            alive_ = alive;
            since_ = now;
        }
        const auto unchanged = now - since_;
        return unchanged > in_any_case || (unchanged > while_polling && std::ranges::all_of(sms, polls));
    }

private:
    static constexpr std::uint32_t turns_of_polling = 4;
    static bool polls(const SmContext& sm) {
        return std::ranges::all_of(sm.places, [](const BlockPlace& place) {
            if (!place.busy || place.block == nullptr) return true;
            const BlockContext& block = *place.block;
            return std::all_of(block.warps.begin(), block.warps.begin() + block.warp_count, [&](const auto& warp) {
                return warp->state() != WarpState::ready || warp->polled >= turns_of_polling;
            });
        });
    }
    std::uint64_t next_ = 0, alive_ = 0;
    Clock::time_point since_{};
};

std::vector<WarpThreads> warps_of(const Dim3& block) {
    const std::uint32_t threads = block[0] * block[1] * block[2];
    std::vector<WarpThreads> warps((threads + lanes - 1) / lanes);
    Dim3 id{0, 0, 0};
    for (std::uint32_t thread = 0; thread < warps.size() * lanes; ++thread) {
        WarpThreads& warp = warps[thread / lanes];
        const std::uint32_t lane = thread % lanes;
        if (thread < threads) warp.present |= 1U << lane;
        for (std::size_t d = 0; d < 3; ++d) warp.tid[d][lane] = id[d];
        // Divisions would be microseconds of each launch.
        if (++id[0] < block[0]) continue;
        id[0] = 0;
        if (++id[1] < block[1]) continue;
        id[1] = 0;
        ++id[2];
    }
    return warps;
}

void prepare(SmContext& sm, const LaunchContext& launch, const MemoryConfig& config, std::uint32_t resident) {
    sm.launch = &launch;
    sm.counters = {};
    sm.hot_words.clear();
    // Two cache lines apart from whatever another host thread writes.
    constexpr std::size_t apart = 16;
    sm.warp_counts.assign(launch.slots + apart, 0);
    sm.thread_counts.assign(launch.slots + apart, 0);
    sm.generation = ~std::uint64_t{0};
    if (sm.l1)
        sm.l1->invalidate(config);
    else
        sm.l1 = std::make_unique<L1Cache>(config);
    if (sm.other_l1)
        sm.other_l1->invalidate();
    else if (OtherL1::samples(sm.index))
        sm.other_l1 = std::make_unique<OtherL1>();
    sm.clock = sm.waited = sm.ended_warps = sm.longest_warp = 0;
    sm.patterns.forget();
    sm.touched.clear();
    sm.written.clear();
    sm.wrote_anywhere = false;
    sm.texture = nullptr;
    sm.repeatable = true;
    sm.busy_blocks = sm.alive_warps = sm.waiting_for_cluster = 0;
    sm.places.assign(resident, {});
}

/// `workspace`: memory of the launch alone, which is gone.
LaunchTrace trace_of(std::span<const SmContext> sms, std::uint64_t workspace) {
    LaunchTrace trace;
    trace.repeatable = true;
    for (const SmContext& sm : sms) {
        trace.ranges.insert(trace.ranges.end(), sm.touched.begin(), sm.touched.end());
        trace.repeatable = trace.repeatable && sm.repeatable;
        trace.instructions += sm.clock;
    }
    std::ranges::sort(trace.ranges);
    trace.ranges.erase(std::ranges::unique(trace.ranges).begin(), trace.ranges.end());
    std::erase_if(trace.ranges, [&](const Range& range) { return range.begin == workspace; });
    return trace;
}

void note_written(std::span<const SmContext> sms, DeviceMemory& memory) {
    std::vector<Range> written;
    for (const SmContext& sm : sms) {
        if (sm.wrote_anywhere) return memory.wrote_everywhere();
        written.insert(written.end(), sm.written.begin(), sm.written.end());
    }
    std::ranges::sort(written);
    written.erase(std::ranges::unique(written).begin(), written.end());
    for (const Range& range : written) memory.wrote(range.begin, range.end - range.begin);
}

/// Blocks of a cluster in each direction: what the launch says, else the kernel, else 1.
Dim3 cluster_of(const LaunchRequest& request, const KernelInfo& info) {
    const Dim3& named = request.cluster[0] != 0 ? request.cluster : info.cluster;
    return {std::max(named[0], 1U), std::max(named[1], 1U), std::max(named[2], 1U)};
}

std::optional<Fault> refused(const LaunchRequest& request, const KernelInfo* info) {
    if (info == nullptr)
        return Fault{FaultKind::invalid_launch, fmt::format("kernel '{}' is not in its module", request.kernel)};
    if (info->unsupported)
        return Fault{FaultKind::unsupported, fmt::format("kernel {}: {}", request.kernel, *info->unsupported)};
    const std::uint64_t threads = std::uint64_t{request.block[0]} * request.block[1] * request.block[2];
    const std::uint64_t blocks = std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
    if (threads == 0 || threads > info->max_threads || blocks == 0) {
        return Fault{FaultKind::invalid_launch,
                     fmt::format("kernel {}: a launch of {} blocks of {} threads is not possible (at most {} threads)",
                                 request.kernel, blocks, threads, info->max_threads)};
    }
    const Dim3 cluster = cluster_of(request, *info);
    for (std::size_t d = 0; d < 3; ++d) {
        if (request.grid[d] % cluster[d] != 0)
            return Fault{FaultKind::invalid_launch,
                         fmt::format("kernel {}: {} blocks are not a multiple of the {} of a cluster", request.kernel,
                                     request.grid[d], cluster[d])};
    }
    constexpr std::uint32_t most_blocks = 16;
    if (cluster[0] * cluster[1] * cluster[2] > most_blocks)
        return Fault{FaultKind::invalid_launch,
                     fmt::format("kernel {}: a cluster of more than {} blocks", request.kernel, most_blocks)};
    if (request.parameters.size() < info->parameter_bytes)
        return Fault{FaultKind::invalid_launch, fmt::format("kernel {}: parameters are missing", request.kernel)};
    return std::nullopt;
}

/// How many SmContexts share the blocks of a launch whose memory is not simulated, by the instructions of its warps:
/// some 100 us of work for each.
std::size_t enough_contexts(double instructions) {
    constexpr double instructions_each = 8192;
    return static_cast<std::size_t>(instructions / instructions_each) + 1;
}

}  // namespace

LaunchReport Engine::launch(const LaunchRequest& request) {
    const UsualFloatEnvironment environment;
    State& state = *state_;
    LaunchReport report;
    const KernelInfo* info = request.module->kernel(request.kernel);
    report.fault = refused(request, info);
    if (report.fault) return report;
    Repeats::Key key;
    if (!state.options.count_every_launch) {
        key = Repeats::key_of(request);
        if (const LaunchReport* earlier = state.repeats.repeat(key, state.memory)) return *earlier;
    }

    const Program& program = request.module->program();
    LaunchContext launch;
    launch.program = &program;
    launch.kernel = &program.functions[program.function_index.find(request.kernel)->second];
    launch.parameters = request.parameters.data();
    launch.grid = request.grid;
    launch.block = request.block;
    launch.static_shared_bytes = info->static_shared_bytes;
    launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
    launch.shared_bytes = launch.kernel->dynamic_shared_offset + request.dynamic_shared_bytes;
    launch.reserved_offset = (launch.shared_bytes + 15) / 16 * 16;
    launch.cluster = cluster_of(request, *info);
    launch.cluster_blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
    launch.explicit_cluster = request.cluster[0] != 0 || info->cluster[0] != 0;
    launch.ignore_out_of_bounds = state.options.ignore_out_of_bounds;
    launch.grid_id = state.launches++;
    launch.memory = &state.memory;
    launch.warps = warps_of(request.block);
    place_counters(launch);
    for (std::size_t function = 0; function < launch.first_slot.size(); ++function)
        if (launch.first_slot[function] != no_slot) request.module->make_ready(function);

    const auto threads = static_cast<std::uint32_t>(request.block[0] * request.block[1] * request.block[2]);
    const std::uint64_t blocks = std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
    const std::uint64_t shared = std::uint64_t{info->static_shared_bytes} + request.dynamic_shared_bytes;
    const Occupancy fit = occupancy(state.reference, threads, info->registers, shared).value_or(Occupancy{});
    // A kernel too large for the reference GPU runs all the same, one block at a time; the runtime notes it.
    std::uint32_t resident = std::max(1U, fit.blocks_per_sm);
    const auto sm_count = static_cast<std::uint64_t>(state.config.sm_count);
    // The barrier of a cooperative grid lives in memory that the driver provides.
    void* workspace = request.cooperative ? state.memory.allocate(grid_workspace_bytes) : nullptr;
    if (workspace != nullptr) std::memset(workspace, 0, grid_workspace_bytes);
    const bool visible = launch.kernel->addresses_parameters && !request.parameters.empty();
    if (visible) state.memory.add(request.parameters.data(), request.parameters.size());
    launch.grid_workspace = reinterpret_cast<std::uint64_t>(workspace);
    if (request.cooperative)
        resident = std::max<std::uint32_t>(resident, static_cast<std::uint32_t>((blocks + sm_count - 1) / sm_count));
    // A cluster's blocks are on one SM here, so that one host thread has all of its memory.
    resident = std::max(resident / launch.cluster_blocks, 1U) * launch.cluster_blocks;
    auto used_sms = static_cast<std::size_t>(std::min<std::uint64_t>(sm_count, blocks / launch.cluster_blocks));
    launch.sm_count = static_cast<int>(sm_count);
    report.resident_blocks_per_sm = resident;
    const MemoryConfig config = memory_config(state.reference, shared * resident);
    const std::uint64_t at_once = std::uint64_t{resident} * used_sms;
    // With blocks left out, counters have an error of their own, and launches would seem to differ.
    const bool may_be_steady = request.count && !state.options.count_every_launch && !state.options.sample;
    const Steady::Source source = may_be_steady ? state.steady.source_of(key) : Steady::Source::simulation;
    report.steady = source != Steady::Source::simulation;
    report.alike = source == Steady::Source::alike;
    if (report.steady && !program.knows_sms) {
        // Each has to find out anew which memory is alive, and more.
        used_sms = std::min(used_sms, enough_contexts(state.steady.instructions(key)));
        resident = static_cast<std::uint32_t>((at_once + used_sms - 1) / used_sms + launch.cluster_blocks - 1) /
                   launch.cluster_blocks * launch.cluster_blocks;
    }

    launch.questions = request.questions;
    launch.blocks = &state.blocks;
    launch.frame_stride = state.blocks.prepare(resident * used_sms, launch.warps.size(), launch.kernel->frame_bytes);
    if (state.sms.size() < used_sms) state.sms.resize(used_sms);
    const std::span<SmContext> sms(state.sms.data(), used_sms);
    for (std::size_t i = 0; i < used_sms; ++i) {
        sms[i].index = static_cast<int>(i);
        prepare(sms[i], launch, config, resident);
        sms[i].launches = DeviceLaunches();
        if (program.launches) sms[i].launches.reserve(state.memory);
    }
    // Blocks of a cooperative grid wait for each other, so that all of them run together.
    std::vector<Phase> phases{{0, blocks, request.count ? Phase::Kind::counted : Phase::Kind::plain}};
    if (request.count && state.options.sample && !request.cooperative && launch.cluster_blocks == 1) {
        phases = plan_phases(blocks, at_once, *state.options.sample);
        if (phases.size() > 1 && state.options.sample->only)
            std::erase_if(phases, [](const Phase& phase) { return phase.kind == Phase::Kind::plain; });
    }
    std::uint64_t to_run = 0;
    for (const Phase& phase : phases) {
        to_run += phase.end - phase.first;
        if (phase.kind == Phase::Kind::counted) report.counted_blocks += phase.end - phase.first;
    }
    const Clock::time_point begin = Clock::now();
    Clock::time_point reported = begin;
    Presence presence;
    std::uint64_t done = 0;  // blocks of earlier phases
    L2Counters l2_total;
    std::optional<Windows> windows;
    std::optional<SampledLines> lines;
    const std::uint32_t sample_bits = std::min(state.l2.sample_bits(), L1Cache::sample_bits(sms.front().l1->config()));
    if (may_be_steady && !report.steady && request.waits == nullptr && !request.host_goes_on) {
        if (sample_bits > 0) lines.emplace(state.options.windows, state.simulated_work);
        // Where blocks wait for each other or for the host, how far they are says little of what they have done.
        if (!request.cooperative) windows.emplace(state.options.windows, state.simulated_work, blocks, at_once);
    }
    /// Of all lines, if only some of them are simulated.
    const auto of_all_lines = [&](const Traffic& traffic) {
        return lines && launch.line_sample ? lines->total(traffic, *sms.front().l1, launch.line_sample->one_in())
                                           : traffic;
    };
    const auto instructions_of = [&] {
        std::uint64_t sum = 0;
        for (const SmContext& sm : sms) sum += sm.clock;
        return static_cast<double>(sum);
    };
    double work = 0;
    HostWait host_wait;
    const auto run = [&](const Phase& phase) {
        launch.count = phase.kind != Phase::Kind::plain && !report.steady;
        Rounds::Between between;
        // Who looks at what warps wait for must not meet them running.
        between.begins_early = request.waits == nullptr;
        between.after_round = [&](std::uint64_t next) {
            const Clock::time_point now = Clock::now();
            if (state.options.timeout_s &&
                std::chrono::duration<double>(now - begin).count() > *state.options.timeout_s) {
                throw LaunchFault(FaultKind::timeout, fmt::format("kernel {} ran longer than {} s", request.kernel,
                                                                  *state.options.timeout_s));
            }
            if (request.stop != nullptr && *request.stop)
                throw LaunchFault(FaultKind::stopped, fmt::format("kernel {} was stopped", request.kernel));
            if (request.waits && !report.waited && host_wait.seems_so(sms, next, now)) {
                report.waited = true;
                request.waits();
            }
            if (state.options.progress && now - reported > between_reports) {
                reported = now;
                state.options.progress(static_cast<double>(done + next - phase.first) / static_cast<double>(to_run));
            }
            const bool for_lines = lines && lines->wants_rest();
            return for_lines || (windows && windows->wants_rest(next));
        };
        between.at_rest = [&](std::uint64_t next) {
            if (windows && windows->wants_rest(next)) {
                windows->go_on(next, instructions_of(), of_all_lines(traffic_of(sms, state.l2.counters_with_dirty())));
                launch.count = windows->simulates();
            }
            if (!lines || lines->begun() || !launch.count) return;
            if (!lines->begins(instructions_of(), traffic_of(sms, state.l2.counters()))) return;
            launch.line_sample = state.l2.sample(sample_bits);
            state.l2.begin_sample(*launch.line_sample);
            for (SmContext& sm : sms) {
                sm.l1->keep_only(*launch.line_sample);
                if (sm.other_l1) sm.other_l1->keep_only(*launch.line_sample);
            }
        };
        const Presence more = state.rounds.run(sms, phase.first, phase.end, resident, between);
        if (phase.kind == Phase::Kind::counted) presence += more;
        done += phase.end - phase.first;
    };
    try {
        for (const Phase& phase : phases) {
            if (report.steady) {
                run(phase);
            } else if (phase.kind == Phase::Kind::counted) {
                state.l2.charge();  // what others wrote
                state.l2.reset_counters();
                run(phase);
                // What is dirty in L2 at the end reaches DRAM later; the blocks that wrote it are charged.
                state.l2.charge();
                l2_total += state.l2.counters();
            } else {
                Uncounted others(sms);
                run(phase);
                others.restore();
            }
        }
    } catch (const LaunchFault& fault) {
        report.fault = Fault{fault.kind, fault.what()};
    }
    if (launch.line_sample) {
        state.l2.charge();
        state.l2.end_sample(*launch.line_sample);
    }
    note_written(sms, state.memory);
    for (const SmContext& sm : sms) report.accesses_out_of_bounds += sm.counters.out_of_bounds;
    if (workspace != nullptr) state.memory.release(workspace);
    if (visible) state.memory.remove(request.parameters.data());
    if (program.launches) report.children = collect_launches(sms, state.memory);
    if (request.count) {
        const int most = state.reference.max_warps_per_sm ? state.reference.max_warps_per_sm->value : 48;
        // Occupancy counts SMs that have work, as the hardware's counter does.
        const double occupied = presence.sms > 0 ? presence.warps / presence.sms / most : 0;
        Traffic traffic = traffic_of(sms, l2_total);
        const double instructions = instructions_of();
        work = simulation_work(instructions, static_cast<double>(traffic.memory.line_requests));
        if (!report.fault) traffic = of_all_lines(traffic);
        if (launch.line_sample) report.sampled_lines = launch.line_sample->one_in();
        if (windows && !report.fault) {
            traffic = windows->total(instructions, traffic);
            report.estimated_share = windows->estimated_share(instructions);
        }
        if (!report.steady) state.simulated_work += work;
        report.counted = counted_of(launch, state.capability, sms, traffic,
                                    std::min(occupied, fit.fraction > 0 ? fit.fraction : 1.0));
        if (report.counted_blocks < blocks && report.counted_blocks > 0)
            report.counted =
                scaled(report.counted, static_cast<double>(blocks) / static_cast<double>(report.counted_blocks));
    }
    if (report.steady)
        state.steady.complete(key, source, report.counted);
    else if (may_be_steady && !report.fault && !report.waited)
        state.steady.simulated(key, report.counted, work);
    if (!state.options.count_every_launch && !report.waited && !request.host_goes_on)
        state.repeats.executed(key, trace_of(sms, reinterpret_cast<std::uint64_t>(workspace)), report, state.memory);
    return report;
}

}  // namespace gpuproj::simulate
