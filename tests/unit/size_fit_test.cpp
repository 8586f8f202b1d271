// Fits against the input size, on counts whose growth is known.
#include "model/size_fit.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/counted_gpu.hpp"
#include "model/profile_io.hpp"

using namespace gpuproj;
using Catch::Contains;

namespace {

template <class Count>
std::vector<SizePoint> counted(std::initializer_list<double> sizes, Count count) {
    std::vector<SizePoint> points;
    for (const double n : sizes) points.push_back({n, count(n)});
    return points;
}

/// A kernel of n x n threads that executes 100 + 7 n instructions per warp.
Profile run_of(double n) {
    Profile profile;
    profile.gpu = "GeForce GTX 480";
    KernelRecord kernel;
    kernel.kernel = "matrix_multiply";
    const auto blocks = static_cast<std::uint32_t>(n / 16);
    kernel.grid = Dim3{blocks, blocks, 1};
    kernel.block = Dim3{16, 16, 1};
    kernel.metrics.warp_inst = Instructions{n * n / 32 * (100 + 7 * n)};
    kernel.metrics.dram_read = Sectors{n * n / 4};
    kernel.metrics.achieved_occupancy = 0.5;
    profile.kernels.push_back(kernel);
    return profile;
}

/// A run whose counters are known in that way.
Profile run_of(double n, const std::string& counters) {
    Profile profile = run_of(n);
    profile.provenance.counters = counters;
    return profile;
}

Profile fitted(std::vector<SizedProfile> runs, double size) {
    auto outcome = profile_at_size(runs, size);
    const auto* const no = std::get_if<Inapplicable>(&outcome);
    INFO((no ? no->reason : ""));
    REQUIRE(no == nullptr);
    return std::get<ProfileAtSize>(std::move(outcome)).profile;
}

std::string reason(std::vector<SizedProfile> runs, double size) {
    const auto outcome = profile_at_size(runs, size);
    const auto* const no = std::get_if<Inapplicable>(&outcome);
    return no ? no->reason : "";
}

}  // namespace

TEST_CASE("Growth is recognised and continued") {
    const auto at_4000 = [](const std::vector<SizePoint>& points) { return at_size(fit_size(points), 4000); };
    const auto sizes = {500.0, 1000.0, 1500.0, 2000.0, 3000.0};
    CHECK(at_4000(counted(sizes, [](double) { return 7.0; })) == 7);
    CHECK(at_4000(counted(sizes, [](double n) { return 50 + 3 * n; })) == Approx(50 + 3 * 4000.0));
    CHECK(at_4000(counted(sizes, [](double n) { return 2 * n * n; })) == Approx(2 * 16e6));
    CHECK(at_4000(counted(sizes, [](double n) { return 9 + n + n * n / 8; })) == Approx(9 + 4000 + 2e6));
    CHECK(at_4000(counted(sizes, [](double n) { return n * n * n; })) == Approx(64e9));
    CHECK(at_4000(counted(sizes, [](double n) { return 1000 + n * std::log2(n); })) ==
          Approx(1000 + 4000 * std::log2(4000.0)));
    CHECK(fit_size(counted(sizes, [](double n) { return 50 + 3 * n; })).growth == Growth::linear);
}

TEST_CASE("Two sizes give a power, untested, zeros a straight line, never below 0") {
    const auto two = fit_size(counted({100, 200}, [](double n) { return n * n; }));
    CHECK(two.growth == Growth::power);
    CHECK_FALSE(two.tested);
    CHECK(at_size(two, 400) == Approx(160000));
    const auto zero = fit_size(std::vector<SizePoint>{{100, 0}, {200, 50}});
    CHECK(at_size(zero, 400) == Approx(150));
    CHECK(at_size(zero, 50) == 0);
}

TEST_CASE("The error is that of sizes left out") {
    // Noise of +-10 % around 3 n cannot be met to the last digit, nor is it off by much more.
    const auto fit = fit_size(std::vector<SizePoint>{{100, 330}, {200, 540}, {400, 1320}, {800, 2160}, {1600, 5280}});
    CHECK(fit.tested);
    CHECK(fit.error > 0.02);
    CHECK(fit.error < 0.3);
}

TEST_CASE("A profile at another size has fitted counters and grid, and states the range") {
    const Profile a = run_of(256), b = run_of(512), c = run_of(768), d = run_of(1024), e = run_of(1280);
    const std::vector<SizedProfile> runs{{256, &a}, {512, &b}, {768, &c}, {1024, &d}, {1280, &e}};
    const auto outcome = profile_at_size(runs, 2048);
    REQUIRE(std::holds_alternative<ProfileAtSize>(outcome));
    const auto& at = std::get<ProfileAtSize>(outcome).profile;
    const Profile truth = run_of(2048);
    REQUIRE(at.kernels.size() == 1);
    CHECK(at.kernels[0].grid == truth.kernels[0].grid);
    CHECK(at.kernels[0].block == truth.kernels[0].block);
    CHECK(at.kernels[0].metrics.dram_read->value == Approx(truth.kernels[0].metrics.dram_read->value).epsilon(1e-6));
    CHECK(at.kernels[0].metrics.warp_inst->value == Approx(truth.kernels[0].metrics.warp_inst->value).epsilon(1e-6));
    CHECK(at.kernels[0].metrics.achieved_occupancy == 0.5);
    CHECK(at.provenance.counters == "derived");
    REQUIRE(at.notes.size() == 2);
    CHECK_THAT(at.notes[0], Contains("5 runs of 256 to 1280, for 2048"));
    CHECK_THAT(at.notes[1], Contains("outside the sizes"));
}

