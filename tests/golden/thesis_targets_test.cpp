// The thesis' GPUs as printed: Konstantinidis 2017, tables 5.1, 5.2, 6.2 and 3.1.
#include <catch2/catch.hpp>

#include "targets/catalog.hpp"

using namespace gpuproj;

namespace {

struct Row {
    const char* gpu;
    int sms;
    // GFLOP/s, GFLOP/s, GIOP/s (2 per multiply-add), GIOP/s, GB/s, G accesses/s
    double t_sp, t_dp, t_int, t_add, b_mem, t_ldst;
    // table 3.1 (6.1 for the R9 Nano): GB/s, GFLOP/s, GFLOP/s
    double peak_bandwidth, peak_dp, peak_sp;
    bool ecc;
};

const Row rows[] = {
    {"GTX480", 15, 1462.2, 184.09, 742.34, 732.86, 163.36, 369.73, 177, 168, 1345, false},
    {"GTX660", 5, 1940.8, 89.7, 359.04, 621.36, 117.56, 169.58, 144, 83, 1983, false},
    {"GTX960", 8, 2842.7, 89.67, 955.37, 1426.15, 86.35, 295.64, 112, 81, 2593, false},
    {"GTX1060", 10, 4609.54, 145.02, 1533.61, 2304.1, 161.64, 524.27, 192, 120, 3855, false},
    {"M2050", 14, 1011.36, 508.91, 513.1, 504.88, 107.44, 255.68, 148, 514, 1028, true},
    {"K20c", 13, 3115.24, 1153.08, 584.26, 969.28, 151.72, 283.59, 208, 1174, 3522, true},
    {"R9Nano", 64, 8032.08, 339.84, 1623.73, 3985.3, 430.33, 1322.12, 512, 512, 8190, false},
};

}  // namespace

TEST_CASE("the thesis' GPUs are stored as printed", "[targets]") {
    const Row& row = GENERATE(from_range(std::begin(rows), std::end(rows)));
    INFO(row.gpu);
    const Gpu gpu = Catalog(std::span<const std::filesystem::path>{}).get(row.gpu);
    CHECK(gpu.sm_count->value == row.sms);
    // Exact but for the binary form of the decimal figures.
    CHECK(gpu.fp32->value.value == Approx(row.t_sp * 1e9).epsilon(1e-12));
    CHECK(gpu.fp64->value.value == Approx(row.t_dp * 1e9).epsilon(1e-12));
    CHECK(gpu.int_mad->value.value == Approx(row.t_int * 1e9).epsilon(1e-12));
    CHECK(gpu.int_add->value.value == Approx(row.t_add * 1e9).epsilon(1e-12));
    CHECK(gpu.dram_bandwidth->value.value == Approx(row.b_mem * 1e9).epsilon(1e-12));
    CHECK(gpu.shared_rate->value.value == Approx(row.t_ldst * 1e9).epsilon(1e-12));
    CHECK(gpu.dram_bandwidth_peak->value.value == Approx(row.peak_bandwidth * 1e9).epsilon(1e-12));
    CHECK(gpu.fp64_peak->value.value == Approx(row.peak_dp * 1e9).epsilon(1e-12));
    CHECK(gpu.fp32_peak->value.value == Approx(row.peak_sp * 1e9).epsilon(1e-12));
    CHECK(gpu.ecc->value == row.ecc);
    for (const auto quality : {gpu.fp32->quality, gpu.fp64->quality, gpu.int_mad->quality, gpu.int_add->quality,
                               gpu.dram_bandwidth->quality, gpu.shared_rate->quality}) {
        CHECK(quality == Quality::measured);
    }
}
