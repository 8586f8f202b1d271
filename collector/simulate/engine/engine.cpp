#include "collector/simulate/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "collector/simulate/engine/counting.hpp"
#include "collector/simulate/engine/expansions.hpp"
#include "collector/simulate/engine/interpreter.hpp"
#include "collector/simulate/engine/worker_pool.hpp"
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
          pool(options.threads) {}

    Gpu reference;
    DeviceMemory& memory;
    EngineOptions options;
    MemoryConfig config;
    int capability;
    L2Cache l2;
    WorkerPool pool;
    std::vector<SmContext> sms;
    std::vector<std::vector<L2Request>> queues;
    std::uint64_t launches = 0;
};

Engine::Engine(const Gpu& reference, DeviceMemory& memory, EngineOptions options)
    : state_(std::make_unique<State>(reference, memory, std::move(options))) {}
Engine::~Engine() = default;

void Engine::host_access(const void* begin, std::size_t bytes, bool written) {
    if (bytes == 0) return;
    const auto first = reinterpret_cast<std::uint64_t>(begin) / sector_bytes;
    const std::uint64_t last = (reinterpret_cast<std::uint64_t>(begin) + bytes - 1) / sector_bytes;
    // Reading leaves the sectors where they are: the copy engine reads through L2.
    if (written) state_->l2.drop(first, last - first + 1);
}

namespace {

/// Blocks waiting for a place, in the order of the grid.
class BlockQueue {
public:
    BlockQueue(std::uint64_t first, std::uint64_t end) : next_(first), end_(end) {}
    bool empty() const { return next_ >= end_; }
    std::uint64_t take() { return next_++; }
    std::uint64_t next() const { return next_; }

private:
    std::uint64_t next_, end_;
};

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

void add(L2Counters& total, const L2Counters& more) {
    total.read_sectors += more.read_sectors;
    total.write_sectors += more.write_sectors;
    total.atomic_sectors += more.atomic_sectors;
    total.dram_read_sectors += more.dram_read_sectors;
    total.dram_write_sectors += more.dram_write_sectors;
}

void prepare(SmContext& sm, const LaunchContext& launch, const MemoryConfig& config, std::uint32_t resident) {
    sm.launch = &launch;
    sm.counters = {};
    sm.warp_counts.assign(launch.program->slots, 0);
    sm.thread_counts.assign(launch.program->slots, 0);
    sm.last_generation = ~std::uint64_t{0};
    sm.l1 = std::make_unique<L1Cache>(config);
    sm.clock = 0;
    while (sm.blocks.size() < resident) sm.blocks.push_back(std::make_unique<BlockContext>());
    for (auto& block : sm.blocks) block->busy = false;
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
    if (request.parameters.size() < info->parameter_bytes)
        return Fault{FaultKind::invalid_launch, fmt::format("kernel {}: parameters are missing", request.kernel)};
    return std::nullopt;
}

}  // namespace

