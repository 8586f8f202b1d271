// GPUs at other clocks, on round numbers.
#include "model/clocks.hpp"

#include <catch2/catch.hpp>

#include "model/error.hpp"

using namespace gpuproj;
using Catch::Contains;

namespace {

template <class Q>
Known<Q> known(double value) {
    return {Q{value}, Quality::measured, "a round number", {}};
}

Gpu round_gpu() {
    Gpu gpu;
    gpu.name = "Round";
    gpu.fp32 = known<OperationsPerSecond>(2000e9);
    gpu.fp32_peak = known<OperationsPerSecond>(1600e9);
    gpu.l2_bandwidth = known<BytesPerSecond>(500e9);
    gpu.dram_bandwidth = known<BytesPerSecond>(100e9);
    gpu.dram_latency = known<Cycles>(400);
    gpu.core_clock = known<Hertz>(1000e6);
    gpu.boost_clock = known<Hertz>(800e6);
    gpu.base_clock = known<Hertz>(700e6);
    gpu.memory_clock = known<Hertz>(1500e6);
    gpu.dram_type = Known<std::string>{"GDDR5", Quality::datasheet, "a round number", {}};
    return gpu;
}

}  // namespace

TEST_CASE("Core rates follow the core clock, DRAM bandwidth the memory clock") {
    const Gpu core = at_clocks(round_gpu(), {Hertz{500e6}, {}});
    CHECK(core.fp32->value.value == Approx(1000e9));
    CHECK(core.l2_bandwidth->value.value == Approx(250e9));
    CHECK(core.fp32_peak->value.value == Approx(1000e9));  // 1600 x 500 / 800
    CHECK(core.core_clock->value.value == Approx(500e6));
    CHECK(core.boost_clock->value.value == Approx(500e6));  // it is set: the GPU no longer chooses
    CHECK(core.base_clock->value.value == Approx(500e6));
    CHECK(core.own_boost_clock->value == 800e6);
    CHECK(at_clocks(core, {Hertz{600e6}, {}}).own_boost_clock->value == 800e6);
    CHECK(core.dram_bandwidth->value.value == 100e9);
    CHECK(core.dram_latency->value.value == Approx(400 * (0.85 + 0.15 * 0.5)));
    CHECK(core.fp32->quality == Quality::derived);
    CHECK_THAT(core.fp32->source, Contains("at 500 of 1000 MHz"));

    const Gpu memory = at_clocks(round_gpu(), {{}, Hertz{750e6}});
    CHECK(memory.dram_bandwidth->value.value == Approx(50e9));
    CHECK(memory.dram_latency->value.value == Approx(400 * (0.85 + 0.15 * 2)));
    CHECK(memory.fp32->value.value == 2000e9);
}

TEST_CASE("The driver's memory clock is told from the datasheet's by its size") {
    CHECK(stated_memory_clock(round_gpu(), Hertz{1400e6}).value == 1500e6);
    CHECK(stated_memory_clock(round_gpu(), Hertz{3200e6}).value == 3000e6);  // GDDR5: half the data rate is twice it
    CHECK(at_clocks(round_gpu(), {{}, Hertz{2700e6}}).dram_bandwidth->value.value == Approx(90e9));
}

TEST_CASE("A factor of the memory clock is of the file's, in whatever convention it is nearer to") {
    for (const double factor : {0.3, 0.5, 0.9, 1.0, 1.1, 1.9, 2.0}) {
        const Hertz clock = memory_clock_times(round_gpu(), factor);
        CHECK(at_clocks(round_gpu(), {{}, clock}).dram_bandwidth->value.value == Approx(factor * 100e9));
    }
    CHECK_THROWS_WITH(memory_clock_times(Gpu{}, 2), Contains("no memory_clock_hz"));
}

TEST_CASE("Without clocks nothing changes, implausible and unknown clocks are errors") {
    CHECK(at_clocks(round_gpu(), {}).fp32->source == "a round number");
    CHECK_THROWS_WITH(at_clocks(round_gpu(), {Hertz{1.2e6}, {}}), Contains("in MHz") && Contains("1.2 MHz"));
    CHECK_THROWS_WITH(at_clocks(round_gpu(), {{}, Hertz{50000e6}}), Contains("implausible"));
    Gpu unknown = round_gpu();
    unknown.core_clock.reset(), unknown.memory_clock.reset();
    CHECK_THROWS_WITH(at_clocks(unknown, {Hertz{1e9}, {}}), Contains("Round has no core_clock_hz"));
    CHECK_THROWS_WITH(at_clocks(unknown, {{}, Hertz{1e9}}), Contains("Round has no memory_clock_hz"));
}
