#include "reports/comparison.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "model/error.hpp"
#include "reports/comparison_report.hpp"
#include "reports/fastest.hpp"
#include "targets/catalog.hpp"

using namespace gpuproj;

namespace {

/// A stand-in model: seconds are launches over SMs for kernels "wide", launches over GHz for kernels "deep"; refuses
/// others.
Outcome stand_in(const ModelInput& input) {
    Prediction p;
    const auto launches = static_cast<double>(input.kernel.launches);
    if (input.kernel.kernel == "wide") {
        p.duration = Seconds{launches / input.target.sm_count->value};
    } else if (input.kernel.kernel == "deep") {
        p.duration = Seconds{launches * 1e9 / input.target.core_clock->value.value};
    } else {
        return Inapplicable{"neither wide nor deep"};
    }
    p.low = 0.8 * p.duration, p.high = 1.25 * p.duration;
    return p;
}
constexpr Model stand_in_model{"stand-in", "", "", "", stand_in};

Gpu gpu_of(const std::string& name, int sms, double ghz, double gib) {
    Gpu gpu;
    gpu.name = name;
    gpu.sm_count = Known<int>{sms, Quality::datasheet, "test", {}};
    gpu.core_clock = Known<Hertz>{Hertz{ghz * 1e9}, Quality::datasheet, "test", {}};
    gpu.memory = Known<Bytes>{Bytes{gib * 1024 * 1024 * 1024}, Quality::datasheet, "test", {}};
    gpu.tdp = Known<Watts>{Watts{10.0 * sms}, Quality::datasheet, "test", {}};
    return gpu;
}

Profile profile_of(const std::string& kernel, std::uint64_t launches, double measured_s = 0) {
    Profile profile;
    profile.gpu = "old";
    KernelRecord record;
    record.kernel = kernel;
    record.launches = launches;
    if (measured_s > 0) record.duration = Duration{launches, Seconds{measured_s}, std::nullopt, std::nullopt};
    profile.kernels = {record};
    return profile;
}

const Gpu old_gpu = gpu_of("old", 10, 1, 4);
const Gpu broad = gpu_of("broad", 40, 1, 8);
const Gpu quick = gpu_of("quick", 10, 3, 2);
const std::array<const Gpu*, 2> both = {&broad, &quick};

const ComparedGpu& row_of(const Comparison& comparison, const std::string& gpu) {
    for (const auto& row : comparison.rows) {
        if (row.gpu->name == gpu) return row;
    }
    FAIL("no row of " << gpu);
    return comparison.rows.front();
}

}  // namespace

TEST_CASE("A mix is every program times its weight, the owned GPU is the row of doing nothing") {
    const auto wide = profile_of("wide", 120, 15), deep = profile_of("deep", 30, 30);
    const std::array parts = {WorkloadPart{&wide, &old_gpu, "wide", 2}, WorkloadPart{&deep, &old_gpu, "deep", 1}};
    const auto result = compare(parts, both, stand_in_model, {}, {}, {});
    REQUIRE(result.rows.size() == 3);
    // broad: 2 x 120/40 + 30/1 = 36; quick: 2 x 120/10 + 30/3 = 34; old, measured: 2 x 15 + 30 = 60.
    CHECK(result.rows[0].gpu->name == "quick");
    CHECK(row_of(result, "quick").duration->value == Approx(34));
    CHECK(row_of(result, "broad").duration->value == Approx(36));
    CHECK(row_of(result, "broad").low->value == Approx(0.8 * 36));
    const auto& owned = row_of(result, "old");
    CHECK(owned.owned);
    CHECK(owned.measured);
    CHECK(owned.duration->value == Approx(60));
    CHECK_FALSE(owned.low);
    CHECK(*row_of(result, "quick").speed_up == Approx(60.0 / 34));
    // Against a measured time only the prediction is uncertain.
    CHECK(*row_of(result, "quick").speed_up_low == Approx(60.0 / (1.25 * 34)));
}

TEST_CASE("By how much a weight may move until another GPU is the fastest") {
    const auto wide = profile_of("wide", 120), deep = profile_of("deep", 30);
    const std::array parts = {WorkloadPart{&wide, &old_gpu, "wide", 2}, WorkloadPart{&deep, &old_gpu, "deep", 1}};
    const auto result = compare(parts, both, stand_in_model, {}, {}, {});
    REQUIRE(result.weights.size() == 2);
    // quick leads where w (12 - 3) < d (30 - 10): w < 2.22 at d = 1, and d > 0.9 at w = 2.
    CHECK(*result.weights[0].rises_to * 2 == Approx(20.0 / 9));
    CHECK_FALSE(result.weights[0].falls_to);
    CHECK(*result.weights[1].falls_to == Approx(0.9));
    CHECK(result.rows[*result.weights[1].then_falling].gpu->name == "broad");
    CHECK_FALSE(result.weights[1].rises_to);
}

