// Luo & Suda 2011: the sub-models with the GTX 260's figures, the four types of period, and the trend of figure 8.
#include "model/mpd_cpd.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "targets/catalog.hpp"

using namespace gpuproj;

namespace {

/// Table 2: 24 SMs, 1242 MHz, 111.9 GB/s; section 3.4: a 3, b 11, c 0.5, d 80; at most 32 warps per SM; ld/st 200.
constexpr MpdCpdMachine gtx260{24, 32, 111.9e9 / 1242e6, 200, 3, 11, 0.5, 80};

MpdCpd of_proportion(double proportion, double warps) {
    const std::array period{CalculatePeriod{proportion, 1 - proportion, 1}};
    return mpd_cpd({warps, 128, 1, period}, gtx260);
}

}  // namespace

TEST_CASE("CPD of the GTX 260 by (3) to (5), worked by hand") {
    // P = 0.4584 (linear), 32 warps: CPD1 = 0.0416 x 21 + 3 = 3.8736; n = 80 x 0.0416^2 = 0.13844, CPD2 = n + 3
    // = 3.1384 (the root is m - 1 at N_act = m). The smaller binds.
    const auto linear = of_proportion(0.4584, 32);
    CHECK(linear.cpd1 == Approx(3.8736).margin(1e-4));
    CHECK(linear.cpd2 == Approx(3.1384).margin(1e-4));
    CHECK(linear.cpd == linear.cpd2);
    // P = 0.8697 (blackscholes): n = 80 x 0.3697^2 = 10.934. At 32 warps CPD2 = 13.934; CPD1 = -4.76 does not count.
    const auto blackscholes = of_proportion(0.8697, 32);
    CHECK(blackscholes.cpd1 == Approx(-4.7637).margin(1e-3));
    CHECK(blackscholes.cpd == Approx(13.934).margin(1e-3));
    // One warp: the root is 0, CPD = a. The text: "the increase rate of the CPD will decrease" with warps.
    CHECK(of_proportion(0.8697, 1).cpd == Approx(3));
    double last = of_proportion(0.8697, 1).cpd, last_step = 100;
    for (int warps = 2; warps <= 32; ++warps) {
        const double cpd = of_proportion(0.8697, warps).cpd;
        CHECK(cpd > last);
        CHECK(cpd - last < last_step);
        last_step = cpd - last;
        last = cpd;
    }
    // Low P, few warps: CPD1 = (0.5 - 0.1) (2 - 11) + 3 = -0.6; not below 1.
    CHECK(of_proportion(0.1, 2).cpd == 1);
}

TEST_CASE("MPD of the GTX 260 by (1) and (2)") {
    // 128 bytes in 200 cycles are 0.64 byte per cycle and warp; 90.097 / (24 x 0.64) = 5.87 warps.
    const auto many = of_proportion(0.5, 32);
    CHECK(many.warp_bandwidth_byte_per_cycle == Approx(0.64));
    CHECK(many.mpd == 5);
    CHECK(of_proportion(0.5, 3).mpd == 3);
}

TEST_CASE("The four types of period, worked by hand") {
    // 8 warps, MPD 3, CPD 2. floor(8 / 3 - 1) = 1.
    const CalculatePeriod computing{100, 40, 1}, waiting{10, 200, 1};
    CHECK(period_type(computing, computing) == 1);
    CHECK(period_type(computing, waiting) == 2);
    CHECK(period_type(waiting, computing) == 3);
    CHECK(period_type(waiting, waiting) == 4);
    // (6): 8 x 100 / 2.
    CHECK(period_cycles(computing, computing, 8, 3, 2) == 400);
    // (7), (8): 8 x 10 / 2 + max(200 - 7 x 10, 0) = 40 + 130.
    CHECK(period_cycles(computing, waiting, 8, 3, 2) == 170);
    // (9), (10): 400 + max(200 x 1 - 7 x 100, 0); with c = 20 in the second: 80 + 200 - 140.
    CHECK(period_cycles(waiting, computing, 8, 3, 2) == 400);
    CHECK(period_cycles(waiting, {20, 15, 1}, 8, 3, 2) == 140);
    // (11) to (13): 40 + T_p + T_c, T_p = 200 - 70 = 130, T_c = max(200 - (70 + 130), 0) = 0.
    CHECK(period_cycles(waiting, waiting, 8, 3, 2) == 170);
    // With MPD 8 no one waits for the period before: T_p = 0, T_c = 200 - 70.
    CHECK(period_cycles(waiting, waiting, 8, 8, 2) == 170);
    // With MPD 2, floor(8 / 2 - 1) = 3: T_p = 600 - 70 = 530, T_c = 0.
    CHECK(period_cycles(waiting, waiting, 8, 2, 2) == 570);
    // (6) rounds up: 7 x 10 / 4 = 17.5.
    CHECK(period_cycles(computing, {10, 5, 1}, 7, 7, 4) == 18);
}

TEST_CASE("Figure 8: with more warps for the same work the time falls until the bandwidth is used up") {
    // svm, P = 26.23 %: 1000 periods of 71 cycles of computation and 200 of memory, shared by the warps.
    double first = 0, last = 0, at_8 = 0;
    for (int warps = 1; warps <= 32; ++warps) {
        const std::array periods{CalculatePeriod{71.1, 200, 1000.0 / warps}};
        last = mpd_cpd({double(warps), 128, 1, periods}, gtx260).cycles;
        if (warps == 1) first = last;
        if (warps == 8) at_8 = last;
    }
    CHECK(at_8 < first / 3);
    CHECK(last < at_8);
}

TEST_CASE("Table 1 is data of the stored GTX 260") {
    const Gpu gpu = Catalog({}).get("GTX260");
    REQUIRE(gpu.mpd_cpd);
    CHECK(gpu.mpd_cpd->memory_access.value == 200);
    const auto& costs = gpu.mpd_cpd->instructions;
    REQUIRE(costs.size() == 11);
    CHECK(costs[2].instruction == "mul");
    CHECK(costs[2].int_register.value == 136);
    CHECK(costs[3].instruction == "div");
    CHECK(costs[3].float_register.value == 783);
    CHECK(gpu.sm_count->value == 24);
    CHECK(gpu.core_clock->value.value == Approx(1242e6).epsilon(0.001));
}
