// Memory and computation parallel degree: Luo & Suda, "An execution time prediction analytical model for GPU with
// instruction-level and thread-level parallelism awareness", 2011. Equation numbers are the paper's.
#pragma once

#include <cstdint>
#include <span>

#include "model/explanation.hpp"
#include "model/model.hpp"

namespace gpuproj {

/// The GPU's side. Times in cycles.
struct MpdCpdMachine {
    double sms = 0;
    double max_warps = 0;  // m, per SM
    double bandwidth_byte_per_cycle = 0;
    double memory_access = 0;           // t_mem, the cost of one memory instruction
    double a = 0, b = 0, c = 0, d = 0;  // empirical, of (3) to (5)
};

/// A calculate period: a run of computation instructions and the run of memory instructions behind it, in cycles of one
/// warp; `count` such periods follow each other.
struct CalculatePeriod {
    double computation = 0;  // c_i
    double memory = 0;       // m_i
    double count = 1;
};

struct MpdCpdKernel {
    double active_warps = 1;             // N_act
    double bytes_per_access = 128;       // N_thread D_mem
    double transactions_per_access = 1;  // N_trans
    std::span<const CalculatePeriod> periods;
};

/// Type 1 to 4 of a period by whether memory waits in the period before it and in itself (section 3.5). Nothing waits
/// before the first one.
int period_type(const CalculatePeriod& previous, const CalculatePeriod& period);

struct MpdCpd {
    double warp_bandwidth_byte_per_cycle = 0;  // (1)
    double mpd = 1;                            // (2)
    double proportion = 0;                     // P
    double cpd1 = 0, cpd2 = 0;                 // (3), (4)
    double cpd = 1;
    double cycles = 0;               // of one round of active warps: the sum of (6) to (13)
    double periods_of_type[4] = {};  // NOLINT(modernize-avoid-c-arrays): indexed by type - 1
};

/// MPD without N_act in the divisor of (2), which is there in print although MPD is already a number of warps: with the
/// paper's figures of the GTX 260 it would be 0 from 8 warps on, against its figure 8. CPD = min(CPD1, CPD2) where P is
/// at most c, else CPD2: there CPD1 falls below 0 as warps are added, against the text. None of them below 1.
MpdCpd mpd_cpd(const MpdCpdKernel& kernel, const MpdCpdMachine& machine);

/// The time of one period, (6) to (13). In (8) n is N_act; (13) as printed has a maximum of one argument, 0 is the
/// other.
double period_cycles(const CalculatePeriod& previous, const CalculatePeriod& period, double active_warps, double mpd,
                     double cpd);

/// Costs by the GPU's table of instruction costs. Where the runs of memory instructions were not counted every memory
/// instruction is taken for one, with an even share of the computation in front of it. Inapplicable for a GPU without
/// such a table, for fp64 (which is not in it), or without a counter, named in the reason.
Outcome predict_mpd_cpd(const ModelInput& input);
Explanation explain_mpd_cpd(const ModelInput& input);

}  // namespace gpuproj
