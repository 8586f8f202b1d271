// Memory and computation warp parallelism: Hong & Kim, "An analytical model for a GPU architecture with memory-level
// and thread-level parallelism awareness", ISCA 2009. Equation numbers are the paper's.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/explanation.hpp"
#include "model/model.hpp"

namespace gpuproj {

/// Table 1, rows 1 to 7 and 10. Latencies and delays in cycles.
struct MwpCwpMachine {
    double active_sms = 0;
    double clock_hz = 0;
    double bandwidth_byte_per_s = 0;
    double memory_latency = 0;         // Mem_LD
    double departure_uncoalesced = 0;  // Departure_del_uncoal
    double departure_coalesced = 0;    // Departure_del_coal
    double issue_cycles = 4;           // per warp instruction
};

/// Table 1, rows 8 to 21. Counts are those of one warp.
struct MwpCwpKernel {
    double blocks = 0;
    double active_blocks = 0;  // per SM
    double warps_per_block = 0;
    double computation = 0;                   // #Comp_insts
    double coalesced = 0, uncoalesced = 0;    // #Coal_Mem_insts, #Uncoal_Mem_insts
    double transactions_per_uncoalesced = 0;  // #Uncoal_per_mw
    double bytes_per_warp = 128;              // Load_bytes_per_warp
    double barriers = 0;                      // #synch_insts
};

/// Which of the three cases a kernel is.
enum class WarpCase : std::uint8_t {
    few_warps,  // (22)
    memory,     // (23)
    compute     // (24)
};

/// Every intermediate value of table 2.
struct MwpCwp {
    double n = 0;                                           // (20), active warps per SM
    double weight_uncoalesced = 0, weight_coalesced = 0;    // (13), (14)
    double latency_uncoalesced = 0, latency_coalesced = 0;  // (10), (11)
    double latency = 0;                                     // Mem_L, (12)
    double departure_delay = 0;                             // (15)
    double mwp_without_bandwidth = 0;                       // (16)
    double bandwidth_per_warp_byte_per_s = 0;               // (7)
    double mwp_peak_bandwidth = 0;                          // (6)
    double mwp = 0;                                         // (5)
    double memory_cycles = 0, computation_cycles = 0;       // (18), (19)
    double cwp_full = 0, cwp = 0;                           // (8), (9)
    double rounds = 0;                                      // #Rep, (21)
    WarpCase which = WarpCase::compute;
    double execution_cycles = 0;        // (22), (23) or (24)
    double synchronization_cycles = 0;  // (26)
    double cycles = 0;                  // (27)
    double cycles_per_instruction = 0;  // (25), of a warp instruction
};

/// The equations. As section 3.2.2 (case 5) has it, a kernel whose computation takes longer than its memory accesses is
/// bound by computation, although it stands on the line of (23) in print. Without memory instructions, where (13) and
/// (14) divide by zero, the time is Comp_cycles N Rep.
MwpCwp mwp_cwp(const MwpCwpKernel& kernel, const MwpCwpMachine& machine);

/// Every launch takes (27) over the clock. N comes from the occupancy of the target. On compute capability 1.0 and 1.1
/// an uncoalesced access is 32 transactions (section 3.4.5). Inapplicable if a counter or a parameter of the GPU is
/// missing, named in the reason.
Outcome predict_mwp_cwp(const ModelInput& input);
Explanation explain_mwp_cwp(const ModelInput& input);

}  // namespace gpuproj
