#include "model/simt_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "model/occupancy.hpp"
#include "model/reference_time.hpp"
#include "model/registers.hpp"
#include "model/warnings.hpp"

namespace gpuproj {

namespace {

constexpr double sector_byte = bytes_per_sector.value;
constexpr double sectors_per_line = 4;
constexpr double lanes_per_sector = 8;           // of 4 bytes
constexpr double sectors_per_texture_fetch = 8;  // four lanes at a time

template <class Counter>
double or_0(const Counter& counter) {
    return counter ? counter->value : 0;
}

Inapplicable lacks_counter(std::string_view key) {
    return {fmt::format("the profile lacks the counter {}", key)};
}

Inapplicable lacks(const Gpu& gpu, std::string_view key) {
    return {fmt::format("{} has no {}", gpu.name, key)};
}

double norm(std::span<const double> times, double p) {
    const double longest = *std::max_element(times.begin(), times.end());
    if (longest <= 0) return 0;
    double sum = 0;
    for (const double time : times) sum += std::pow(time / longest, p);
    return longest * std::pow(sum, 1 / p);
}

/// A row of a two-dimensional block is a run of neighbouring addresses; the next row is somewhere else, unless a block
/// is as wide as the grid. Fewer stored sectors than rows contradict that picture: then the stores are taken for runs
/// of whole lines.
double write_run(const Dim3& grid, const Dim3& block, double stored_sectors_per_warp) {
    const double rows_of_block = static_cast<double>(block[1]) * block[2];
    if (rows_of_block == 1 || grid[0] == 1) return sectors_per_line;
    const double width = std::min<double>(block[0], threads_per_warp);
    const double rows = std::min<double>(block[0] * rows_of_block, threads_per_warp) / width;
    if (stored_sectors_per_warp < rows) return sectors_per_line;
    return std::clamp(width / lanes_per_sector, 0.5, sectors_per_line);
}

/// Active warps per SM: what fits on the target, less what the reference run did not keep resident of what fits there.
std::variant<double, Inapplicable> active_warps(const ModelInput& input) {
    const KernelRecord& kernel = input.kernel;
    const auto resident = [&](const Gpu& gpu) {
        return occupancy(gpu, static_cast<std::uint32_t>(kernel.threads_per_block().value()),
                         registers_on(kernel, input.reference, gpu),
                         static_cast<std::uint64_t>(or_0(kernel.dynamic_shared) + or_0(kernel.static_shared)));
    };
    const auto here = resident(input.target);
    if (!here) return Inapplicable{fmt::format("no occupancy rules are known for {}", input.target.name)};
    if (here->blocks_per_sm == 0) {
        return Inapplicable{
            fmt::format("a block does not fit on {} (limited by {})", input.target.name, here->limited_by)};
    }
    const auto here_warps = static_cast<double>(here->warps_per_sm);
    const auto& achieved = kernel.metrics.achieved_occupancy;
    if (!achieved || *achieved <= 0 || !input.reference) return here_warps;
    const auto there = resident(*input.reference);
    if (!there || there->fraction <= 0) return here_warps;
    return here_warps * std::min(*achieved / there->fraction, 1.0);
}

struct Applied {
    SimtCacheKernel kernel;
    SimtCacheMachine machine;
};

std::variant<Applied, Inapplicable> apply(const ModelInput& input) {
    const auto kernel = simt_cache_kernel(input);
    if (const auto* no = std::get_if<Inapplicable>(&kernel)) return *no;
    const auto machine = simt_cache_machine(input.target, simt_cache_constants);
    if (const auto* no = std::get_if<Inapplicable>(&machine)) return *no;
    return Applied{std::get<SimtCacheKernel>(kernel), std::get<SimtCacheMachine>(machine)};
}

Outcome predict(const ModelInput& input) {
    const auto applied = apply(input);
    if (const auto* no = std::get_if<Inapplicable>(&applied)) return *no;
    const auto& a = std::get<Applied>(applied);
    const SimtCache r = simt_cache(a.kernel, a.machine, simt_cache_constants);
    const auto seconds = [&](double cycles) {
        return Seconds{static_cast<double>(input.kernel.launches) * cycles * r.rounds / a.machine.clock_hz};
    };
    Prediction p;
    p.duration = seconds(r.round_cycles);
    std::array bounds{Bound{Limiter::compute, seconds(r.sm)}, Bound{Limiter::memory, seconds(std::max(r.dram, r.l2))},
                      Bound{Limiter::latency, seconds(r.latency)}};
    std::sort(bounds.begin(), bounds.end(), [](const Bound& x, const Bound& y) { return x.duration > y.duration; });
    for (const Bound& bound : bounds) p.bounds.push_back(bound);
    p.limiter = p.bounds[0].limiter;
    add_warnings(p, input.kernel, input.target);
    return p;
}

}  // namespace

SimtCache simt_cache(const SimtCacheKernel& k, const SimtCacheMachine& g, const SimtCacheConstants& c) {
    SimtCache r;
    r.active_sms = std::min(g.sms, k.blocks);
    r.active_warps = std::min(k.active_warps, std::max(k.warps / r.active_sms, 1.0));
    r.rounds = k.warps / (r.active_warps * r.active_sms);
    const double dram = k.dram_read + k.dram_write;
    const double l2 = std::max(k.l2, dram);
    r.hit_rate = l2 > 0 ? 1 - dram / l2 : 0;

    // Every run of stores costs DRAM a burst of a line, however short it is.
    const double bursts = k.dram_read + k.dram_write * sectors_per_line / k.write_run;
    r.dram = c.dram_delay * g.dram_sector_s * g.clock_hz * r.active_sms * bursts * r.active_warps;
    r.l2 = g.l2_delay * l2 * r.active_warps;

    r.issue = c.instruction_delay * threads_per_warp / g.lanes * k.instructions * r.active_warps;
    const double conversions = std::min(c.conversions * k.fp64, k.other);
    r.fp64 = c.fp64_delay * g.fp64_delay * (k.fp64 + conversions) * r.active_warps;
    r.shared = g.shared_delay * k.shared * r.active_warps;
    r.l1 = c.l1_delay * k.l1 * r.active_warps;
    r.sm = norm(std::array{r.issue, r.fp64, r.shared, r.l1}, c.pipe_norm);

    const double access = g.dram_latency * (1 - r.hit_rate) + g.l2_latency * r.hit_rate;
    r.latency = c.instruction_latency * k.instructions + g.shared_latency * k.shared_load +
                access * l2 / c.sectors_in_flight + g.dram_latency;
    r.round_cycles = norm(std::array{r.sm, r.dram, r.l2, r.latency}, c.norm);
    r.cycles = r.round_cycles * r.rounds;
    return r;
}

std::variant<SimtCacheKernel, Inapplicable> simt_cache_kernel(const ModelInput& input) {
    const KernelRecord& kernel = input.kernel;
    const KernelMetrics& m = kernel.metrics;
    const auto blocks = kernel.blocks(), threads = kernel.threads_per_block();
    if (!kernel.grid || !kernel.block || !blocks || !threads)
        return Inapplicable{"the launch configuration (grid, block) is not known"};
    if (*blocks == 0 || *threads == 0) return Inapplicable{"the profile says that the grid or a block is empty"};
    if (!m.warp_inst) return lacks_counter("warp_inst");
    if (!m.dram_read) return lacks_counter("dram_read_sector");
    if (!m.dram_write) return lacks_counter("dram_write_sector");
    if (!m.l2_read) return lacks_counter("l2_read_sector");
    if (!m.l2_write) return lacks_counter("l2_write_sector");
    if (!m.shared_wavefront) return lacks_counter("shared_wavefront");
    const auto active = active_warps(input);
    if (const auto* no = std::get_if<Inapplicable>(&active)) return *no;

    SimtCacheKernel k;
    k.blocks = static_cast<double>(*blocks);
    k.warps = k.blocks * std::ceil(static_cast<double>(*threads) / threads_per_warp);
    const double all_warps = k.warps * static_cast<double>(kernel.launches);
    k.instructions = m.warp_inst->value / all_warps;
    if (k.instructions == 0) return Inapplicable{"the profile says that no instruction was executed (warp_inst)"};
    // Divergence: instructions of a warp count whole, whatever their lanes.
    const double lanes =
        m.thread_inst ? std::clamp(m.thread_inst->value / (threads_per_warp * m.warp_inst->value), 0.1, 1.0) : 1;
    const auto thread_level = [&](const auto& counter) { return or_0(counter) / threads_per_warp / lanes / all_warps; };
    k.l2 = (m.l2_read->value + m.l2_write->value) / all_warps;
    k.dram_read = m.dram_read->value / all_warps;
    k.dram_write = m.dram_write->value / all_warps;
    k.l1 = ((m.global_load ? m.global_load->value : m.l2_read->value) +
            sectors_per_texture_fetch * or_0(m.warp_inst_texture)) /
           all_warps;
    k.shared = m.shared_wavefront->value / all_warps;
    const double shared_instructions = or_0(m.warp_inst_shared_load) + or_0(m.warp_inst_shared_store);
    const double load_share =
        shared_instructions > 0 ? or_0(m.warp_inst_shared_load) / shared_instructions : 2.0 / 3;  // two in, one out
    k.shared_load = load_share * k.shared;
    k.fp64 = thread_level(m.thread_inst_fp64);
    k.other = m.thread_inst_conversion
                  ? thread_level(m.thread_inst_conversion)
                  : std::max(k.instructions - k.fp64 - thread_level(m.thread_inst_fp32) -
                                 thread_level(m.thread_inst_integer) - k.l2 / sectors_per_line - k.shared,
                             0.0);
    k.write_run = write_run(*kernel.grid, *kernel.block, m.l2_write->value / all_warps);
    k.active_warps = std::get<double>(active);
    return k;
}

std::variant<SimtCacheMachine, Inapplicable> simt_cache_machine(const Gpu& gpu, const SimtCacheConstants& c) {
    if (!gpu.sm_count) return lacks(gpu, "sm_count");
    if (!gpu.lanes_per_sm) return lacks(gpu, "lanes_per_sm");
    if (!gpu.core_clock) return lacks(gpu, "core_clock_hz");
    if (!gpu.dram_bandwidth) return lacks(gpu, "dram_bandwidth_byte_per_s");
    if (!gpu.l2_bandwidth) return lacks(gpu, "l2_bandwidth_byte_per_s");
    if (!gpu.shared_rate) return lacks(gpu, "shared_inst_per_s");
    if (!gpu.fp64) return lacks(gpu, "fp64_op_per_s");
    if (!gpu.dram_latency) return lacks(gpu, "dram_latency_cycle");
    if (!gpu.l2_latency) return lacks(gpu, "l2_latency_cycle");
    if (!gpu.shared_latency) return lacks(gpu, "shared_latency_cycle");
    SimtCacheMachine g;
    g.sms = gpu.sm_count->value;
    g.lanes = gpu.lanes_per_sm->value;
    const double clock = gpu.core_clock->value.value;
    // Where a core clock was set, the boost clock is that, too.
    const double boost = gpu.own_boost_clock ? gpu.own_boost_clock->value
                         : gpu.boost_clock   ? gpu.boost_clock->value.value
                                             : clock;
    g.clock_hz = clock > boost ? boost * std::pow(clock / boost, c.clock_response) : clock;
    g.dram_sector_s = sector_byte / gpu.dram_bandwidth->value.value;
    const double sm_cycles_per_s = g.sms * clock;
    g.l2_delay = sector_byte * sm_cycles_per_s / gpu.l2_bandwidth->value.value;
    g.shared_delay = threads_per_warp * sm_cycles_per_s / gpu.shared_rate->value.value;
    g.fp64_delay = 2 * threads_per_warp * sm_cycles_per_s / gpu.fp64->value.value;
    g.dram_latency = gpu.dram_latency->value.value;
    g.l2_latency = gpu.l2_latency->value.value;
    g.shared_latency = gpu.shared_latency->value.value;
    return g;
}

Outcome predict_simt_cache(const ModelInput& input) {
    return with_reference_time(input, predict);
}

Explanation explain_simt_cache(const ModelInput& input) {
    const auto applied = apply(input);
    const auto* const a = std::get_if<Applied>(&applied);
    if (!a) return {};
    const auto& k = a->kernel;
    const auto& g = a->machine;
    const SimtCache r = simt_cache(k, g, simt_cache_constants);
    return {
        {"n_i", "", k.instructions, "", "per warp"},
        {"n_g", "L2 sectors", k.l2, "", "per warp"},
        {"n_s", "shared-memory passes", k.shared, "", "per warp"},
        {"h", "1 - DRAM sectors / L2 sectors", r.hit_rate, "", ""},
        {"A", "active warps per SM", r.active_warps, "", ""},
        {"R", "warps / (A x active SMs)", r.rounds, "", ""},
        {"D_dm", "32 byte / B_mem x active SMs", g.dram_sector_s * g.clock_hz * r.active_sms, "cycle", ""},
        {"D_l2", "", g.l2_delay, "cycle", ""},
        {"D_sh", "", g.shared_delay, "cycle", ""},
        {"D_dp", "", g.fp64_delay, "cycle", ""},
        {"L_dm", "", g.dram_latency, "cycle", ""},
        {"L_l2", "", g.l2_latency, "cycle", ""},
        {"write_run", "sectors in a run of stores", k.write_run, "", ""},
        {"q_dram", "dram_delay D_dm (reads + writes 4 / write_run) A", r.dram, "cycle", ""},
        {"q_l2", "D_l2 n_g A", r.l2, "cycle", ""},
        {"t_issue", "instruction_delay 32 / lanes n_i A", r.issue, "cycle", ""},
        {"t_fp64", "fp64_delay D_dp (fp64 instructions and conversions) A", r.fp64, "cycle", ""},
        {"t_shared", "D_sh n_s A", r.shared, "cycle", ""},
        {"t_l1", "l1_delay (load sectors at L1) A", r.l1, "cycle", ""},
        {"t_SM", "pipe_norm of issue, fp64, shared, L1", r.sm, "cycle", ""},
        {"t_latency", "one warp alone", r.latency, "cycle", ""},
        {"round", "norm of t_SM, q_dram, q_l2, t_latency", r.round_cycles, "cycle", ""},
        {"f_c", "", g.clock_hz, "1/s", ""},
    };
}

}  // namespace gpuproj
