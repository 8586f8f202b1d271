#include "targets/derive.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "targets/gpu_file.hpp"
#include "targets/loads_sweep.hpp"
#include "targets/parameters.hpp"
#include "targets/rates.hpp"
#include "targets/validation.hpp"
#include "tests/support/directories.hpp"

using namespace gpuproj;
using Catch::Contains;

namespace {

const Card& card(std::string_view name) {
    for (const Card& candidate : known_cards()) {
        if (candidate.name == name) return candidate;
    }
    throw std::logic_error("no such card");
}

}  // namespace

TEST_CASE("the GPU files are what their tables and rules give", "[targets]") {
    // Otherwise: build/make_targets targets
    const Calibration calibration = calibrate(known_cards(), known_values());
    for (const Card& known : known_cards()) {
        INFO(known.name);
        const auto file = std::filesystem::path(test::source_directory()) / "targets" / gpu_file_name(known.name);
        CHECK(read_file(file) == gpu_file_text(describe(known, known_values(), calibration)));
    }
}

TEST_CASE("a rate is instructions per clock times clock times what is attained", "[targets]") {
    // Nothing measured: factors are 1. RTX 3080: 68 SMs at 1710 MHz, 128 lanes: 2 x 128 x 68 x 1.71e9 = 29.76768e12.
    const Gpu gpu = derive(card("GeForce RTX 3080"), {});
    CHECK(gpu.fp32->value.value == Approx(29.76768e12).epsilon(1e-4));
    CHECK(gpu.fp64->value.value == Approx(29.76768e12 / 64).epsilon(1e-4));
    CHECK(gpu.int_add->value.value == Approx(68 * 64 * 1.71e9).epsilon(1e-4));
    CHECK(gpu.shared_rate->value.value == Approx(68 * 32 * 1.71e9).epsilon(1e-4));
    CHECK(gpu.dram_bandwidth->value.value == Approx(760.3e9).epsilon(1e-4));
    CHECK(gpu.fp32->quality == Quality::unverified);
}

TEST_CASE("integer multiplication is three instructions on Maxwell and Pascal", "[targets]") {
    CHECK(nominal(card("GeForce GTX 960"), "int_mad_op_per_s", Hertz{1e9}).value() == Approx(2 * 128.0 / 3 * 8 * 1e9));
    CHECK(nominal(card("Tesla P100 PCIe 16GB"), "int_mad_op_per_s", Hertz{1e9}).value() ==
          Approx(2 * 64.0 / 3 * 56 * 1e9));
}

TEST_CASE("other integer kinds, wide accesses and ECC follow their rules", "[targets]") {
    const Calibration calibration = calibrate(known_cards(), known_values());
    const Gpu kepler = derive(card("Tesla K40c"), calibration, {});
    // CUDA C Programming Guide: of compute capability 3.5 160 logic and 64 shift results per clock and multiprocessor.
    CHECK(kepler.int_logic->value.value / kepler.int_shift->value.value == Approx(160.0 / 64).epsilon(1e-4));
    CHECK(kepler.bit_count->value.value / kepler.int_shift->value.value == Approx(32.0 / 64).epsilon(1e-4));
    // CLRX, GCN ISA Instruction Timings: logic, shifts, comparisons and bit counts take 4 cycles, like additions.
    const Gpu nano = describe(card("Radeon R9 Nano"), {}, {});
    CHECK(nano.int_logic->value.value == Approx(64 * 64 * 1e9).epsilon(1e-4));
    CHECK(nano.bit_count->value.value == Approx(nano.int_add->value.value).epsilon(1e-4));
    CHECK_FALSE(derive(card("Arc A770"), calibration).bit_count);
    // Kepler's banks are 8 bytes wide: as many 64-bit accesses as 32-bit ones, half as many of 128 bits.
    CHECK(kepler.shared_64_rate->value.value == Approx(kepler.shared_rate->value.value).epsilon(1e-4));
    CHECK(kepler.shared_128_rate->value.value == Approx(kepler.shared_rate->value.value / 2).epsilon(1e-4));
    const Gpu maxwell = derive(card("GeForce GTX 980"), calibration, {});
    CHECK(maxwell.shared_64_rate->value.value == Approx(maxwell.shared_rate->value.value / 2).epsilon(1e-4));
    // facts/README.md: 0.83 of the peak on GDDR5 without ECC, 0.73 with: 1.14 times the traffic.
    CHECK(kepler.ecc_traffic->value == Approx(0.83 / 0.73).epsilon(0.03));
    CHECK_FALSE(maxwell.ecc_traffic);  // no ECC
    CHECK(derive(card("A100 SXM4 40GB"), calibration, {}).ecc_traffic->value == 1);
    // Nobody's fact but CLRX's: marked so.
    CHECK(derive(card("Radeon VII"), calibration, {}).int_shift->quality == Quality::unverified);
}

