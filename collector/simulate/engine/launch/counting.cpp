#include "collector/simulate/engine/launch/counting.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/assembler/moves.hpp"
#include "model/shared_banks.hpp"

namespace gpuproj::simulate {

namespace {

struct Totals {
    std::array<double, class_count> warp{}, thread{};
    std::array<double, class_count> text{};  // of the functions that are executed, each instruction once
};

std::vector<std::uint64_t> sum_of(std::span<const SmContext> sms, std::vector<std::uint64_t> SmContext::*counts) {
    std::vector<std::uint64_t> total((sms.front().*counts).size());
    for (const SmContext& sm : sms)
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += (sm.*counts)[i];
    return total;
}

/// What was executed of one cost: instructions of warps, and of threads; and how often it is in the machine code.
struct Executed {
    double warp = 0, thread = 0, text = 0;
    bool any() const { return warp != 0 || text != 0; }
};

/// How often an unrolled loop is begun, and its rounds are.
struct Runs {
    double entered = 0, rounds = 0;
};

Runs runs_of(const UnrolledLoop& loop, std::span<const std::uint64_t> counts) {
    Runs runs{.rounds = static_cast<double>(counts[loop.slot])};
    for (const std::uint32_t slot : loop.from) runs.entered += static_cast<double>(counts[slot]);
    return runs;
}

/// How often what the rounds of an unrolled loop share is executed, of as often as they run.
double shared_part(const UnrolledLoop& loop, const Runs& runs) {
    const auto of_whole = [&](double trips) {
        const double whole = std::floor(trips / loop.rounds), rest = trips - whole * loop.rounds;
        // Known trips that are all behind each other need no loop.
        if (loop.known_trips) return trips <= loop.rounds ? 0 : std::ceil(trips / loop.rounds);
        // Four rounds, then two, then one.
        return whole + (rest >= 2 ? 1 : 0) + (rest == 1 || rest == 3 ? 1 : 0);
    };
    if (runs.rounds <= 0) return 1;
    const double trips = runs.entered > 0 ? std::max(runs.rounds / runs.entered, 1.0) : runs.rounds;
    const double below = std::floor(trips), share = trips - below;
    return (of_whole(below) * (1 - share) + of_whole(below + 1) * share) / trips;
}

/// Of the rounds of an unrolled loop, those that are executed with as many others as it was unrolled to.
double rounds_together(const UnrolledLoop& loop, const Runs& runs) {
    if (runs.entered <= 0) return runs.rounds;
    return runs.entered * std::floor(runs.rounds / runs.entered / loop.rounds) * loop.rounds;
}

/// By cost of the program; `warps`: warp counts of all SMs.
std::vector<Executed> executed_of(const LaunchContext& launch, std::span<const SmContext> sms,
                                  std::span<const std::uint64_t> warps) {
    const auto threads = sum_of(sms, &SmContext::thread_counts);
    std::vector<Executed> executed(launch.program->costs.size());
    std::vector<double> text(executed.size());
    for (std::size_t f = 0; f < launch.first_slot.size(); ++f) {
        if (launch.first_slot[f] == no_slot) continue;
        const Code& code = launch.program->functions[f];
        add_text(code, text);
        const auto of_warps = warps.subspan(launch.first_slot[f], code.slots);
        const auto of_threads = std::span(threads).subspan(launch.first_slot[f], code.slots);
        const auto count = [&](std::size_t i) {
            Executed one{.warp = static_cast<double>(of_warps[code.slot_of[i]])};
            if (code.threads_of[i] == ThreadsOf::nobody) return one;
            const bool guard = code.threads_of[i] == ThreadsOf::guard;
            one.thread = static_cast<double>(of_threads[guard ? code.instructions[i].slot : code.slot_of[i]]);
            return one;
        };
        for (std::size_t i = 0; i < code.cost.size(); ++i) {
            const Executed more = count(i);
            executed[code.cost[i]].warp += more.warp;
            executed[code.cost[i]].thread += more.thread;
        }
        for (const UnrolledLoop& loop : code.unrolled) {
            const double spared_by_warps = 1 - shared_part(loop, runs_of(loop, of_warps));
            const double spared_by_threads = 1 - shared_part(loop, runs_of(loop, of_threads));
            for (const std::uint32_t i : loop.shared) {
                const Executed all = count(i);
                executed[code.cost[i]].warp -= spared_by_warps * all.warp;
                executed[code.cost[i]].thread -= spared_by_threads * all.thread;
            }
        }
        for (const BlockCost& more : code.block_costs) {
            Executed& sum = executed[more.cost];
            sum.warp += more.times * static_cast<double>(warps[launch.first_slot[f] + more.slot]);
            sum.thread += more.times * static_cast<double>(threads[launch.first_slot[f] + more.slot]);
        }
    }
    for (std::size_t i = 0; i < executed.size(); ++i) executed[i].text = text[i];
    return executed;
}

void add(Totals& totals, const Program& program, std::size_t cost, int capability, const Executed& executed) {
    const Mix& mix = resolve(program.costs[cost], program.expansions[cost], capability);
    const Mix& text = text_of(program.costs[cost], mix, capability);
    for (std::size_t c = 0; c < class_count; ++c) {
        totals.warp[c] += static_cast<double>(mix[c]) * executed.warp;
        totals.thread[c] += static_cast<double>(mix[c]) * executed.thread;
        totals.text[c] += static_cast<double>(text[c]) * executed.text;
    }
}

void spread_moves_of(Totals& totals) {
    const double to_multiplier = moves_to_multiplier(totals.text);
    for (auto* counts : {&totals.warp, &totals.thread}) spread_moves(*counts, to_multiplier);
}

Totals weigh(const Program& program, int capability, std::span<const Executed> executed) {
    Totals totals;
    for (std::size_t i = 0; i < executed.size(); ++i)
        if (executed[i].any()) add(totals, program, i, capability, executed[i]);
    spread_moves_of(totals);
    return totals;
}

/// Generations whose compilers make something else of the same PTX.
struct Generation {
    int capability;
    const char* name;
};
constexpr std::array generations{
    Generation{20, "2.0"}, Generation{30, "3.0"}, Generation{35, "3.5"}, Generation{52, "5.0"}, Generation{61, "6.1"},
    Generation{70, "7.0"}, Generation{75, "7.5"}, Generation{80, "8.0"}, Generation{86, "8.6"}, Generation{90, "9.0"}};

MachineCodeCounts code_counts(const char* name, const Totals& totals) {
    const auto thread = [&](Class c) { return Instructions{std::round(totals.thread[static_cast<std::size_t>(c)])}; };
    MachineCodeCounts counts;
    counts.compute_capability = name;
    counts.warp_inst = Instructions{std::round(totals.warp[static_cast<std::size_t>(Class::total)])};
    counts.thread_inst = thread(Class::total);
    counts.fp32 = thread(Class::fp32);
    counts.fp32_fma = thread(Class::fp32_fma);
    counts.fp64 = thread(Class::fp64);
    counts.fp64_fma = thread(Class::fp64_fma);
    counts.fp16 = thread(Class::fp16);
    counts.fp16_fma = thread(Class::fp16_fma);
    counts.integer = thread(Class::integer);
    counts.integer_multiply = thread(Class::integer_multiply);
    counts.integer_shift = thread(Class::integer_shift);
    counts.special = thread(Class::special);
    counts.conversion = thread(Class::conversion);
    counts.control = thread(Class::control);
    counts.misc = thread(Class::misc);
    return counts;
}

bool same_counts(const MachineCodeCounts& a, MachineCodeCounts b) {
    b.compute_capability = a.compute_capability;
    return std::apply([&](const auto&... field) { return ((a.*field.member == b.*field.member) && ...); },
                      MachineCodeCounts::fields);
}

/// Of all generations; rows only where one differs from the one before.
std::vector<MachineCodeCounts> machine_code_of(const Program& program, std::span<const Executed> executed) {
    // What most instructions cost does not depend on the generation: it is added up once.
    Totals common;
    std::vector<std::size_t> differing;
    for (std::size_t i = 0; i < executed.size(); ++i) {
        if (!executed[i].any()) continue;
        if (program.expansions[i].size() > 1)
            differing.push_back(i);
        else
            add(common, program, i, generations.back().capability, executed[i]);
    }
    std::vector<MachineCodeCounts> rows;
    for (const auto& [capability, name] : generations) {
        Totals totals = common;
        for (const std::size_t i : differing) add(totals, program, i, capability, executed[i]);
        spread_moves_of(totals);
        MachineCodeCounts counts = code_counts(name, totals);
        if (rows.empty() || !same_counts(rows.back(), counts)) rows.push_back(std::move(counts));
        if (differing.empty()) break;
    }
    return rows;
}

PassesOfBanks passes_of(const MemoryCounters& memory, Bytes bank_size) {
    const auto spared = static_cast<double>(bank_size == wide_banks ? memory.shared_spared : 0);
    return {bank_size, Instructions{static_cast<double>(memory.shared_passes) - spared},
            Instructions{static_cast<double>(memory.shared_conflicts) - spared}};
}

OtherGpus other_gpus_of(const Program& program, std::span<const Executed> executed, const Traffic& traffic) {
    OtherGpus other;
    other.machine_code = machine_code_of(program, executed);
    const auto sectors = [](std::uint64_t n) { return Sectors{static_cast<double>(n)}; };
    const auto bytes = [](std::uint64_t n) { return Bytes{static_cast<double>(n)}; };
    const OtherL2Sectors& l2 = traffic.l2.other;
    if (std::ranges::any_of(l2, [](const DramSectors& dram) { return dram.read + dram.write > 0; }))
        for (std::size_t i = 0; i < l2.size(); ++i)
            (other_l2_sizes[i].halves == 1 ? other.l2 : other.l2_in_halves)
                .push_back({bytes(other_l2_sizes[i].bytes), sectors(l2[i].read), sectors(l2[i].write)});
    const OtherL1Hits& l1 = traffic.memory.other_l1_hits;
    for (std::size_t i = 0; i < l1.size(); ++i) other.l1.push_back({bytes(other_l1_sizes[i]), sectors(l1[i])});
    other.banks = {passes_of(traffic.memory, narrow_banks), passes_of(traffic.memory, wide_banks)};
    return other;
}

/// Of the atomic operations, those on the word that has the most.
double hottest_share(std::span<const SmContext> sms) {
    HottestWord hottest;
    for (const SmContext& sm : sms) hottest.add(sm.hot_words);
    return hottest.share();
}

/// Loads that are on their way at a time, on the mean over what warps executed; absent where there are none.
Maybe<double> load_parallelism(const LaunchContext& launch, std::span<const std::uint64_t> warps) {
    double loads = 0, one_after_other = 0;
    for (std::size_t f = 0; f < launch.first_slot.size(); ++f) {
        if (launch.first_slot[f] == no_slot) continue;
        const Code& code = launch.program->functions[f];
        const auto of_warps = warps.subspan(launch.first_slot[f], code.slots);
        for (std::size_t b = 0; b < code.blocks.size(); ++b) {
            const auto times = static_cast<double>(of_warps[b]);
            loads += times * static_cast<double>(code.blocks[b].load_chains.loads);
            one_after_other += times * static_cast<double>(code.blocks[b].load_chains.one_after_other);
        }
        for (const UnrolledLoop& loop : code.unrolled) {
            const double alone = code.blocks[loop.slot].load_chains.one_after_other;
            one_after_other -= (alone - loop.one_after_other) * rounds_together(loop, runs_of(loop, of_warps));
        }
    }
    if (loads == 0) return std::nullopt;
    return std::max(loads / one_after_other, 1.0);
}

}  // namespace

std::optional<double> warp_balance(std::span<const SmContext> sms) {
    std::uint64_t instructions = 0, warps = 0, longest = 0;
    for (const SmContext& sm : sms) {
        instructions += sm.clock;
        warps += sm.ended_warps;
        longest = std::max(longest, sm.longest_warp);
    }
    if (warps == 0 || longest == 0) return std::nullopt;
    const double mean = static_cast<double>(instructions) / static_cast<double>(warps);
    return std::min(mean / static_cast<double>(longest), 1.0);
}

Traffic traffic_of(std::span<const SmContext> sms, const L2Counters& l2) {
    Traffic traffic{{}, l2};
    MemoryCounters sampled;  // of the SMs with other L1 caches beside theirs
    for (const SmContext& sm : sms) {
        for (const auto member : simulated_counters) traffic.memory.*member += sm.counters.*member;
        traffic.memory.divergent_branches += sm.counters.divergent_branches;
        traffic.memory.out_of_bounds += sm.counters.out_of_bounds;
        for (std::size_t kind = 0; kind < access_kinds; ++kind) {
            traffic.memory.sampled.all[kind] += sm.counters.sampled.all[kind];
            traffic.memory.sampled.sampled[kind] += sm.counters.sampled.sampled[kind];
        }
        if (!sm.other_l1) continue;
        sampled.load_sectors += sm.counters.load_sectors;
        sampled.l1_hits += sm.counters.l1_hits;
        for (std::size_t i = 0; i < other_l1_sizes.size(); ++i)
            sampled.other_l1_hits[i] += sm.counters.other_l1_hits[i];
    }
    const auto all = static_cast<double>(traffic.memory.load_sectors);
    const double stands_for = sampled.load_sectors > 0 ? all / static_cast<double>(sampled.load_sectors) : 1;
    for (std::size_t i = 0; i < other_l1_sizes.size(); ++i) {
        const double more = static_cast<double>(sampled.other_l1_hits[i]) - static_cast<double>(sampled.l1_hits);
        const double hits = static_cast<double>(traffic.memory.l1_hits) + more * stands_for;
        traffic.memory.other_l1_hits[i] = whole(hits);
    }
    return traffic;
}

Counted counted_of(const LaunchContext& launch, int capability, std::span<const SmContext> sms, const Traffic& traffic,
                   double occupancy) {
    const auto& [memory, l2] = traffic;
    const std::vector<std::uint64_t> warps = sum_of(sms, &SmContext::warp_counts);
    const std::vector<Executed> executed = executed_of(launch, sms, warps);
    const Totals totals = weigh(*launch.program, capability, executed);
    // Expansions have fractional means; a count is whole.
    const auto thread = [&](Class c) { return Instructions{std::round(totals.thread[static_cast<std::size_t>(c)])}; };
    const auto warp = [&](Class c) { return Instructions{std::round(totals.warp[static_cast<std::size_t>(c)])}; };
    const auto count = [](std::uint64_t n) { return Instructions{static_cast<double>(n)}; };
    const auto sectors = [](std::uint64_t n) { return Sectors{static_cast<double>(n)}; };
    const auto tensor = [&](Class c) { return Operations{std::round(totals.warp[static_cast<std::size_t>(c)])}; };

    Counted counted;
    counted.other_gpus = other_gpus_of(*launch.program, executed, traffic);
    KernelMetrics& m = counted.metrics;
    m.thread_inst_fp32_fma = thread(Class::fp32_fma);
    m.thread_inst_fp64_fma = thread(Class::fp64_fma);
    m.thread_inst_load_store = thread(Class::load_store);
    m.warp_inst = warp(Class::total);
    m.thread_inst_fp32 = thread(Class::fp32);
    m.thread_inst_fp64 = thread(Class::fp64);
    m.thread_inst_integer = thread(Class::integer);
    m.dram_read = sectors(l2.dram_read_sectors);
    m.dram_write = sectors(l2.dram_write_sectors);

    m.thread_inst = thread(Class::total);
    m.thread_inst_fp16 = thread(Class::fp16);
    m.thread_inst_fp16_fma = thread(Class::fp16_fma);
    m.thread_inst_special = thread(Class::special);
    m.thread_inst_conversion = thread(Class::conversion);
    m.thread_inst_control = thread(Class::control);
    m.thread_inst_misc = thread(Class::misc);
    m.thread_inst_communication = thread(Class::communication);
    m.thread_inst_integer_add = thread(Class::integer_add);
    m.thread_inst_integer_multiply = thread(Class::integer_multiply);
    m.thread_inst_integer_shift = thread(Class::integer_shift);
    m.thread_inst_integer_logic = thread(Class::integer_logic);
    m.thread_inst_integer_compare = thread(Class::integer_compare);
    m.tensor_fp16 = tensor(Class::tensor_fp16);
    m.tensor_bf16 = tensor(Class::tensor_bf16);
    m.tensor_tf32 = tensor(Class::tensor_tf32);
    m.tensor_fp64 = tensor(Class::tensor_fp64);
    m.tensor_int8 = tensor(Class::tensor_int8);
    m.tensor_fp8 = tensor(Class::tensor_fp8);
    m.tensor_int4 = tensor(Class::tensor_int4);
    m.tensor_int1 = tensor(Class::tensor_int1);
    m.warp_inst_tensor = warp(Class::tensor);
    m.warp_inst_special = warp(Class::special_unit);
    m.warp_inst_branch = warp(Class::branch);
    m.warp_inst_branch_divergent = count(memory.divergent_branches);
    m.warp_inst_barrier = warp(Class::barrier);
    m.warp_inst_global_load = count(memory.global_loads);
    m.warp_inst_global_store = count(memory.global_stores);
    m.warp_inst_local = count(memory.locals);
    m.warp_inst_atomic = count(memory.atomics);
    m.thread_atomic_hottest =
        Instructions{std::round(static_cast<double>(memory.atomic_operations) * hottest_share(sms))};
    m.warp_inst_shared_load = count(memory.shared_loads);
    m.warp_inst_shared_store = count(memory.shared_stores);
    m.warp_inst_constant = count(memory.constants);
    m.warp_inst_texture = count(memory.textures);
    m.warp_memory_task = warp(Class::memory_task);
    m.thread_inst_global_load = count(memory.thread_loads);
    m.thread_inst_global_store = count(memory.thread_stores);
    m.warp_inst_coalesced = count(memory.coalesced);
    m.warp_inst_uncoalesced = count(memory.uncoalesced);

    m.global_line = count(memory.lines);
    m.uncoalesced_line = count(memory.uncoalesced_lines);
    const PassesOfBanks shared = passes_of(memory, shared_bank_size(capability));
    m.shared_wavefront = shared.wavefront;
    m.shared_bank_conflict = shared.conflict;
    m.constant_replay = count(memory.constant_replays);
    m.global_load = sectors(memory.load_sectors);
    m.global_store = sectors(memory.store_sectors);
    m.global_load_requested = Bytes{static_cast<double>(memory.load_bytes)};
    m.global_store_requested = Bytes{static_cast<double>(memory.store_bytes)};
    m.uncoalesced = sectors(memory.uncoalesced_sectors);
    m.l1_hit = sectors(memory.l1_hits);
    m.l2_read = sectors(l2.read_sectors);
    m.l2_write = sectors(l2.write_sectors + l2.atomic_sectors);
    m.achieved_occupancy = occupancy;
    m.warp_balance = warp_balance(sms);
    m.load_parallelism = load_parallelism(launch, warps);
    const auto known = [](double share) { return share > 0 ? Maybe<double>(share) : std::nullopt; };
    m.dram_channel_balance = known(l2.channel_balance());
    m.dram_read_page_share = known(l2.read_pages.share());
    m.dram_write_page_share = known(l2.written_pages.share());
    return counted;
}

}  // namespace gpuproj::simulate