TEST_CASE("By which factor all weights and prices may be off at once") {
    const auto wide = profile_of("wide", 120), deep = profile_of("deep", 30);
    const std::array parts = {WorkloadPart{&wide, &old_gpu, "wide", 2}, WorkloadPart{&deep, &old_gpu, "deep", 1}};
    const auto offer = [](const char* gpu, double price) {
        Offer one;
        one.gpu = gpu;
        one.price = price;
        return one;
    };
    const std::array offers = {offer("broad", 1000), offer("quick", 500)};
    const auto result = compare(parts, both, stand_in_model, {}, offers, {});
    REQUIRE(result.joint.size() == 2);
    // quick takes 24 s + 10 s, broad 6 s + 30 s: with wide's weight x f and deep's / f broad is even at 18 f = 20 / f.
    CHECK_FALSE(result.joint[0].money);
    CHECK(result.rows[result.joint[0].leader].gpu->name == "quick");
    CHECK(result.rows[result.joint[0].rival].gpu->name == "broad");
    CHECK(result.joint[0].factor == Approx(std::sqrt(20.0 / 18)));
    // With the prices x f and / f too: (12000 f - 6000 / f) f = (30000 / f - 5000 f) / f, 12 f^4 - f^2 - 30 = 0.
    CHECK(result.joint[1].money);
    CHECK(result.joint[1].factor == Approx(std::sqrt((1 + std::sqrt(1441)) / 24)));
    // One program: its weight changes nothing; 1000 / f x 3 = 500 f x 12 never, broad leads: 500 / f x 12 = 1000 f x 3.
    const auto alone = compare(std::span(parts).first(1), both, stand_in_model, {}, offers, {});
    REQUIRE(alone.joint.size() == 1);
    CHECK(alone.rows[alone.joint[0].leader].gpu->name == "broad");
    CHECK(alone.joint[0].factor == Approx(std::sqrt(2)));
}

TEST_CASE("Hours on the profile's own GPU become jobs by its time there") {
    const auto measured = profile_of("wide", 120, 15);
    ComparisonTerms terms;
    terms.weights_are_hours = true;
    const std::array parts = {WorkloadPart{&measured, &old_gpu, "wide", 0.5}};
    CHECK(compare(parts, both, stand_in_model, {}, {}, terms).jobs[0] == Approx(0.5 * 3600 / 15));
    const auto odd = profile_of("odd", 1);
    const std::array refused = {WorkloadPart{&odd, &old_gpu, "odd", 1}};
    CHECK_THROWS_AS(compare(refused, both, stand_in_model, {}, {}, terms), Error);
}

TEST_CASE("Prices: throughput for the money, break-even, Pareto front, cost and energy of a mix") {
    const auto wide = profile_of("wide", 120);
    const std::array parts = {WorkloadPart{&wide, &old_gpu, "wide", 1}};
    const std::array offers = {Offer{.gpu = "broad",
                                     .price = 3000,
                                     .power = Watts{200},
                                     .node_price = 4000,
                                     .node_power = Watts{400},
                                     .gpus_per_node = 4,
                                     .currency = "EUR",
                                     .date = "2026-01"},
                               Offer{.gpu = "quick",
                                     .price = 500,
                                     .power = {},
                                     .node_price = {},
                                     .node_power = {},
                                     .gpus_per_node = {},
                                     .currency = "EUR",
                                     .date = "2026-01"}};
    ComparisonTerms terms;
    terms.pue = 1.5;
    terms.per_kwh = 0.3;
    terms.lifetime = Seconds{1e6};
    terms.utilisation = 0.5;
    terms.deadline = Seconds{1};
    const auto result = compare(parts, both, stand_in_model, {}, offers, terms);
    const auto& a = row_of(result, "broad");  // 3 s, price 3000 + 4000/4
    CHECK(*a.price == Approx(4000));
    CHECK(*a.mixes_per_s_and_price == Approx(1.0 / 3 / 4000));
    CHECK(*a.gpus_needed == 3);
    CHECK(*a.energy_per_mix == Approx(1.5 * (200 + 400.0 / 4) * 3));
    CHECK(*a.cost_per_mix == Approx(4000 * 3 / 1e6 / 0.5 + 0.3 * 1350 / 3.6e6));
    CHECK_FALSE(a.power_is_tdp);
    const auto& b = row_of(result, "quick");  // 12 s, 500
    CHECK(b.power_is_tdp);
    CHECK(*b.gpus_needed == 12);
    CHECK(*a.nodes_needed == 1);  // of 4 GPUs
    CHECK(*b.nodes_needed == 12);
    terms.most_nodes = 5;
    const auto few = compare(parts, both, stand_in_model, {}, offers, terms);
    CHECK(row_of(few, "broad").ruled_out.empty());
    CHECK(row_of(few, "quick").ruled_out ==
          std::vector<std::string>{"12 nodes are needed for 12 of them, 5 are the most"});
    CHECK(a.pareto);
    CHECK(b.pareto);
    CHECK_FALSE(row_of(result, "old").pareto);  // no price
    // 1/3/p = 1/12/500 where p = 2000; 1/12/p = 1/3/4000 where p = 1000.
    REQUIRE(result.prices.size() == 2);
    CHECK(result.prices[0].break_even == Approx(2000));
    CHECK(result.prices[1].break_even == Approx(1000));
    CHECK(result.currency == "EUR");
}

