// One step of an SM: its blocks run for a while, and what they asked of memory goes to L1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <span>
#include <utility>

#include "collector/simulate/engine/block_pool.hpp"
#include "collector/simulate/engine/checks.hpp"
#include "collector/simulate/engine/interpreter.hpp"
#include "collector/simulate/engine/of_thread.hpp"
#include "collector/simulate/engine/warp_group.hpp"

namespace gpuproj::simulate {

namespace {

/// The `number`th block of a launch: one after another, or cluster after cluster.
std::uint64_t block_of(const LaunchContext& launch, std::uint64_t number, std::uint32_t rank) {
    if (launch.cluster_blocks == 1) return number;
    const Dim3 &grid = launch.grid, &size = launch.cluster;
    std::uint64_t cluster = number / launch.cluster_blocks, id[3], inside[3];
    for (std::size_t d = 0; d < 3; ++d) {
        const std::uint32_t across = grid[d] / size[d];
        id[d] = cluster % across;
        cluster /= across;
        inside[d] = rank % size[d];
        rank /= size[d];
    }
    const auto at = [&](std::size_t d) { return id[d] * size[d] + inside[d]; };
    return at(0) + grid[0] * (at(1) + grid[1] * at(2));
}

/// A block's memory that one block of a step has left and the next one takes, past the pool, which all threads share.
class Spare {
public:
    explicit Spare(BlockPool& pool) : pool_(pool) {}
    ~Spare() {
        if (block_ != nullptr) pool_.give_back(block_);
    }
    Spare(const Spare&) = delete;
    Spare& operator=(const Spare&) = delete;
    BlockContext* take() { return block_ != nullptr ? std::exchange(block_, nullptr) : pool_.take(); }
    void give_back(BlockContext* block) {
        if (block_ != nullptr) pool_.give_back(block_);
        block_ = block;
    }

private:
    BlockPool& pool_;
    BlockContext* block_ = nullptr;
};

/// Each thread has its own supply: all would wait for each other at one counter.
std::uint64_t next_serial() {
    constexpr std::uint64_t supply = 1 << 20;
    static std::atomic<std::uint64_t> taken = 0;
    thread_local std::uint64_t serial = 0, left = 0;
    if (left == 0) {
        serial = taken.fetch_add(supply, std::memory_order_relaxed);
        left = supply;
    }
    --left;
    return ++serial;
}

/// What a warp keeps from one block of a launch to the next that has its place in memory.
void set_up(Warp& warp, const LaunchContext& launch, BlockContext& block, std::uint32_t index) {
    warp.block = &block;
    warp.index = index;
    warp.parameters = launch.parameters;
    warp.shape = &block.shape;
    warp.tid = &launch.warps[index].tid;
    warp.present = launch.warps[index].present;
    warp.stack.clear();
    warp.frames.clear();
    warp.strands.clear();
}

/// The warp is at the first instruction of the kernel.
void start_warp(Warp& warp, SmContext& sm, BlockContext& block) {
    warp.sm = &sm;
    warp.clock = &sm.clock;
    warp.ranges = sm.ranges.all();
    warp.shared = block.shared.data();
    warp.shared_bytes = static_cast<std::uint32_t>(block.shared.size());
    warp.state() = WarpState::ready;
    warp.reduction = nullptr;
    warp.cluster_arrived = false;
    warp.products = 0;
    warp.product_groups.clear();
    warp.budget = turn;
    warp.polls = 0;
    warp.polled = 0;
    warp.issued = 0;
    warp.accesses = 0;
    warp.parted = false;
    warp.alive = warp.active = warp.present;
    begin_kernel(warp);
}

/// The block that waits at a place starts.
void start_block(SmContext& sm, std::uint32_t place, Spare& spare) {
    const LaunchContext& launch = *sm.launch;
    BlockPlace& taken = sm.places[place];
    if (taken.block == nullptr) taken.block = spare.take();
    BlockContext& block = *taken.block;
    block.rank = static_cast<std::uint32_t>(taken.number % launch.cluster_blocks);
    block.place = place;
    block.linear = block_of(launch, taken.number, block.rank);
    block.warp_count = block.alive_warps = static_cast<std::uint32_t>(launch.warps.size());
    block.started = true;
    block.id = {static_cast<std::uint32_t>(block.linear % launch.grid[0]),
                static_cast<std::uint32_t>(block.linear / launch.grid[0] % launch.grid[1]),
                static_cast<std::uint32_t>(block.linear / launch.grid[0] / launch.grid[1])};
    block.shape = {launch.block, block.id, launch.grid};
    const std::uint32_t reserved = launch.program->reserved_shared ? reserved_shared_bytes : 0;
    const bool exact = reserved == 0 && !launch.ignore_out_of_bounds;
    // Whole words: atomics on its last byte are made of those on the word around it.
    constexpr std::uint32_t word_bytes = 4;
    const std::uint32_t words = (launch.shared_bytes + word_bytes - 1) / word_bytes * word_bytes;
    block.shared.assign(exact ? words : launch.reserved_offset + reserved, std::byte{0});
    block.barriers.fill(BarrierState{});
    block.awaited = 0;
    block.behind_groups = 0;
    block.serial = next_serial();
    while (block.warps.size() < block.warp_count) block.warps.push_back(std::make_unique<Warp>());
    const bool again = std::exchange(block.launch, launch.grid_id + 1) == launch.grid_id + 1;
    for (std::uint32_t w = 0; w < block.warp_count; ++w) {
        Warp& warp = *block.warps[w];
        if (!again) set_up(warp, launch, block, w);
        start_warp(warp, sm, block);
    }
}

/// A barrier opens when all warps it waits for have arrived; then bar.red's results are delivered.
void open_barriers(BlockContext& block) {
    for (std::uint32_t left = block.awaited; left != 0; left &= left - 1) {
        const auto number = static_cast<std::uint32_t>(std::countr_zero(left));
        BarrierState& state = block.barriers[number];
        const std::uint32_t wanted = state.expected == 0 ? block.alive_warps
                                                         : std::min((state.expected + lanes - 1) / lanes,
                                                                    std::max(block.alive_warps, state.arrived));
        if (state.arrived < wanted) continue;
        for (std::uint32_t w = 0; w < block.warp_count; ++w) {
            Warp& warp = *block.warps[w];
            if (warp.state() != WarpState::at_barrier || warp.barrier != number) continue;
            warp.state() = WarpState::ready;
            if (warp.reduction == nullptr) continue;
            const Inst& inst = *warp.reduction;
            warp.reduction = nullptr;
            if (inst.mode == 0) {  // popc
                auto* d = destination<std::uint32_t>(warp, inst.d);
                for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                    if (((warp.active >> lane) & 1U) != 0) d[lane] = state.population;
                }
            } else {
                auto* d = destination<std::uint32_t>(warp, inst.d);
                const bool value = inst.mode == 1 ? state.all : state.any;
                *d = value ? *d | warp.active : *d & ~warp.active;
            }
        }
        state = BarrierState{};
        block.awaited &= static_cast<std::uint16_t>(~(1U << number));
    }
}

/// Warps go on whose warp groups have executed the products that they wait for.
void open_warp_groups(BlockContext& block) {
    for (std::uint32_t w = 0; w < block.warp_count; ++w) {
        WarpState& state = block.states[w];
        if (state != WarpState::behind_warp_group || !group_has_come(block, w, block.warps[w]->awaited_products))
            continue;
        state = WarpState::ready;
        block.behind_groups -= 1;
    }
}

/// Calls f(warp) for the warps of the cluster whose first block has this place.
template <class F>
void for_warps_of_cluster(SmContext& sm, std::uint32_t first, F&& f) {
    for (std::uint32_t b = first; b < first + sm.launch->cluster_blocks; ++b) {
        if (!sm.places[b].busy) continue;
        const BlockContext& block = *sm.places[b].block;
        for (std::uint32_t w = 0; w < block.warp_count; ++w) f(*block.warps[w]);
    }
}

/// A cluster's barrier opens when all warps of its blocks have arrived that are still there.
void open_cluster_barriers(SmContext& sm) {
    const std::uint32_t blocks = sm.launch->cluster_blocks;
    for (std::uint32_t first = 0; first + blocks <= sm.places.size(); first += blocks) {
        bool waiting = false, complete = true, moving = false;
        for_warps_of_cluster(sm, first, [&](const Warp& warp) {
            if (warp.state() == WarpState::done) return;
            waiting |= warp.state() == WarpState::at_cluster_barrier;
            moving |= warp.state() == WarpState::ready;
            complete &= warp.cluster_arrived;
        });
        if (!waiting) continue;
        if (complete) {
            sm.places[first].block->cluster_phase += 1;
            for_warps_of_cluster(sm, first, [&](Warp& warp) {
                warp.cluster_arrived = false;
                if (warp.state() != WarpState::at_cluster_barrier) return;
                warp.state() = WarpState::ready;
                sm.waiting_for_cluster -= 1;
            });
        } else if (!moving) {
            throw LaunchFault(FaultKind::barrier,
                              fmt::format("deadlock: blocks of a cluster of kernel {} wait at different barriers",
                                          sm.launch->kernel->name));
        }
    }
}

/// Brings what a warp works on first into the caches of this core. The registers of all warps of a GPU are larger than
/// those, so that every turn of a warp begins with what is far away.
void fetch_ahead(const Warp& warp) {
    const Code& code = *warp.code;
    const auto index = static_cast<std::size_t>(warp.pc - code.instructions.data());
    if (index >= code.ahead_of.size()) return;
    const Ahead& ahead = code.ahead_of[index];
    const std::uint32_t* line = code.ahead.data() + ahead.first;
    for (std::uint32_t i = 0; i < ahead.count; ++i) __builtin_prefetch(warp.frame + line[i], 1);
}
void fetch_itself(const Warp& warp) {
    const auto* begin = reinterpret_cast<const std::byte*>(&warp);
    __builtin_prefetch(begin, 1);
    __builtin_prefetch(begin + 64, 1);
}

/// The warps of a block that can run and have not had their share of this step.
class Runnable {
public:
    explicit Runnable(const BlockContext& block) : block_(block) { find(); }
    void find() {
        count_ = 0;
        if (block_.alive_warps == 0) return;
        for (std::uint32_t w = 0; w < block_.warp_count; ++w) {
            Warp& warp = *block_.warps[w];
            if (block_.states[w] == WarpState::ready && warp.accesses < turn_accesses) warps_[count_++] = &warp;
        }
    }
    std::span<Warp* const> warps() const { return {warps_.data(), count_}; }

private:
    const BlockContext& block_;
    std::array<Warp*, most_warps> warps_;  // NOLINT(*-member-init): filled as far as it is read
    std::size_t count_ = 0;
};

/// How long a block ran in a step, in accesses that followed each other, and the sum of how long its warps were there.
struct Stay {
    double time = 0, warps = 0;
};

/// Accesses that a warp of the block in a place has less than those of the SM's oldest block in each step: none up to
/// `most`, for the youngest where all places are taken. Schedulers prefer what has waited longest, so that blocks do
/// not go on in step; how much they prefer it is from the DRAM counters of Kepler and Maxwell (decision 47).
std::uint32_t lag_of(const SmContext& sm, const BlockPlace& place) {
    constexpr std::uint32_t most = 3;
    std::uint32_t older = 0;
    for (const BlockPlace& other : sm.places) older += other.busy && other.number < place.number ? 1 : 0;
    return older == 0 ? 0 : most * older / static_cast<std::uint32_t>(sm.places.size() - 1);
}

/// Lets the warps of a block run, in turn, until each has had its share but for `lag` accesses, waits for another block
/// or is done.
Stay run_block(SmContext& sm, BlockContext& block, std::uint32_t lag) {
    constexpr std::uint32_t most_intervals = 32;  // a kernel may have nothing but barriers
    for (std::uint32_t w = 0; w < block.warp_count; ++w) {
        Warp& warp = *block.warps[w];
        // What it made beyond its last share counts for this one.
        warp.accesses = lag + (warp.accesses > turn_accesses ? warp.accesses - turn_accesses : 0);
        warp.counts = sm.counts;
    }
    forget_old_ranges(sm);
    Stay stay;
    if (sm.counts) sm.trace->begin_block();
    Runnable runnable(block);
    for (std::uint32_t i = 0; i < most_intervals && !runnable.warps().empty(); ++i, runnable.find()) {
        if (sm.counts) sm.trace->begin_interval();
        const std::uint32_t alive = block.alive_warps;
        std::uint32_t longest = 1, ended = 0;
        const std::span<Warp* const> warps = runnable.warps();
        for (std::size_t w = 0; w < warps.size(); ++w) {
            Warp& warp = *warps[w];
            if (w + 2 < warps.size()) fetch_itself(*warps[w + 2]);
            if (w + 1 < warps.size()) fetch_ahead(*warps[w + 1]);
            const std::uint32_t before = warp.accesses;
            const std::uint64_t began = sm.clock;
            if (sm.counts) sm.trace->begin_warp();
            run_warp(warp);
            if (sm.error) std::rethrow_exception(std::exchange(sm.error, nullptr));
            const std::uint32_t made = warp.accesses > before ? warp.accesses - before : 1;
            longest = std::max(longest, made);
            warp.issued += sm.clock - began;
            if (warp.state() != WarpState::done) continue;
            stay.warps += made;
            ++ended;
            sm.ended_warps += 1;
            sm.longest_warp = std::max(sm.longest_warp, warp.issued);
        }
        stay.time += longest;
        stay.warps += static_cast<double>(alive - ended) * longest;
        if (block.awaited != 0) open_barriers(block);
        if (block.behind_groups != 0) open_warp_groups(block);
    }
    return stay;
}

/// After a block's turn: `moved` if any of its warps had one.
void settle(SmContext& sm, BlockPlace& place, bool moved, Spare& spare) {
    const BlockContext& block = *place.block;
    if (block.alive_warps == 0) {
        place.busy = false;
        sm.busy_blocks -= 1;
        // Blocks of a cluster are known to each other until the last of them is over.
        if (sm.launch->cluster_blocks == 1) spare.give_back(std::exchange(place.block, nullptr));
        return;
    }
    const auto states = std::span(block.states).first(block.warp_count);
    if (!moved && std::ranges::none_of(states, [](WarpState state) {
            return state == WarpState::ready || state == WarpState::at_cluster_barrier;
        })) {
        throw LaunchFault(FaultKind::barrier,
                          fmt::format("deadlock: the warps of block ({},{},{}) of kernel {} wait at different barriers",
                                      block.id[0], block.id[1], block.id[2], sm.launch->kernel->name));
    }
}

}  // namespace

