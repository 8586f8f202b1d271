// simt-cache on round numbers, worked by hand; and what its cross-validation reached.
#include "model/simt_cache.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "model/clocks.hpp"
#include "targets/catalog.hpp"

using namespace gpuproj;

namespace {

/// 10 SMs of 128 lanes at 1 GHz. 32 bytes at 320 GB/s take 0.1 ns: with all SMs at work one sector per cycle and SM.
constexpr SimtCacheMachine machine{10, 128, 1e9, 1e-10, 0.5, 1, 8, 400, 200, 30};

/// Norms so large that they are maxima; nothing else fitted.
SimtCacheConstants plain() {
    SimtCacheConstants c;
    c.dram_delay = c.instruction_delay = c.fp64_delay = c.l1_delay = 1;
    c.instruction_latency = 5;
    c.conversions = 1.5;
    c.sectors_in_flight = 16;
    c.pipe_norm = c.norm = 1e4;
    return c;
}

/// 3200 warps in 400 blocks, 64 active per SM: 5 rounds.
SimtCacheKernel kernel() {
    SimtCacheKernel k;
    k.warps = 3200;
    k.blocks = 400;
    k.active_warps = 64;
    k.instructions = 20;
    return k;
}

}  // namespace

TEST_CASE("simt-cache: a kernel bound by its DRAM queue") {
    SimtCacheKernel k = kernel();
    k.dram_read = 30, k.dram_write = 2, k.l2 = 40;
    const SimtCache r = simt_cache(k, machine, plain());
    CHECK(r.active_sms == 10);
    CHECK(r.rounds == 5);
    CHECK(r.hit_rate == Approx(0.2));                            // 1 - 32 / 40
    CHECK(r.dram == Approx(32 * 64));                            // 1 cycle x 32 sectors x 64 warps
    CHECK(r.l2 == Approx(0.5 * 40 * 64));                        // 1280
    CHECK(r.issue == Approx(0.25 * 20 * 64));                    // 320
    CHECK(r.latency == Approx(5 * 20 + 360 * 40 / 16.0 + 400));  // access = 400 x 0.8 + 200 x 0.2 = 360
    CHECK(r.round_cycles == Approx(2048));
    CHECK(r.cycles == Approx(5 * 2048));
}

TEST_CASE("simt-cache: short runs of stores cost DRAM whole lines") {
    SimtCacheKernel k = kernel();
    k.dram_read = 4, k.dram_write = 4, k.l2 = 8, k.write_run = 0.5;
    // 4 + 4 x 4 / 0.5 = 36 sectors' time.
    CHECK(simt_cache(k, machine, plain()).dram == Approx(36 * 64));
}

TEST_CASE("simt-cache: fp64 units with the conversions of mixed code") {
    SimtCacheKernel k = kernel();
    k.fp64 = 10;
    CHECK(simt_cache(k, machine, plain()).fp64 == Approx(8 * 10 * 64));
    k.other = 100;  // room for 15 conversions
    CHECK(simt_cache(k, machine, plain()).fp64 == Approx(8 * 25 * 64));
    k.other = 5;
    CHECK(simt_cache(k, machine, plain()).fp64 == Approx(8 * 15 * 64));
    CHECK(simt_cache(k, machine, plain()).cycles == Approx(5 * 8 * 15 * 64));
}

TEST_CASE("simt-cache: one block on one SM is bound by the latency of its instructions") {
    SimtCacheKernel k;
    k.warps = 16, k.blocks = 1, k.active_warps = 16, k.instructions = 1000, k.shared_load = 100, k.shared = 100;
    const SimtCache r = simt_cache(k, machine, plain());
    CHECK(r.active_sms == 1);
    CHECK(r.rounds == 1);
    CHECK(r.issue == Approx(4000));  // 0.25 x 1000 x 16
    CHECK(r.cycles == Approx(5 * 1000 + 30 * 100 + 400));
}

TEST_CASE("simt-cache: of a core clock above the file's boost clock only a part counts, set or not") {
    const Gpu stored = Catalog({}).get("GeForce GTX 1080 Ti");
    const auto clock = [](const Gpu& gpu) {
        return std::get<SimtCacheMachine>(simt_cache_machine(gpu, simt_cache_constants)).clock_hz;
    };
    const double boost = stored.boost_clock->value.value;
    REQUIRE(stored.core_clock->value.value > boost);
    CHECK(clock(at_clocks(stored, {stored.core_clock->value, {}})) == Approx(clock(stored)));
    CHECK(clock(at_clocks(stored, {Hertz{1.2 * boost}, {}})) ==
          Approx(boost * std::pow(1.2, simt_cache_constants.clock_response)));
    CHECK(clock(at_clocks(stored, {Hertz{0.9 * boost}, {}})) == Approx(0.9 * boost));
}

TEST_CASE("simt-cache: norms of 1 add, larger ones lie between the sum and the longest") {
    SimtCacheKernel k = kernel();
    k.instructions = 100;
    k.dram_read = k.l2 = 25;
    auto c = plain();
    c.norm = c.pipe_norm = 1;
    const SimtCache sum = simt_cache(k, machine, c);
    CHECK(sum.round_cycles == Approx(sum.sm + sum.dram + sum.l2 + sum.latency));
    c.norm = 2;
    const SimtCache root = simt_cache(k, machine, c);
    CHECK(root.round_cycles < sum.round_cycles);
    CHECK(root.round_cycles > std::max(root.dram, root.sm));
}