TEST_CASE("bandwidth by loads per thread follows Little's law up to the bandwidth", "[targets]") {
    // 2 SMs x 1024 threads, 500 ns: one load each moves 8192 bytes in 500 ns, 16.384 GB/s; four loads 65.536 GB/s.
    const auto sweep = loads_sweep({.threads = 2048, .latency = Seconds{500e-9}, .bandwidth = BytesPerSecond{60e9}});
    REQUIRE(sweep.size() == 7);
    CHECK(sweep[0].loads == 1);
    CHECK(sweep[0].bandwidth.value == Approx(16.384e9));
    CHECK(sweep[1].bandwidth.value == Approx(32.768e9));
    // From here the memory limits, which a thread's one write shares: 4 of 5 words are read.
    CHECK(sweep[2].bandwidth.value == Approx(48e9));
    CHECK(sweep[6].loads == 64);
    CHECK(sweep[6].bandwidth.value == Approx(60e9 * 64 / 65).epsilon(1e-4));

    const Calibration calibration = calibrate(known_cards(), known_values());
    const Gpu h100 = derive(card("H100 SXM5 80GB"), calibration, {});
    REQUIRE(h100.bandwidth_by_loads);
    CHECK(h100.bandwidth_by_loads->quality == Quality::unverified);
    CHECK(h100.bandwidth_by_loads->value.front().bandwidth.value < 0.51 * h100.dram_bandwidth->value.value);
    CHECK(h100.bandwidth_by_loads->value.back().bandwidth.value > 0.97 * h100.dram_bandwidth->value.value);

    Gpu measured = h100;
    measured.bandwidth_by_loads = {{{1, BytesPerSecond{1e12}}}, Quality::measured, "a benchmark", 0.02};
    put_loads_sweep(measured);
    CHECK(measured.bandwidth_by_loads->value.size() == 1);
}

TEST_CASE("a factor is the median of the nearest group, drawn towards the wider one", "[targets]") {
    const Card& gtx960 = card("GeForce GTX 960");
    const std::string key = "fp32_op_per_s";
    const auto sample = [&](const char* gpu, const char* narrow, const char* wide, double ratio) {
        return Sample{gpu, "fp32_op_per_s", {narrow, wide, "NVIDIA"}, ratio};
    };
    const Calibration calibration{{sample("a", "NVIDIA 5.2", "NVIDIA Maxwell", 0.9),
                                   sample("b", "NVIDIA 5.2", "NVIDIA Maxwell", 1.0),
                                   sample("c", "NVIDIA 5.0", "NVIDIA Maxwell", 0.5)}};
    // NVIDIA and Maxwell: median(0.9, 1.0, 0.5) = 0.9. Groups 5.2 (median 0.95) and 5.0 (0.5): within 2 x 0.05^2 / 1 =
    // 0.005, between 2 x 0.225^2 / 1 = 0.10125, x 2 samples = 0.2025; weight 0.2025 / 0.2075; 0.95 w + 0.9 (1 - w).
    const Factor all = factor(calibration, key, gtx960);
    CHECK(all.value == Approx(0.9 + 0.05 * 0.2025 / 0.2075));
    CHECK(all.samples == 2);
    CHECK(all.group == "NVIDIA 5.2");
    // Without b nothing differs within a group: 5.2 speaks for itself.
    CHECK(factor(calibration, key, gtx960, "b").value == Approx(0.9));
    CHECK(factor({}, key, gtx960).samples == 0);
    CHECK(factor({}, key, gtx960).value == 1);
}

