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

constexpr std::array table{
    Model{"calibrated", "The time of every resource that a kernel uses, combined, with an interval",
          "docs/calibrated.md",
          "instruction counts by type, DRAM sectors, the reference GPU's parameters; better with grid and block, L2 "
          "sectors, shared-memory passes, global accesses, registers, achieved occupancy, reference time",
          predict_calibrated, prepare_calibrated, explain_calibrated, prepare_calibrated_estimates, calibrated_reads},
    Model{.name = "quantitative-roofline",
          .title = "Roofline whose compute ceiling is lowered by the kernel's instruction mix",
          .source = "Konstantinidis 2017, chapters 4 and 5",
          .needs = "instruction counts by type, loads and stores, DRAM sectors; fp32, fp64, int, shared-memory rates, "
                   "bandwidth",
          .predict = predict_quantitative_roofline,
          .reads = quantitative_roofline_reads},
    Model{.name = "roofline",
          .title = "Roofline on datasheet peaks",
          .source = "Konstantinidis 2017, (2.1)-(2.3), after Williams et al. 2009",
          .needs = "floating-point instructions and multiply-adds, DRAM sectors; datasheet peaks and bandwidth",
          .predict = predict_roofline,
          .reads = roofline_reads},
    Model{.name = "mwp-cwp",
          .title = "Memory and computation warp parallelism: how many warps overlap their memory accesses",
          .source = "Hong & Kim, ISCA 2009",
          .needs = "grid and block, warp instructions, global accesses and their sectors, barriers; occupancy limits, "
                   "DRAM latency, departure delays, datasheet bandwidth",
          .predict = predict_mwp_cwp,
          .explain = explain_mwp_cwp,
          .reads = mwp_cwp_reads},
    Model{.name = "mpd-cpd",
          .title = "Memory and computation parallel degree of alternating tasks",
          .source = "Luo & Suda 2011",
          .needs = "as mwp-cwp, and fp32 and integer instructions; a table of instruction costs, which the GeForce GTX "
                   "260 has",
          .predict = predict_mpd_cpd,
          .explain = explain_mpd_cpd,
          .reads = mpd_cpd_reads},
    Model{.name = "simt-cache",
          .title = "Rounds of warps on a multiprocessor, its memory queues and latencies, with L2 hits",
          .source = "Zhang 2024, after Wang & Chu, TPDS 2020",
          .needs = "grid and block, warp instructions, L2 and DRAM sectors, shared-memory passes; better with achieved "
                   "occupancy, fp64 instructions; rates, bandwidths and latencies",
          .predict = predict_simt_cache,
          .explain = explain_simt_cache,
          .reads = simt_cache_reads},
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
