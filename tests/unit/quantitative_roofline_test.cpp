// Rules and special cases of the quantitative roofline, worked by hand on round numbers.
#include "model/quantitative_roofline.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "model/roofline.hpp"
#include "model/warnings.hpp"

using namespace gpuproj;
using Catch::Contains;

namespace {

template <class Q>
Known<Q> known(double value) {
    return {Q{value}, Quality::measured, "a round number", {}};
}

/// fp32 2000, fp64 1000, int 500, additions 1000, loads and stores 250 G/s; 100 GB/s; 10 SMs.
Gpu round_gpu() {
    Gpu gpu;
    gpu.name = "Round";
    gpu.vendor = "NVIDIA";
    gpu.fp32 = known<OperationsPerSecond>(2000e9);
    gpu.fp64 = known<OperationsPerSecond>(1000e9);
    gpu.int_mad = known<OperationsPerSecond>(500e9);
    gpu.int_add = known<OperationsPerSecond>(1000e9);
    gpu.dram_bandwidth = known<BytesPerSecond>(100e9);
    gpu.shared_rate = known<InstructionsPerSecond>(250e9);
    gpu.sm_count = Known<int>{10, Quality::datasheet, "a round number", {}};
    return gpu;
}

/// 3.2 G instruction slots: 0.8 G fp32 instructions, of which 0.4 G multiply-adds, and 0.8 G loads and stores;
/// 32 MB of traffic.
KernelRecord round_kernel() {
    KernelRecord kernel;
    kernel.kernel = "round";
    kernel.grid = Dim3{600, 1, 1};
    kernel.block = Dim3{128, 1, 1};
    auto& m = kernel.metrics;
    m.warp_inst = Instructions{100e6};
    m.thread_inst_fp32 = Instructions{800e6};
    m.thread_inst_fp32_fma = Instructions{400e6};
    m.thread_inst_fp64 = Instructions{0};
    m.thread_inst_fp64_fma = Instructions{0};
    m.thread_inst_integer = Instructions{640e6};
    m.thread_inst_load_store = Instructions{800e6};
    m.dram_read = Sectors{0.75e6};
    m.dram_write = Sectors{0.25e6};
    return kernel;
}

const Gpu gpu = round_gpu();

Prediction predict(const KernelRecord& kernel, const ModelOptions& options = {}, const Gpu* reference = nullptr) {
    const auto outcome = predict_quantitative_roofline({kernel, gpu, reference, options});
    if (const auto* no = std::get_if<Inapplicable>(&outcome)) FAIL(no->reason);
    return std::get<Prediction>(outcome);
}

std::string reason(const KernelRecord& kernel, const ModelOptions& options = {}, const Gpu& target = gpu,
                   const Gpu* reference = nullptr) {
    const auto outcome = predict_quantitative_roofline({kernel, target, reference, options});
    const auto* no = std::get_if<Inapplicable>(&outcome);
    return no ? no->reason : "applicable";
}

bool warned(const Prediction& prediction, Warning warning) {
    return std::find(prediction.warnings.begin(), prediction.warnings.end(), warning) != prediction.warnings.end();
}

}  // namespace

TEST_CASE("The quantitative roofline by hand: compute bound") {
    const auto p = predict(round_kernel());
    REQUIRE(p.kernel);
    CHECK(p.kernel->k_type == KType::fp32);
    CHECK(p.kernel->w_comp.value == 1200e6);
    CHECK(p.kernel->w_traf.value == 32e6);
    CHECK(p.kernel->i_total.value == 3200e6);
    CHECK(p.kernel->e_mix == 0.75);
    CHECK(p.kernel->d_ops == 0.25);
    CHECK(p.kernel->d_ldst == 0.25);
    CHECK(p.kernel->d_other == 0.5);
    CHECK(p.kernel->o_krn->value == 37.5);
    REQUIRE(p.intermediates);
    CHECK(p.intermediates->w_op == 1);
    CHECK(p.intermediates->w_ldst == 4);
    CHECK(p.intermediates->w_other == 1);
    CHECK(p.intermediates->c_op == 0.25);
    CHECK(p.intermediates->c_ldst == 1);
    CHECK(p.intermediates->c_other == 0.5);
    CHECK(p.intermediates->e_instr == Approx(1 / 7.0));
    CHECK(p.intermediates->t_op_adjusted.value == Approx(0.75 * 2000e9 / 7));
    CHECK(p.intermediates->o_dev->value == Approx(0.75 * 20 / 7));
    CHECK(p.limiter == Limiter::compute);
    // 0.8 G / 1000 G/s + 0.8 G / 250 G/s + 1.6 G / 1000 G/s
    CHECK(p.duration.value == Approx(5.6e-3));
    REQUIRE(p.bounds.size() == 2);
    CHECK(p.bounds[1].limiter == Limiter::memory);
    CHECK(p.bounds[1].duration.value == Approx(0.32e-3));
    CHECK(p.warnings.empty());
}

