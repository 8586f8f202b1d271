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

/// Shuffles and votes per clock, of warps (CUDA C++ Programming Guide: 32 lanes from 3.0 on).
constexpr double exchanges = 1;

double warps_per_block(const Work& work) {
    return work.warps / work.blocks;
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

/// Integer instructions, as the target runs them: multiply-adds may be one or three.
double integer_instructions(const PreparedWork& prepared, const Costs& target) {
    const bool splits = target.split_multiply_add, split = prepared.split_multiply_add;
    const double as_three = 1 + 2 * prepared.multiply_share;
    return prepared.work.integer * (splits == split ? 1 : splits ? as_three : 1 / as_three);
}

/// Clocks that one warp needs from its first instruction to its last.
double critical_path(const PreparedWork& prepared, const Costs& target, double warp_inst) {
    const Work& work = prepared.work;
    const double arithmetic =
        std::max(warp_inst - work.load_store - work.fp64 - work.exchange, 0.0) * target.alu_latency;
    const double fp64 = work.fp64 > 0 ? work.fp64 * target.fp64_latency : 0;
    const double shared = (work.shared_requests + work.exchange) * target.shared_latency;
    const double conflicts = std::max(work.shared_passes - work.shared_requests, 0.0) * target.conflict_latency;
    const double behind_l1 = target.l2_latency + target.dram_further_latency * work.dram_share;
    const double memory_latency = behind_l1 + (target.hit_latency - behind_l1) * work.l1_hit_share;
    const double global = work.global_load_requests *
                          (memory_latency + prepared.lines_per_request * target.queued_line) * prepared.load_wait;
    return (arithmetic + fp64 + shared + conflicts + global) * prepared.per_warp;
}

/// Of a number from 0 to 2^63; std::ceil is a call where the processor is not known to have the instruction.
double rounded_up(double x) {
    const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
    return whole < x ? whole + 1 : whole;
}

/// `shared`: bytes of shared memory of one multiprocessor; `busiest`: blocks of the one that has the most.
Residency residency(const PreparedWork& prepared, double shared, double possible, double busiest) {
    double limit = possible;
    if (prepared.hidden_shared > 0) limit = std::max(std::min(limit, std::floor(shared / prepared.hidden_shared)), 1.0);
    const double resident = std::min(limit, busiest);
    return {resident, std::max(rounded_up(busiest / resident - 1e-9), 1.0) / prepared.filled};
}

/// x^overlap, without the cost of pow.
double to_overlap(double x) {
    static_assert(overlap == 3.5);
    return x * x * x * std::sqrt(x);
}

/// How much longer DRAM takes for `work` than for as many bytes in long runs, reads and writes each by its own factor.
double slower_by(const Work& work, double read, double write) {
    return read + work.write_share * (write - read);
}

}  // namespace

double possible_blocks(const Work& work, const OccupancyRules& rules) {
    // For a GPU with fewer registers per thread the compiler uses fewer.
    const std::uint32_t registers =
        std::min(registers_on(work.registers, work.registers_for, register_aim(rules, work.register_bounds)),
                 rules.registers_per_thread);
    const auto fit = occupancy(rules, work.threads_per_block, registers, work.shared_bytes.value_or(0));
    return std::max(1.0, static_cast<double>(fit.blocks_per_sm));
}

PreparedWork prepare(const Work& work, const Chip& reference, const Constants& c) {
    PreparedWork prepared{.work = work};
    prepared.split_multiply_add = reference.rates.split_multiply_add;
    prepared.multiply_share = work.multiply_share.value_or(c.multiply_share);
    prepared.slow_share = work.slow_integer_share.value_or(c.multiply_share);
    prepared.per_block = 1 / work.blocks;
    prepared.per_warp = 1 / work.warps;
    prepared.lines_per_request = work.lines / work.global_requests;
    if (work.load_parallelism > 0) prepared.load_wait = c.memory_parallelism / work.load_parallelism;
    const auto slower = [&](double scatter) { return scatter > 0 ? std::pow(4.0, c.short_runs * scatter) : 1.0; };
    const double read = slower(work.read_scatter), write = slower(work.write_scatter);
    const double bytes = work.dram_bytes * slower_by(work, read, write);
    prepared.dram_bytes = {bytes, bytes * (1 + 1 / work.run_sectors),
                           work.dram_bytes * slower_by(work, read * work.read_in_pairs, write * work.write_in_pairs)};

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
    return residency(prepared, target.occupancy.shared, possible, rounded_up(prepared.work.blocks / target.sm_count));
}

