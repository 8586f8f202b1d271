#include "reports/profile_difference.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace gpuproj;

namespace {

/// A stand-in model: a second per launch, with a spread of three parts; "vague" kernels without one.
Outcome stand_in(const ModelInput& input) {
    Prediction p;
    p.duration = Seconds{static_cast<double>(input.kernel.launches)};
    if (input.kernel.kernel != "vague") p.spread = Spread{0.3, 0.2, 0.1};
    return p;
}
constexpr Model stand_in_model{"stand-in", "", "", "", stand_in};

Profile profile_of(std::initializer_list<std::pair<const char*, std::uint64_t>> kernels, const char* gpu = "here") {
    Profile profile;
    profile.gpu = gpu;
    for (const auto& [name, launches] : kernels) {
        auto& record = profile.kernels.emplace_back();
        record.kernel = name;
        record.launches = launches;
    }
    return profile;
}

ProfileDifference difference_of(const Profile& before, const Profile& after) {
    static const Gpu target = [] {
        Gpu gpu;
        gpu.name = "there";
        return gpu;
    }();
    return difference(before, nullptr, after, nullptr, target, stand_in_model, {});
}

}  // namespace

TEST_CASE("Difference: what both versions have in common cancels, what changed is taken for independent") {
    const auto result = difference_of(profile_of({{"a", 10}, {"b", 4}}), profile_of({{"a", 5}, {"b", 4}}));
    REQUIRE(result.kernels.size() == 2);
    const auto& a = result.kernels[0];  // 10 s -> 5 s
    REQUIRE(a.interval);
    // Common: 0.3 (5 - 10); the kernel's own: 0.2^2 (10^2 + 5^2) + 0.1^2 (10^2 + 5^2).
    const double sd = std::sqrt(2.25 + 0.05 * 125);
    CHECK(a.interval->change_low.value == Approx(-5 - 1.2816 * sd));
    CHECK(a.interval->change_high.value == Approx(-5 + 1.2816 * sd));
    // Of the ratio the common part cancels altogether: 2 (0.2^2 + 0.1^2) is left.
    const double relative = std::sqrt(2 * 0.05);
    CHECK(*a.interval->speed_up_low == Approx(2 * std::exp(-1.2816 * relative)));
    CHECK(*a.interval->speed_up_high == Approx(2 * std::exp(1.2816 * relative)));
    CHECK(*a.interval->probability_faster == Approx(std::erfc(-std::log(2) / relative / std::sqrt(2)) / 2));
    const auto& b = result.kernels[1];  // unchanged: nothing is uncertain about that
    CHECK(b.interval->change_low.value == 0);
    CHECK(b.interval->change_high.value == 0);
    CHECK(*b.interval->speed_up_high == Approx(1));
    CHECK_FALSE(b.interval->probability_faster);
    // The whole: the same variance, on 14 s -> 9 s.
    REQUIRE(result.interval);
    CHECK(result.interval->change_low.value == Approx(-5 - 1.2816 * sd));
    CHECK(*result.interval->speed_up_low < 14.0 / 9);
    CHECK(*result.interval->speed_up_high > 14.0 / 9);
}

TEST_CASE("Difference: a kernel that is new, one without a spread, counters of two GPUs") {
    const auto fresh = difference_of(profile_of({{"a", 2}}), profile_of({{"a", 2}, {"c", 3}}));
    const auto& c = fresh.kernels[0];
    CHECK(c.interval->change_low.value == Approx(3 - 1.2816 * 3 * std::sqrt(0.14)));
    CHECK_FALSE(c.interval->speed_up_low);
    const auto vague = difference_of(profile_of({{"a", 2}, {"vague", 1}}), profile_of({{"a", 1}, {"vague", 1}}));
    CHECK_FALSE(vague.interval);
    CHECK(vague.kernels[0].interval);
    // Counted on different GPUs nothing is in common, not even of a kernel that looks the same.
    const auto moved = difference_of(profile_of({{"a", 2}}), profile_of({{"a", 2}}, "elsewhere"));
    CHECK(*moved.interval->speed_up_high == Approx(std::exp(1.2816 * std::sqrt(2 * 0.14))));
}
