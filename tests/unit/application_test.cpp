#include "reports/application.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "reports/predictions_page.hpp"

using namespace gpuproj;

namespace {

Outcome half_a_second(const ModelInput&) {
    Prediction p;
    p.duration = Seconds{0.5};
    return p;
}
constexpr Model stand_in{"stand-in", "", "", "", half_a_second};

Gpu gpu_of(const std::string& name, double link) {
    Gpu gpu;
    gpu.name = name;
    if (link > 0) gpu.link_bandwidth = Known<BytesPerSecond>{BytesPerSecond{link}, Quality::datasheet, "test", {}};
    return gpu;
}

}  // namespace

TEST_CASE("An application elsewhere: kernels predicted, transfers by the link, host time unchanged and said") {
    Profile profile;
    profile.gpu = "here";
    KernelRecord kernel;
    kernel.duration = Duration{1, Seconds{1}, std::nullopt, std::nullopt};
    profile.kernels = {kernel};
    profile.transfers = {{"host_to_device", 1, Bytes{1e9}, Seconds{0.2}},
                         {"device_to_device", 1, Bytes{1e9}, Seconds{0.1}}};
    profile.host_time = Seconds{2};
    const Gpu here = gpu_of("here", 5e9), faster = gpu_of("faster", 10e9), unknown = gpu_of("unknown", 0);
    const std::array targets = {&faster, &unknown};
    const Model* const model = &stand_in;
    const EvaluationInput input{profile, targets, {&model, 1}, &here, {}};
    const auto times = application_times(input, evaluate_totals(input), 0);
    REQUIRE(times.size() == 2);
    // 2 s of wall time less 1 of kernels, 0.2 and 0.1 of copies: 0.7 of the host, idle time in it.
    CHECK_FALSE(times[0].idle);
    CHECK(times[0].host->value == Approx(0.7));
    CHECK(times[0].transfers->value == Approx(0.2 / 2 + 0.1));
    CHECK(times[0].total->value == Approx(0.5 + 0.2 + 0.7));
    CHECK(*times[0].not_modelled_share == Approx((0.7 + 0.1) / 1.4));
    CHECK(times[0].transfers_are == transfers_scaled);
    CHECK(times[1].transfers_are == transfers_as_measured);
    CHECK(times[1].total->value == Approx(0.5 + 0.3 + 0.7));
    CHECK(*times[1].not_modelled_share == Approx(1.0 / 1.5));

    CHECK(knows_more_than_kernels(times));
    const auto table = application_projection_table(input, evaluate_totals(input));
    REQUIRE(table.rows.size() == 2);
    CHECK(std::get<std::string>(table.rows[0][0]) == "stand-in");
    CHECK(std::get<double>(table.rows[0][7]) == Approx(1.4));

    profile.kernels[0].duration.reset();  // simulated: the wall time is the simulation's
    CHECK_FALSE(application_times(input, evaluate_totals(input), 0)[0].host);
    CHECK_FALSE(application_times(input, evaluate_totals(input), 0)[0].not_modelled_share);

    // Counted in bytes alone: 2 GB over a link of 10 GB/s. Without a known link nothing is said.
    profile.transfers = {{"host_to_device", 1, Bytes{1.5e9}, std::nullopt},
                         {"device_to_host", 1, Bytes{0.5e9}, std::nullopt}};
    const auto counted = application_times(input, evaluate_totals(input), 0);
    CHECK(counted[0].transfers->value == Approx(0.2));
    CHECK(counted[0].transfers_are == transfers_from_bytes);
    CHECK_FALSE(counted[1].transfers);
}

