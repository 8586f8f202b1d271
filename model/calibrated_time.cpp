#include "model/calibrated_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gpuproj::calibrated {

namespace {

constexpr double sector_byte = bytes_per_sector.value;
/// Instructions of one fp64 dependency step: two passes of a half-rate pipe or more.
constexpr double fp64_latency_lanes = 128;
/// Share of the issue slots that 7.0 and later sustain: 4 warp instructions, none of them paired.
constexpr double issue_volta = 0.95;
/// Conversions share the pipe of special functions where there are many fp64 units.
constexpr double most_conversion64 = 32;

double warps_per_block(const Work& work) {
    return work.warps / work.blocks;
}

/// Of the integer instructions, as the target runs them.
struct Integer {
    double instructions = 0;
    double rate = 0;  // per clock and multiprocessor
};

Integer integer_work(const PreparedWork& prepared, const Chip& target, const Constants& c) {
    const Work& work = prepared.work;
    const double multiply = work.multiply_share.value_or(c.multiply_share);
    const double slow = work.slow_integer_share.value_or(c.multiply_share);
    const double as_three = 1 + 2 * multiply;
    const bool splits = target.rates.split_multiply_add, split = prepared.split_multiply_add;
    const double expansion = splits == split ? 1 : splits ? as_three : 1 / as_three;
    const double rate =
        splits ? target.rates.int_add : 1 / ((1 - slow) / target.rates.int_add + slow / target.rates.int_multiply);
    return {work.integer * expansion, rate};
}

/// From one atomic operation on a word to the next. "Atomic operation throughput to a common global memory address is
/// improved by 9x to one operation per clock" (NVIDIA, Kepler GK110 whitepaper, 2012; of Fermi). Taken to hold since.
double atomic_clocks(const Chip& chip) {
    constexpr double before_kepler = 9;
    return chip.compute_capability < 3 ? before_kepler : 1;
}

double issue_share(const Chip& chip, const Constants& c) {
    if (chip.compute_capability < 5) return c.issue_kepler;
    return chip.compute_capability < 7 ? c.issue_maxwell : issue_volta;
}

/// Clocks that one warp needs from its first instruction to its last.
double critical_path(const Work& work, const Chip& target, double warp_inst, const Constants& c) {
    const CycleRates& r = target.rates;
    const double arithmetic = std::max(warp_inst - work.load_store - work.fp64 - work.exchange, 0.0) * r.alu_latency;
    const double fp64 = work.fp64 > 0 ? work.fp64 * (2 * r.alu_latency + fp64_latency_lanes / r.fp64) : 0;
    const double shared = (work.shared_requests + work.exchange) * r.shared_latency;
    const double conflicts = std::max(work.shared_passes - work.shared_requests, 0.0) * r.conflict_latency;
    const double behind_l1 = r.l2_latency + (r.dram_latency - r.l2_latency) * work.dram_share;
    const double hit_latency = target.l1_bypassed ? r.l2_latency : r.l1_latency;
    const double memory_latency = behind_l1 + (hit_latency - behind_l1) * work.l1_hit_share;
    const double queue = work.lines / work.global_requests / r.lines;
    const double global = work.global_load_requests * (memory_latency + queue);
    return ((arithmetic + fp64 + shared) / c.instruction_parallelism + conflicts + global / c.memory_parallelism) /
           work.warps;
}

/// Of a number from 0 to 2^63; std::ceil is a call where the processor is not known to have the instruction.
double rounded_up(double x) {
    const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
    return whole < x ? whole + 1 : whole;
}

/// x^overlap, without the cost of pow.
double to_overlap(double x) {
    static_assert(overlap == 3.5);
    return x * x * x * std::sqrt(x);
}

}  // namespace

double possible_blocks(const Work& work, const OccupancyRules& rules) {
    // For a GPU with fewer registers per thread the compiler uses fewer.
    const std::uint32_t registers = std::min(work.registers, rules.registers_per_thread);
    const auto fit = occupancy(rules, work.threads_per_block, registers, work.shared_bytes.value_or(0));
    return std::max(1.0, static_cast<double>(fit.blocks_per_sm));
}

PreparedWork prepare(const Work& work, const Chip& reference, const Constants& c) {
    PreparedWork prepared{.work = work};
    prepared.split_multiply_add = reference.rates.split_multiply_add;
    if (work.run_sectors < 4) prepared.run_efficiency = std::pow(work.run_sectors / 4, c.short_runs);

    const double blocks_per_sm = work.blocks / reference.sm_count;
    const double limit = possible_blocks(work, reference.occupancy);
    const double possible = std::min(limit, blocks_per_sm);
    const double achieved = work.achieved_occupancy
                                ? *work.achieved_occupancy * reference.occupancy.max_warps / warps_per_block(work)
                                : possible;
    // With blocks for one round only, all of them are there at once and little is lost; else tails lower the mean.
    const bool one_round = blocks_per_sm <= limit;
    double usual = possible;
    if (!work.shared_bytes && achieved < (one_round ? 0.96 : 0.65) * possible) {
        const double seen = std::max(std::ceil(achieved - 0.1), 1.0);
        prepared.hidden_shared = reference.occupancy.shared / (seen + 0.5);  // the middle of what fits
        usual = std::min(seen, possible);
    }
    if (blocks_per_sm >= 2 * limit) prepared.filled = std::clamp(achieved / usual, 0.5, 1.0);
    return prepared;
}

