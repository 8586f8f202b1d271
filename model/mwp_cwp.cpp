#include "model/mwp_cwp.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/reference_time.hpp"
#include "model/warnings.hpp"
#include "model/warp_program.hpp"

namespace gpuproj {

namespace {

struct Applied {
    MwpCwpKernel kernel;
    MwpCwpMachine machine;
};

Inapplicable lacks(const Gpu& gpu, std::string_view key) {
    return {fmt::format("{} has no {}", gpu.name, key)};
}

/// 32 lanes' worth of one instruction over the lanes of the SM, but no less than its schedulers take to issue it.
double issue_cycles(double lanes, double schedulers) {
    return std::max(threads_per_warp / lanes, 1 / schedulers);
}

std::variant<Applied, Inapplicable> apply(const ModelInput& input) {
    const Gpu& gpu = input.target;
    const auto program = warp_program(input.kernel);
    if (const auto* no = std::get_if<Inapplicable>(&program)) return *no;
    const auto& warp = std::get<WarpProgram>(program);
    const auto resident = residency(input, warp);
    if (const auto* no = std::get_if<Inapplicable>(&resident)) return *no;
    const auto& r = std::get<Residency>(resident);
    if (!gpu.core_clock) return lacks(gpu, "core_clock_hz");
    if (!gpu.dram_bandwidth_peak) return lacks(gpu, "dram_bandwidth_peak_byte_per_s");
    if (!gpu.dram_latency) return lacks(gpu, "dram_latency_cycle");
    if (!gpu.departure_delay_uncoalesced) return lacks(gpu, "departure_delay_uncoalesced_cycle");
    if (!gpu.departure_delay_coalesced) return lacks(gpu, "departure_delay_coalesced_cycle");
    if (!gpu.lanes_per_sm) return lacks(gpu, "lanes_per_sm");
    if (!gpu.schedulers_per_sm) return lacks(gpu, "schedulers_per_sm");

    Applied a;
    a.machine.active_sms = r.active_sms;
    a.machine.clock_hz = gpu.core_clock->value.value;
    a.machine.bandwidth_byte_per_s = gpu.dram_bandwidth_peak->value.value;
    a.machine.memory_latency = gpu.dram_latency->value.value;
    a.machine.departure_uncoalesced = gpu.departure_delay_uncoalesced->value.value;
    a.machine.departure_coalesced = gpu.departure_delay_coalesced->value.value;
    a.machine.issue_cycles = issue_cycles(gpu.lanes_per_sm->value, gpu.schedulers_per_sm->value);
    const bool strict = gpu.compute_capability == "1.0" || gpu.compute_capability == "1.1";
    a.kernel = {warp.blocks,
                r.active_blocks,
                warp.warps_per_block,
                warp.computation(),
                warp.coalesced,
                warp.uncoalesced,
                strict ? threads_per_warp : warp.transactions_per_uncoalesced,
                warp.bytes_per_access,
                warp.barriers};
    return a;
}

Limiter limiter_of(WarpCase which) {
    switch (which) {
        case WarpCase::few_warps:
            return Limiter::latency;
        case WarpCase::memory:
            return Limiter::memory;
        case WarpCase::compute:
            break;
    }
    return Limiter::compute;
}

Outcome predict(const ModelInput& input) {
    const auto applied = apply(input);
    if (const auto* no = std::get_if<Inapplicable>(&applied)) return *no;
    const auto& a = std::get<Applied>(applied);
    const MwpCwp result = mwp_cwp(a.kernel, a.machine);
    Prediction p;
    p.duration = Seconds{static_cast<double>(input.kernel.launches) * result.cycles / a.machine.clock_hz};
    p.limiter = limiter_of(result.which);
    p.bounds.push_back({p.limiter, p.duration});
    add_warnings(p, input.kernel, input.target);
    return p;
}

}  // namespace

MwpCwp mwp_cwp(const MwpCwpKernel& k, const MwpCwpMachine& machine) {
    MwpCwp r;
    const double memory = k.coalesced + k.uncoalesced;
    const double instructions = k.computation + memory;
    r.n = k.active_blocks * k.warps_per_block;
    r.rounds = k.blocks / (k.active_blocks * machine.active_sms);
    r.computation_cycles = machine.issue_cycles * instructions;
    if (memory > 0) {
        r.weight_uncoalesced = k.uncoalesced / memory;
        r.weight_coalesced = k.coalesced / memory;
        r.latency_uncoalesced =
            machine.memory_latency + (k.transactions_per_uncoalesced - 1) * machine.departure_uncoalesced;
        r.latency_coalesced = machine.memory_latency;
        r.latency = r.latency_uncoalesced * r.weight_uncoalesced + r.latency_coalesced * r.weight_coalesced;
        r.departure_delay = machine.departure_uncoalesced * k.transactions_per_uncoalesced * r.weight_uncoalesced +
                            machine.departure_coalesced * r.weight_coalesced;
        r.mwp_without_bandwidth = r.latency / r.departure_delay;
        r.bandwidth_per_warp_byte_per_s = machine.clock_hz * k.bytes_per_warp / r.latency;
        r.mwp_peak_bandwidth = machine.bandwidth_byte_per_s / (r.bandwidth_per_warp_byte_per_s * machine.active_sms);
        r.mwp = std::min({r.mwp_without_bandwidth, r.mwp_peak_bandwidth, r.n});
        r.memory_cycles = r.latency_uncoalesced * k.uncoalesced + r.latency_coalesced * k.coalesced;
        r.cwp_full = (r.memory_cycles + r.computation_cycles) / r.computation_cycles;
        r.cwp = std::min(r.cwp_full, r.n);
        const double period = r.computation_cycles / memory;
        const double overlapped = period * std::max(r.mwp - 1, 0.0);
        if (r.mwp >= r.n && r.cwp >= r.n) {
            r.which = WarpCase::few_warps;
            r.execution_cycles = (r.memory_cycles + r.computation_cycles + overlapped) * r.rounds;
        } else if (r.computation_cycles > r.memory_cycles || r.mwp > r.cwp) {
            r.which = WarpCase::compute;
            r.execution_cycles = (r.latency + r.computation_cycles * r.n) * r.rounds;
        } else {
            r.which = WarpCase::memory;
            r.execution_cycles = (r.memory_cycles * r.n / r.mwp + overlapped) * r.rounds;
        }
        r.synchronization_cycles =
            r.departure_delay * std::max(r.mwp - 1, 0.0) * k.barriers * k.active_blocks * r.rounds;
    } else {
        r.execution_cycles = r.computation_cycles * r.n * r.rounds;
    }
    r.cycles = r.execution_cycles + r.synchronization_cycles;
    r.cycles_per_instruction = r.cycles / (instructions * k.warps_per_block * k.blocks / machine.active_sms);
    return r;
}

Outcome predict_mwp_cwp(const ModelInput& input) {
    return with_reference_time(input, predict);
}

Explanation explain_mwp_cwp(const ModelInput& input) {
    const auto applied = apply(input);
    const auto* const a = std::get_if<Applied>(&applied);
    if (!a) return {};
    const auto& k = a->kernel;
    const auto& g = a->machine;
    const MwpCwp r = mwp_cwp(k, g);
    Explanation steps{
        {"Mem_LD", "", g.memory_latency, "cycle", "table 1"},
        {"Departure_del_uncoal", "", g.departure_uncoalesced, "cycle", "table 1"},
        {"Departure_del_coal", "", g.departure_coalesced, "cycle", "table 1"},
        {"Issue_cycles", "max(32 / lanes, 1 / schedulers)", g.issue_cycles, "cycle", "table 1"},
        {"#Blocks", "", k.blocks, "", "table 1"},
        {"#Active_SMs", "", g.active_sms, "", "table 1"},
        {"#Active_blocks_per_SM", "occupancy", k.active_blocks, "", "table 1"},
        {"#Comp_insts", "", k.computation, "", "table 1"},
        {"#Coal_Mem_insts", "", k.coalesced, "", "table 1"},
        {"#Uncoal_Mem_insts", "", k.uncoalesced, "", "table 1"},
        {"#synch_insts", "", k.barriers, "", "table 1"},
    };
    if (k.coalesced + k.uncoalesced > 0) {
        const Explanation memory{
            {"#Uncoal_per_mw", "", k.transactions_per_uncoalesced, "", "table 1"},
            {"Load_bytes_per_warp", "", k.bytes_per_warp, "byte", "table 1"},
            {"Mem_L_Uncoal", "Mem_LD + (#Uncoal_per_mw - 1) Departure_del_uncoal", r.latency_uncoalesced, "cycle",
             "(10)"},
            {"Mem_L", "Mem_L_Uncoal Weight_uncoal + Mem_L_Coal Weight_coal", r.latency, "cycle", "(12)"},
            {"Departure_delay", "Departure_del_uncoal #Uncoal_per_mw Weight_uncoal + Departure_del_coal Weight_coal",
             r.departure_delay, "cycle", "(15)"},
            {"MWP_without_BW", "Mem_L / Departure_delay", r.mwp_without_bandwidth, "", "(16)"},
            {"BW_per_warp", "Freq Load_bytes_per_warp / Mem_L", r.bandwidth_per_warp_byte_per_s, "byte/s", "(7)"},
            {"MWP_peak_BW", "Mem_Bandwidth / (BW_per_warp #Active_SMs)", r.mwp_peak_bandwidth, "", "(6)"},
            {"MWP", "min(MWP_without_BW, MWP_peak_BW, N)", r.mwp, "", "(5)"},
            {"Mem_cycles", "Mem_L_Uncoal #Uncoal_Mem_insts + Mem_L_Coal #Coal_Mem_insts", r.memory_cycles, "cycle",
             "(18)"},
            {"CWP_full", "(Mem_cycles + Comp_cycles) / Comp_cycles", r.cwp_full, "", "(8)"},
            {"CWP", "min(CWP_full, N)", r.cwp, "", "(9)"},
        };
        steps.insert(steps.end(), memory.begin(), memory.end());
    }
    const std::string_view equation =
        k.coalesced + k.uncoalesced == 0 ? "Comp_cycles N #Rep"
        : r.which == WarpCase::few_warps ? "(Mem_cycles + Comp_cycles + Comp_cycles / #Mem_insts (MWP - 1)) #Rep"
        : r.which == WarpCase::memory    ? "(Mem_cycles N / MWP + Comp_cycles / #Mem_insts (MWP - 1)) #Rep"
                                         : "(Mem_L + Comp_cycles N) #Rep";
    const std::string_view number = r.which == WarpCase::few_warps ? "(22)"
                                    : r.which == WarpCase::memory  ? "(23)"
                                                                   : "(24)";
    const Explanation end{
        {"Comp_cycles", "Issue_cycles (#Comp_insts + #Mem_insts)", r.computation_cycles, "cycle", "(19)"},
        {"N", "#Active_blocks_per_SM x warps per block", r.n, "", "(20)"},
        {"#Rep", "#Blocks / (#Active_blocks_per_SM #Active_SMs)", r.rounds, "", "(21)"},
        {"Exec_cycles_app", std::string(equation), r.execution_cycles, "cycle", std::string(number)},
        {"Synch_cost", "Departure_delay (MWP - 1) #synch_insts #Active_blocks_per_SM #Rep", r.synchronization_cycles,
         "cycle", "(26)"},
        {"Exec_cycles", "Exec_cycles_app + Synch_cost", r.cycles, "cycle", "(27)"},
        {"CPI", "", r.cycles_per_instruction, "cycle", "(25)"},
    };
    steps.insert(steps.end(), end.begin(), end.end());
    return steps;
}

}  // namespace gpuproj