TEST_CASE("a factor that nothing of its kind was measured for is that of other kinds", "[targets]") {
    const auto sample = [&](const char* gpu, const char* memory, double ratio) {
        return Sample{gpu, "dram_bandwidth_byte_per_s", {memory, memory, memory}, ratio};
    };
    const Calibration calibration{{sample("a", "GDDR5", 0.8), sample("b", "GDDR5", 0.9), sample("c", "HBM", 0.7)}};
    // Medians 0.85 and 0.7: their median 0.775, their standard deviation 0.15 / sqrt(2).
    const Factor others = factor(calibration, "dram_bandwidth_byte_per_s", card("Jetson AGX Orin 64GB"));
    CHECK(others.value == Approx(0.775));
    CHECK(others.spread == Approx(0.15 / std::sqrt(2) / 0.775));
    CHECK(others.samples == 0);
}

TEST_CASE("own measurements go before derived values", "[targets]") {
    const Calibration calibration = calibrate(known_cards(), known_values());
    const Gpu gpu = describe(card("GeForce GTX 1080 Ti"), known_values(), calibration);
    CHECK(gpu.fp32->quality == Quality::measured);
    CHECK(gpu.fp32->value.value == 13317.21e9);  // clpeak
    CHECK(gpu.int_add->quality == Quality::derived);
    // 13317.21e9 / (2 x 128 x 28) / 0.99, the fp64 rate asks for a little more: 432.63e9 / (2 x 4 x 28) / 0.99
    CHECK(gpu.core_clock->value.value == Approx(432.63e9 / 224 / 0.99).epsilon(1e-4));
}

TEST_CASE("what was measured of a chip holds for all its cards, per multiprocessor and clock", "[targets]") {
    const Calibration calibration = calibrate(known_cards(), known_values());
    const auto described = [&](const char* name) { return describe(card(name), known_values(), calibration); };
    const Gpu measured = described("H100 SXM5 80GB");
    for (const char* const name : {"H200 SXM 141GB", "H100 NVL 94GB", "H100 PCIe 80GB", "GH200 (Hopper 96GB)"}) {
        INFO(name);
        const Gpu twin = described(name);
        const auto clocks = [](const Gpu& gpu) { return gpu.sm_count->value * gpu.core_clock->value.value; };
        for (const char* const key :
             {"fp32_op_per_s", "fp64_op_per_s", "int_mad_op_per_s", "int_add_op_per_s", "shared_inst_per_s"}) {
            CHECK(parameter(twin, key)->value / clocks(twin) ==
                  Approx(parameter(measured, key)->value / clocks(measured)).epsilon(1e-3));
        }
        CHECK(twin.int_add->quality == Quality::derived);
        CHECK_THAT(twin.int_add->source, Contains("measured on H100 SXM5 80GB"));
        CHECK(twin.shared_latency->value.value == Approx(measured.shared_latency->value.value).epsilon(1e-3));
    }
    // Of the board, not of the chip; and another chip.
    CHECK(described("GH200 (Hopper 96GB)").dram_latency->value.value == 680.4);
    CHECK_THAT(described("B200 SXM").int_add->source, !Contains("H100"));
    CHECK_THROWS_WITH(read_card_values("gpu,parameter,value,quality,calibrates\nX,tdp_w,1,measured,maybe\n", "v.csv"),
                      Contains("empty, no or chip"));
}

TEST_CASE("memory clocks, bus widths and bandwidths of datasheets agree", "[targets]") {
    // Bits per pin and clock as the tables state it: two for double data rate, more where the commands' clock is
    // slower.
    const std::map<std::string, double> bits{{"DDR3", 2},  {"GDDR3", 2},   {"GDDR5", 4},  {"GDDR5X", 8},
                                             {"GDDR6", 8}, {"GDDR6X", 16}, {"GDDR7", 16}, {"HBM", 2},
                                             {"HBM2", 2},  {"HBM2e", 2},   {"HBM3", 4},   {"HBM3e", 4}};
    const Calibration calibration = calibrate(known_cards(), known_values());
    int checked = 0;
    for (const Card& known : known_cards()) {
        const auto found = bits.find(known.dram_type);
        const auto clock = describe(known, known_values(), calibration).memory_clock;
        if (found == bits.end() || !clock || !known.bus_bit) continue;
        INFO(known.name);
        CHECK(clock->value.value * found->second * *known.bus_bit / 8 == Approx(known.dram_peak.value).epsilon(0.03));
        ++checked;
    }
    CHECK(checked > 200);
    CHECK(describe(card("Instinct MI325X"), known_values(), calibration).memory_clock->quality == Quality::derived);
}

