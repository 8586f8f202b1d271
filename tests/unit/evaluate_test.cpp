#include "model/evaluate.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

using namespace gpuproj;

namespace {

/// A stand-in model: seconds are launches over SMs; refuses the kernel "odd", and has a spread where the GPU is ours.
Outcome launches_over_sms(const ModelInput& input) {
    if (input.kernel.kernel == "odd") return Inapplicable{"odd"};
    Prediction p;
    p.duration = Seconds{static_cast<double>(input.kernel.launches) / input.target.sm_count->value};
    if (input.target.vendor == "ours") p.spread = Spread{0.2, 0, 0};
    return p;
}
Outcome refuses(const ModelInput&) {
    return Inapplicable{"always"};
}
constexpr Model stand_in{"stand-in", "", "", "", launches_over_sms};
constexpr Model refusing{"refusing", "", "", "", refuses};

Gpu gpu_of(int sms, const std::string& vendor) {
    Gpu gpu;
    gpu.vendor = vendor;
    gpu.sm_count = Known<int>{sms, Quality::datasheet, "test", {}};
    return gpu;
}

KernelRecord kernel_of(const std::string& name, std::uint64_t launches) {
    KernelRecord kernel;
    kernel.kernel = name;
    kernel.launches = launches;
    return kernel;
}

}  // namespace

TEST_CASE("A profile is evaluated on every GPU by every model") {
    Profile profile;
    profile.kernels = {kernel_of("a", 6), kernel_of("odd", 2), kernel_of("b", 12)};
    const Gpu small = gpu_of(2, "theirs"), large = gpu_of(6, "ours");
    const std::array targets{&small, &large};
    const std::array<const Model*, 2> table{&stand_in, &refusing};

    const auto result = evaluate({profile, targets, table});
    REQUIRE(result.rows.size() == 12);
    CHECK(result.rows[8].target == 1);
    CHECK(result.rows[8].model == 0);
    CHECK(result.rows[8].kernel == 2);
    CHECK(std::get<Prediction>(result.rows[8].outcome).duration.value == 2);
    CHECK(std::get<Inapplicable>(result.rows[7].outcome).reason == "odd");

    REQUIRE(result.totals.size() == 4);
    CHECK(result.totals[0].duration->value == 9);
    CHECK_FALSE(result.totals[0].low);
    CHECK(result.totals[0].covered_share == Approx(0.9));  // 18 of 20 launches
    CHECK(result.totals[0].kernels_predicted == 2);
    CHECK(result.totals[0].kernels_refused == 1);
    CHECK_FALSE(result.totals[1].duration);
    CHECK(result.totals[1].covered_share == 0);
    CHECK(result.totals[2].duration->value == 3);
    // Errors common to all kernels do not average out.
    CHECK(result.totals[2].low->value == Approx(3 * std::exp(-normal_90 * 0.2)));
    CHECK(result.totals[2].high->value == Approx(3 * std::exp(normal_90 * 0.2)));
    CHECK(result.totals[2].concentration == Approx((1. + 4.) / 9));  // 1 s and 2 s of 3 s

    const auto totals = evaluate_totals({profile, targets, table});
    REQUIRE(totals.size() == 4);
    CHECK(totals[2].duration == result.totals[2].duration);
    CHECK(totals[2].covered_share == result.totals[2].covered_share);
}

TEST_CASE("What is covered is a share of the measured time where all kernels were timed") {
    Profile profile;
    profile.kernels = {kernel_of("a", 1), kernel_of("odd", 3)};
    profile.kernels[0].duration = Duration{1, Seconds{3}, {}, {}};
    CHECK(kernel_weights(profile) == std::vector<double>{0.25, 0.75});
    profile.kernels[1].duration = Duration{1, Seconds{0.5}, {}, {}};  // one of three was timed: 1.5 s
    CHECK(kernel_weights(profile)[0] == Approx(3 / 4.5));
    CHECK(kernel_weights(Profile{}).empty());
}

TEST_CASE("Many records are summed on all cores, those of one kernel together, whatever their order") {
    Profile profile;
    double seconds = 0, of_long = 0;
    for (std::uint64_t i = 0; i < 30'000; ++i) {
        const std::string name = i % 2 == 0 ? "long" : std::to_string(i % 1000);
        profile.kernels.push_back(kernel_of(name, 1 + i % 7));
        seconds += static_cast<double>(1 + i % 7) / 6;
        if (i % 2 == 0) of_long += static_cast<double>(1 + i % 7) / 6;
    }
    const Gpu gpu = gpu_of(6, "ours");
    const std::array targets{&gpu};
    const std::array<const Model*, 1> table{&stand_in};
    const auto totals = evaluate_totals({profile, targets, table});
    CHECK(totals[0].duration->value == Approx(seconds));
    CHECK(totals[0].kernels_predicted == 30'000);
    CHECK(totals[0].covered_share == 1);
    // 15,000 records of one kernel, in several pieces; the 500 others have little.
    CHECK(totals[0].concentration == Approx(of_long * of_long / seconds / seconds).epsilon(0.01));
    const auto again = evaluate({profile, targets, table}).totals;
    CHECK(again[0].duration->value == totals[0].duration->value);
    CHECK(again[0].low->value == totals[0].low->value);
}