TEST_CASE("The quantitative roofline by hand: memory bound") {
    auto kernel = round_kernel();
    kernel.metrics.dram_read = Sectors{30e6};  // with the writes 968 MB
    const auto p = predict(kernel);
    CHECK(p.limiter == Limiter::memory);
    CHECK(p.duration.value == Approx(9.68e-3));
    CHECK(p.bounds[0].limiter == Limiter::memory);
    CHECK(p.bounds[1].duration.value == Approx(5.6e-3));
}

TEST_CASE("Without DRAM traffic a kernel is compute bound") {
    auto kernel = round_kernel();
    kernel.metrics.dram_read = kernel.metrics.dram_write = Sectors{0};
    const auto p = predict(kernel);
    CHECK(p.limiter == Limiter::compute);
    CHECK(p.duration.value == Approx(5.6e-3));
    CHECK_FALSE(p.kernel->o_krn);
    CHECK(p.bounds.size() == 1);
}

TEST_CASE("Without operations of any type the other instructions count") {
    auto kernel = round_kernel();
    kernel.metrics.thread_inst_fp32 = kernel.metrics.thread_inst_fp32_fma = Instructions{0};
    kernel.metrics.thread_inst_integer = Instructions{0};
    auto p = predict(kernel);
    CHECK(p.kernel->k_type == KType::integer);
    CHECK(p.kernel->w_comp.value == 0);
    CHECK(p.intermediates->e_instr == 0);
    CHECK_FALSE(p.intermediates->o_dev);
    CHECK(p.limiter == Limiter::compute);
    CHECK(p.duration.value == Approx(0.8 / 250 + 2.4 / 1000));  // 3.2 G (0.25 / 250 G/s + 0.75 / 1000 G/s)
    CHECK(warned(p, Warning::no_operations));

    kernel.metrics.dram_read = Sectors{30e6};
    p = predict(kernel);
    CHECK(p.limiter == Limiter::memory);
    CHECK(p.duration.value == Approx(9.68e-3));
}

TEST_CASE("K_type: the printed rule, its override, and the warning of a stray double") {
    auto kernel = round_kernel();
    kernel.metrics.thread_inst_fp64 = Instructions{20e6};
    auto p = predict(kernel);
    CHECK(p.kernel->k_type == KType::fp64);
    CHECK(p.kernel->w_comp.value == 20e6);
    CHECK(p.kernel->type_share == Approx(20.0 / 1220));
    CHECK(warned(p, Warning::rare_type));

    p = predict(kernel, {.k_type = KType::fp32});
    CHECK(p.kernel->k_type == KType::fp32);
    CHECK(p.duration.value == Approx(5.6e-3));
    CHECK_FALSE(warned(p, Warning::rare_type));

    kernel.metrics.thread_inst_fp64 = Instructions{80e6};  // 80 / 1280 > 5 %
    CHECK_FALSE(warned(predict(kernel), Warning::rare_type));

    kernel = round_kernel();
    CHECK_FALSE(warned(predict(kernel), Warning::rare_type));
    kernel.metrics.thread_inst_integer = Instructions{2000e6};
    kernel.metrics.thread_inst_fp32 = Instructions{19e6};
    kernel.metrics.thread_inst_fp32_fma = Instructions{0};
    CHECK(warned(predict(kernel), Warning::rare_type));
    CHECK_FALSE(warned(predict(kernel, {.k_type = KType::integer}), Warning::rare_type));
    kernel.metrics.thread_inst_fp32 = Instructions{21e6};
    CHECK_FALSE(warned(predict(kernel), Warning::rare_type));

    kernel = round_kernel();
    CHECK_THAT(reason(kernel, {.k_type = KType::fp64}), Contains("no fp64 operations"));
    kernel.metrics.thread_inst_fp32 = kernel.metrics.thread_inst_fp32_fma = Instructions{0};
    CHECK(predict(kernel).kernel->k_type == KType::integer);
}

