// Hong & Kim, ISCA 2009: the worked example of table 2 and the micro-benchmarks of table 4.
#include "model/mwp_cwp.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

using namespace gpuproj;

namespace {

/// Table 2: tiled matrix multiplication (figure 12) on a machine of 16 SMs at 1 GHz with 80 GB/s.
constexpr MwpCwpMachine table2_machine{16, 1e9, 80e9, 420, 10, 4, 4};
constexpr MwpCwpKernel table2_kernel{80, 5, 4, 27, 0, 6, 32, 128, 6};

/// Tables 3 and 6: Quadro FX 5600. Departure_del_coal is 4.
constexpr MwpCwpMachine fx5600{16, 1.35e9, 76.8e9, 420, 10, 4, 4};

/// Table 4: memory and computation instructions per loop of Mb1 to Mb7; the loop runs 1000 times. The table prints all
/// instructions that are no memory instructions as "Comp.".
struct MicroBenchmark {
    double memory, computation;
};
constexpr std::array micro_benchmarks{MicroBenchmark{0, 23}, MicroBenchmark{1, 17}, MicroBenchmark{1, 29},
                                      MicroBenchmark{2, 27}, MicroBenchmark{2, 35}, MicroBenchmark{4, 47},
                                      MicroBenchmark{6, 59}};

/// CPI with 24 active warps per SM, the most that compute capability 1.0 holds: 3 blocks of 256 threads.
double cpi(const MicroBenchmark& mix, bool coalesced) {
    MwpCwpKernel kernel{480, 3, 8, 1000 * mix.computation, 0, 0, 32, 128, 0};
    (coalesced ? kernel.coalesced : kernel.uncoalesced) = 1000 * mix.memory;
    return mwp_cwp(kernel, fx5600).cycles_per_instruction;
}

}  // namespace

TEST_CASE("Table 2 in every intermediate value") {
    const MwpCwp r = mwp_cwp(table2_kernel, table2_machine);
    // Tolerances: half a unit of the last digit printed.
    CHECK(r.n == 20);
    CHECK(r.departure_delay == 320);
    CHECK(r.latency == 730);
    CHECK(r.mwp_without_bandwidth == Approx(2.28).margin(0.005));
    CHECK(r.bandwidth_per_warp_byte_per_s == Approx(0.175e9).margin(0.0005e9));
    // Printed 28.57 comes from 0.175 GB/s; unrounded it is 80 / (0.17534 x 16) = 28.52.
    CHECK(r.mwp_peak_bandwidth == Approx(80 / (128.0 / 730 * 16)).epsilon(1e-12));
    CHECK(r.mwp_peak_bandwidth == Approx(28.57).margin(0.06));
    CHECK(r.mwp == Approx(2.28).margin(0.005));
    CHECK(r.computation_cycles == 132);
    CHECK(r.memory_cycles == 4380);
    CHECK(r.cwp_full == Approx(34.18).margin(0.005));
    CHECK(r.cwp == 20);
    CHECK(r.rounds == 1);
    CHECK(r.which == WarpCase::memory);
    // The printed results use MWP rounded to 2.28. Unrounded, 730 / 320 = 2.28125: 4380 x 20 / 2.28125 + 22 x 1.28125 =
    // 38428; 320 x 1.28125 x 6 x 5 = 12300; together 50728.
    CHECK(r.execution_cycles == Approx(38428).margin(0.5));
    CHECK(r.synchronization_cycles == Approx(12300).margin(0.5));
    CHECK(r.cycles == Approx(50728).margin(0.5));
    // (25): 50728 / (33 instructions x 4 warps x 80 blocks / 16 SMs).
    CHECK(r.cycles_per_instruction == Approx(50728.2 / 660).margin(0.01));
}

TEST_CASE("Table 2 as printed, with MWP rounded to 2.28") {
    // A latency of 0.01 cycles less, spread over departure delays that give 2.28 exactly, changes nothing else.
    MwpCwpMachine machine = table2_machine;
    machine.memory_latency = 2.28 * 320 - 310;  // Mem_L = 729.6
    const MwpCwp r = mwp_cwp(table2_kernel, machine);
    CHECK(r.mwp == Approx(2.28));
    // Printed 38450 = 4380 x 20 / 2.28 + 22 x 1.28; here Mem_cycles is 6 x 729.6 = 4377.6, 0.055 % less.
    CHECK(r.execution_cycles == Approx(38450).epsilon(0.0006));
    CHECK(r.synchronization_cycles == Approx(12288).margin(0.5));
    CHECK(r.cycles == Approx(50738).epsilon(0.0006));
}

TEST_CASE("Table 4, figure 14: CPI rises with the share of memory instructions if they are uncoalesced") {
    // Shares: Mb1 0, Mb3 1/30, Mb5 2/37, Mb2 1/18, Mb4 2/29, Mb6 4/51, Mb7 6/65.
    constexpr std::array by_share{0, 2, 4, 1, 3, 5, 6};
    double last = 0;
    for (const int index : by_share) {
        const double value = cpi(micro_benchmarks[static_cast<std::size_t>(index)], false);
        CHECK(value > last);
        last = value;
    }
    // Uncoalesced, Departure_delay = 320 cycles bounds a memory instruction: CPI is nearly 320 x share, 29.5 of Mb7.
    CHECK(last == Approx(320 * 6.0 / 65).epsilon(0.02));
}

TEST_CASE("Table 4, figure 14: CPI is nearly flat for coalesced access") {
    // Mb1 without memory instructions takes the issue cycles, 4. "The cost of load instructions is almost hidden
    // because of high MWP"; figure 14 has no numbers. Coalesced, the bandwidth allows one warp every 36 cycles: Mb7,
    // with the largest share, 36 x 6 / 65 = 3.3 cycles per instruction, stays below the issue cycles.
    CHECK(cpi(micro_benchmarks[0], true) == Approx(4).epsilon(1e-12));
    for (const auto& mix : micro_benchmarks) {
        CHECK(cpi(mix, true) >= 4);
        CHECK(cpi(mix, true) < 4.4);
    }
}

TEST_CASE("A kernel without memory instructions takes its computation cycles") {
    // 100 instructions x 4 cycles x 20 warps, one round.
    CHECK(mwp_cwp({80, 5, 4, 100, 0, 0, 32, 128, 0}, table2_machine).cycles == 8000);
}

TEST_CASE("Few warps: (22)") {
    // 2 warps, MWP and CWP both 2: Mem_L = 420, one coalesced access, 9 + 1 instructions x 4 = 40 cycles;
    // MWP_without_BW = 420 / 4 = 105, MWP_peak_BW = 80 / (128 / 420 x 16) = 16.4; CWP_full = 460 / 40 = 11.5.
    // 420 + 40 + 40 x (2 - 1) = 500 cycles.
    const MwpCwp r = mwp_cwp({16, 1, 2, 9, 1, 0, 1, 128, 0}, table2_machine);
    CHECK(r.which == WarpCase::few_warps);
    CHECK(r.cycles == Approx(500));
}

TEST_CASE("More computation than memory cycles is bound by computation, section 3.2.2 case 5") {
    // 1000 + 1 instructions x 4 = 4004 cycles against 420; 20 warps: 420 + 4004 x 20.
    const MwpCwp r = mwp_cwp({80, 5, 4, 1000, 1, 0, 1, 128, 0}, table2_machine);
    CHECK(r.which == WarpCase::compute);
    CHECK(r.cycles == Approx(420 + 4004 * 20));
}