Costs costs_of(const Chip& chip, const Constants& c) {
    const CycleRates& r = chip.rates;
    constexpr double lanes = threads_per_warp;
    const auto per = [](double rate) { return rate > 0 ? 1 / rate : 0; };  // without tensor units, or not known
    Costs costs;
    costs.sm_count = chip.sm_count;
    costs.all_clock = 1 / (chip.sm_count * chip.clock);
    costs.shared_memory = chip.occupancy.shared;
    costs.split_multiply_add = r.split_multiply_add;
    costs.multiply_add = lanes / (r.fp32 * c.arithmetic);
    costs.int_add = lanes / (r.int_add * c.integer);
    costs.int_multiply = lanes / (r.int_multiply * c.integer);
    costs.lane = lanes / (r.lanes * c.integer);
    costs.fp64 = lanes * per(r.fp64 * c.arithmetic);
    costs.conversion64 = lanes * per(std::min(r.fp64, most_conversion64) * c.arithmetic);
    costs.fp16 = lanes / (r.fp16 * c.arithmetic);
    costs.tensor_fp16 = per(r.tensor * c.arithmetic);
    costs.tensor_bf16 = per(r.tensor_bf16 * c.arithmetic);
    costs.tensor_tf32 = per(r.tensor_tf32 * c.arithmetic);
    costs.tensor_fp8 = per(r.tensor_fp8 * c.arithmetic);
    costs.tensor_integer = per(2 * r.tensor_integer * c.arithmetic);
    costs.tensor_fp64 = per(r.tensor_fp64 * c.arithmetic);
    costs.tensor_of_warps = 1 / r.tensor_warp_share;
    // From Volta on one unit (XU) has both, but for what later ones convert faster.
    costs.converts_by_special = chip.compute_capability >= 7 && r.conversion <= r.special;
    costs.special = lanes / (r.special * c.arithmetic);
    costs.conversion = lanes / (r.conversion * c.arithmetic);
    costs.issue = 1 / (r.issue * issue_share(chip, c));
    costs.shared_pass = 1 / (r.shared * c.shared);
    costs.exchange = 1 / (std::max(r.shared, exchanges) * c.shared);
    costs.line = 1 / (r.lines * c.lines);
    costs.l1_sector = sector_byte / (r.l1_byte * c.lines);
    costs.texture = lanes / (r.texels * c.lines);
    costs.l1_bypassed = chip.l1_bypassed;
    costs.l2_sector = sector_byte / (r.l2_byte * c.l2);
    costs.dram_byte = 1 / (chip.dram_bandwidth * c.dram);
    costs.dram = chip.ecc_traffic ? DramKind::with_ecc : chip.wide_dram ? DramKind::in_pairs : DramKind::plain;
    costs.alu_latency = r.alu_latency / c.instruction_parallelism;
    costs.fp64_latency = (2 * r.alu_latency + fp64_latency_lanes * per(r.fp64)) / c.instruction_parallelism;
    costs.shared_latency = r.shared_latency / c.instruction_parallelism;
    costs.conflict_latency = r.conflict_latency;
    costs.l2_latency = r.l2_latency / c.memory_parallelism;
    costs.dram_further_latency = (r.dram_latency - r.l2_latency) / c.memory_parallelism;
    costs.hit_latency = chip.l1_bypassed ? costs.l2_latency : r.l1_latency / c.memory_parallelism;
    costs.queued_line = 1 / (r.lines * c.memory_parallelism);
    costs.path_clock = (chip.compute_capability < 5 ? c.latency_kepler : c.latency_maxwell) / chip.clock;
    costs.atomic_clock = atomic_clocks(chip) / chip.clock;
    costs.block = per(r.blocks * chip.clock);
    return costs;
}

