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
constexpr std::array table{
    Model{"calibrated", "The time of every resource that a kernel uses, combined, with an interval",
          "docs/calibrated.md",
          "instruction counts by type, DRAM sectors, the reference GPU's parameters; better with grid and block, L2 "
          "sectors, shared-memory passes, global accesses, registers, achieved occupancy, reference time",
          predict_calibrated, prepare_calibrated, explain_calibrated, prepare_calibrated_estimates},
    Model{"quantitative-roofline", "Roofline whose compute ceiling is lowered by the kernel's instruction mix",
          "Konstantinidis 2017, chapters 4 and 5",
          "instruction counts by type, loads and stores, DRAM sectors; fp32, fp64, int, shared-memory rates, bandwidth",
          predict_quantitative_roofline},
    Model{"roofline", "Roofline on datasheet peaks", "Konstantinidis 2017, (2.1)-(2.3), after Williams et al. 2009",
          "floating-point instructions and multiply-adds, DRAM sectors; datasheet peaks and bandwidth",
          predict_roofline},
    Model{.name = "mwp-cwp",
          .title = "Memory and computation warp parallelism: how many warps overlap their memory accesses",
          .source = "Hong & Kim, ISCA 2009",
          .needs = "grid and block, warp instructions, global accesses and their sectors, barriers; occupancy limits, "
                   "DRAM latency, departure delays, datasheet bandwidth",
          .predict = predict_mwp_cwp,
          .explain = explain_mwp_cwp},
    Model{.name = "mpd-cpd",
          .title = "Memory and computation parallel degree of alternating tasks",
          .source = "Luo & Suda 2011",
          .needs = "as mwp-cwp, and fp32 and integer instructions; a table of instruction costs, which the GeForce GTX "
                   "260 has",
          .predict = predict_mpd_cpd,
          .explain = explain_mpd_cpd},
    Model{.name = "simt-cache",
          .title = "Rounds of warps on a multiprocessor, its memory queues and latencies, with L2 hits",
          .source = "Zhang 2024, after Wang & Chu, TPDS 2020",
          .needs = "grid and block, warp instructions, L2 and DRAM sectors, shared-memory passes; better with achieved "
                   "occupancy, fp64 instructions; rates, bandwidths and latencies",
          .predict = predict_simt_cache,
          .explain = explain_simt_cache},
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
