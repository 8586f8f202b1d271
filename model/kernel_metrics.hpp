// What was counted for one kernel: the input of every model. Unknown is absent, never 0.
#pragma once

#include <tuple>

#include "model/field.hpp"
#include "model/maybe.hpp"
#include "model/quantity.hpp"

namespace gpuproj {

/// Counters SUMMED over all launches of one record. `thread_*` counts are per thread and exclude predicated-off
/// threads; `warp_*` counts are per warp, whatever its active lanes. Names of the same counters in vendor tools are
/// in collector/metric_names. The first nine are those of Konstantinidis 2017, table 4.2.
struct KernelMetrics {
    // The thesis' nine.
    Maybe<Instructions> thread_inst_fp32_fma;
    Maybe<Instructions> thread_inst_fp64_fma;
    Maybe<Instructions> thread_inst_load_store;
    Maybe<Instructions> warp_inst;
    Maybe<Instructions> thread_inst_fp32;
    Maybe<Instructions> thread_inst_fp64;
    Maybe<Instructions> thread_inst_integer;
    Maybe<Sectors> dram_read;
    Maybe<Sectors> dram_write;

    // The rest of the instruction mix.
    Maybe<Instructions> thread_inst;
    Maybe<Instructions> thread_inst_fp16;
    Maybe<Instructions> thread_inst_fp16_fma;
    Maybe<Operations> fp32_op;  // where only operations were counted, or comparisons are to be told apart
    Maybe<Operations> fp64_op;
    Maybe<Instructions> thread_inst_special;
    Maybe<Instructions> thread_inst_conversion;
    Maybe<Instructions> thread_inst_control;
    Maybe<Instructions> thread_inst_bit;
    Maybe<Instructions> thread_inst_misc;
    Maybe<Instructions> thread_inst_communication;
    Maybe<Instructions> thread_inst_integer_add;
    Maybe<Instructions> thread_inst_integer_multiply;
    Maybe<Instructions> thread_inst_integer_shift;
    Maybe<Instructions> thread_inst_integer_logic;
    Maybe<Instructions> thread_inst_integer_compare;
    Maybe<Operations> tensor_fp16;
    Maybe<Operations> tensor_bf16;
    Maybe<Operations> tensor_tf32;
    Maybe<Operations> tensor_fp64;
    Maybe<Operations> tensor_int8;
    Maybe<Operations> tensor_fp8;
    Maybe<Operations> tensor_int4;
    Maybe<Operations> tensor_int1;
    Maybe<Instructions> warp_inst_tensor;
    Maybe<Instructions> warp_inst_special;
    Maybe<Instructions> warp_inst_branch;
    Maybe<Instructions> warp_inst_branch_divergent;
    Maybe<Instructions> warp_inst_barrier;
    Maybe<Instructions> warp_inst_global_load;
    Maybe<Instructions> warp_inst_global_store;
    Maybe<Instructions> warp_inst_local;
    Maybe<Instructions> warp_inst_atomic;
    Maybe<Instructions> thread_atomic_hottest;
    Maybe<Instructions> warp_inst_shared_load;
    Maybe<Instructions> warp_inst_shared_store;
    Maybe<Instructions> warp_inst_constant;
    Maybe<Instructions> warp_inst_texture;
    Maybe<Instructions> warp_memory_task;
    Maybe<Instructions> thread_inst_global_load;
    Maybe<Instructions> thread_inst_global_store;
    Maybe<Instructions> warp_inst_coalesced;
    Maybe<Instructions> warp_inst_uncoalesced;

    // The memory hierarchy.
    Maybe<Instructions> global_line;
    Maybe<Instructions> uncoalesced_line;
    Maybe<Instructions> shared_wavefront;
    Maybe<Instructions> shared_bank_conflict;
    Maybe<Instructions> constant_replay;
    Maybe<Sectors> global_load;
    Maybe<Sectors> global_store;
    Maybe<Instructions> global_load_transaction;  // nvprof's units, where sectors were not counted
    Maybe<Instructions> global_store_transaction;
    Maybe<Bytes> global_load_requested;
    Maybe<Bytes> global_store_requested;
    Maybe<Sectors> uncoalesced;
    Maybe<Sectors> l1_hit;
    Maybe<Sectors> l2_read;
    Maybe<Sectors> l2_write;

    // Fractions, averaged over launches; not summed.
    Maybe<double> achieved_occupancy;
    Maybe<double> dram_channel_balance;
    Maybe<double> dram_read_page_share;
    Maybe<double> dram_write_page_share;
    Maybe<double> warp_balance;
    Maybe<double> load_parallelism;
    Maybe<double> compute_utilization;
    Maybe<double> load_store_utilization;
    Maybe<double> shared_utilization;
    Maybe<double> l1_utilization;
    Maybe<double> l2_utilization;
    Maybe<double> dram_utilization;