TEST_CASE("clocks of the thesis' cards are the ones its rates need", "[targets]") {
    // Reported clock (table 5.1) x the factor on which the rates of table 5.2 agree.
    CHECK(measured_clock(card("GeForce GTX 660"), known_values())->value == Approx(1097e6 * 1.0345).epsilon(1e-3));
    CHECK(measured_clock(card("GeForce GTX 480"), known_values())->value == Approx(1550e6).epsilon(1e-3));
}

TEST_CASE("an unknown generation gives what its datasheet gives", "[targets]") {
    Card future = card("GeForce RTX 5090");
    future.compute_capability = "99.0";
    const Gpu gpu = derive(future, {});
    CHECK(gpu.fp32);
    CHECK(gpu.dram_bandwidth);
    CHECK_FALSE(gpu.fp64);
    CHECK_FALSE(gpu.shared_rate);
}

TEST_CASE("rates are found by compute capability and by family of gfx names", "[targets]") {
    CHECK(find_rates("8.6")->fp64 == 2);
    CHECK(find_rates("gfx1035")->architecture == "gfx103");
    CHECK(find_rates("gfx803")->architecture == "gfx803");
    CHECK(find_rates("12.1")->int_add == 128);
    CHECK_FALSE(find_rates("8.65"));
    CHECK_FALSE(find_rates(""));
}

TEST_CASE("tables of cards are read strictly", "[targets]") {
    const std::string header = "name,class,sm_count,lanes_per_sm,boost_mhz,dram_gb_per_s\n";
    CHECK(read_cards(header + "X,consumer,2,64,1000,100\n", "t.csv").size() == 1);
    REQUIRE_THROWS_WITH(read_cards(header + "X,toy,2,64,1000,100\n", "t.csv"),
                        Contains("t.csv: line 2") && Contains("class"));
    REQUIRE_THROWS_WITH(read_cards(header + "X,consumer,two,64,1000,100\n", "t.csv"), Contains("sm_count"));
    REQUIRE_THROWS_WITH(read_cards(header + "X,consumer,2,64,1000\n", "t.csv"), Contains("5 cells"));
    REQUIRE_THROWS_WITH(read_card_values("gpu,parameter,value,quality\nX,fp31,1,measured\n", "v.csv"),
                        Contains("fp31"));
}

TEST_CASE("a GPU file is named after its GPU", "[targets]") {
    CHECK(gpu_file_name("GeForce GTX TITAN X (Maxwell)") == "geforce-gtx-titan-x-maxwell.json");
}

TEST_CASE("derivation predicts GPUs it has not seen", "[targets]") {
    const std::vector<DerivationError> rows = validate_derivation(known_cards(), known_values());
    const std::vector<DerivationSummary> summaries = summarize(rows);
    const auto of = [&](std::string_view key) {
        return *std::find_if(summaries.begin(), summaries.end(), [&](const auto& s) { return s.parameter == key; });
    };
    for (const char* key : {"fp32_op_per_s", "fp64_op_per_s", "int_mad_op_per_s", "int_add_op_per_s"}) {
        CHECK(of(key).median_from_reported_clock <= 0.05);
    }
    CHECK(of("dram_bandwidth_byte_per_s").median_from_reported_clock <= 0.08);
    CHECK(of("shared_inst_per_s").median_from_reported_clock <= 0.15);
}

TEST_CASE("derivation predicts the compute rates of the thesis' GPUs within 5 % at their own clocks", "[targets]") {
    // Konstantinidis 2017, tables 5.1 and 5.2; clocks of facts on table 5.1: reported x 1 to 1.074.
    const std::vector<DerivationError> rows = validate_derivation(known_cards(), known_values());
    int checked = 0;
    for (const char* gpu : {"GeForce GTX 480", "GeForce GTX 660", "GeForce GTX 960", "GeForce GTX 1060 6GB",
                            "Tesla M2050", "Tesla K20c"}) {
        for (const char* key : {"fp32_op_per_s", "fp64_op_per_s", "int_mad_op_per_s", "int_add_op_per_s"}) {
            for (const DerivationError& row : rows) {
                if (row.gpu != gpu || row.parameter != key) continue;
                INFO(gpu << " " << key);
                CHECK(row.at_measured_clock == Approx(row.measured).epsilon(0.05));
                ++checked;
            }
        }
    }
    CHECK(checked == 24);
}
