#include "collector/metric_names/metric_names.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>

namespace gpuproj {
namespace {

constexpr double sector = 1.0 / bytes_per_sector.value;  // sectors per byte

/// The greatest of its terms, instead of their sum.
consteval MetricRow greatest(std::string_view field, std::array<MetricTerm, most_terms> terms) {
    return {field, terms, true};
}

// Nsight Compute and CUPTI 13: what each nvprof metric became is in NVIDIA's Nsight Compute CLI manual, "nvprof metric
// comparison"; which chip has which name is asked of CUPTI's Host API (tests/golden/data/cupti_passes.csv).
constexpr auto nsight_rows = std::to_array<MetricRow>({
    {"thread_inst_fp32_fma", {{{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}}}},
    {"thread_inst_fp64_fma", {{{"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"}}}},
    {"thread_inst_load_store", {{{"smsp__sass_thread_inst_executed_op_memory_pred_on.sum"}}}},
    {"warp_inst", {{{"smsp__inst_executed.sum"}}}},
    {"thread_inst_fp32", {{{"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"}}}},
    {"thread_inst_fp64", {{{"smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"}}}},
    {"thread_inst_integer", {{{"smsp__sass_thread_inst_executed_op_integer_pred_on.sum"}}}},
    {"dram_read_sector", {{{"dram__sectors_read.sum"}}}},
    {"dram_read_sector", {{{"dram__sectors_op_read.sum"}}}},  // GB202 to GB207
    {"dram_read_sector", {{{"fbpa__dram_read_sectors.sum"}}}},
    {"dram_read_sector", {{{"dram__bytes_read.sum", sector}}}},
    {"dram_read_sector", {{{"dram__bytes_op_read.sum", sector}}}},
    // Integrated GPUs count no DRAM traffic of their own: what fills the L2 is the nearest.
    {"dram_read_sector", {{{"lts__d_sectors_fill_device.sum"}, {"lts__d_sectors_fill_sysmem.sum"}}}},
    {"dram_read_sector", {{{"lts__d_sectors_fill_sysmem.sum"}}}},
    {"dram_write_sector", {{{"dram__sectors_write.sum"}}}},
    {"dram_write_sector", {{{"dram__sectors_op_write.sum"}}}},
    {"dram_write_sector", {{{"fbpa__dram_write_sectors.sum"}}}},
    {"dram_write_sector", {{{"dram__bytes_write.sum", sector}}}},
    {"dram_write_sector", {{{"dram__bytes_op_write.sum", sector}}}},

    {"thread_inst", {{{"smsp__thread_inst_executed_pred_on.sum"}}}},
    {"thread_inst", {{{"smsp__sass_thread_inst_executed_pred_on.sum"}}}},
    {"thread_inst", {{{"smsp__sass_thread_inst_executed_ops_pred_on.sum"}}}},
    {"thread_inst_fp16", {{{"smsp__sass_thread_inst_executed_op_fp16_pred_on.sum"}}}},
    {"thread_inst_fp16_fma", {{{"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"}}}},
    {"fp32_op",
     {{{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2},
       {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"},
       {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"}}}},
    {"fp64_op",
     {{{"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 2},
       {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"},
       {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"}}}},
    {"thread_inst_conversion", {{{"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum"}}}},
    {"thread_inst_control", {{{"smsp__sass_thread_inst_executed_op_control_pred_on.sum"}}}},
    {"thread_inst_bit", {{{"smsp__sass_thread_inst_executed_op_bit_pred_on.sum"}}}},
    {"thread_inst_misc", {{{"smsp__sass_thread_inst_executed_op_misc_pred_on.sum"}}}},
    {"thread_inst_communication", {{{"smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"}}}},
    {"tensor_fp16_op", {{{"sm__ops_path_tensor_src_fp16.sum"}}}},
    {"tensor_fp16_op",
     {{{"sm__ops_path_tensor_src_fp16_dst_fp16.sum"}, {"sm__ops_path_tensor_src_fp16_dst_fp32.sum"}}}},
    {"tensor_bf16_op", {{{"sm__ops_path_tensor_src_bf16_dst_fp32.sum"}}}},
    {"tensor_tf32_op", {{{"sm__ops_path_tensor_src_tf32_dst_fp32.sum"}}}},
    {"tensor_fp64_op", {{{"sm__ops_path_tensor_src_fp64.sum"}}}},
    {"tensor_int8_op", {{{"sm__ops_path_tensor_src_int8.sum"}}}},
    {"tensor_fp8_op", {{{"sm__ops_path_tensor_src_fp8.sum"}}}},
    {"tensor_fp8_op",
     {{{"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16.sum"},
       {"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum"},
       {"sm__ops_path_tensor_src_fp4_dst_fp32.sum"}}}},
    {"tensor_fp8_op",
     {{{"sm__ops_path_tensor_src_fp8_dst_fp16.sum"},
       {"sm__ops_path_tensor_src_fp8_dst_fp32.sum"},
       {"sm__ops_path_tensor_src_fp4_fp6_dst_fp32.sum"},
       {"sm__ops_path_tensor_src_fp4_dst_fp32.sum"}}}},
    {"tensor_int4_op", {{{"sm__ops_path_tensor_src_int4.sum"}}}},
    {"tensor_int1_op", {{{"sm__ops_path_tensor_src_int1.sum"}}}},
    {"warp_inst_tensor", {{{"smsp__inst_executed_pipe_tensor.sum"}}}},
    {"warp_inst_special", {{{"smsp__inst_executed_pipe_xu.sum"}}}},
    {"warp_inst_branch", {{{"smsp__sass_branch_targets.sum"}}}},
    {"warp_inst_branch_divergent", {{{"smsp__sass_branch_targets_threads_divergent.sum"}}}},
    {"warp_inst_global_load", {{{"smsp__inst_executed_op_global_ld.sum"}}}},
    {"warp_inst_global_load", {{{"smsp__sass_inst_executed_op_global_ld.sum"}}}},
    {"warp_inst_global_load", {{{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}}}},
    {"warp_inst_global_store", {{{"smsp__inst_executed_op_global_st.sum"}}}},
    {"warp_inst_global_store", {{{"smsp__sass_inst_executed_op_global_st.sum"}}}},
    {"warp_inst_global_store", {{{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}}}},
    {"warp_inst_local", {{{"smsp__inst_executed_op_local_ld.sum"}, {"smsp__inst_executed_op_local_st.sum"}}}},
    {"warp_inst_local", {{{"smsp__sass_inst_executed_op_local_ld.sum"}, {"smsp__sass_inst_executed_op_local_st.sum"}}}},
    {"warp_inst_shared_load", {{{"smsp__inst_executed_op_shared_ld.sum"}}}},
    {"warp_inst_shared_load", {{{"smsp__sass_inst_executed_op_shared_ld.sum"}}}},
    {"warp_inst_shared_store", {{{"smsp__inst_executed_op_shared_st.sum"}}}},
    {"warp_inst_shared_store", {{{"smsp__sass_inst_executed_op_shared_st.sum"}}}},
    {"warp_inst_constant", {{{"smsp__inst_executed_op_ldc.sum"}}}},
    {"warp_inst_texture", {{{"smsp__inst_executed_op_texture.sum"}}}},

    {"shared_wavefront", {{{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"}}}},
    {"shared_wavefront",
     {{{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
       {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}}}},
    {"shared_bank_conflict", {{{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}}}},
    {"shared_bank_conflict",
     {{{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
       {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"}}}},
    {"global_load_sector", {{{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}}}},
    {"global_load_sector", {{{"l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum", sector}}}},
    {"global_store_sector", {{{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}}}},
    {"global_store_sector", {{{"l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum", sector}}}},
    {"global_load_requested_byte", {{{"smsp__sass_data_bytes_mem_global_op_ld.sum"}}}},
    {"global_store_requested_byte", {{{"smsp__sass_data_bytes_mem_global_op_st.sum"}}}},
    // Of loads alone: stores are looked up too.
    {"l1_hit_sector", {{{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"}}}},
    {"l1_hit_sector", {{{"l1tex__t_sectors_lookup_hit.sum"}}}},
    // What L1 asks for: the halves of the L2 of A100 and H100 ask each other too, for half of all sectors.
    {"l2_read_sector", {{{"lts__t_sectors_srcunit_tex_op_read.sum"}}}},
    {"l2_read_sector", {{{"lts__t_sectors_op_read.sum"}}}},
    {"l2_write_sector", {{{"lts__t_sectors_srcunit_tex_op_write.sum"}}}},
    {"l2_write_sector", {{{"lts__t_sectors_op_write.sum"}}}},

    {"achieved_occupancy", {{{"sm__warps_active.avg.pct_of_peak_sustained_active"}}}},
    greatest("compute_utilization", {{{"smsp__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"},
                                      {"smsp__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"},
                                      {"smsp__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_active"},
                                      {"smsp__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active"},
                                      {"smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active"},
                                      {"smsp__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active"}}}),
    greatest("compute_utilization", {{{"smsp__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"},
                                      {"smsp__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active"},
                                      {"smsp__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active"},
                                      {"smsp__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"}}}),
    {"load_store_utilization", {{{"smsp__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active"}}}},
    {"shared_utilization", {{{"l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed"}}}},
    {"l1_utilization", {{{"l1tex__t_bytes.avg.pct_of_peak_sustained_elapsed"}}}},
    {"l1_utilization", {{{"l1tex__throughput.avg.pct_of_peak_sustained_elapsed"}}}},
    {"l1_utilization", {{{"l1tex__throughput.avg.pct_of_peak_sustained_active"}}}},
    {"l2_utilization", {{{"lts__t_sectors.avg.pct_of_peak_sustained_elapsed"}}}},
    {"l2_utilization", {{{"lts__t_bytes.avg.pct_of_peak_sustained_elapsed"}}}},
    {"l2_utilization", {{{"lts__throughput.avg.pct_of_peak_sustained_elapsed"}}}},
    {"dram_utilization", {{{"dram__throughput.avg.pct_of_peak_sustained_elapsed"}}}},
    {"dram_utilization", {{{"dram__bytes.avg.pct_of_peak_sustained_elapsed"}}}},
});

// nvprof, compute capability 2.0 to 7.2: CUDA 11 Profiler User's Guide, "Metrics Reference". DRAM and L2 transactions
// are of 32 bytes; those of global loads and stores are not sectors.
constexpr auto nvprof_rows = std::to_array<MetricRow>({
    {"thread_inst_fp32_fma", {{{"flop_count_sp_fma"}}}},
    {"thread_inst_fp64_fma", {{{"flop_count_dp_fma"}}}},
    {"thread_inst_load_store", {{{"inst_compute_ld_st"}}}},
    {"warp_inst", {{{"inst_executed"}}}},
    {"thread_inst_fp32", {{{"inst_fp_32"}}}},
    {"thread_inst_fp64", {{{"inst_fp_64"}}}},
    {"thread_inst_integer", {{{"inst_integer"}}}},
    {"dram_read_sector", {{{"dram_read_transactions"}}}},
    {"dram_read_sector", {{{"dram_read_bytes", sector}}}},
    {"dram_read_sector", {{{"fb_subp0_read_sectors"}, {"fb_subp1_read_sectors"}}}},
    {"dram_write_sector", {{{"dram_write_transactions"}}}},
    {"dram_write_sector", {{{"dram_write_bytes", sector}}}},
    {"dram_write_sector", {{{"fb_subp0_write_sectors"}, {"fb_subp1_write_sectors"}}}},

    {"thread_inst", {{{"not_predicated_off_thread_inst_executed"}}}},
    {"thread_inst_fp16", {{{"inst_fp_16"}}}},
    {"thread_inst_fp16_fma", {{{"flop_count_hp_fma"}}}},
    {"fp32_op", {{{"flop_count_sp"}}}},
    {"fp64_op", {{{"flop_count_dp"}}}},
    {"thread_inst_special", {{{"flop_count_sp_special"}}}},
    {"thread_inst_conversion", {{{"inst_bit_convert"}}}},
    {"thread_inst_control", {{{"inst_control"}}}},
    {"thread_inst_misc", {{{"inst_misc"}}}},
    {"thread_inst_communication", {{{"inst_inter_thread_communication"}}}},
    {"warp_inst_branch", {{{"branch"}}}},
    {"warp_inst_branch_divergent", {{{"divergent_branch"}}}},
    {"warp_inst_global_load", {{{"inst_executed_global_loads"}}}},
    {"warp_inst_global_load", {{{"gld_request"}}}},
    {"warp_inst_global_store", {{{"inst_executed_global_stores"}}}},
    {"warp_inst_global_store", {{{"gst_request"}}}},
    {"warp_inst_local", {{{"inst_executed_local_loads"}, {"inst_executed_local_stores"}}}},
    {"warp_inst_local", {{{"local_load"}, {"local_store"}}}},
    {"warp_inst_atomic", {{{"inst_executed_global_atomics"}, {"inst_executed_global_reductions"}}}},
    {"warp_inst_shared_load", {{{"inst_executed_shared_loads"}}}},
    {"warp_inst_shared_load", {{{"shared_load"}}}},
    {"warp_inst_shared_store", {{{"inst_executed_shared_stores"}}}},
    {"warp_inst_shared_store", {{{"shared_store"}}}},
    {"warp_inst_texture", {{{"inst_executed_tex_ops"}}}},

    {"shared_wavefront", {{{"shared_load_transactions"}, {"shared_store_transactions"}}}},
    {"shared_bank_conflict", {{{"shared_ld_bank_conflict"}, {"shared_st_bank_conflict"}}}},
    {"global_load_transaction", {{{"gld_transactions"}}}},
    {"global_store_transaction", {{{"gst_transactions"}}}},
    {"l2_read_sector", {{{"l2_read_transactions"}}}},
    {"l2_write_sector", {{{"l2_write_transactions"}}}},

    {"achieved_occupancy", {{{"achieved_occupancy"}}}},
    greatest("compute_utilization", {{{"single_precision_fu_utilization"},
                                      {"double_precision_fu_utilization"},
                                      {"half_precision_fu_utilization"},
                                      {"special_fu_utilization"},
                                      {"alu_fu_utilization"},
                                      {"tensor_precision_fu_utilization"},
                                      {"tensor_int_fu_utilization"}}}),
    {"load_store_utilization", {{{"ldst_fu_utilization"}}}},
    {"shared_utilization", {{{"shared_utilization"}}}},
    {"shared_utilization", {{{"l1_shared_utilization"}}}},  // Fermi and Kepler: one memory
    greatest("l1_utilization", {{{"tex_utilization"}, {"tex_fu_utilization"}}}),
    {"l2_utilization", {{{"l2_utilization"}}}},
    {"dram_utilization", {{{"dram_utilization"}}}},
});

// AMD CDNA, ROCm "MI200/MI300 performance counters". VALU instructions are counted per wave of 64 work-items: x 64 is
// an upper bound of what work-items execute; warp instructions are per 32. RDREQ and WRREQ are of 64 bytes but for the
// part counted apart; BUBBLE are of 128 (MI300).
constexpr double wave = 64;
constexpr double warps_per_wave = wave / threads_per_warp;
constexpr double mfma_op = 512;  // operations per MOPS
constexpr auto rocprof_rows = std::to_array<MetricRow>({
    {"thread_inst_fp32_fma", {{{"SQ_INSTS_VALU_FMA_F32", wave}}}},
    {"thread_inst_fp64_fma", {{{"SQ_INSTS_VALU_FMA_F64", wave}}}},
    {"thread_inst_fp16_fma", {{{"SQ_INSTS_VALU_FMA_F16", wave}}}},
    {"thread_inst_fp32",
     {{{"SQ_INSTS_VALU_FMA_F32", wave}, {"SQ_INSTS_VALU_ADD_F32", wave}, {"SQ_INSTS_VALU_MUL_F32", wave}}}},
    {"thread_inst_fp64",
     {{{"SQ_INSTS_VALU_FMA_F64", wave}, {"SQ_INSTS_VALU_ADD_F64", wave}, {"SQ_INSTS_VALU_MUL_F64", wave}}}},
    {"thread_inst_fp16",
     {{{"SQ_INSTS_VALU_FMA_F16", wave}, {"SQ_INSTS_VALU_ADD_F16", wave}, {"SQ_INSTS_VALU_MUL_F16", wave}}}},
    {"thread_inst_integer", {{{"SQ_INSTS_VALU_INT32", wave}, {"SQ_INSTS_VALU_INT64", wave}}}},
    {"thread_inst_special",
     {{{"SQ_INSTS_VALU_TRANS_F16", wave}, {"SQ_INSTS_VALU_TRANS_F32", wave}, {"SQ_INSTS_VALU_TRANS_F64", wave}}}},
    {"thread_inst_special", {{{"SQ_INSTS_VALU_TRANS_F32", wave}}}},
    {"thread_inst_conversion", {{{"SQ_INSTS_VALU_CVT", wave}}}},
    {"thread_inst_load_store",
     {{{"SQ_INSTS_VMEM_RD", wave}, {"SQ_INSTS_VMEM_WR", wave}, {"SQ_INSTS_FLAT", wave}, {"SQ_INSTS_LDS", wave}}}},
    {"thread_inst_load_store", {{{"SQ_INSTS_VMEM", wave}, {"SQ_INSTS_FLAT", wave}, {"SQ_INSTS_LDS", wave}}}},
    {"thread_inst_load_store", {{{"SQ_INSTS_VMEM_RD", wave}, {"SQ_INSTS_VMEM_WR", wave}, {"SQ_INSTS_LDS", wave}}}},
    {"thread_inst_load_store", {{{"SQ_INSTS_VMEM", wave}, {"SQ_INSTS_LDS", wave}}}},
    {"warp_inst", {{{"SQ_INSTS", warps_per_wave}}}},
    {"warp_inst_branch", {{{"SQ_INSTS_BRANCH", warps_per_wave}}}},
    {"shared_bank_conflict", {{{"SQ_LDS_BANK_CONFLICT"}}}},
    {"tensor_fp16_op", {{{"SQ_INSTS_VALU_MFMA_MOPS_F16", mfma_op}}}},
    {"tensor_bf16_op", {{{"SQ_INSTS_VALU_MFMA_MOPS_BF16", mfma_op}}}},
    {"tensor_fp64_op", {{{"SQ_INSTS_VALU_MFMA_MOPS_F64", mfma_op}}}},
    {"tensor_int8_op", {{{"SQ_INSTS_VALU_MFMA_MOPS_I8", mfma_op}}}},
    {"dram_read_sector", {{{"TCC_EA0_RDREQ_sum", 2}, {"TCC_EA0_RDREQ_32B_sum", -1}, {"TCC_BUBBLE_sum", 2}}}},
    {"dram_read_sector", {{{"TCC_EA0_RDREQ_sum", 2}, {"TCC_EA0_RDREQ_32B_sum", -1}}}},
    {"dram_read_sector", {{{"TCC_EA_RDREQ_sum", 2}, {"TCC_EA_RDREQ_32B_sum", -1}}}},
    {"dram_read_sector", {{{"FETCH_SIZE", 1024 * sector}}}},  // derived by the tool, KiB
    {"dram_write_sector", {{{"TCC_EA0_WRREQ_sum"}, {"TCC_EA0_WRREQ_64B_sum"}}}},
    {"dram_write_sector", {{{"TCC_EA_WRREQ_sum"}, {"TCC_EA_WRREQ_64B_sum"}}}},
    {"dram_write_sector", {{{"WRITE_SIZE", 1024 * sector}}}},
    {"achieved_occupancy", {{{"OccupancyPercent", 0.01}}}},
});

template <std::size_t N>
consteval bool fields_exist(const std::array<MetricRow, N>& rows) {
    return std::all_of(rows.begin(), rows.end(), [](const MetricRow& row) {
        return std::apply([&](const auto&... field) { return ((field.key == row.field) || ...); },
                          KernelMetrics::fields);
    });
}
static_assert(fields_exist(nsight_rows) && fields_exist(nvprof_rows) && fields_exist(rocprof_rows));

std::optional<double> value_of(const MetricRow& row, const VendorMetrics& values) {
    double sum = 0;
    std::optional<double> most;
    for (const auto& term : row.terms) {
        if (term.metric.empty()) break;
        const auto found = values.find(term.metric);
        if (found == values.end()) {
            if (!row.greatest) return std::nullopt;
            continue;
        }
        const double value = term.factor * found->second;
        sum += value;
        most = std::max(most.value_or(value), value);
    }
    if (row.greatest) return most;
    return sum < 0 ? std::nullopt : std::optional(sum);  // differences of counters from different passes
}

void set(Maybe<double>& member, double value) {
    member = value;
}
template <Dimension D>
void set(Maybe<Quantity<D>>& member, double value) {
    member = Quantity<D>{value};
}

void multiply(Maybe<double>&, double) {}
template <Dimension D>
void multiply(Maybe<Quantity<D>>& member, double factor) {
    if (member) member->value *= factor;
}

std::unordered_set<std::string_view> names_of(std::span<const MetricRow> rows) {
    std::unordered_set<std::string_view> names;
    for (const auto& row : rows)
        for (const auto& term : row.terms) names.insert(term.metric);
    return names;
}

}  // namespace

std::span<const MetricRow> metric_rows(MetricFamily family) {
    switch (family) {
        case MetricFamily::nsight:
            return nsight_rows;
        case MetricFamily::nvprof:
            return nvprof_rows;
        case MetricFamily::rocprof:
            return rocprof_rows;
    }
    return {};
}

std::string table_name(MetricFamily family, std::string_view metric) {
    constexpr std::string_view per_sm = "sm__";
    if (family != MetricFamily::nsight || !metric.starts_with(per_sm)) return std::string(metric);
    const auto rest = metric.substr(per_sm.size());
    const bool the_same = rest.starts_with("sass_") || rest.starts_with("inst_executed") ||
                          rest.starts_with("thread_inst_executed") || rest.starts_with("pipe_");
    return the_same ? "smsp__" + std::string(rest) : std::string(metric);
}

bool is_used(MetricFamily family, std::string_view metric) {
    // Asked for every value of a file.
    static const std::array names{names_of(nsight_rows), names_of(nvprof_rows), names_of(rocprof_rows)};
    return !metric.empty() && names[static_cast<std::size_t>(family)].contains(table_name(family, metric));
}

KernelMetrics to_kernel_metrics(MetricFamily family, const VendorMetrics& values) {
    KernelMetrics metrics;
    for (const auto& row : metric_rows(family)) {
        const auto value = value_of(row, values);
        if (!value) continue;
        const auto fill = [&](const auto& field) {
            auto& member = metrics.*field.member;
            if (field.key == row.field && !member) set(member, *value);
        };
        std::apply([&](const auto&... field) { (fill(field), ...); }, KernelMetrics::fields);
    }
    if (family == MetricFamily::nsight) take_out_half_moves(metrics);
    return metrics;
}

void take_out_half_moves(KernelMetrics& metrics) {
    const auto& tensor = metrics.warp_inst_tensor;
    const auto &half = metrics.thread_inst_fp16, &half_fma = metrics.thread_inst_fp16_fma;
    if (!tensor || !half || !half_fma) return;
    // Products of fp16 and bf16 are among the fp16 instructions, and are no multiply-adds of threads. Others are many
    // more than the moves of a kernel.
    const bool has_products = half->value > half_fma->value || tensor->value > half_fma->value;
    if (!has_products) metrics.warp_inst_tensor = Instructions{0};
}

bool add_sums_of_rates(VendorMetrics& values) {
    const auto time = values.find("gpu__time_duration.sum");
    if (time == values.end()) return false;
    constexpr std::string_view per_second = ".per_second", per_cycle = ".per_cycle_elapsed";
    VendorMetrics sums;
    for (const auto& [name, rate] : values) {
        if (name.ends_with(".sum.per_second")) {
            sums.emplace(name.substr(0, name.size() - per_second.size()), rate * time->second);
        } else if (name.ends_with(".sum.per_cycle_elapsed")) {
            const auto clock = values.find(name.substr(0, name.find("__")) + "__cycles_elapsed.avg.per_second");
            if (clock != values.end()) {
                sums.emplace(name.substr(0, name.size() - per_cycle.size()), rate * clock->second * time->second);
            }
        }
    }
    bool added = false;
    for (auto& [name, sum] : sums) {
        if (values.emplace(name, sum).second && is_used(MetricFamily::nsight, name)) added = true;
    }
    return added;
}

void scale(KernelMetrics& metrics, double launches) {
    std::apply([&](const auto&... field) { (multiply(metrics.*field.member, launches), ...); }, KernelMetrics::fields);
}

}  // namespace gpuproj
