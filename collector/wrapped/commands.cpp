#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collector/cupti/wanted.hpp"
#include "collector/machine/obstacles.hpp"
#include "collector/metric_names/metric_names.hpp"
#include "collector/wrapped/wrapped.hpp"
#include "model/error.hpp"

namespace gpuproj::wrapped {

namespace {

constexpr std::string_view regex_prefix = "regex:";

/// Compute capabilities of integrated GPUs, which count no DRAM traffic: Orin, Thor, GB10.
constexpr std::array integrated{87, 101, 110, 121};
constexpr int blackwell_geforce = 120;

/// What is known without the device: the DRAM's names differ (CUPTI's Host API tells,
/// tests/golden/data/cupti_passes.csv).
bool has_metric(int capability, std::string_view metric) {
    const bool is_integrated = std::ranges::find(integrated, capability) != integrated.end();
    const bool is_dram = metric.starts_with("dram__") || metric.starts_with("fbpa__");
    if (is_dram && is_integrated) return false;
    if (metric.starts_with("dram__sectors_op_")) return capability == blackwell_geforce;
    if (metric.starts_with("dram__sectors_")) return capability != blackwell_geforce;
    return true;
}

void add_application(Command& command, const CollectRequest& request) {
    command.insert(command.end(), request.command.begin(), request.command.end());
}

std::string joined(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

Command ncu_command(const std::string& ncu, const CollectRequest& request, const std::string& log_file) {
    const int capability = request.reference ? capability_number(request.reference->compute_capability) : 0;
    const auto set = cupti::metric_set(request.metrics).value_or(cupti::MetricSet::standard);
    const auto wanted = cupti::wanted_metrics(set, [&](const std::string& m) { return has_metric(capability, m); });
    std::vector<std::string> metrics{"device__attribute_display_name", "launch__registers_per_thread",
                                     "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic"};
    for (const auto& group : wanted.needed) metrics.insert(metrics.end(), group.begin(), group.end());
    if (set >= cupti::MetricSet::full) {
        for (const auto& group : wanted.if_free) metrics.insert(metrics.end(), group.begin(), group.end());
    }
    Command command{ncu, "--csv", "--page", "raw", "--print-units", "base", "--log-file", log_file, "--metrics",
                    joined(metrics), "--target-processes", "all", "--replay-mode", "kernel",
                    // Demangled here as everywhere: ncu writes "const float *" for "float const*".
                    "--print-kernel-base", "mangled",
                    // Ncu would hold the clock at its base: the times are to be those that the program has by itself.
                    "--clock-control", "none"};
    if (request.filter.name) {
        command.insert(command.end(), {"--kernel-name", *request.filter.name});
    }
    if (request.filter.launch_skip > 0) {
        command.insert(command.end(), {"--launch-skip", std::to_string(request.filter.launch_skip)});
    }
    if (request.filter.launch_count) {
        command.insert(command.end(), {"--launch-count", std::to_string(*request.filter.launch_count)});
    }
    add_application(command, request);
    return command;
}

std::vector<Command> nvprof_commands(const std::string& nvprof, const CollectRequest& request,
                                     const std::string& metrics_file, const std::string& trace_file) {
    if (request.filter.launch_skip > 0 || request.filter.launch_count) {
        throw UsageError(
            "nvprof cannot choose launches by number: leave --launch-skip and --launch-count out, or use "
            "another --collector");
    }
    // Names of the table whose metrics every GPU from Kepler on has; the events in it are other options.
    constexpr auto metrics = std::to_array<std::string_view>({
        "flop_count_sp_fma",
        "flop_count_dp_fma",
        "inst_compute_ld_st",
        "inst_executed",
        "inst_fp_32",
        "inst_fp_64",
        "inst_integer",
        "dram_read_transactions",
        "dram_write_transactions",
        "flop_count_sp_special",
        "inst_control",
        "inst_misc",
        "inst_bit_convert",
        "inst_inter_thread_communication",
        "achieved_occupancy",
        "gld_transactions",
        "gst_transactions",
        "shared_load_transactions",
        "shared_store_transactions",
        "l2_read_transactions",
        "l2_write_transactions",
        "ldst_fu_utilization",
        "l2_utilization",
        "dram_utilization",
    });
    Command counters{nvprof, "--csv", "--log-file", metrics_file};
    if (request.filter.name) {
        // nvprof searches; a plain name is to be the whole of one.
        const auto& name = *request.filter.name;
        const bool regex = name.starts_with(regex_prefix);
        counters.insert(counters.end(), {"--kernels", regex ? name.substr(regex_prefix.size()) : "^" + name + "$"});
    }
    counters.insert(counters.end(), {"--metrics", fmt::format("{}", fmt::join(metrics, ","))});
    Command times{nvprof, "--csv", "--print-gpu-trace", "--log-file", trace_file};
    add_application(counters, request);
    add_application(times, request);
    return {counters, times};
}

std::string rocprof_input(const std::string& chip) {
    // Eight counters of SQ and four of TCC are there at once (ROCm, "Counter collection").
    std::string text =
        "pmc: SQ_INSTS SQ_INSTS_VALU_FMA_F32 SQ_INSTS_VALU_ADD_F32 SQ_INSTS_VALU_MUL_F32 "
        "SQ_INSTS_VALU_FMA_F64 SQ_INSTS_VALU_ADD_F64 SQ_INSTS_VALU_MUL_F64 SQ_INSTS_VALU_TRANS_F32\n"
        "pmc: SQ_INSTS_VALU_INT32 SQ_INSTS_VALU_INT64 SQ_INSTS_VALU_CVT SQ_INSTS_VMEM_RD "
        "SQ_INSTS_VMEM_WR SQ_INSTS_FLAT SQ_INSTS_LDS SQ_LDS_BANK_CONFLICT\n";
    const bool mi300 = chip.starts_with("gfx94") || chip.starts_with("gfx95");
    const std::string unit = mi300 ? "TCC_EA0" : "TCC_EA";
    text += fmt::format("pmc: {0}_RDREQ_sum {0}_RDREQ_32B_sum{1}\n", unit, mi300 ? " TCC_BUBBLE_sum" : "");
    text += fmt::format("pmc: {0}_WRREQ_sum {0}_WRREQ_64B_sum\n", unit);
    return text;
}

Command rocprof_command(const std::string& rocprofv3, const CollectRequest& request, const std::string& input_file,
                        const std::string& directory) {
    if (request.filter.launch_skip > 0 || request.filter.launch_count) {
        throw UsageError("rocprofv3's counters are chosen by kernel: leave --launch-skip and --launch-count out");
    }
    Command command{rocprofv3, "-i", input_file, "--output-format", "csv", "-d", directory, "-o", "run"};
    if (request.filter.name) {
        const auto& name = *request.filter.name;
        const bool regex = name.starts_with(regex_prefix);
        command.insert(command.end(),
                       {"--kernel-include-regex", regex ? name.substr(regex_prefix.size()) : "\\b" + name + "\\b"});
    }
    command.emplace_back("--");
    add_application(command, request);
    return command;
}

std::string complaints(const std::string& log) {
    std::string found;
    for (std::size_t at = 0; at < log.size();) {
        const auto end = std::min(log.find('\n', at), log.size());
        std::string_view line(log.data() + at, end - at);
        at = end + 1;
        const auto error = line.find("Error: ");
        if (line.starts_with("==ERROR==")) {
            line.remove_prefix(std::string_view("==ERROR==").size());
        } else if (line.starts_with("==") && error != std::string_view::npos) {
            line.remove_prefix(error);
        } else {
            continue;
        }
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        found += fmt::format("{}{}", found.empty() ? "" : " ", line);
    }
    return found;
}

}  // namespace gpuproj::wrapped
