#include "model/calibrated_time.hpp"

#include <algorithm>
#include <cmath>

namespace gpuproj::calibrated {

namespace {

constexpr double sector_byte = bytes_per_sector.value;
/// Instructions of one fp64 dependency step: two passes of a half-rate pipe or more.
constexpr double fp64_latency_lanes = 128;
/// Share of the issue slots that 7.0 and later sustain: 4 warp instructions, none of them paired.
constexpr double issue_volta = 0.95;
/// Conversions share the pipe of special functions where there are many fp64 units.
constexpr double most_conversion64 = 32;

double possible_blocks(const Work& work, const Chip& chip) {
    const auto fit = occupancy(chip.occupancy, work.threads_per_block, work.registers, work.shared_bytes.value_or(0));
    return std::max(1.0, static_cast<double>(fit.blocks_per_sm));
}

double warps_per_block(const Work& work) {
    return work.warps / work.blocks;
}

/// Of the integer instructions, as the target runs them.
struct Integer {
    double instructions = 0;
    double rate = 0;  // per clock and multiprocessor
};

Integer integer_work(const Work& work, const Chip& reference, const Chip& target, const Constants& c) {
    const double multiply = work.multiply_share.value_or(c.multiply_share);
    const double slow = work.slow_integer_share.value_or(c.multiply_share);
    const double as_three = 1 + 2 * multiply;
    const bool splits = target.rates.split_multiply_add, split = reference.rates.split_multiply_add;
    const double expansion = splits == split ? 1 : splits ? as_three : 1 / as_three;
    const double rate =
        splits ? target.rates.int_add : 1 / ((1 - slow) / target.rates.int_add + slow / target.rates.int_multiply);
    return {work.integer * expansion, rate};
}

double issue_share(const Chip& chip, const Constants& c) {
    if (chip.compute_capability < 5) return c.issue_kepler;
    return chip.compute_capability < 7 ? c.issue_maxwell : issue_volta;
}

/// Clocks that one warp needs from its first instruction to its last.
double critical_path(const Work& work, const Chip& target, double warp_inst, const Constants& c) {
    const CycleRates& r = target.rates;
    const double arithmetic = std::max(warp_inst - work.load_store - work.fp64, 0.0) * r.alu_latency;
    const double fp64 = work.fp64 > 0 ? work.fp64 * (2 * r.alu_latency + fp64_latency_lanes / r.fp64) : 0;
    const double shared = work.shared_requests * r.shared_latency;
    const double conflicts = std::max(work.shared_passes - work.shared_requests, 0.0) * r.conflict_latency;
    const double memory_latency = r.l2_latency + (r.dram_latency - r.l2_latency) * work.dram_share;
    const double queue = work.lines / work.global_requests / r.lines;
    const double global = work.global_load_requests * (memory_latency + queue);
    return ((arithmetic + fp64 + shared) / c.instruction_parallelism + conflicts + global / c.memory_parallelism) /
           work.warps;
}

/// x^overlap, without the cost of pow.
double to_overlap(double x) {
    static_assert(overlap == 3.5);
    return x * x * x * std::sqrt(x);
}

}  // namespace

Residency residency(const Work& work, const Chip& reference, const Chip& target) {
    const double blocks_per_sm_there = work.blocks / reference.sm_count;
    const double limit_there = possible_blocks(work, reference);
    double limit = &reference == &target ? limit_there : possible_blocks(work, target);
    const double possible_there = std::min(limit_there, blocks_per_sm_there);
    const double achieved = work.achieved_occupancy
                                ? *work.achieved_occupancy * reference.occupancy.max_warps / warps_per_block(work)
                                : possible_there;
    // With blocks for one round only, all of them are there at once and little is lost; else tails lower the mean.
    const bool one_round = blocks_per_sm_there <= limit_there;
    const bool hidden_limit = !work.shared_bytes && achieved < (one_round ? 0.96 : 0.65) * possible_there;
    double usual = possible_there;
    if (hidden_limit) {
        const double seen = std::max(std::ceil(achieved - 0.1), 1.0);
        const double shared = reference.occupancy.shared / (seen + 0.5);  // bytes per block, the middle of what fits
        limit = std::max(std::min(limit, std::floor(target.occupancy.shared / shared)), 1.0);
        usual = std::min(seen, possible_there);
    }
    const double filled = blocks_per_sm_there >= 2 * limit_there ? std::clamp(achieved / usual, 0.5, 1.0) : 1;
    const double busiest = std::ceil(work.blocks / target.sm_count);
    const double resident = std::min(limit, busiest);
    return {resident, std::max(std::ceil(busiest / resident - 1e-9), 1.0) / filled};
}

Times times_on(const Work& work, const Chip& reference, const Chip& target, const Constants& c) {
    const CycleRates& r = target.rates;
    const Integer integer = integer_work(work, reference, target, c);
    const double warp_inst = std::max(work.warp_inst + integer.instructions - work.integer, 0.3 * work.warp_inst);
    // Blocks are whole: the busiest multiprocessor has ceil(blocks / SMs) of them.
    const double balance = std::ceil(work.blocks / target.sm_count) * target.sm_count / work.blocks;
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
    set(Resource::fp16, lanes * clocks * work.fp16 / (r.fp16 * c.arithmetic));
    if (work.tensor > 0 && r.tensor > 0) set(Resource::tensor, clocks * work.tensor / (r.tensor * c.arithmetic));
    set(Resource::special, lanes * clocks * work.special / (r.special * c.arithmetic));
    set(Resource::conversion, lanes * clocks * work.conversion / (r.conversion * c.arithmetic));
    set(Resource::issue, clocks * warp_inst / (r.issue * issue_share(target, c)));
    set(Resource::shared, clocks * work.shared_passes / (r.shared * c.shared));
    const double by_lines = work.lines / r.lines, by_bytes = sector_byte * work.l1_sectors / r.l1_byte;
    t.line_bound = by_lines > by_bytes;
    set(Resource::l1, clocks * std::max(by_lines, by_bytes) / c.lines);
    const double l2_sectors = target.l1_bypassed ? work.l1_sectors : work.l2_sectors;
    set(Resource::l2, clocks * sector_byte * l2_sectors / (r.l2_byte * c.l2));
    const double ecc = target.ecc_traffic ? 1 + 1 / work.run_sectors : 1;
    const double run_efficiency = work.run_sectors < 4 ? std::pow(work.run_sectors / 4, c.short_runs) : 1;
    set(Resource::dram, work.dram_bytes * ecc / (target.dram_bandwidth * c.dram * run_efficiency));
    const double loaded = target.compute_capability < 5 ? c.latency_kepler : c.latency_maxwell;
    set(Resource::latency,
        residency(work, reference, target).rounds * critical_path(work, target, warp_inst, c) * loaded / target.clock);

    const auto longest = std::max_element(t.of.begin(), t.of.end());
    t.limiter = static_cast<Resource>(longest - t.of.begin());
    for (std::size_t i = 0; i < resources; ++i) {
        t.power[i] = to_overlap(t.of[i] / *longest);
        t.power_sum += t.power[i];
    }
    t.total = *longest * std::pow(t.power_sum, 1 / overlap) + launch_overhead;
    return t;
}

}  // namespace gpuproj::calibrated