Times times_on(const PreparedWork& prepared, const Chip& target, const Constants& constants) {
    return times_on(prepared, costs_of(target, constants), possible_blocks(prepared.work, target.occupancy));
}

Times times_on(const Work& work, const Chip& reference, const Chip& target, const Constants& constants) {
    return times_on(prepare(work, reference, constants), target, constants);
}

Times times_on(const PreparedWork& prepared, const Costs& target, double possible) {
    const Work& work = prepared.work;
    const double integer = integer_instructions(prepared, target);
    const double warp_inst = std::max(work.warp_inst + integer - work.integer, 0.3 * work.warp_inst);
    // Blocks are whole: the busiest multiprocessor has ceil(blocks / SMs) of them.
    const double busiest = rounded_up(work.blocks / target.sm_count);
    const double balance = busiest * target.sm_count * prepared.per_block;
    const double clocks = balance * target.all_clock;  // seconds per clock of all multiprocessors

    const double multiply_add = work.multiply_add_pipe * target.multiply_add;
    const double integer_lanes =
        integer * (target.int_add + (target.int_multiply - target.int_add) * prepared.slow_share);
    const double all_lanes = (work.fp32 + integer) * target.lane;
    const double fp64 = work.fp64 > 0 ? work.fp64 * target.fp64 + work.conversion64 * target.conversion64 : 0;
    const double fp16 = work.fp16 > 0 ? work.fp16 * target.fp16 : 0;
    const double of_warps = work.tensor_of_warps ? target.tensor_of_warps : 1;
    const double narrow = work.tensor_fp16 * target.tensor_fp16 + work.tensor_bf16 * target.tensor_bf16 +
                          work.tensor_tf32 * target.tensor_tf32 + work.tensor_fp8 * target.tensor_fp8 +
                          work.tensor_integer * target.tensor_integer;
    const double tensor = narrow * of_warps + work.tensor_fp64 * target.tensor_fp64;
    const double converted = target.converts_by_special ? work.conversion : 0;
    // A shuffle goes through the banks' crossbar, too.
    const double shared = work.shared_passes * target.shared_pass + work.exchange * target.exchange;
    const double by_lines = work.lines * target.line, by_bytes = work.l1_sectors * target.l1_sector;
    const double l2_sectors = target.l1_bypassed ? work.l1_sectors : work.l2_sectors;
    const double dram_bytes = prepared.dram_bytes[static_cast<std::size_t>(target.dram)];
    // All rounds, or the longest warp if it takes longer than all of them.
    const double paths =
        std::max(residency(prepared, target.shared_memory, possible, busiest).rounds, work.longest_warp);

    // In the order of Resource. Zeros written first would take a tenth of the time.
    const PerResource<double> of{clocks * std::max({multiply_add, integer_lanes, all_lanes}),
                                 clocks * fp64,
                                 clocks * fp16,
                                 clocks * tensor,
                                 clocks * (work.special + converted) * target.special,
                                 clocks * (work.conversion - converted) * target.conversion,
                                 clocks * warp_inst * target.issue,
                                 clocks * shared,
                                 clocks * std::max({by_lines, by_bytes, work.texture * target.texture}),
                                 clocks * l2_sectors * target.l2_sector,
                                 dram_bytes * target.dram_byte,
                                 paths * critical_path(prepared, target, warp_inst) * target.path_clock,
                                 work.hottest_word * target.atomic_clock,
                                 work.blocks * target.block};
    const auto* const longest = std::max_element(of.begin(), of.end());
    const double per_longest = 1 / *longest;
    PerResource<double> power;  // NOLINT(cppcoreguidelines-pro-type-member-init): all are written here
    double power_sum = 0;
    for (std::size_t i = 0; i < resources; ++i) {
        power[i] = to_overlap(of[i] * per_longest);
        power_sum += power[i];
    }
    return {of,
            power,
            power_sum,
            total_of(*longest, power_sum),
            static_cast<Resource>(longest - of.begin()),
            integer_lanes > multiply_add,
            by_lines > by_bytes};
}

}  // namespace gpuproj::calibrated
