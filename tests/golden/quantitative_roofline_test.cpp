// Every figure that Konstantinidis 2017 prints for the quantitative roofline, to its printed digits. A computed figure
// is a range where it comes from rounded ones: GPU rates are printed with two decimals, kernel parameters in percent
// with two. The ranges are a few 1e-5 wide for the rates; no other tolerance is used.
#include "model/quantitative_roofline.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tests/golden/printed.hpp"

using namespace gpuproj;
using golden::agrees;
using golden::Range;
using golden::thesis;
using golden::thesis_gpu;

namespace {

constexpr double half_unit = 0.5;

KernelParameters parameters_of(const std::string& kernel) {
    const auto outcome = kernel_parameters(golden::thesis_metrics(kernel), {});
    REQUIRE(std::holds_alternative<KernelParameters>(outcome));
    return std::get<KernelParameters>(outcome);
}

Prediction prediction(const KernelParameters& kernel, const Gpu& gpu) {
    const auto outcome = predict_kernel(kernel, gpu, {});
    REQUIRE(std::holds_alternative<Prediction>(outcome));
    return std::get<Prediction>(outcome);
}

double milliseconds(const KernelParameters& kernel, const Gpu& gpu) {
    return 1e3 * prediction(kernel, gpu).duration.value;
}

/// Predicted time on a GPU whose printed rates are rounded, of a kernel whose parameters are exact or lie between two.
Range milliseconds(const KernelParameters& fastest, const KernelParameters& slowest, const std::string& gpu) {
    return {milliseconds(fastest, thesis_gpu(gpu, half_unit)), milliseconds(slowest, thesis_gpu(gpu, -half_unit))};
}

/// The kernel whose printed percentages are moved by half a unit of their last place, all against or for its speed.
KernelParameters moved(KernelParameters kernel, double units) {
    const double step = units * 1e-4;
    kernel.e_mix = std::min(1.0, kernel.e_mix - step);
    kernel.d_ops -= step;
    kernel.d_ldst += step;
    kernel.d_other += step;
    return kernel;
}

KernelParameters printed_parameters(const std::string& kernel) {
    const auto& row = thesis().at("kernels").at(kernel).at("params");
    KernelParameters p;
    p.k_type = KType::fp32;
    p.w_comp.value = row.at("w_comp");
    p.w_traf.value = row.at("w_traf");
    p.e_mix = row.at("e_mix_pct").get<double>() / 100;
    p.d_ops = row.at("d_ops_pct").get<double>() / 100;
    p.d_ldst = row.at("d_ldst_pct").get<double>() / 100;
    p.d_other = row.at("d_other_pct").get<double>() / 100;
    p.o_krn = p.w_comp / p.w_traf;
    return p;
}

/// Table 6.5 prints the R9 Nano's times with two decimals, the other tables three.
int decimals(const std::string& gpu) {
    return gpu == "R9Nano" ? 2 : 3;
}

void check_times(const std::string& kernel, const KernelParameters& fastest, const KernelParameters& slowest) {
    for (const auto& [gpu, printed] : thesis().at("kernels").at(kernel).at("predicted_ms").items()) {
        const Range computed = milliseconds(fastest, slowest, gpu);
        INFO(kernel << " on " << gpu << ": " << computed.low << " to " << computed.high << " ms, printed " << printed);
        CHECK(agrees(computed, printed, decimals(gpu)));
        CHECK(computed.high < 1.01 * computed.low);  // the range itself must stay small to prove anything
    }
}

}  // namespace