Residency residency(const PreparedWork& prepared, const Chip& target, double possible) {
    double limit = possible;
    if (prepared.hidden_shared > 0) {
        limit = std::max(std::min(limit, std::floor(target.occupancy.shared / prepared.hidden_shared)), 1.0);
    }
    const double busiest = rounded_up(prepared.work.blocks / target.sm_count);
    const double resident = std::min(limit, busiest);
    return {resident, std::max(rounded_up(busiest / resident - 1e-9), 1.0) / prepared.filled};
}

Times times_on(const PreparedWork& prepared, const Chip& target, const Constants& constants) {
    return times_on(prepared, target, possible_blocks(prepared.work, target.occupancy), constants);
}

Times times_on(const Work& work, const Chip& reference, const Chip& target, const Constants& constants) {
    return times_on(prepare(work, reference, constants), target, constants);
}

Times times_on(const PreparedWork& prepared, const Chip& target, double possible, const Constants& c) {
    const Work& work = prepared.work;
    const CycleRates& r = target.rates;
    const Integer integer = integer_work(prepared, target, c);
    const double warp_inst = std::max(work.warp_inst + integer.instructions - work.integer, 0.3 * work.warp_inst);
    // Blocks are whole: the busiest multiprocessor has ceil(blocks / SMs) of them.
    const double balance = rounded_up(work.blocks / target.sm_count) * target.sm_count / work.blocks;
    const double clocks = balance / (target.sm_count * target.clock);  // seconds per clock of all multiprocessors
    const double lanes = threads_per_warp;

    Times t;
    const auto set = [&](Resource resource, double seconds) { t.of[static_cast<std::size_t>(resource)] = seconds; };
    const double multiply_add = work.multiply_add_pipe / (r.fp32 * c.arithmetic);
    const double integer_lanes = integer.instructions / (integer.rate * c.integer);
    const double all_lanes = (work.fp32 + integer.instructions) / (r.lanes * c.integer);
    t.integer_bound = integer_lanes > multiply_add;
    set(Resource::alu, lanes * clocks * std::max({multiply_add, integer_lanes, all_lanes}));
    if (work.fp64 > 0) {
        const double conversions = work.conversion64 / std::min(r.fp64, most_conversion64);
        set(Resource::fp64, lanes * clocks * (work.fp64 / r.fp64 + conversions) / c.arithmetic);
    }
    if (work.fp16 > 0) set(Resource::fp16, lanes * clocks * work.fp16 / (r.fp16 * c.arithmetic));
    if (r.tensor > 0) {
        const double share = work.tensor_of_warps ? r.tensor_warp_share : 1;
        const double cycles =
            (work.tensor / r.tensor + work.tensor_integer / r.tensor_integer) / share + work.tensor_fp64 / r.tensor;
        if (cycles > 0) set(Resource::tensor, clocks * cycles / c.arithmetic);
    }
    // From Volta on one unit (XU) has both, but for what later ones convert faster.
    const bool one_unit = target.compute_capability >= 7 && r.conversion <= r.special;
    if (const double special = work.special + (one_unit ? work.conversion : 0); special > 0)
        set(Resource::special, lanes * clocks * special / (r.special * c.arithmetic));
    if (work.conversion > 0 && !one_unit)
        set(Resource::conversion, lanes * clocks * work.conversion / (r.conversion * c.arithmetic));
    set(Resource::issue, clocks * warp_inst / (r.issue * issue_share(target, c)));
    // A shuffle goes through the banks' crossbar: 32 lanes per clock, as a pass (CUDA C++ Programming Guide).
    set(Resource::shared, clocks * (work.shared_passes + work.exchange) / (r.shared * c.shared));
    const double by_lines = work.lines / r.lines, by_bytes = sector_byte * work.l1_sectors / r.l1_byte;
    t.line_bound = by_lines > by_bytes;
    const double by_texels = lanes * work.texture / r.texels;
    set(Resource::l1, clocks * std::max({by_lines, by_bytes, by_texels}) / c.lines);
    const double l2_sectors = target.l1_bypassed ? work.l1_sectors : work.l2_sectors;
    set(Resource::l2, clocks * sector_byte * l2_sectors / (r.l2_byte * c.l2));
    const double ecc = target.ecc_traffic ? 1 + 1 / work.run_sectors : 1;
    set(Resource::dram, work.dram_bytes * ecc / (target.dram_bandwidth * c.dram * prepared.run_efficiency));
    const double loaded = target.compute_capability < 5 ? c.latency_kepler : c.latency_maxwell;
    // All rounds, or the longest warp if it takes longer than all of them.
    const double paths = std::max(residency(prepared, target, possible).rounds, work.longest_warp);
    set(Resource::latency, paths * critical_path(work, target, warp_inst, c) * loaded / target.clock);

    if (work.hottest_word > 0) set(Resource::atomic, work.hottest_word * atomic_clocks(target) / target.clock);

    const auto* const longest = std::max_element(t.of.begin(), t.of.end());
    t.limiter = static_cast<Resource>(longest - t.of.begin());
    for (std::size_t i = 0; i < resources; ++i) {
        if (t.of[i] <= 0) continue;
        t.power[i] = to_overlap(t.of[i] / *longest);
        t.power_sum += t.power[i];
    }
    t.total = total_of(*longest, t.power_sum);
    return t;
}

}  // namespace gpuproj::calibrated
