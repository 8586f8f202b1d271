// The charts as data: Konstantinidis 2017, figures 4.4, 4.6 and 5.4 and the tables behind them.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "model/profile_io.hpp"
#include "reports/quadrant_chart.hpp"
#include "reports/roofline_chart.hpp"
#include "tests/golden/printed.hpp"
#include "tests/support/directories.hpp"

using namespace gpuproj;
using golden::agrees;

namespace {

constexpr std::array gpu_names = {"GTX480", "GTX660", "GTX960", "GTX1060", "M2050", "K20c"};

/// A profile of the thesis on its six GPUs by its model.
struct Thesis {
    explicit Thesis(const std::string& profile_name)
        : profile(read_profile(test::source_directory() + "/examples/profiles/" + profile_name + ".json")) {
        for (const auto* name : gpu_names) {
            gpus.push_back(golden::thesis_gpu(name));
            gpus.back().name = name;
        }
        profile.gpu = "GTX480";
        for (const auto& gpu : gpus) targets.push_back(&gpu);
        evaluation = evaluate(input());
    }
    EvaluationInput input() const { return {profile, targets, models, targets[0], {}}; }

    Profile profile;
    std::vector<Gpu> gpus;
    std::vector<const Gpu*> targets;
    std::vector<const Model*> models{&find_model("quantitative-roofline")};
    Evaluation evaluation;
};

/// What the printed time gives.
double throughput(const nlohmann::json& kernel, const std::string& gpu) {
    return kernel.at("params").at("w_comp").get<double>() / kernel.at("predicted_ms").at(gpu).get<double>() * 1e3;
}

}  // namespace

TEST_CASE("Quadrant-split: where the half-line and the adjusted points meet (figures 4.4, 4.6, 5.4)") {
    for (const std::string name : {"redblack_sor", "lmsor", "sgemm_32x32"}) {
        const Thesis thesis(name);
        const auto& printed = golden::thesis().at("kernels").at(name);
        const auto chart = quadrant_chart(thesis.input(), thesis.evaluation, 0, 0);
        REQUIRE_FALSE(chart.reason);
        REQUIRE(chart.gpus.size() == gpu_names.size());
        for (const auto& gpu : chart.gpus) {
            INFO(name << " on " << gpu.name);
            // Times are printed to 1 us of 3 to 40 ms: 2e-4, and follow from rates printed to 5 digits.
            CHECK(gpu.attained.throughput.value == Approx(throughput(printed, gpu.name)).epsilon(5e-4));
            // On the half-line.
            CHECK(ratio(gpu.attained.throughput / gpu.attained.bandwidth, *chart.slope) == Approx(1));
            // Straight down from the adjusted point, or straight left.
            if (gpu.limiter == Limiter::memory) {
                CHECK(ratio(gpu.attained.bandwidth, gpu.adjusted.bandwidth) == Approx(1));
                CHECK(gpu.attained.throughput <= gpu.adjusted.throughput);
            } else {
                CHECK(ratio(gpu.attained.throughput, gpu.adjusted.throughput) == Approx(1));
                CHECK(gpu.attained.bandwidth <= gpu.adjusted.bandwidth);
            }
            CHECK(ratio(gpu.after_mix.throughput, gpu.sustained.throughput) == Approx(chart.e_mix));
            CHECK(ratio(gpu.adjusted.throughput, gpu.after_mix.throughput) == Approx(gpu.e_instr));
        }
        // Only the profile's own GPU has a measured cross, at the measured time.
        REQUIRE(chart.gpus[0].measured);
        CHECK_FALSE(chart.gpus[1].measured);
        const double measured_s = printed.at("measured_ms").at("GTX480").get<double>() / 1e3;
        CHECK(chart.gpus[0].measured->throughput.value ==
              Approx(printed.at("params").at("w_comp").get<double>() / measured_s).epsilon(1e-6));
    }
}

TEST_CASE("Quadrant-split of red/black SOR: T'_op as printed (table 5.7)") {
    const Thesis thesis("redblack_sor");
    const auto chart = quadrant_chart(thesis.input(), thesis.evaluation, 0, 0);
    for (const auto& gpu : chart.gpus) {
        INFO(gpu.name);
        const auto& printed = golden::thesis().at("kernels").at("redblack_sor").at("t_op_adjusted_gflops");
        CHECK(agrees(gpu.adjusted.throughput.value / 1e9, printed.at(gpu.name).get<double>(), 2));
        // Compute bound on the GTX 660 alone (section 5.2.1).
        CHECK((gpu.limiter == Limiter::compute) == (gpu.name == "GTX660"));
    }
}

TEST_CASE(
    "Roofline: the roof of each kernel is the printed attained throughput, the arrow's gain measured / predicted") {
    const Thesis thesis("redblack_sor");
    const auto chart = roofline_chart(thesis.input(), thesis.evaluation, 0, 30);
    REQUIRE(chart.points.size() == gpu_names.size());
    CHECK(chart.left_out.empty());
    const auto& printed = golden::thesis().at("kernels").at("redblack_sor");
    for (const auto& point : chart.points) {
        const auto& gpu = chart.gpus[point.gpu].name;
        INFO(gpu);
        CHECK(agrees(point.roof.value / 1e9, printed.at("t_predicted_gflops").at(gpu).get<double>(), 2));
        CHECK(point.measured == (gpu == "GTX480"));
        CHECK(point.share == Approx(1));
    }
    // 21.456 ms measured, 20.414 ms predicted on the GTX 480 (table 5.9).
    CHECK(chart.points[0].gain == Approx(21.456 / 20.414).epsilon(1e-4));
    CHECK(chart.points[1].gain == Approx(1));
}

TEST_CASE(
    "Roofline of the Rodinia kernels on the GTX 480: 11 fp32 kernels left of the datasheet's ridge, 4 once adjusted") {
    const Thesis thesis("rodinia");
    const auto chart = roofline_chart(thesis.input(), thesis.evaluation, 0, 100);
    const OperationsPerByte datasheet_ridge{7.599};  // table 3.1
    std::size_t by_intensity = 0;
    std::vector<std::string> adjusted;
    for (const auto& point : chart.points) {
        if (point.gpu != 0 || point.k_type != KType::fp32) continue;
        if (point.intensity && *point.intensity < datasheet_ridge) ++by_intensity;
        if (point.binding == Limiter::memory) adjusted.push_back(chart.kernels[point.kernel]);
    }
    // Both numbers, and the four names, are those of section 5.2.5.
    CHECK(by_intensity == 11);
    std::sort(adjusted.begin(), adjusted.end());
    CHECK(adjusted == std::vector<std::string>{"bp-adj", "e3d-step", "hs-srtf", "km-pt"});
}

TEST_CASE("Roofline: only the longest kernels are drawn, the rest is counted") {
    const Thesis thesis("rodinia");
    const auto all = roofline_chart(thesis.input(), thesis.evaluation, 0, 100);
    const auto some = roofline_chart(thesis.input(), thesis.evaluation, 0, 5);
    CHECK(all.points.size() == 28 * gpu_names.size());
    CHECK(some.points.size() == 5 * gpu_names.size());
    for (std::size_t gpu = 0; gpu < gpu_names.size(); ++gpu) {
        double shown = 0;
        for (const auto& point : some.points) shown += point.gpu == gpu ? point.share : 0;
        CHECK(some.not_drawn[gpu] == 23);
        CHECK(shown + some.share_not_drawn[gpu] == Approx(1));
        CHECK(all.not_drawn[gpu] == 0);
    }
}