TEST_CASE("Integer kernels: multiply-adds, or additions where asked") {
    auto kernel = round_kernel();
    auto p = predict(kernel, {.k_type = KType::integer});
    CHECK(p.kernel->w_comp.value == 640e6);
    CHECK(p.kernel->e_mix == 0.5);
    // 0.64 G at 250 G multiply-adds/s, 0.8 G at 250 G/s, 1.76 G at 1000 G/s
    CHECK(p.duration.value == Approx(2.56e-3 + 3.2e-3 + 1.76e-3));
    p = predict(kernel, {.k_type = KType::integer, .integer_as_additions = true});
    CHECK(p.intermediates->t_op.value == 2000e9);
    CHECK(p.duration.value == Approx(0.64e-3 + 3.2e-3 + 1.76e-3));
    // It changes nothing for other types.
    CHECK(predict(kernel, {.integer_as_additions = true}).duration == predict(kernel).duration);
}

TEST_CASE("Repeated passes through shared memory count as loads and stores where asked") {
    auto kernel = round_kernel();
    kernel.metrics.warp_inst_shared_load = Instructions{15e6};
    kernel.metrics.warp_inst_shared_store = Instructions{5e6};
    kernel.metrics.shared_wavefront = Instructions{45e6};  // 25 M repeated passes: 0.8 G more of 4 G slots
    const auto p = predict(kernel, {.shared_wavefronts = true});
    CHECK(p.kernel->i_total.value == 4e9);
    CHECK(p.kernel->d_ldst == Approx(0.4));
    CHECK(p.kernel->d_other == Approx(0.4));
    CHECK(p.duration.value == Approx(5.6e-3 + 3.2e-3));  // 0.8 G at 250 G/s
    CHECK(predict(kernel).duration.value == Approx(5.6e-3));

    CHECK_THAT(reason(round_kernel(), {.shared_wavefronts = true}), Contains("shared_wavefront"));
    kernel.metrics.shared_wavefront = Instructions{19e6};
    CHECK_THAT(reason(kernel, {.shared_wavefronts = true}), Contains("counters contradict"));
}

TEST_CASE("E_util corrects by the measured time on the reference GPU") {
    auto kernel = round_kernel();
    kernel.launches = 4;
    kernel.duration = Duration{2, Seconds{4e-3}, Seconds{1.9e-3}, Seconds{2.1e-3}};  // two of four were timed: 8 ms
    Gpu reference = round_gpu();
    reference.shared_rate = known<InstructionsPerSecond>(1000e9);  // there 0.8 + 0.8 + 1.6 = 3.2 ms
    const auto p = predict(kernel, {.use_reference_time = true}, &reference);
    CHECK(*p.intermediates->e_util == Approx(2.5));
    CHECK(p.duration.value == Approx(2.5 * 5.6e-3));
    CHECK(p.bounds[0].duration == p.duration);
    CHECK(p.bounds[1].duration.value == Approx(2.5 * 0.32e-3));
    CHECK_FALSE(predict(kernel, {}, &reference).intermediates->e_util);

    // On the reference GPU itself the measured time comes back.
    const auto same = predict_quantitative_roofline({kernel, reference, &reference, {.use_reference_time = true}});
    CHECK(std::get<Prediction>(same).duration.value == Approx(8e-3));

    CHECK_THAT(reason(round_kernel(), {.use_reference_time = true}, gpu, &reference),
               Contains("no measured durations"));
    CHECK_THAT(reason(kernel, {.use_reference_time = true}), Contains("the profile's own GPU"));
}

TEST_CASE("What is missing is named") {
    const auto without = [](auto member) {
        auto kernel = round_kernel();
        (kernel.metrics.*member).reset();
        return reason(kernel);
    };
    CHECK_THAT(without(&KernelMetrics::warp_inst), Contains("warp_inst"));
    CHECK_THAT(without(&KernelMetrics::thread_inst_fp32), Contains("thread_inst_fp32"));
    CHECK_THAT(without(&KernelMetrics::thread_inst_fp64), Contains("thread_inst_fp64"));
    CHECK_THAT(without(&KernelMetrics::thread_inst_fp32_fma), Contains("thread_inst_fp32_fma"));
    CHECK_THAT(without(&KernelMetrics::thread_inst_load_store), Contains("thread_inst_load_store"));
    CHECK_THAT(without(&KernelMetrics::dram_read), Contains("dram_read_sector"));
    CHECK_THAT(without(&KernelMetrics::dram_write), Contains("dram_write_sector"));
    CHECK(without(&KernelMetrics::thread_inst_fp64_fma) == "applicable");  // fp32 kernels do not need it

    Gpu target = round_gpu();
    target.shared_rate.reset();
    CHECK_THAT(reason(round_kernel(), {}, target), Contains("Round has no shared_inst_per_s"));
    target = round_gpu();
    target.fp64.reset();
    CHECK(reason(round_kernel(), {}, target) == "applicable");
    auto doubles = round_kernel();
    doubles.metrics.thread_inst_fp64 = Instructions{80e6};
    CHECK_THAT(reason(doubles, {}, target), Contains("Round has no fp64_op_per_s"));
}