TEST_CASE("Tables 4.5, 4.10, 5.11: kernel parameters from counters") {
    for (const std::string kernel : {"redblack_sor", "lmsor", "sgemm_32x32"}) {
        const auto computed = parameters_of(kernel);
        const auto& printed = thesis().at("kernels").at(kernel).at("params");
        INFO(kernel);
        CHECK(name_of(computed.k_type) == printed.at("k_type").get<std::string>());
        CHECK(computed.w_comp.value == printed.at("w_comp").get<double>());
        CHECK(computed.w_traf.value == printed.at("w_traf").get<double>());
        CHECK(agrees(100 * computed.e_mix, printed.at("e_mix_pct"), 2));
        CHECK(agrees(100 * computed.d_ops, printed.at("d_ops_pct"), 2));
        CHECK(agrees(100 * computed.d_ldst, printed.at("d_ldst_pct"), 2));
        CHECK(agrees(100 * computed.d_other, printed.at("d_other_pct"), 2));
    }
    CHECK(agrees(parameters_of("redblack_sor").o_krn->value, 0.30, 2));  // 4.3: "about 0.3"
    CHECK(agrees(parameters_of("lmsor").o_krn->value, 0.46, 2));         // table 5.11
    CHECK(agrees(parameters_of("sgemm_32x32").o_krn->value, 24.81, 2));  // 4.4
}

TEST_CASE("Table 5.3: instruction weights") {
    for (const auto& [name, row] : thesis().at("instruction_weights").at("values").items()) {
        const auto weights = [&](KType type) {
            KernelParameters kernel;
            kernel.k_type = type;
            return std::get<Intermediates>(intermediates(kernel, thesis_gpu(name), {}));
        };
        INFO(name);
        CHECK(weights(KType::fp32).w_op == 1);
        CHECK(agrees(weights(KType::fp64).w_op, row.at(0), 2));
        CHECK(agrees(weights(KType::integer).w_op, row.at(1), 2));
        CHECK(agrees(weights(KType::fp32).w_ldst, row.at(2), 2));
        CHECK(agrees(weights(KType::fp32).w_other, row.at(3), 2));
    }
}

TEST_CASE("Table 5.6: instruction costs of red/black SOR") {
    const auto kernel = parameters_of("redblack_sor");
    for (const auto& [name, row] : thesis().at("redblack_sor_costs").at("values").items()) {
        const auto computed = *prediction(kernel, thesis_gpu(name)).intermediates;
        INFO(name);
        CHECK(agrees(computed.c_op, row.at(0), 2));
        CHECK(agrees(computed.c_ldst, row.at(1), 2));
        CHECK(agrees(computed.c_other, row.at(2), 2));
        CHECK(agrees(100 * computed.e_instr, row.at(3), 2));
    }
}

TEST_CASE("Table 5.7: throughput, O_dev and limiter of red/black SOR") {
    const auto kernel = parameters_of("redblack_sor");
    const auto& row = thesis().at("kernels").at("redblack_sor");
    for (const auto& [name, printed] : row.at("t_op_adjusted_gflops").items()) {
        const auto computed = prediction(kernel, thesis_gpu(name));
        INFO(name);
        CHECK(agrees(1e-9 * computed.intermediates->t_op_adjusted.value, printed, 2));
        CHECK(agrees(computed.intermediates->o_dev->value, row.at("o_dev").at(name), 2));
        const auto throughput = [&](double units) {
            return 1e-9 * (kernel.w_comp / prediction(kernel, thesis_gpu(name, units)).duration).value;
        };
        CHECK(agrees(Range{throughput(-half_unit), throughput(half_unit)}, row.at("t_predicted_gflops").at(name), 2));
        CHECK(computed.limiter == (name == "GTX660" ? Limiter::compute : Limiter::memory));
    }
}

TEST_CASE("Section 4.4: SGEMM on the GTX 660 step by step") {
    const auto kernel = parameters_of("sgemm_32x32");
    const auto computed = prediction(kernel, thesis_gpu("GTX660"));
    const auto& printed = thesis().at("sgemm_gtx660");
    CHECK(agrees(computed.intermediates->c_op, printed.at("c_op"), 2));
    CHECK(agrees(computed.intermediates->c_ldst, printed.at("c_ldst"), 2));
    CHECK(agrees(computed.intermediates->c_other, printed.at("c_other"), 2));
    CHECK(agrees(100 * computed.intermediates->e_instr, printed.at("e_instr_pct"), 2));
    CHECK(agrees(1e-9 * computed.intermediates->t_op_adjusted.value, printed.at("t_op_adjusted_gflops"), 2));
    CHECK(agrees(computed.intermediates->o_dev->value, printed.at("o_dev"), 2));
    CHECK(computed.limiter == Limiter::compute);
}

