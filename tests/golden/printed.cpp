#include "tests/golden/printed.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/directories.hpp"

namespace golden {

using namespace gpuproj;

namespace {

const std::string data = test::source_directory() + "/tests/golden/data/";
constexpr double giga = 1e9;
/// Doubles near a tie may fall on either side of it.
constexpr double arithmetic_slack = 1e-9;

template <class Q>
Known<Q> known(double value) {
    return {Q{value}, Quality::measured, "Konstantinidis 2017", {}};
}

KType k_type(const std::string& name) {
    for (const KType type : {KType::fp32, KType::fp64, KType::integer}) {
        if (name_of(type) == name) return type;
    }
    throw std::runtime_error("no K_type " + name);
}

std::vector<RodiniaKernel> read_rodinia() {
    std::ifstream file(data + "rodinia_kernel_parameters.csv");
    std::string line;
    std::getline(file, line);  // header
    std::vector<RodiniaKernel> kernels;
    while (std::getline(file, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream row(line);
        RodiniaKernel kernel;
        std::string type;
        auto& p = kernel.parameters;
        row >> kernel.name >> type >> p.w_comp.value >> p.w_traf.value >> p.e_mix >> p.d_ops >> p.d_ldst >> p.d_other >>
            kernel.o_krn;
        if (!row) throw std::runtime_error("unreadable row: " + line);
        p.k_type = k_type(type);
        for (double* percent : {&p.e_mix, &p.d_ops, &p.d_ldst, &p.d_other}) *percent /= 100;
        p.o_krn = p.w_comp / p.w_traf;
        kernels.push_back(kernel);
    }
    return kernels;
}

}  // namespace

bool agrees(Range computed, double printed, int decimals) {
    const double half_unit = 0.5 * std::pow(10.0, -decimals) * (1 + arithmetic_slack);
    return computed.low <= printed + half_unit && computed.high >= printed - half_unit;
}

bool agrees(double computed, double printed, int decimals) {
    return agrees(Range{computed, computed}, printed, decimals);
}

const nlohmann::json& thesis() {
    static const auto json = [] {
        std::ifstream file(data + "konstantinidis_2017.json");
        return nlohmann::json::parse(file);
    }();
    return json;
}

Gpu thesis_gpu(const std::string& name, double units) {
    const auto& row = thesis().at("gpu_parameters").at("values").at(name);
    const auto rate = [&](const char* key) { return giga * (row.at(key).get<double>() + 0.01 * units); };
    Gpu gpu;
    gpu.name = name;
    gpu.fp32 = known<OperationsPerSecond>(rate("T_SP"));
    gpu.fp64 = known<OperationsPerSecond>(rate("T_DP"));
    gpu.int_mad = known<OperationsPerSecond>(rate("T_int"));
    gpu.int_add = known<OperationsPerSecond>(rate("T_add"));
    gpu.dram_bandwidth = known<BytesPerSecond>(rate("B_mem"));
    gpu.shared_rate = known<InstructionsPerSecond>(rate("T_ldst"));
    return gpu;
}

Gpu datasheet_gpu(const std::string& name) {
    const auto& row = thesis().at("theoretical_specs").at("values").at(name);
    Gpu gpu;
    gpu.name = name;
    gpu.dram_bandwidth_peak = known<BytesPerSecond>(giga * row.at(0).get<double>());
    gpu.fp64_peak = known<OperationsPerSecond>(giga * row.at(1).get<double>());
    gpu.fp32_peak = known<OperationsPerSecond>(giga * row.at(3).get<double>());
    return gpu;
}

KernelMetrics thesis_metrics(const std::string& kernel) {
    const auto& row = thesis().at("kernels").at(kernel);
    const auto invocations = row.at("invocations").get<double>();
    const auto total = [&](const char* key) { return invocations * row.at("metrics_gtx480").at(key).get<double>(); };
    KernelMetrics m;
    m.thread_inst_fp32_fma = Instructions{total("flop_count_sp_fma")};
    m.thread_inst_fp64_fma = Instructions{total("flop_count_dp_fma")};
    m.thread_inst_load_store = Instructions{total("inst_compute_ld_st")};
    m.warp_inst = Instructions{total("inst_executed")};
    m.thread_inst_fp32 = Instructions{total("inst_fp_32")};
    m.thread_inst_fp64 = Instructions{total("inst_fp_64")};
    m.thread_inst_integer = Instructions{total("inst_integer")};
    m.dram_read = Sectors{total("dram_read_transactions")};
    m.dram_write = Sectors{total("dram_write_transactions")};
    return m;
}

const std::vector<RodiniaKernel>& rodinia() {
    static const auto kernels = read_rodinia();
    return kernels;
}

}  // namespace golden