TEST_CASE("Counters that contradict each other are refused") {
    auto kernel = round_kernel();
    kernel.metrics.thread_inst_fp32_fma = Instructions{801e6};
    CHECK_THAT(reason(kernel), Contains("more multiply-adds than instructions"));
    kernel = round_kernel();
    kernel.metrics.thread_inst_load_store = Instructions{2500e6};
    CHECK_THAT(reason(kernel), Contains("counters contradict"));
    kernel = round_kernel();
    kernel.metrics.warp_inst = Instructions{0};
    CHECK_THAT(reason(kernel), Contains("no instruction was executed"));
}

TEST_CASE("Conditions that do not hold are warned of") {
    auto kernel = round_kernel();
    kernel.launches = 12;  // 5.6 ms / 12 < 0.5 ms
    CHECK(warned(predict(kernel), Warning::short_launch));
    kernel.launches = 11;
    CHECK_FALSE(warned(predict(kernel), Warning::short_launch));

    kernel = round_kernel();
    kernel.block = Dim3{8, 7, 1};
    CHECK(warned(predict(kernel), Warning::small_block));
    kernel.block = Dim3{8, 8, 1};
    CHECK_FALSE(warned(predict(kernel), Warning::small_block));

    kernel.grid = Dim3{59, 1, 1};  // 10 SMs need 60
    CHECK(warned(predict(kernel), Warning::few_blocks));
    kernel.grid.reset();
    kernel.block.reset();
    CHECK(predict(kernel).warnings.empty());

    kernel.metrics.compute_utilization = 0.5;
    kernel.metrics.dram_utilization = 0.69;
    CHECK(warned(predict(kernel), Warning::low_utilization));
    kernel.metrics.dram_utilization = 0.7;
    CHECK_FALSE(warned(predict(kernel), Warning::low_utilization));

    for (std::size_t i = 0; i < warning_names.size(); ++i) {
        CHECK_FALSE(explanation(static_cast<Warning>(i)).empty());
    }
}

TEST_CASE("AMD GPUs are filled by 256 threads per compute unit") {
    Gpu target = round_gpu();
    target.vendor = "AMD";
    auto kernel = round_kernel();
    kernel.grid = Dim3{20, 1, 1};  // 2560 threads on 10 units
    const auto warnings = [&] {
        return std::get<Prediction>(predict_quantitative_roofline({kernel, target, nullptr, {}}));
    };
    CHECK_FALSE(warned(warnings(), Warning::few_blocks));
    kernel.grid = Dim3{19, 1, 1};
    CHECK(warned(warnings(), Warning::few_blocks));
}

TEST_CASE("The datasheet roofline by hand") {
    auto kernel = round_kernel();
    Gpu target;
    target.name = "Sheet";
    const auto run = [&] { return predict_roofline({kernel, target, nullptr, {}}); };
    const auto why = [&] { return std::get<Inapplicable>(run()).reason; };
    CHECK_THAT(why(), Contains("Sheet has no fp32_peak_op_per_s"));
    target.fp32_peak = known<OperationsPerSecond>(3000e9);
    CHECK_THAT(why(), Contains("Sheet has no dram_bandwidth_peak_byte_per_s"));
    target.dram_bandwidth_peak = known<BytesPerSecond>(80e9);
    CHECK(std::get<Prediction>(run()).duration.value == Approx(0.4e-3));  // 1.2 G / 3000 G/s = 32 MB / 80 GB/s
    CHECK(std::get<Prediction>(run()).limiter == Limiter::memory);
    kernel.metrics.dram_read = Sectors{0};
    CHECK(std::get<Prediction>(run()).limiter == Limiter::compute);
    kernel.metrics.thread_inst_fp32 = Instructions{0};
    CHECK_THAT(why(), Contains("no integer peak"));
    kernel.metrics.dram_read.reset();
    CHECK_THAT(why(), Contains("dram_read_sector"));
}