TEST_CASE("Requirements rule GPUs out, with the reason") {
    auto wide = profile_of("wide", 120);
    wide.peak_device_memory = Bytes{3.0 * 1024 * 1024 * 1024};
    const std::array parts = {WorkloadPart{&wide, &old_gpu, "wide", 1}};
    ComparisonTerms terms;
    terms.most_power = Watts{300};
    const auto result = compare(parts, both, stand_in_model, {}, {}, terms);
    CHECK(result.rows[*result.best].gpu->name == "old");
    CHECK_FALSE(*row_of(result, "quick").fits);
    REQUIRE(row_of(result, "quick").ruled_out.size() == 1);
    CHECK(row_of(result, "quick").ruled_out[0] == "2 GiB of memory, 3 GiB are needed");
    CHECK(row_of(result, "broad").ruled_out[0] == "1 of them draw 400.0 W of 300.0 W (by TDP, a bound)");
    terms.needs_ecc = true;
    const auto none = compare(parts, both, stand_in_model, {}, {}, terms);
    CHECK_FALSE(none.best);
    CHECK(comparison_summary(none)[0].find("No GPU is left") == 0);
}

TEST_CASE("A time that lacks kernels is not ranked before one that has them") {
    auto profile = profile_of("wide", 120);
    profile.kernels.push_back(profile_of("odd", 1).kernels[0]);
    const std::array parts = {WorkloadPart{&profile, &old_gpu, "p", 1}};
    const auto result = compare(parts, both, stand_in_model, {}, {}, {});
    for (const auto& row : result.rows) CHECK(row.kernels_refused == 1);
    CHECK(result.rows[0].covered_share < 1);
}

TEST_CASE("Probabilities of being the fastest: pairs as calibrated's, sums of 1, equals share") {
    const Catalog catalog(std::span<const std::filesystem::path>{});
    const auto reference = catalog.get("GTX480"), kepler = catalog.get("K20c"), kepler2 = catalog.get("GTX660"),
               pascal = catalog.get("GTX1060");
    const auto chances = [&](std::initializer_list<ComparedTotal> totals) {
        return probabilities_fastest(std::vector<ComparedTotal>(totals), reference, false);
    };
    // Two GPUs: what probability_faster says, of one architecture and of two.
    for (const Gpu* other : {&kepler2, &pascal}) {
        const ComparedTotal a{kepler, Seconds{1}}, b{*other, Seconds{1.3}};
        const auto p = chances({a, b});
        REQUIRE(p.size() == 2);
        CHECK(p[0] == Approx(*probability_faster(a, b, reference, false)).epsilon(1e-6));
        CHECK(p[0] + p[1] == Approx(1));
    }
    const auto equal = chances({{kepler, Seconds{2}}, {kepler2, Seconds{2}}, {pascal, Seconds{2}}});
    CHECK(equal[0] == Approx(equal[1]));
    CHECK(equal[0] + equal[1] + equal[2] == Approx(1));
    // Two of one kind share what goes to their architecture: together they beat the third no oftener than one by one.
    CHECK(equal[2] > 1.0 / 3);
    const auto hopeless = chances({{kepler, Seconds{1}}, {kepler2, Seconds{1000}}, {pascal, Seconds{1000}}});
    CHECK(hopeless[0] > 0.99);
    // AMD: outside what calibrated was fitted on its errors are wider, and the same lead says less.
    const auto amd = catalog.get("R9Nano");
    const auto outside = chances({{kepler, Seconds{1}}, {amd, Seconds{1.3}}});
    REQUIRE(outside.size() == 2);
    CHECK(outside[0] > 0.5);
    CHECK(outside[0] < chances({{kepler, Seconds{1}}, {kepler2, Seconds{1.3}}})[0]);
}

TEST_CASE("Compare: a probability in words is never certainty") {
    CHECK(chance_text(0.854) == "85 %");
    CHECK(chance_text(0.9999) == "over 99 %");
}