TEST_CASE("What cannot be fitted is refused") {
    const Profile a = run_of(256), b = run_of(512);
    Profile other = run_of(512);
    other.gpu = "Tesla K20c";
    CHECK_THAT(reason({{256, &a}}, 300), Contains("at least two sizes"));
    CHECK_THAT(reason({{256, &a}, {0, &b}}, 300), Contains("above 0"));
    CHECK_THAT(reason({{256, &a}, {256, &b}}, 300), Contains("2 runs of size 256"));
    CHECK_THAT(reason({{256, &a}, {512, &other}}, 300), Contains("different GPUs"));
    CHECK_THAT(reason({{256, &a}, {512, &b}}, 4096), Contains("too far"));
    CHECK(reason({{256, &a}, {512, &b}}, 2048).empty());
    Profile renamed = run_of(512);
    renamed.kernels[0].kernel = "other";
    CHECK_THAT(reason({{256, &a}, {512, &renamed}}, 300), Contains("no kernel"));
}

TEST_CASE("Sizes are finite, and counters known in different ways are not fitted together") {
    const Profile a = run_of(256, "simulated"), b = run_of(512, "simulated"), measured = run_of(512, "measured");
    const double infinite = std::numeric_limits<double>::infinity();
    CHECK_THAT(reason({{256, &a}, {infinite, &b}}, 300), Contains("finite"));
    CHECK_THAT(reason({{256, &a}, {512, &b}}, infinite), Contains("too far"));
    CHECK_THAT(reason({{256, &a}, {512, &b}}, std::nan("")), Contains("too far"));
    CHECK_THAT(reason({{256, &a}, {512, &measured}}, 300), Contains("simulated and measured counters"));
}

TEST_CASE("Fitted counters of simulations hold no ECC traffic, as those of the simulations do not") {
    Gpu gpu;
    gpu.ecc = Known<bool>{true, Quality::datasheet, "the card", {}};
    const Profile a = run_of(256, "simulated"), b = run_of(512, "simulated");
    REQUIRE_FALSE(as_counted(gpu, a.provenance).ecc->value);
    CHECK_FALSE(as_counted(gpu, fitted({{256, &a}, {512, &b}}, 400).provenance).ecc->value);

    Profile on = run_of(256, "measured"), off = run_of(512, "measured");
    on.provenance.ecc = true;
    CHECK_FALSE(fitted({{256, &on}, {512, &off}}, 300).provenance.ecc);
    off.provenance.ecc = true;
    CHECK(fitted({{256, &on}, {512, &off}}, 300).provenance.ecc == true);
}

TEST_CASE("A fit of a partial run is partial and says of which") {
    const Profile a = run_of(256);
    Profile b = run_of(512);
    CHECK_FALSE(fitted({{256, &a}, {512, &b}}, 400).partial);
    b.partial = true;
    b.notes = {"a note", "it ended by signal 9"};
    const auto profile = fitted({{256, &a}, {512, &b}}, 400);
    CHECK(profile.partial);
    CHECK_THAT(profile.notes.back(), Contains("size 512 is partial (it ended by signal 9)"));
}

TEST_CASE("Records that only some runs have are counted, whichever run is the nearest") {
    const Profile a = run_of(256);
    Profile b = run_of(512);
    KernelRecord more = b.kernels.front();
    b.kernels.push_back(more);  // a second launch
    more.kernel = "other";
    b.kernels.push_back(more);
    for (const double size : {260.0, 500.0}) {
        const auto profile = fitted({{256, &a}, {512, &b}}, size);
        CHECK(profile.kernels.size() == 1);
        CHECK_THAT(profile.notes.back(), Contains("2 records are not in every run"));
    }
}

TEST_CASE("Nothing is said of sizes left out where there are two") {
    const Profile a = run_of(256), b = run_of(512), c = run_of(1024);
    const auto notes = fitted({{256, &a}, {512, &b}}, 400).notes;
    REQUIRE(notes.size() == 2);
    CHECK_THAT(notes[0], !Contains("left out"));
    CHECK_THAT(notes[1], Contains("untested"));
    CHECK_THAT(fitted({{256, &a}, {512, &b}, {1024, &c}}, 400).notes[0], Contains("each size left out in turn"));
}

TEST_CASE("What would be no profile is refused or left out") {
    // A straight line through 300 at 256, 200 at 512 and 100 at 768 is at 0 from 1024 on.
    std::vector<Profile> runs;
    for (const double n : {256.0, 512.0, 768.0}) {
        runs.push_back(run_of(n));
        runs.back().kernels[0].metrics.warp_inst = Instructions{400 - 100 * n / 256};
    }
    const std::vector<SizedProfile> sized{{256, &runs[0]}, {512, &runs[1]}, {768, &runs[2]}};
    CHECK_THAT(reason(sized, 2000), Contains("matrix_multiply") && Contains("256, 512, 768") && Contains("2000"));
    CHECK(reason(sized, 600).empty());

    for (auto& run : runs) {
        auto& kernel = run.kernels[0];
        kernel.duration = Duration{1, Seconds{kernel.metrics.warp_inst->value / 1e6}, {}, {}};
        kernel.metrics.warp_inst = Instructions{100};
    }
    const auto profile = fitted(sized, 2000);
    CHECK_FALSE(profile.kernels[0].duration);
    CHECK_NOTHROW(profile_from_json(profile_to_json(profile), "fitted"));
}