TEST_CASE("Section 4.4: loads and stores counted as other instructions") {
    auto kernel = parameters_of("sgemm_32x32");
    kernel.d_other += kernel.d_ldst;
    kernel.d_ldst = 0;
    const auto computed = prediction(kernel, thesis_gpu("GTX660"));
    const auto& printed = thesis().at("sgemm_gtx660").at("load_store_as_other");
    CHECK(agrees(1e-9 * computed.intermediates->t_op_adjusted.value, printed.at("t_op_adjusted_gflops"), 0));
    CHECK(agrees(1e3 * computed.duration.value, printed.at("predicted_ms"), 2));
}

TEST_CASE("Figure 4.4: what each efficiency takes from red/black SOR on the GTX 660") {
    const auto kernel = parameters_of("redblack_sor");
    const auto gpu = thesis_gpu("GTX660");
    auto full_mix = kernel;
    full_mix.e_mix = 1;
    auto operations_only = full_mix;
    operations_only.d_ldst = operations_only.d_other = 0;
    const auto rate = [&](const KernelParameters& k) { return prediction(k, gpu).intermediates->t_op_adjusted.value; };
    CHECK(rate(operations_only) == Approx(89.70e9));  // T_op, table 5.2
    auto mix_only = operations_only;
    mix_only.e_mix = kernel.e_mix;
    CHECK(rate(mix_only) == Approx(0.57692 * 89.70e9).epsilon(1e-4));  // x E_mix of table 4.5
    CHECK(agrees(1e-9 * rate(kernel), 28.92, 2));                      // x E_instr: the printed T'_op
    // Without efficiencies the kernel is memory bound; with both it is compute bound.
    CHECK(prediction(operations_only, gpu).limiter == Limiter::memory);
    CHECK(prediction(kernel, gpu).limiter == Limiter::compute);
}

TEST_CASE("Tables 5.9, 5.12, 5.14, 6.5: predicted times from counters") {
    for (const std::string kernel : {"redblack_sor", "lmsor", "sgemm_32x32"}) {
        const auto parameters = parameters_of(kernel);
        check_times(kernel, parameters, parameters);
    }
}

TEST_CASE("Table 6.5: predicted times from printed parameters") {
    const auto sgemm = printed_parameters("sgemm_16x16");
    check_times("sgemm_16x16", moved(sgemm, -half_unit), moved(sgemm, half_unit));
    for (const auto& kernel : golden::rodinia()) {
        if (kernel.name != "lvmd-krn") continue;
        check_times("lavamd", moved(kernel.parameters, -half_unit), moved(kernel.parameters, half_unit));
    }
}

TEST_CASE("LMSOR and SGEMM: limiters as the text says") {
    for (const std::string gpu : {"GTX480", "GTX660", "GTX960", "GTX1060", "M2050", "K20c"}) {
        INFO(gpu);
        CHECK(prediction(parameters_of("lmsor"), thesis_gpu(gpu)).limiter ==
              (gpu == "GTX660" ? Limiter::compute : Limiter::memory));
        CHECK(prediction(parameters_of("sgemm_32x32"), thesis_gpu(gpu)).limiter == Limiter::compute);
    }
}

TEST_CASE("Table 5.16: operational intensity of the 28 Rodinia kernels") {
    CHECK(golden::rodinia().size() == 28);
    for (const auto& kernel : golden::rodinia()) {
        INFO(kernel.name);
        CHECK(agrees(kernel.parameters.o_krn->value, kernel.o_krn, 3));
    }
}