LaunchReport Engine::launch(const LaunchRequest& request) {
    State& state = *state_;
    LaunchReport report;
    const KernelInfo* info = request.module->kernel(request.kernel);
    report.fault = refused(request, info);
    if (report.fault) return report;

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
    launch.ignore_out_of_bounds = state.options.ignore_out_of_bounds;
    launch.grid_id = state.launches++;
    launch.memory = &state.memory;

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
    launch.grid_workspace = reinterpret_cast<std::uint64_t>(workspace);
    if (request.cooperative)
        resident = std::max<std::uint32_t>(resident, static_cast<std::uint32_t>((blocks + sm_count - 1) / sm_count));
    const auto used_sms = static_cast<std::size_t>(std::min<std::uint64_t>(sm_count, blocks));
    launch.sm_count = static_cast<int>(sm_count);
    report.resident_blocks_per_sm = resident;
    const MemoryConfig config = memory_config(state.reference, shared * resident);

    if (state.sms.size() < used_sms) state.sms.resize(used_sms);
    state.queues.resize(std::max(state.queues.size(), used_sms));
    const std::span<SmContext> sms(state.sms.data(), used_sms);
    for (std::size_t i = 0; i < used_sms; ++i) {
        sms[i].index = static_cast<int>(i);
        sms[i].to_l2 = &state.queues[i];
        prepare(sms[i], launch, config, resident);
        sms[i].launches = DeviceLaunches();
        if (program.launches) sms[i].launches.reserve(state.memory);
    }
    L2Cache::Parallel parallel;  // one host thread does better undivided
    if (state.pool.threads() > 1) parallel = [&](std::size_t count, const auto& job) { state.pool.run(count, job); };
    // Blocks of a cooperative grid wait for each other, so that all of them run together.
    std::vector<Phase> phases{{0, blocks, request.count ? Phase::Kind::counted : Phase::Kind::plain}};
    if (request.count && state.options.sample && !request.cooperative) {
        phases = plan_phases(blocks, std::uint64_t{resident} * used_sms, *state.options.sample);
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
    double warp_steps = 0, steps = 0;
    std::uint64_t done = 0;  // blocks of earlier phases
    L2Counters l2_total;
    const auto run = [&](const Phase& phase) {
        const bool counted = phase.kind == Phase::Kind::counted;
        launch.count = phase.kind != Phase::Kind::plain;
        BlockQueue queue(phase.first, phase.end);
        // The hardware deals blocks round robin over the SMs first, then to whichever has room.
        const auto refill = [&] {
            for (std::uint32_t slot = 0; slot < resident && !queue.empty(); ++slot) {
                for (SmContext& sm : sms) {
                    if (queue.empty()) break;
                    if (!sm.blocks[slot]->busy) start_block(sm, *sm.blocks[slot], queue.take());
                }
            }
        };
        for (;;) {
            refill();
            const auto alive_warps = [&] {
                std::uint64_t alive = 0;
                for (const SmContext& sm : sms) {
                    for (const auto& block : sm.blocks) alive += block->busy ? block->alive_warps : 0;
                }
                return alive;
            };
            const std::uint64_t alive = alive_warps();
            std::vector<char> busy(used_sms, 0);
            state.pool.run(used_sms, [&](std::size_t i) { busy[i] = step_sm(sms[i]) ? 1 : 0; });
            if (launch.count) state.l2.process(std::span(state.queues.data(), used_sms), parallel);
            if (counted) {
                // Occupancy counts SMs that have work, as the hardware's counter does.
                warp_steps += static_cast<double>(alive);
                steps += static_cast<double>(std::ranges::count(busy, 1));
            }
            if (queue.empty() && alive_warps() == 0) break;
            const Clock::time_point now = Clock::now();
            if (state.options.timeout_s &&
                std::chrono::duration<double>(now - begin).count() > *state.options.timeout_s) {
                throw LaunchFault(FaultKind::timeout, fmt::format("kernel {} ran longer than {} s", request.kernel,
                                                                  *state.options.timeout_s));
            }
            if (state.options.progress && now - reported > between_reports) {
                reported = now;
                state.options.progress(static_cast<double>(done + queue.next() - phase.first) /
                                       static_cast<double>(to_run));
            }
        }
        done += phase.end - phase.first;
    };
    try {
        for (const Phase& phase : phases) {
            if (phase.kind == Phase::Kind::counted) {
                state.l2.write_back();  // what others wrote
                state.l2.reset_counters();
                run(phase);
                // What is dirty in L2 at the end reaches DRAM later; the blocks that wrote it are charged.
                state.l2.write_back();
                add(l2_total, state.l2.counters());
            } else {
                Uncounted others(sms);
                run(phase);
                others.restore();
            }
        }
    } catch (const LaunchFault& fault) {
        report.fault = Fault{fault.kind, fault.what()};
        for (auto& pending : state.queues) pending.clear();
    }
    for (const SmContext& sm : sms) report.accesses_out_of_bounds += sm.counters.out_of_bounds;
    if (workspace != nullptr) state.memory.release(workspace);
    if (program.launches) report.children = collect_launches(sms, state.memory);
    if (request.count) {
        const int most = state.reference.max_warps_per_sm ? state.reference.max_warps_per_sm->value : 48;
        const double occupied = steps > 0 ? warp_steps / steps / most : 0;
        report.metrics = metrics_of(program, state.capability, sms, l2_total,
                                    std::min(occupied, fit.fraction > 0 ? fit.fraction : 1.0));
        if (report.counted_blocks < blocks && report.counted_blocks > 0)
            report.metrics = scaled(report.metrics, blocks, report.counted_blocks);
    }
    return report;
}

}  // namespace gpuproj::simulate