TEST_CASE("Idle time of the GPU stands apart from the host's where it is known, and neither changes with the GPU") {
    Profile profile;
    profile.gpu = "here";
    KernelRecord kernel;
    kernel.duration = Duration{1, Seconds{1}, std::nullopt, std::nullopt};
    profile.kernels = {kernel};
    profile.transfers = {{"host_to_device", 1, Bytes{1e9}, Seconds{0.2}}};
    profile.host_time = Seconds{2};
    profile.gpu_idle = Seconds{0.3};
    const Gpu here = gpu_of("here", 5e9), faster = gpu_of("faster", 10e9);
    const Gpu* const target = &faster;
    const Model* const model = &stand_in;
    const EvaluationInput input{profile, {&target, 1}, {&model, 1}, &here, {}};

    const auto measured = measured_application(profile);
    CHECK(measured.idle->value == Approx(0.3));
    CHECK(measured.host->value == Approx(2 - 1 - 0.2 - 0.3));
    CHECK(measured.overlap.value == 0);
    CHECK(application_notes(measured).empty());
    const auto time = application_times(input, evaluate_totals(input), 0).at(0);
    CHECK(time.idle->value == Approx(0.3));
    CHECK(time.host->value == Approx(0.5));
    CHECK(time.total->value == Approx(0.5 + 0.1 + 0.3 + 0.5));
    CHECK(*time.not_modelled_share == Approx(0.8 / 1.4));

    SECTION("the wall time not known: idle time still is, the share not modelled is not") {
        profile.host_time.reset();
        const auto without = application_times(input, evaluate_totals(input), 0).at(0);
        CHECK(without.total->value == Approx(0.5 + 0.1 + 0.3));
        CHECK_FALSE(without.host);
        CHECK_FALSE(without.not_modelled_share);
    }
    SECTION("kernels and copies that ran at once are said, and the host's time is not negative") {
        profile.host_time = Seconds{1.4};
        const auto overlapped = measured_application(profile);
        CHECK(overlapped.host->value == 0);
        CHECK(overlapped.overlap.value == Approx(1 + 0.2 + 0.3 - 1.4));
        REQUIRE(application_notes(overlapped).size() == 1);
        CHECK(application_notes(overlapped).front().find("100.0 ms") != std::string::npos);
    }
    SECTION("without idle time it is said to be in the host's") {
        profile.gpu_idle.reset();
        CHECK(measured_application(profile).host->value == Approx(0.8));
        CHECK(application_notes(measured_application(profile)).size() == 1);
    }
    SECTION("of a simulation nothing is known") {
        profile.kernels[0].duration.reset();
        CHECK_FALSE(measured_application(profile).idle);
        CHECK_FALSE(measured_application(profile).host);
        REQUIRE(application_notes(measured_application(profile)).size() == 1);
        CHECK(application_notes(measured_application(profile)).front().find("not known") != std::string::npos);
    }
    SECTION("of kernels alone there is no table") {
        profile.transfers.clear();
        profile.gpu_idle.reset();
        profile.host_time.reset();
        CHECK(application_projection_table(input, evaluate_totals(input)).rows.empty());
    }
}

TEST_CASE("A total that lacks kernels is no smaller than one that has them, and no part of the fastest", "[reports]") {
    Profile profile;
    profile.gpu = "here";
    KernelRecord small, large;
    small.kernel = "small";
    large.kernel = "large";
    large.block = {1024, 1, 1};
    profile.kernels = {small, large};
    profile.transfers = {{"host_to_device", 1, Bytes{1e9}, std::nullopt}};
    constexpr Model picky{"picky", "", "", "", [](const ModelInput& input) -> Outcome {
                              if (input.target.name == "old" && input.kernel.kernel == "large")
                                  return Inapplicable{"its blocks do not fit"};
                              return half_a_second(input);
                          }};
    const Gpu here = gpu_of("here", 5e9), old = gpu_of("old", 10e9), recent = gpu_of("recent", 10e9);
    const std::array targets = {&old, &recent};
    const Model* const model = &picky;
    const EvaluationInput input{profile, targets, {&model, 1}, &here, {}};
    const auto page = predictions_page(input, evaluate(input), {.models = {0}}, {.width = 120});
    INFO(page);
    const auto totals = page.find("In total"), whole = page.find("The whole application");
    REQUIRE(totals < whole);
    REQUIRE(whole != std::string::npos);
    CHECK(page.find("\nrecent", totals) < page.find("\nold", totals));
    CHECK(page.find("\nrecent", whole) < page.find("\nold", whole));
    CHECK(page.find("1.00 x", totals) < whole);
    CHECK(page.find("0.50 x", totals) == std::string::npos);
}
