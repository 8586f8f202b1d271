// What one warp of a kernel does, for the models that follow warps through a multiprocessor.
#pragma once

#include <cstdint>
#include <variant>

#include "model/model.hpp"
#include "model/prediction.hpp"
#include "model/profile.hpp"

namespace gpuproj {

/// Dynamic counts of a mean warp of one launch. Memory instructions are accesses to global (and local) memory; accesses
/// to shared memory count as computation (Hong & Kim 2009, section 3.6).
struct WarpProgram {
    double blocks = 0, threads_per_block = 0, warps_per_block = 0;
    double instructions = 0;                  // all
    double coalesced = 0, uncoalesced = 0;    // memory instructions
    double transactions_per_uncoalesced = 1;  // sectors that one of them needs, 1 to 32
    double bytes_per_access = 128;            // that the program asked for, per memory instruction of a warp
    double barriers = 0;

    double memory() const { return coalesced + uncoalesced; }
    double computation() const { return instructions - memory(); }
    double transactions_per_access() const {
        return memory() > 0 ? (coalesced + uncoalesced * transactions_per_uncoalesced) / memory() : 0;
    }
};

/// From the counters. Memory instructions that were not counted are the loads and stores less those to shared memory;
/// where coalesced and uncoalesced ones were not told apart, all are taken for what their sectors (at L2, if they were
/// not counted before it) show of them on the whole, as Hong & Kim do in section 4.3. Inapplicable where this leaves
/// them open, without the launch configuration or the instruction count; the reason names the counter.
std::variant<WarpProgram, Inapplicable> warp_program(const KernelRecord& kernel);

/// What one multiprocessor of a GPU holds of a kernel at a time.
struct Residency {
    double active_blocks = 1;  // at most what the SM has room for, and what there is
    double active_warps = 1;
    double active_sms = 1;  // those that have a block
    double rounds = 1;      // blocks / (active blocks x active SMs), (21) of Hong & Kim
};

/// By the target's occupancy rules, from threads, registers (unknown: no limit) and shared memory. Inapplicable for a
/// GPU without them, or if not even one block fits.
std::variant<Residency, Inapplicable> residency(const ModelInput& input, const WarpProgram& warp);

}  // namespace gpuproj