    static constexpr auto fields = std::tuple{
        Field{"thread_inst_fp32_fma", &KernelMetrics::thread_inst_fp32_fma, "fp32 multiply-adds (M_fma32)"},
        Field{"thread_inst_fp64_fma", &KernelMetrics::thread_inst_fp64_fma, "fp64 multiply-adds (M_fma64)"},
        Field{"thread_inst_load_store", &KernelMetrics::thread_inst_load_store, "load and store instructions (M_ldst)"},
        Field{"warp_inst", &KernelMetrics::warp_inst, "instructions executed per warp (M_inst)"},
        Field{"thread_inst_fp32", &KernelMetrics::thread_inst_fp32, "fp32 instructions (M_fp32)"},
        Field{"thread_inst_fp64", &KernelMetrics::thread_inst_fp64, "fp64 instructions (M_fp64)"},
        Field{"thread_inst_integer", &KernelMetrics::thread_inst_integer, "integer instructions (M_int)"},
        Field{"dram_read_sector", &KernelMetrics::dram_read, "32-byte sectors read from DRAM (M_r)"},
        Field{"dram_write_sector", &KernelMetrics::dram_write, "32-byte sectors written to DRAM (M_w)"},
        Field{"thread_inst", &KernelMetrics::thread_inst, "all instructions, per thread"},
        Field{"thread_inst_fp16", &KernelMetrics::thread_inst_fp16, "fp16 and bf16 instructions (pairs count 2)"},
        Field{"thread_inst_fp16_fma", &KernelMetrics::thread_inst_fp16_fma,
              "fp16 and bf16 multiply-adds (pairs count 2)"},
        Field{"fp32_op", &KernelMetrics::fp32_op, "fp32 operations, multiply-adds count 2"},
        Field{"fp64_op", &KernelMetrics::fp64_op, "fp64 operations, multiply-adds count 2"},
        Field{"thread_inst_special", &KernelMetrics::thread_inst_special, "special functions"},
        Field{"thread_inst_conversion", &KernelMetrics::thread_inst_conversion, "type conversions"},
        Field{"thread_inst_control", &KernelMetrics::thread_inst_control, "branches, calls, returns"},
        Field{"thread_inst_bit", &KernelMetrics::thread_inst_bit, "bit moves and conversions"},
        Field{"thread_inst_misc", &KernelMetrics::thread_inst_misc, "moves, selects, barriers and the rest"},
        Field{"thread_inst_communication", &KernelMetrics::thread_inst_communication, "shuffles, votes, matches"},
        Field{"thread_inst_integer_add", &KernelMetrics::thread_inst_integer_add, "integer additions"},
        Field{"thread_inst_integer_multiply", &KernelMetrics::thread_inst_integer_multiply,
              "integer multiplications and multiply-adds"},
        Field{"thread_inst_integer_shift", &KernelMetrics::thread_inst_integer_shift, "integer shifts"},
        Field{"thread_inst_integer_logic", &KernelMetrics::thread_inst_integer_logic, "integer logic"},
        Field{"thread_inst_integer_compare", &KernelMetrics::thread_inst_integer_compare,
              "integer comparisons, minima, maxima"},
        Field{"tensor_fp16_op", &KernelMetrics::tensor_fp16, "tensor operations on fp16"},
        Field{"tensor_bf16_op", &KernelMetrics::tensor_bf16, "tensor operations on bf16"},
        Field{"tensor_tf32_op", &KernelMetrics::tensor_tf32, "tensor operations on tf32"},
        Field{"tensor_fp64_op", &KernelMetrics::tensor_fp64, "tensor operations on fp64"},
        Field{"tensor_int8_op", &KernelMetrics::tensor_int8, "tensor operations on int8"},
        Field{"tensor_fp8_op", &KernelMetrics::tensor_fp8, "tensor operations on fp8, fp6 and fp4"},
        Field{"tensor_int4_op", &KernelMetrics::tensor_int4, "tensor operations on int4"},
        Field{"tensor_int1_op", &KernelMetrics::tensor_int1, "tensor operations on single bits"},
        Field{"warp_inst_tensor", &KernelMetrics::warp_inst_tensor, "tensor instructions per warp"},
        Field{"warp_inst_special", &KernelMetrics::warp_inst_special,
              "instructions of warps on the unit of special functions"},
        Field{"warp_inst_branch", &KernelMetrics::warp_inst_branch, "branches per warp"},
        Field{"warp_inst_branch_divergent", &KernelMetrics::warp_inst_branch_divergent,
              "branches whose lanes disagree"},
        Field{"warp_inst_barrier", &KernelMetrics::warp_inst_barrier, "block-wide barriers per warp"},
        Field{"warp_inst_global_load", &KernelMetrics::warp_inst_global_load, "global loads per warp"},
        Field{"warp_inst_global_store", &KernelMetrics::warp_inst_global_store, "global stores per warp"},
        Field{"warp_inst_local", &KernelMetrics::warp_inst_local, "local loads and stores per warp"},
        Field{"warp_inst_atomic", &KernelMetrics::warp_inst_atomic, "global atomics and reductions per warp"},
        Field{"thread_atomic_hottest", &KernelMetrics::thread_atomic_hottest,
              "atomic operations on the word of global memory that has the most, one after the other"},
        Field{"warp_inst_shared_load", &KernelMetrics::warp_inst_shared_load, "shared loads per warp"},
        Field{"warp_inst_shared_store", &KernelMetrics::warp_inst_shared_store, "shared stores per warp"},
        Field{"warp_inst_constant", &KernelMetrics::warp_inst_constant, "constant loads per warp"},
        Field{"warp_inst_texture", &KernelMetrics::warp_inst_texture, "texture and surface accesses per warp"},
        Field{"warp_memory_task", &KernelMetrics::warp_memory_task,
              "runs of memory instructions per warp, ended by what needs their data (computing runs: one more a warp)"},
        Field{"thread_inst_global_load", &KernelMetrics::thread_inst_global_load, "global loads, per thread"},
        Field{"thread_inst_global_store", &KernelMetrics::thread_inst_global_store,
              "global stores and atomics, per thread"},
        Field{"warp_inst_coalesced", &KernelMetrics::warp_inst_coalesced,
              "global accesses per warp that need no more sectors than their bytes do"},
        Field{"warp_inst_uncoalesced", &KernelMetrics::warp_inst_uncoalesced, "the other global accesses per warp"},
        Field{"global_line", &KernelMetrics::global_line,
              "128-byte lines of global accesses, each access for itself: those that L1 looks up"},
        Field{"uncoalesced_line", &KernelMetrics::uncoalesced_line, "the same of the uncoalesced ones"},
        Field{"shared_wavefront", &KernelMetrics::shared_wavefront, "passes through the shared-memory banks"},
        Field{"shared_bank_conflict", &KernelMetrics::shared_bank_conflict, "passes beyond the least possible"},
        Field{"constant_replay", &KernelMetrics::constant_replay,
              "constant accesses repeated because addresses differ"},
        Field{"global_load_sector", &KernelMetrics::global_load, "sectors asked for by global loads, after coalescing"},
        Field{"global_store_sector", &KernelMetrics::global_store,
              "sectors written by global stores, after coalescing"},
        Field{"global_load_transaction", &KernelMetrics::global_load_transaction,
              "global load transactions of nvprof: 128-byte lines to 3.x, sectors by parts of a warp on 5.x and 6.x"},
        Field{"global_store_transaction", &KernelMetrics::global_store_transaction, "the same of global stores"},
        Field{"global_load_requested_byte", &KernelMetrics::global_load_requested,
              "bytes the program asked for by global loads"},
        Field{"global_store_requested_byte", &KernelMetrics::global_store_requested,
              "bytes the program wrote by global stores"},
        Field{"uncoalesced_sector", &KernelMetrics::uncoalesced, "sectors of the uncoalesced accesses"},
        Field{"l1_hit_sector", &KernelMetrics::l1_hit, "sectors found in L1"},
        Field{"l2_read_sector", &KernelMetrics::l2_read, "sectors read from L2"},
        Field{"l2_write_sector", &KernelMetrics::l2_write, "sectors written to L2"},
        Field{"achieved_occupancy", &KernelMetrics::achieved_occupancy, "mean active warps / most warps per SM (0-1)"},
        Field{"dram_channel_balance", &KernelMetrics::dram_channel_balance,
              "how evenly DRAM channels of 256 bytes are used at any one time (1: evenly)"},
        Field{"dram_read_page_share", &KernelMetrics::dram_read_page_share,
              "how much of a DRAM page of 2 KiB is read at any one time (0-1)"},
        Field{"dram_write_page_share", &KernelMetrics::dram_write_page_share, "the same of writes"},
        Field{"warp_balance", &KernelMetrics::warp_balance,
              "instructions of a warp on the mean, over those of the warp that executes most (1: all the same)"},
        Field{"load_parallelism", &KernelMetrics::load_parallelism,
              "global, local and texture loads of a warp that need none of each other, at a time"},
        Field{"compute_utilization", &KernelMetrics::compute_utilization, "busiest compute pipe, fraction of its peak"},
        Field{"load_store_utilization", &KernelMetrics::load_store_utilization, "load/store units, fraction of peak"},
        Field{"shared_utilization", &KernelMetrics::shared_utilization, "shared memory, fraction of peak"},
        Field{"l1_utilization", &KernelMetrics::l1_utilization, "L1 and texture, fraction of peak"},
        Field{"l2_utilization", &KernelMetrics::l2_utilization, "L2, fraction of peak"},
        Field{"dram_utilization", &KernelMetrics::dram_utilization, "DRAM, fraction of peak"},
    };
};

}  // namespace gpuproj