TEST_CASE("Section 5.3: four fp32 Rodinia kernels are memory bound on the GTX 480") {
    std::set<std::string> memory_bound;
    for (const auto& kernel : golden::rodinia()) {
        if (kernel.parameters.k_type != KType::fp32) continue;
        const auto limiter = prediction(kernel.parameters, thesis_gpu("GTX480")).limiter;
        if (limiter == Limiter::memory) memory_bound.insert(kernel.name);
    }
    CHECK(memory_bound == std::set<std::string>{"bp-adj", "e3d-step", "hs-srtf", "km-pt"});
}

TEST_CASE("gpuroofperf-toolkit's README: matrixMul from a GTX 960 to a GTX 660") {
    // The README (by the author of the thesis) prints rates with three decimals, 1,048,576,000 operations, 72,716,160
    // bytes, E_mix 1.0, the mix 34.73/47.80/17.47 % and 5.21397 ms. Its counters are inferred: 32x32 tiles fix the
    // floating-point and load/store instructions, and 47,180,800 warp instructions give that mix and those digits.
    KernelMetrics m;
    m.thread_inst_fp64 = Instructions{0};
    m.thread_inst_fp32 = m.thread_inst_fp32_fma = Instructions{524288000};
    m.thread_inst_load_store = Instructions{721715200};
    m.warp_inst = Instructions{47180800};
    m.dram_read = Sectors{72716160 / 32};
    m.dram_write = Sectors{0};
    const auto kernel = std::get<KernelParameters>(kernel_parameters(m, {}));
    CHECK(kernel.w_comp.value == 1048576000);
    CHECK(kernel.w_traf.value == 72716160);
    CHECK(kernel.e_mix == 1);
    CHECK(agrees(100 * kernel.d_ops, 34.73, 2));
    CHECK(agrees(100 * kernel.d_ldst, 47.80, 2));
    CHECK(agrees(100 * kernel.d_other, 17.47, 2));

    Gpu gpu = thesis_gpu("GTX660");
    gpu.fp32->value = OperationsPerSecond{1863.569e9};
    gpu.fp64->value = OperationsPerSecond{81.791e9};
    gpu.int_mad->value = OperationsPerSecond{359.020e9};
    gpu.int_add->value = OperationsPerSecond{414.935e9};
    gpu.shared_rate->value = InstructionsPerSecond{179.729e9};
    gpu.dram_bandwidth->value = BytesPerSecond{115.943e9};
    const auto computed = prediction(kernel, gpu);
    CHECK(computed.limiter == Limiter::compute);
    // The rates are rounded in the third decimal, of the shared-memory rate 3e-6: two units of the fifth decimal.
    const double milliseconds = 1e3 * computed.duration.value;
    CHECK(agrees(Range{milliseconds * (1 - 3e-6), milliseconds * (1 + 3e-6)}, 5.21397, 5));
}

TEST_CASE("The comparison rejects wrong figures") {
    CHECK(agrees(1.2344, 1.234, 3));
    CHECK(agrees(1.2345, 1.235, 3));
    CHECK_FALSE(agrees(1.2346, 1.234, 3));
    for (const auto& [kernel, row] : thesis().at("kernels").items()) {
        if (!row.contains("metrics_gtx480")) continue;
        const auto right = parameters_of(kernel);
        auto twice = right;
        twice.w_comp = 2 * right.w_comp;
        twice.w_traf = 2 * right.w_traf;
        auto slightly = right;
        slightly.w_comp = 1.001 * right.w_comp;
        slightly.w_traf = 1.001 * right.w_traf;
        for (const auto& [gpu, printed] : row.at("predicted_ms").items()) {
            INFO(kernel << " on " << gpu);
            CHECK_FALSE(agrees(milliseconds(twice, twice, gpu), printed, decimals(gpu)));
            if (gpu == "R9Nano") continue;  // two decimals do not show a thousandth of 7.75 ms
            CHECK_FALSE(agrees(milliseconds(slightly, slightly, gpu), printed, decimals(gpu)));
        }
    }
}