void place_block(SmContext& sm, std::uint32_t place, std::uint64_t number) {
    sm.places[place].busy = true;
    sm.places[place].number = number;
    if (BlockContext* block = sm.places[place].block) block->started = false;
    sm.busy_blocks += 1;
    sm.alive_warps += static_cast<std::uint32_t>(sm.launch->warps.size());
}

void step_sm(SmContext& sm) {
    if (sm.busy_blocks == 0) return;
    // What the last step of this host thread wrote there is in the caches still.
    auto& trace = of_thread<AccessTrace>();
    trace.clear();
    const std::optional<LineSample>& sample = sm.launch->line_sample;
    trace.keep_only(sample ? &*sample : nullptr, &sm.counters.sampled);
    sm.trace = &trace;
    sm.counts = sm.launch->count;
    Spare spare(*sm.launch->blocks);
    const auto start = [&](std::uint32_t p) {
        const BlockContext* block = sm.places[p].block;
        if (sm.places[p].busy && (block == nullptr || !block->started)) start_block(sm, p, spare);
    };
    const auto places = static_cast<std::uint32_t>(sm.places.size());
    if (sm.launch->cluster_blocks > 1) {  // they look at each other
        for (std::uint32_t p = 0; p < places; ++p) start(p);
    }
    double longest = 0, there = 0;  // there: warps at the end
    for (std::uint32_t p = 0; p < places; ++p) {
        BlockPlace& place = sm.places[p];
        if (!place.busy) continue;
        start(p);
        const Stay stay = run_block(sm, *place.block, lag_of(sm, place));
        const double stays = place.block->alive_warps;
        longest = std::max(longest, stay.time);
        there += stays;
        sm.presence.warps += stay.warps - stays * stay.time;
        settle(sm, place, stay.time > 0, spare);
    }
    sm.presence.warps += there * longest;
    sm.presence.sms += longest;
    if (sm.waiting_for_cluster > 0) open_cluster_barriers(sm);
    sm.counters.l1_hits += trace.replay(*sm.l1, *sm.to_l2);
    sm.counters.line_requests += trace.requests();
    if (sm.other_l1) sm.other_l1->see(trace, sm.counters.other_l1_hits);
}

}  // namespace gpuproj::simulate
