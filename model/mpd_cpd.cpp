#include "model/mpd_cpd.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "model/reference_time.hpp"
#include "model/warnings.hpp"
#include "model/warp_program.hpp"

namespace gpuproj {

namespace {

struct Applied {
    MpdCpdMachine machine;
    MpdCpdKernel kernel;
    std::vector<CalculatePeriod> periods;
    double computation = 0, memory = 0;  // cycles of one warp
    double memory_tasks = 0;
    double rounds = 1;
    double clock_hz = 0;
};

template <class Counter>
double or_0(const Counter& counter) {
    return counter ? counter->value : 0;
}

Inapplicable lacks(const Gpu& gpu, std::string_view key) {
    return {fmt::format("{} has no {}", gpu.name, key)};
}

/// Costs of instructions whose operands are in registers.
class Costs {
public:
    explicit Costs(const WarpTaskCosts& table) : table_(table) {}
    double of_integer(std::string_view instruction) const { return find(instruction).int_register.value; }
    double of_float(std::string_view instruction) const { return find(instruction).float_register.value; }
    bool complete() const {
        return std::all_of(needed.begin(), needed.end(), [&](std::string_view name) {
            return std::any_of(table_.instructions.begin(), table_.instructions.end(),
                               [&](const InstructionCost& cost) { return cost.instruction == name; });
        });
    }
    static constexpr std::array<std::string_view, 5> needed{"add", "mul", "and", "max", "not"};

private:
    const InstructionCost& find(std::string_view instruction) const {
        return *std::find_if(table_.instructions.begin(), table_.instructions.end(),
                             [&](const InstructionCost& cost) { return cost.instruction == instruction; });
    }
    const WarpTaskCosts& table_;
};

/// Cycles of a warp's computation instructions. Additions, multiplications and multiply-adds in fp32 cost the same. An
/// integer instruction of unknown kind counts as an addition, a shift as logic, and what is in no row of the table
/// (moves, branches, accesses to shared memory) as `not`, the cheapest.
double computation_cycles(const KernelMetrics& m, const WarpProgram& warp, const Costs& costs) {
    const double counted = warp.instructions > 0 ? m.warp_inst->value / warp.instructions : 1;  // warps
    const double lanes = m.thread_inst ? std::clamp(m.thread_inst->value / (threads_per_warp * m.warp_inst->value),
                                                    1.0 / threads_per_warp, 1.0)
                                       : 1;
    const auto per_warp = [&](const auto& counter) { return or_0(counter) / threads_per_warp / lanes / counted; };
    const double fp32 = per_warp(m.thread_inst_fp32);
    const double integer = per_warp(m.thread_inst_integer);
    const double multiply = std::min(per_warp(m.thread_inst_integer_multiply), integer);
    const double logic =
        std::min(per_warp(m.thread_inst_integer_logic) + per_warp(m.thread_inst_integer_shift), integer - multiply);
    const double compare = std::min(per_warp(m.thread_inst_integer_compare), integer - multiply - logic);
    const double other = std::max(warp.computation() - fp32 - integer, 0.0);
    return fp32 * (costs.of_float("add") + costs.of_float("mul")) / 2 + multiply * costs.of_integer("mul") +
           logic * costs.of_integer("and") + compare * costs.of_integer("max") +
           (integer - multiply - logic - compare) * costs.of_integer("add") + other * costs.of_integer("not");
}

std::variant<Applied, Inapplicable> apply(const ModelInput& input) {
    const Gpu& gpu = input.target;
    const KernelMetrics& m = input.kernel.metrics;
    if (!gpu.mpd_cpd) return lacks(gpu, "table of instruction costs (mpd_cpd)");
    const Costs costs(*gpu.mpd_cpd);
    if (!costs.complete()) {
        return Inapplicable{fmt::format("{}: its table of instruction costs lacks one of {}", gpu.name,
                                        fmt::join(Costs::needed, ", "))};
    }
    const auto program = warp_program(input.kernel);
    if (const auto* no = std::get_if<Inapplicable>(&program)) return *no;
    const auto& warp = std::get<WarpProgram>(program);
    if (!m.thread_inst_fp32) return Inapplicable{"the profile lacks the counter thread_inst_fp32"};
    if (!m.thread_inst_integer) return Inapplicable{"the profile lacks the counter thread_inst_integer"};
    if (or_0(m.thread_inst_fp64) > 0) {
        return Inapplicable{fmt::format("{}: its table of instruction costs has no fp64", gpu.name)};
    }
    const auto resident = residency(input, warp);
    if (const auto* no = std::get_if<Inapplicable>(&resident)) return *no;
    const auto& r = std::get<Residency>(resident);
    if (!gpu.core_clock) return lacks(gpu, "core_clock_hz");
    if (!gpu.dram_bandwidth_peak) return lacks(gpu, "dram_bandwidth_peak_byte_per_s");
    if (!gpu.max_warps_per_sm) return lacks(gpu, "max_warps_per_sm");

    Applied a;
    a.clock_hz = gpu.core_clock->value.value;
    a.rounds = std::max(r.rounds, 1.0);
    const auto& empirical = *gpu.mpd_cpd;
    a.machine = {r.active_sms,
                 static_cast<double>(gpu.max_warps_per_sm->value),
                 gpu.dram_bandwidth_peak->value.value / a.clock_hz,
                 empirical.memory_access.value,
                 empirical.cpd_a,
                 empirical.cpd_b,
                 empirical.cpd_c,
                 empirical.cpd_d};
    a.computation = computation_cycles(m, warp, costs);
    a.memory = warp.memory() * empirical.memory_access.value;
    // Runs were counted, or every memory instruction is one.
    const double warps = m.warp_inst->value / warp.instructions;
    a.memory_tasks = m.warp_memory_task ? std::min(m.warp_memory_task->value / warps, warp.memory()) : warp.memory();
    if (a.memory_tasks > 0) {
        // The first period has nothing before it to wait for.
        CalculatePeriod period{a.computation / a.memory_tasks, a.memory / a.memory_tasks, 1};
        period.count = std::min(a.memory_tasks, 1.0);
        a.periods.push_back(period);
        period.count = a.memory_tasks - period.count;
        if (period.count > 0) a.periods.push_back(period);
    } else {
        a.periods.push_back({a.computation, 0, 1});
    }
    a.kernel = {r.active_warps, warp.bytes_per_access, std::max(warp.transactions_per_access(), 1.0), {}};
    return a;
}

MpdCpd result_of(const Applied& a) {
    MpdCpdKernel kernel = a.kernel;
    kernel.periods = a.periods;
    return mpd_cpd(kernel, a.machine);
}

Outcome predict(const ModelInput& input) {
    const auto applied = apply(input);
    if (const auto* no = std::get_if<Inapplicable>(&applied)) return *no;
    const auto& a = std::get<Applied>(applied);
    const MpdCpd result = result_of(a);
    Prediction p;
    p.duration = Seconds{static_cast<double>(input.kernel.launches) * result.cycles * a.rounds / a.clock_hz};
    p.limiter = a.computation >= a.memory ? Limiter::compute : Limiter::memory;
    p.bounds.push_back({p.limiter, p.duration});
    add_warnings(p, input.kernel, input.target);
    return p;
}

}  // namespace

int period_type(const CalculatePeriod& previous, const CalculatePeriod& period) {
    const bool waits_before = previous.computation < previous.memory;
    const bool waits = period.computation < period.memory;
    return 1 + (waits ? 1 : 0) + (waits_before ? 2 : 0);
}

double period_cycles(const CalculatePeriod& previous, const CalculatePeriod& period, double active_warps, double mpd,
                     double cpd) {
    const int type = period_type(previous, period);
    const double others = (active_warps - 1) * period.computation;
    const double computation = std::ceil(active_warps * period.computation / cpd);  // (6)
    const double before =                                                           // (10), (12)
        type >= 3 ? std::max(previous.memory * std::floor(active_warps / mpd - 1) - others, 0.0) : 0;
    const double current =  // (8), (13)
        type % 2 == 0 ? std::max(period.memory - (others + before), 0.0) : 0;
    return computation + before + current;
}

MpdCpd mpd_cpd(const MpdCpdKernel& k, const MpdCpdMachine& g) {
    MpdCpd r;
    r.warp_bandwidth_byte_per_cycle = k.bytes_per_access / (k.transactions_per_access * g.memory_access);
    r.mpd = std::max(1.0, std::min(k.active_warps,
                                   std::floor(g.bandwidth_byte_per_cycle / (g.sms * r.warp_bandwidth_byte_per_cycle))));
    double computation = 0, memory = 0;
    for (const auto& period : k.periods) {
        computation += period.count * period.computation;
        memory += period.count * period.memory;
    }
    r.proportion = computation + memory > 0 ? computation / (computation + memory) : 1;
    const double n = g.d * (r.proportion - g.c) * (r.proportion - g.c);  // (5)
    const double span = g.max_warps - 1;
    const double below = k.active_warps - g.max_warps;
    r.cpd1 = (g.c - r.proportion) * (k.active_warps - g.b) + g.a;
    r.cpd2 = n / span * std::sqrt(std::max(span * span - below * below, 0.0)) + g.a;
    r.cpd = std::max(1.0, r.proportion <= g.c ? std::min(r.cpd1, r.cpd2) : r.cpd2);
    CalculatePeriod previous;
    for (const auto& period : k.periods) {
        r.cycles += period.count * period_cycles(previous, period, k.active_warps, r.mpd, r.cpd);
        r.periods_of_type[period_type(previous, period) - 1] += period.count;
        previous = period;
    }
    return r;
}

Outcome predict_mpd_cpd(const ModelInput& input) {
    return with_reference_time(input, predict);
}

Explanation explain_mpd_cpd(const ModelInput& input) {
    const auto applied = apply(input);
    const auto* const a = std::get_if<Applied>(&applied);
    if (!a) return {};
    const MpdCpd r = result_of(*a);
    Explanation steps{
        {"N_act", "occupancy", a->kernel.active_warps, "", ""},
        {"N_sm", "", a->machine.sms, "", ""},
        {"t_mem", "", a->machine.memory_access, "cycle", "table 1"},
        {"N_trans", "", a->kernel.transactions_per_access, "", ""},
        {"D_mem N_thread", "", a->kernel.bytes_per_access, "byte", ""},
        {"Warp_bwt", "N_thread D_mem / (N_trans t_mem)", r.warp_bandwidth_byte_per_cycle, "byte/cycle", "(1)"},
        {"MPD", "max(1, min(N_act, floor(GPU_bwt / (N_sm Warp_bwt))))", r.mpd, "", "(2)"},
        {"C", "costs of the computation instructions", a->computation, "cycle", ""},
        {"M", "costs of the memory instructions", a->memory, "cycle", ""},
        {"P", "C / (C + M)", r.proportion, "", ""},
        {"CPD1", "(c - P) (N_act - b) + a", r.cpd1, "", "(3)"},
        {"CPD2", "n / (m - 1) sqrt((m - 1)^2 - (N_act - m)^2) + a, n = d (P - c)^2", r.cpd2, "", "(4), (5)"},
        {"CPD", r.proportion <= a->machine.c ? "max(1, min(CPD1, CPD2))" : "max(1, CPD2)", r.cpd, "", ""},
    };
    for (int type = 1; type <= 4; ++type) {
        const double periods = r.periods_of_type[type - 1];
        if (periods > 0) steps.push_back({fmt::format("periods of type {}", type), "", periods, "", ""});
    }
    steps.push_back({"T", "sum of the periods", r.cycles, "cycle", "(6)-(13)"});
    steps.push_back({"rounds", "blocks / (active blocks x SMs)", a->rounds, "", ""});
    return steps;
}

}  // namespace gpuproj
