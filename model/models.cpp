#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
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
using Key = std::string_view;
constexpr std::array calibrated_reads{Key{"fp32_op_per_s"},
                                      Key{"fp64_op_per_s"},
                                      Key{"int_mad_op_per_s"},
                                      Key{"int_add_op_per_s"},
                                      Key{"fp16_op_per_s"},
                                      Key{"special_op_per_s"},
                                      Key{"tensor_fp16_op_per_s"},
                                      Key{"tensor_bf16_op_per_s"},
                                      Key{"tensor_tf32_op_per_s"},
                                      Key{"tensor_fp64_op_per_s"},
                                      Key{"tensor_fp8_op_per_s"},
                                      Key{"tensor_int8_op_per_s"},
                                      Key{"dram_bandwidth_byte_per_s"},
                                      Key{"dram_bandwidth_peak_byte_per_s"},
                                      Key{"shared_inst_per_s"},
                                      Key{"l1_bandwidth_byte_per_s"},
                                      Key{"l2_bandwidth_byte_per_s"},
                                      Key{"l1_latency_cycle"},
                                      Key{"l2_latency_cycle"},
                                      Key{"dram_latency_cycle"},
                                      Key{"shared_latency_cycle"},
                                      Key{"fp32_peak_op_per_s"},
                                      Key{"fp64_peak_op_per_s"},
                                      Key{"fp16_peak_op_per_s"},
                                      Key{"sm_count"},
                                      Key{"lanes_per_sm"},
                                      Key{"schedulers_per_sm"},
                                      Key{"core_clock_hz"},
                                      Key{"memory_clock_hz"},
                                      Key{"l1_size_byte"},
                                      Key{"l2_size_byte"},
                                      Key{"shared_size_byte"},
                                      Key{"shared_per_block_byte"},
                                      Key{"max_warps_per_sm"},
                                      Key{"max_blocks_per_sm"},
                                      Key{"registers_per_sm"}};
constexpr std::array quantitative_roofline_reads{Key{"fp32_op_per_s"},
                                                 Key{"fp64_op_per_s"},
                                                 Key{"int_mad_op_per_s"},
                                                 Key{"int_add_op_per_s"},
                                                 Key{"dram_bandwidth_byte_per_s"},
                                                 Key{"shared_inst_per_s"},
                                                 Key{"core_clock_hz"},
                                                 Key{"memory_clock_hz"}};
constexpr std::array roofline_reads{Key{"fp32_peak_op_per_s"}, Key{"fp64_peak_op_per_s"},
                                    Key{"dram_bandwidth_peak_byte_per_s"}, Key{"core_clock_hz"},
                                    Key{"memory_clock_hz"}};
constexpr std::array mwp_cwp_reads{Key{"dram_bandwidth_peak_byte_per_s"},
                                   Key{"dram_latency_cycle"},
                                   Key{"departure_delay_coalesced_cycle"},
                                   Key{"departure_delay_uncoalesced_cycle"},
                                   Key{"sm_count"},
                                   Key{"lanes_per_sm"},
                                   Key{"schedulers_per_sm"},
                                   Key{"core_clock_hz"},
                                   Key{"memory_clock_hz"},
                                   Key{"shared_size_byte"},
                                   Key{"shared_per_block_byte"},
                                   Key{"max_warps_per_sm"},
                                   Key{"max_blocks_per_sm"},
                                   Key{"registers_per_sm"}};
constexpr std::array mpd_cpd_reads{Key{"dram_bandwidth_peak_byte_per_s"},
                                   Key{"sm_count"},
                                   Key{"core_clock_hz"},
                                   Key{"memory_clock_hz"},
                                   Key{"shared_size_byte"},
                                   Key{"shared_per_block_byte"},
                                   Key{"max_warps_per_sm"},
                                   Key{"max_blocks_per_sm"},
                                   Key{"registers_per_sm"}};
constexpr std::array simt_cache_reads{Key{"fp64_op_per_s"},         Key{"dram_bandwidth_byte_per_s"},
                                      Key{"shared_inst_per_s"},     Key{"l2_bandwidth_byte_per_s"},
                                      Key{"l2_latency_cycle"},      Key{"dram_latency_cycle"},
                                      Key{"shared_latency_cycle"},  Key{"sm_count"},
                                      Key{"lanes_per_sm"},          Key{"core_clock_hz"},
                                      Key{"memory_clock_hz"},       Key{"shared_size_byte"},
                                      Key{"shared_per_block_byte"}, Key{"max_warps_per_sm"},
                                      Key{"max_blocks_per_sm"},     Key{"registers_per_sm"}};

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
