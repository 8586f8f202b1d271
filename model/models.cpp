#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/calibrated.hpp"
#include "model/error.hpp"
#include "model/model.hpp"
#include "model/mpd_cpd.hpp"
#include "model/mwp_cwp.hpp"
#include "model/near_names.hpp"
#include "model/quantitative_roofline.hpp"
#include "model/roofline.hpp"
#include "model/simt_cache.hpp"

namespace gpuproj {

namespace {
using std::string_view_literals::operator""sv;
using Key = std::string_view;

/// Values that all models follow, and those of which the number of resident blocks is made.
constexpr std::array clocks{"core_clock_hz"sv, "memory_clock_hz"sv};
constexpr std::array occupancy{"sm_count"sv,         "shared_size_byte"sv,  "shared_per_block_byte"sv,
                               "max_warps_per_sm"sv, "max_blocks_per_sm"sv, "registers_per_sm"sv};
template <std::size_t... N>
constexpr auto together(const std::array<Key, N>&... lists) {
    std::array<Key, (N + ...)> all;
    auto to = all.begin();
    ((to = std::copy(lists.begin(), lists.end(), to)), ...);
    return all;
}

constexpr auto calibrated_reads = together(clocks, occupancy,
                                           std::array{"fp32_op_per_s"sv,
                                                      "fp64_op_per_s"sv,
                                                      "int_mad_op_per_s"sv,
                                                      "int_add_op_per_s"sv,
                                                      "fp16_op_per_s"sv,
                                                      "special_op_per_s"sv,
                                                      "tensor_fp16_op_per_s"sv,
                                                      "tensor_bf16_op_per_s"sv,
                                                      "tensor_tf32_op_per_s"sv,
                                                      "tensor_fp64_op_per_s"sv,
                                                      "tensor_fp8_op_per_s"sv,
                                                      "tensor_int8_op_per_s"sv,
                                                      "dram_bandwidth_byte_per_s"sv,
                                                      "dram_bandwidth_peak_byte_per_s"sv,
                                                      "shared_inst_per_s"sv,
                                                      "l1_bandwidth_byte_per_s"sv,
                                                      "l2_bandwidth_byte_per_s"sv,
                                                      "l1_latency_cycle"sv,
                                                      "l2_latency_cycle"sv,
                                                      "dram_latency_cycle"sv,
                                                      "shared_latency_cycle"sv,
                                                      "fp32_peak_op_per_s"sv,
                                                      "fp64_peak_op_per_s"sv,
                                                      "fp16_peak_op_per_s"sv,
                                                      "lanes_per_sm"sv,
                                                      "schedulers_per_sm"sv,
                                                      "l1_size_byte"sv,
                                                      "l2_size_byte"sv});
constexpr auto quantitative_roofline_reads =
    together(clocks, std::array{"fp32_op_per_s"sv, "fp64_op_per_s"sv, "int_mad_op_per_s"sv, "int_add_op_per_s"sv,
                                "dram_bandwidth_byte_per_s"sv, "shared_inst_per_s"sv});
constexpr auto roofline_reads =
    together(clocks, std::array{"fp32_peak_op_per_s"sv, "fp64_peak_op_per_s"sv, "dram_bandwidth_peak_byte_per_s"sv});
constexpr auto mwp_cwp_reads =
    together(clocks, occupancy,
             std::array{"dram_bandwidth_peak_byte_per_s"sv, "dram_latency_cycle"sv, "departure_delay_coalesced_cycle"sv,
                        "departure_delay_uncoalesced_cycle"sv, "lanes_per_sm"sv, "schedulers_per_sm"sv});
constexpr auto mpd_cpd_reads = together(clocks, occupancy, std::array{"dram_bandwidth_peak_byte_per_s"sv});
constexpr auto simt_cache_reads = together(
    clocks, occupancy,
    std::array{"fp64_op_per_s"sv, "dram_bandwidth_byte_per_s"sv, "shared_inst_per_s"sv, "l2_bandwidth_byte_per_s"sv,
               "l2_latency_cycle"sv, "dram_latency_cycle"sv, "shared_latency_cycle"sv, "lanes_per_sm"sv});

// The same of counters.
constexpr std::array instructions{"warp_inst"sv, "thread_inst_fp32"sv, "thread_inst_fp64"sv, "thread_inst_integer"sv,
                                  "thread_inst_load_store"sv};
constexpr std::array shared{"warp_inst_shared_load"sv, "warp_inst_shared_store"sv, "shared_wavefront"sv};
constexpr std::array fma{"thread_inst_fp32_fma"sv, "thread_inst_fp64_fma"sv};
constexpr std::array dram{"dram_read_sector"sv, "dram_write_sector"sv};
constexpr std::array warps_accesses{"thread_inst"sv,        "warp_inst_global_load"sv, "warp_inst_global_store"sv,
                                    "warp_inst_local"sv,    "warp_inst_atomic"sv,      "warp_inst_uncoalesced"sv,
                                    "uncoalesced_sector"sv, "global_load_sector"sv,    "global_store_sector"sv,
                                    "l2_read_sector"sv,     "l2_write_sector"sv};
constexpr std::array warp_programs{"warp_inst_barrier"sv, "warp_inst_coalesced"sv, "global_load_requested_byte"sv,
                                   "global_store_requested_byte"sv};
constexpr auto calibrated_reads_counters = together(instructions, fma, dram, shared, warps_accesses,
                                                    std::array{"thread_inst_fp16"sv,
                                                               "fp32_op"sv,
                                                               "fp64_op"sv,
                                                               "thread_inst_special"sv,
                                                               "thread_inst_conversion"sv,
                                                               "thread_inst_control"sv,
                                                               "thread_inst_bit"sv,
                                                               "thread_inst_misc"sv,
                                                               "thread_inst_communication"sv,
                                                               "thread_inst_integer_multiply"sv,
                                                               "thread_inst_integer_shift"sv,
                                                               "tensor_fp16_op"sv,
                                                               "tensor_bf16_op"sv,
                                                               "tensor_tf32_op"sv,
                                                               "tensor_fp64_op"sv,
                                                               "tensor_int8_op"sv,
                                                               "tensor_fp8_op"sv,
                                                               "tensor_int4_op"sv,
                                                               "tensor_int1_op"sv,
                                                               "warp_inst_tensor"sv,
                                                               "warp_inst_special"sv,
                                                               "thread_atomic_hottest"sv,
                                                               "warp_inst_texture"sv,
                                                               "global_line"sv,
                                                               "uncoalesced_line"sv,
                                                               "global_load_transaction"sv,
                                                               "global_store_transaction"sv,
                                                               "l1_hit_sector"sv,
                                                               "achieved_occupancy"sv,
                                                               "dram_read_page_share"sv,
                                                               "dram_write_page_share"sv,
                                                               "warp_balance"sv,
                                                               "load_parallelism"sv});
constexpr auto quantitative_roofline_reads_counters = together(instructions, fma, dram);
constexpr auto roofline_reads_counters = together(dram, fma, std::array{"thread_inst_fp32"sv, "thread_inst_fp64"sv});
constexpr auto mwp_cwp_reads_counters =
    together(warps_accesses, warp_programs, shared, std::array{"warp_inst"sv, "thread_inst_load_store"sv});
constexpr auto mpd_cpd_reads_counters =
    together(warps_accesses, warp_programs, instructions, shared,
             std::array{"thread_inst_integer_multiply"sv, "thread_inst_integer_shift"sv, "thread_inst_integer_logic"sv,
                        "thread_inst_integer_compare"sv, "warp_memory_task"sv});
constexpr auto simt_cache_reads_counters =
    together(dram, std::array{"warp_inst"sv, "thread_inst_fp32"sv, "thread_inst_fp64"sv, "thread_inst_integer"sv,
                              "thread_inst"sv, "thread_inst_conversion"sv, "warp_inst_shared_load"sv,
                              "warp_inst_shared_store"sv, "warp_inst_texture"sv, "shared_wavefront"sv,
                              "global_load_sector"sv, "l2_read_sector"sv, "l2_write_sector"sv, "achieved_occupancy"sv});

constexpr std::array table{
    Model{"calibrated", "The time of every resource that a kernel uses, combined, with an interval",
          "docs/calibrated.md",
          "instruction counts by type, DRAM sectors, the reference GPU's parameters; better with grid and block, L2 "
          "sectors, shared-memory passes, global accesses, registers, achieved occupancy, reference time",
          predict_calibrated, prepare_calibrated, explain_calibrated, prepare_calibrated_estimates, calibrated_reads,
          calibrated_reads_counters, calibrated_follows},
    Model{.name = "quantitative-roofline",
          .title = "Roofline whose compute ceiling is lowered by the kernel's instruction mix",
          .source = "Konstantinidis 2017, chapters 4 and 5",
          .needs = "instruction counts by type, loads and stores, DRAM sectors; fp32, fp64, int, shared-memory rates, "
                   "bandwidth",
          .predict = predict_quantitative_roofline,
          .reads = quantitative_roofline_reads,
          .reads_counters = quantitative_roofline_reads_counters},
    Model{.name = "roofline",
          .title = "Roofline on datasheet peaks",
          .source = "Konstantinidis 2017, (2.1)-(2.3), after Williams et al. 2009",
          .needs = "floating-point instructions and multiply-adds, DRAM sectors; datasheet peaks and bandwidth",
          .predict = predict_roofline,
          .reads = roofline_reads,
          .reads_counters = roofline_reads_counters},
    Model{.name = "mwp-cwp",
          .title = "Memory and computation warp parallelism: how many warps overlap their memory accesses",
          .source = "Hong & Kim, ISCA 2009",
          .needs = "grid and block, warp instructions, global accesses and their sectors, barriers; occupancy limits, "
                   "DRAM latency, departure delays, datasheet bandwidth",
          .predict = predict_mwp_cwp,
          .explain = explain_mwp_cwp,
          .reads = mwp_cwp_reads,
          .reads_counters = mwp_cwp_reads_counters},
    Model{.name = "mpd-cpd",
          .title = "Memory and computation parallel degree of alternating tasks",
          .source = "Luo & Suda 2011",
          .needs = "as mwp-cwp, and fp32 and integer instructions; a table of instruction costs, which the GeForce GTX "
                   "260 has",
          .predict = predict_mpd_cpd,
          .explain = explain_mpd_cpd,
          .reads = mpd_cpd_reads,
          .reads_counters = mpd_cpd_reads_counters},
    Model{.name = "simt-cache",
          .title = "Rounds of warps on a multiprocessor, its memory queues and latencies, with L2 hits",
          .source = "Zhang 2024, after Wang & Chu, TPDS 2020",
          .needs = "grid and block, warp instructions, L2 and DRAM sectors, shared-memory passes; better with achieved "
                   "occupancy, fp64 instructions; rates, bandwidths and latencies",
          .predict = predict_simt_cache,
          .explain = explain_simt_cache,
          .reads = simt_cache_reads,
          .reads_counters = simt_cache_reads_counters},
};
}  // namespace

std::span<const Model> models() {
    return table;
}

const Model& find_model(std::string_view name) {
    std::vector<std::string> names;
    for (const Model& model : table) {
        if (model.name == name) return model;
        names.emplace_back(model.name);
    }
    throw UsageError(fmt::format("unknown model '{}'{}; the models are {}", name, did_you_mean(name, names),
                                 fmt::join(names, ", ")));
}

}  // namespace gpuproj
