// Which blocks are counted, how they are scaled, what is left of the time.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "collector/simulate/engine/sample.hpp"
#include "collector/simulate/progress.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

std::uint64_t blocks_of(const std::vector<Phase>& phases, Phase::Kind kind) {
    std::uint64_t sum = 0;
    for (const Phase& phase : phases) sum += phase.kind == kind ? phase.end - phase.first : 0;
    return sum;
}

EngineOptions sampling(bool only) {
    EngineOptions options;
    options.sample = Sample{0, only};
    return options;
}

EngineOptions ignoring_out_of_bounds() {
    EngineOptions options;
    options.ignore_out_of_bounds = true;
    return options;
}

// Every block goes through its loop %r2 times, at least once, and stores how often; the place in py is right only if it
// ran. `rounds` sets %r2 by the block's number, %r1.
std::string looping(std::string_view further_parameters, std::string_view rounds) {
    return fmt::format(R"(
.visible .entry k(.param .u64 py{}) {{
    .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [py];
    mov.u32 %r1, %ctaid.x;
    {}
    mov.u32 %r3, 0;
LOOP:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, %r2;
    @%p1 bra LOOP;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}})",
                       further_parameters, rounds);
}
// Block b: 10 + b / 100 times.
const std::string growing = looping("", "div.u32 %r2, %r1, 100; add.u32 %r2, %r2, 10;");

}  // namespace

TEST_CASE("phases cover the grid in order, runs in the middle of their parts") {
    // 10000 blocks, 90 at once, 180 wanted: two runs of 90, in the middle of each half, 90 warming each.
    const auto phases = plan_phases(10000, 90, {.blocks = 180});
    REQUIRE(phases.size() == 7);
    CHECK(phases[0] == Phase{0, 2365, Phase::Kind::plain});
    CHECK(phases[1] == Phase{2365, 2455, Phase::Kind::warming});
    CHECK(phases[2] == Phase{2455, 2545, Phase::Kind::counted});
    CHECK(phases[6] == Phase{7545, 10000, Phase::Kind::plain});
    for (std::size_t i = 1; i < phases.size(); ++i) CHECK(phases[i].first == phases[i - 1].end);
}

TEST_CASE("a sample is at least as large as wanted, or the whole grid") {
    for (const std::uint64_t blocks : {1, 7, 100, 4096, 1000003}) {
        for (const std::uint64_t at_once : {1, 6, 90, 5000}) {
            for (const std::uint64_t wanted : {0, 1, 50, 1000}) {
                INFO(blocks << " blocks, " << at_once << " at once, " << wanted << " wanted");
                const auto phases = plan_phases(blocks, at_once, {.blocks = wanted});
                CHECK(phases.front().first == 0);
                CHECK(phases.back().end == blocks);
                for (std::size_t i = 1; i < phases.size(); ++i) CHECK(phases[i].first == phases[i - 1].end);
                CHECK(blocks_of(phases, Phase::Kind::counted) >= std::min(blocks, wanted));
                CHECK((phases.size() == 1 || 2 * blocks_of(phases, Phase::Kind::counted) <= blocks));
            }
        }
    }
}

TEST_CASE("where the other blocks are not executed, what the first run took says how many there are") {
    // 10000 blocks, 90 at once, four runs: in the middle of each quarter, the first of which is the first to be
    // executed.
    const auto first = plan_phases(10000, 90, {.blocks = 0, .only = true});
    REQUIRE(first.size() == 2);
    CHECK(first[0] == Phase{1115, 1205, Phase::Kind::warming});
    CHECK(first[1] == Phase{1205, 1295, Phase::Kind::counted});
    // A twentieth of the blocks, 500, has less than twelve runs of 90.
    const auto few = other_runs(10000, 90, 1000);
    REQUIRE(few.size() == 6);
    CHECK(few[1] == Phase{3705, 3795, Phase::Kind::counted});
    CHECK(few[5] == Phase{8705, 8795, Phase::Kind::counted});
    // Of a larger grid there are as many as are worth it, and the first stays in the middle of one of the parts.
    const auto run = plan_phases(1000000, 90, {.blocks = 0, .only = true}).at(1);
    for (const auto& [work, runs] : {std::pair{0x1p24, 4}, {0x1p24 / 11, 4}, {0x1p24 / 13, 12}, {1.0, 324}}) {
        INFO(work << " of work for a run");
        auto others = other_runs(1000000, 90, work);
        CHECK(static_cast<int>(others.size()) == 2 * (runs - 1));
        others.push_back(run);
        std::ranges::sort(others, {}, &Phase::first);
        std::erase_if(others, [](const Phase& phase) { return phase.kind != Phase::Kind::counted; });
        for (std::size_t i = 1; i < others.size(); ++i) {
            const auto apart = static_cast<double>(others[i].first - others[i - 1].first);
            CHECK(std::abs(apart - 1e6 / runs) <= 1);
        }
    }
    // What is asked for by number is all planned at once.
    CHECK(blocks_of(plan_phases(10000, 90, {.blocks = 180, .only = true}), Phase::Kind::counted) == 180);
    CHECK(blocks_of(plan_phases(10000, 90, {.blocks = 180, .only = true}), Phase::Kind::plain) == 0);
    CHECK(plan_phases(700, 90, {.blocks = 0, .only = true}) == std::vector{Phase{0, 700, Phase::Kind::counted}});
}

TEST_CASE("launches like those before are not executed where results do not matter") {
    EngineOptions options = sampling(true);
    options.steady_after = 0;  // work
    PtxRunner only("GTX 480", options);
    const auto x = only.allocate<u32>(6000), y = only.allocate<u32>(6000);
    const Module module(module_text(growing), "test", only.memory());
    const auto launch = [&](std::span<u32> to, u32 blocks) {
        return only.run(module, {.grid = {blocks, 1, 1}, .block = {32, 1, 1}}, Arguments(to.data()));
    };
    std::string way;
    double first = 0;
    for (int i = 0; i < 12; ++i) {
        const auto report = launch(x, 6000);
        REQUIRE(!report.fault);
        way += report.passed_over ? '-' : 'x';
        if (i == 0) first = report.counted.metrics.warp_inst->value;
        CHECK(report.counted.metrics.warp_inst->value == first);
        CHECK(report.counted_blocks > 0);
    }
    CHECK(way == "xxx-x---x---");  // what the first one stores is not in L2 yet
    // Other arguments count as they do once four in a row were alike; other grids do not.
    CHECK(launch(y, 6000).passed_over);
    CHECK_FALSE(launch(y, 3000).passed_over);
}

TEST_CASE("blocks that wait for others, which are left out, have all of them executed") {
    // Each block waits for the one before it to have added 1.
    constexpr const char* chain = R"(
.visible .entry k(.param .u64 py) {
    .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [py];
    mov.u32 %r1, %ctaid.x; mov.u32 %r4, %tid.x;
    setp.ne.u32 %p2, %r4, 0;
    @%p2 bra DONE;
WAIT:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.ne.u32 %p1, %r2, %r1;
    @%p1 bra WAIT;
    add.u32 %r3, %r1, 1;
    st.volatile.global.u32 [%rd1], %r3;
DONE:
    ret;
})";
    PtxRunner only("GTX 480", sampling(true));
    const auto y = only.allocate<u32>(1);
    for (int i = 0; i < 2; ++i) {
        y[0] = 0;
        const auto report =
            only.run(module_text(chain), {.grid = {6000, 1, 1}, .block = {32, 1, 1}}, Arguments(y.data()));
        REQUIRE(!report.fault);
        CHECK(y[0] == 6000);
        CHECK(report.counted_blocks == 6000);
    }
}

TEST_CASE("what the blocks that are left out would have moved leaves nothing in L2, where it is more than L2 holds") {
    // A GTX 480 has 768 KiB of L2; each block stores 4 KiB.
    constexpr const char* fill = R"(
.visible .entry k(.param .u64 py) {
    .reg .b64 %rd<8>; .reg .b32 %r<8>;
    ld.param.u64 %rd1, [py];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r1, 256, %r2;
    mul.wide.u32 %rd2, %r3, 16; add.s64 %rd3, %rd1, %rd2;
    st.global.v4.u32 [%rd3], {%r1, %r1, %r1, %r1};
    ret;
})";
    for (const bool only : {true, false}) {
        for (const u32 blocks : {4000U, 160U}) {
            INFO((only ? "only, " : "all, ") << blocks << " blocks");
            EngineOptions options = sampling(only);
            if (blocks == 160) options.sample = Sample{60, only};
            PtxRunner runner("GTX 480", options);
            const auto y = runner.allocate<u32>(std::size_t{1024} * blocks);
            const Module module(module_text(fill), "test", runner.memory());
            const Shape shape{.grid = {blocks, 1, 1}, .block = {256, 1, 1}};
            double sectors = 0;
            for (int i = 0; i < 2; ++i) {
                const auto report = runner.run(module, shape, Arguments(y.data()));
                REQUIRE(!report.fault);
                REQUIRE(report.counted_blocks < blocks);
                sectors = report.counted.metrics.dram_write->value;
                if (i == 0) CHECK(sectors == Approx(blocks * 128));
            }
            // Where all that is stored fits into L2, it is stored there again and is no other write.
            CHECK(sectors == Approx(blocks == 4000 ? blocks * 128 : 0));
        }
    }
}

TEST_CASE("where some warps have many times the work of others, all blocks are executed") {
    // One in 64 blocks goes through its loop 1000 times, the others as often as asked for.
    const std::string uneven = looping(", .param .u32 rounds",
                                       "ld.param.u32 %r2, [rounds]; and.b32 %r4, %r1, 63; setp.eq.u32 %p2, %r4, 0; "
                                       "@%p2 mov.u32 %r2, 1000;");
    for (const u32 rounds : {700U, 20U}) {
        INFO(rounds << " rounds");
        PtxRunner only("GTX 480", sampling(true));
        const auto y = only.allocate<u32>(6000);
        const Shape shape{.grid = {6000, 1, 1}, .block = {32, 1, 1}};
        const auto report = only.run(module_text(uneven), shape, Arguments(y.data(), rounds));
        REQUIRE(!report.fault);
        CHECK((report.counted_blocks == 6000) == (rounds == 20));
        CHECK((y[5999] == rounds) == (rounds == 20));
    }
}

TEST_CASE("a launch that is cut off counts the blocks that have begun") {
    const Shape shape{.grid = {6000, 1, 1}, .block = {32, 1, 1}};
    std::atomic<bool> cut_off{false};
    EngineOptions options;
    options.cut_off = &cut_off;
    PtxRunner runner("GTX 480", options);
    const auto x = runner.allocate<u32>(6000), y = runner.allocate<u32>(6000);
    const auto all = runner.run(module_text(growing), shape, Arguments(x.data()));
    CHECK_FALSE(all.cut_off);
    CHECK(x[5999] == 69);
    cut_off = true;  // from the first round on
    const auto few = runner.run(module_text(growing), shape, Arguments(y.data()));
    REQUIRE(!few.fault);
    CHECK(few.cut_off);
    CHECK(few.counted_blocks == 120);  // 8 on each of 15 SMs
    CHECK(y[119] == 11);
    CHECK(y[120] == 0);
    // The first blocks have 10 rounds of the loop, the last ones 69.
    CHECK(few.counted.metrics.warp_inst->value < 0.7 * all.counted.metrics.warp_inst->value);
    CHECK(few.counted.metrics.dram_write->value == Approx(all.counted.metrics.dram_write->value).epsilon(0.1));
    // One whose blocks have all begun is whole.
    const auto whole = runner.run(module_text(growing), {.grid = {60, 1, 1}, .block = {32, 1, 1}}, Arguments(y.data()));
    CHECK_FALSE(whole.cut_off);
    CHECK(whole.counted_blocks == 60);
}

TEST_CASE("a sample of blocks gives the counters of all, and all are executed") {
    const Shape shape{.grid = {6000, 1, 1}, .block = {32, 1, 1}};
    PtxRunner full, sampled("GTX 480", sampling(false)), only("GTX 480", sampling(true));
    const auto y = full.allocate<u32>(6000), z = sampled.allocate<u32>(6000), w = only.allocate<u32>(6000);
    const auto all = full.run(module_text(growing), shape, Arguments(y.data()));
    const auto some = sampled.run(module_text(growing), shape, Arguments(z.data()));
    const auto few = only.run(module_text(growing), shape, Arguments(w.data()));
    REQUIRE(!all.fault);
    REQUIRE(!some.fault);
    CHECK(all.counted_blocks == 6000);
    CHECK(some.counted_blocks < 3000);
    CHECK(few.counted_blocks <= some.counted_blocks);
    CHECK(z[5999] == 69);
    CHECK(std::ranges::equal(y, z));
    CHECK(std::ranges::count(w, 0U) > 3000);
    // The work grows along the grid, so that only a sample that is spread over it is near.
    CHECK(some.counted.metrics.warp_inst->value == Approx(all.counted.metrics.warp_inst->value).epsilon(0.02));
    CHECK(few.counted.metrics.warp_inst->value == Approx(all.counted.metrics.warp_inst->value).epsilon(0.02));
    // A run of 120 blocks writes 15 sectors, or parts of 16.
    CHECK(some.counted.metrics.dram_write->value == Approx(all.counted.metrics.dram_write->value).epsilon(1.0 / 15));
    CHECK(some.counted.metrics.achieved_occupancy.value() ==
          Approx(all.counted.metrics.achieved_occupancy.value()).epsilon(0.1));
}

TEST_CASE("accesses out of bounds are an error, or ignored within a page") {
    constexpr const char* kernel = R"(
.visible .entry k(.param .u64 pa, .param .u64 offset) {
    .reg .b64 %rd<8>; .reg .b32 %r<8>;
    ld.param.u64 %rd1, [pa]; ld.param.u64 %rd4, [offset];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd5, %rd3, %rd4;
    ld.global.u32 %r2, [%rd5];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd3], %r2;
    st.global.u32 [%rd5], %r2;
    ret;
})";
    PtxRunner strict, lax("GTX 480", ignoring_out_of_bounds());
    const auto a = strict.allocate(std::vector<u32>(32, 5)), b = lax.allocate(std::vector<u32>(32, 5));
    const auto refused = strict.run(module_text(kernel), {}, Arguments(a.data(), s64{-16}));
    REQUIRE(refused.fault);
    CHECK(refused.fault->kind == FaultKind::outside_allocations);
    const auto let = lax.run(module_text(kernel), {}, Arguments(b.data(), s64{-16}));
    CHECK(!let.fault);
    CHECK(let.accesses_out_of_bounds == 8);  // 4 lanes, a load and a store
    CHECK(b[0] == 6);                        // lane 4 wrote what it read there, after lane 0 wrote 0 + 1
    CHECK(b[31] == 6);
    const auto far = lax.run(module_text(kernel), {}, Arguments(b.data(), s64{1} << 30));
    CHECK(far.fault);
}

TEST_CASE("atomics out of bounds are an error, or find 0 and leave nothing") {
    constexpr const char* kernel = R"(
.visible .entry k(.param .u64 pa, .param .u64 offset) {
    .reg .b64 %rd<8>; .reg .b32 %r<8>;
    ld.param.u64 %rd1, [pa]; ld.param.u64 %rd4, [offset];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd5, %rd3, %rd4;
    mov.u32 %r2, 7;
    atom.global.add.u32 %r2, [%rd5], 1;
    red.global.add.u32 [%rd5], 1;
    st.global.u32 [%rd3+256], %r2;
    ret;
})";
    PtxRunner strict, lax("GTX 480", ignoring_out_of_bounds());
    const auto a = strict.allocate(std::vector<u32>(96, 5)), b = lax.allocate(std::vector<u32>(96, 5));
    const auto refused = strict.run(module_text(kernel), {}, Arguments(a.data(), s64{-16}));
    REQUIRE(refused.fault);
    CHECK(refused.fault->kind == FaultKind::outside_allocations);
    const auto let = lax.run(module_text(kernel), {}, Arguments(b.data(), s64{-16}));
    REQUIRE(!let.fault);
    CHECK(let.accesses_out_of_bounds == 8);  // 4 lanes, twice
    CHECK(b[27] == 7);
    CHECK(b[28] == 5);
    CHECK(b[64 + 3] == 0);
    CHECK(b[64 + 4] == 5);
}

TEST_CASE("a word that begins in an allocation and ends behind it is there, as atomics on its last byte need it") {
    constexpr const char* kernel = R"(
.visible .entry k(.param .u64 pa) {
    .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<2>; .shared .align 4 .b8 own[6];
    ld.param.u64 %rd1, [pa];
    ld.global.u32 %r1, [%rd1+4];
again:
    add.u32 %r2, %r1, 1;
    atom.global.cas.b32 %r3, [%rd1+4], %r1, %r2;
    setp.ne.u32 %p1, %r3, %r1;
    mov.u32 %r1, %r3;
    @%p1 bra again;
    atom.shared.add.u32 %r1, [own+4], 1;
    ret;
})";
    PtxRunner runner;
    const auto a = runner.allocate(std::vector<u16>{1, 2, 3});
    const auto report = runner.run(module_text(kernel), {}, Arguments(a.data()));
    REQUIRE(!report.fault);
    CHECK(a[1] == 2);
    CHECK(a[2] == 3 + 32);
    CHECK(report.accesses_out_of_bounds == 0);
}

TEST_CASE("a vector that begins in an allocation and ends behind it is an error, or done") {
    constexpr const char* kernel = R"(
.visible .entry k(.param .u64 pa) {
    .reg .b64 %rd<4>; .reg .b32 %r<8>;
    ld.param.u64 %rd1, [pa];
    ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1];
    st.global.v2.u32 [%rd1+8], {%r4, %r5};
    ret;
})";
    PtxRunner strict, lax("GTX 480", ignoring_out_of_bounds());
    const std::vector<u32> words{10, 11, 12};
    const auto a = strict.allocate(words), b = lax.allocate(words);
    const auto refused = strict.run(module_text(kernel), {}, Arguments(a.data()));
    REQUIRE(refused.fault);
    CHECK(refused.fault->kind == FaultKind::outside_allocations);
    const auto let = lax.run(module_text(kernel), {}, Arguments(b.data()));
    REQUIRE(!let.fault);
    CHECK(let.accesses_out_of_bounds > 0);
    CHECK(b[2] == 10);
}

TEST_CASE("atomics on vectors out of bounds find 0 and leave nothing, where that is ignored") {
    constexpr const char* kernel = R"(
.visible .entry k(.param .u64 pa) {
    .reg .b64 %rd<4>; .reg .b32 %r1; .reg .f32 %f<5>;
    ld.param.u64 %rd1, [pa];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd2, %rd1, %rd2;
    mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
    mov.f32 %f3, %f2; mov.f32 %f4, %f2;
    atom.global.v2.f32.add {%f3, %f4}, [%rd2+-16], {%f1, %f2};
    st.global.v2.f32 [%rd2+256], {%f3, %f4};
    ret;
})";
    PtxRunner strict("H200 SXM 141GB"), lax("H200 SXM 141GB", ignoring_out_of_bounds());
    const auto a = strict.allocate(std::vector<float>(128, 5)), b = lax.allocate(std::vector<float>(128, 5));
    CHECK(strict.run(module_text(kernel), {}, Arguments(a.data())).fault);
    const auto let = lax.run(module_text(kernel), {}, Arguments(b.data()));
    REQUIRE(!let.fault);
    CHECK(let.accesses_out_of_bounds == 2);
    CHECK(b[0] == 6);
    CHECK(b[1] == 7);
    CHECK(b[2 * 29 + 1] == 7);
    CHECK(b[60] == 5);
    CHECK(b[64 + 2 * 1 + 1] == 0);  // what lanes 0 and 1 found
    CHECK(b[64 + 2 * 2] == 5);
}

TEST_CASE("accesses behind shared memory are an error, or ignored as far as the GPU gives it out") {
    constexpr const char* kernel = R"(
.visible .entry k(.param .u64 pa, .param .u32 first) {
    .reg .b64 %rd<4>; .reg .b32 %r<8>;
    .shared .align 4 .b8 own[128];
    ld.param.u64 %rd1, [pa]; ld.param.u32 %r5, [first];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r2, own; add.u32 %r3, %r1, %r5; mad.lo.u32 %r2, %r3, 4, %r2;
    ld.shared.u32 %r4, [%r2];
    add.u32 %r4, %r4, %r1;
    st.shared.u32 [%r2], %r4;
    atom.shared.add.u32 %r6, [%r2], 1;
    ld.shared.u32 %r4, [%r2];
    st.global.u32 [%rd3], %r4;
    ret;
})";
    // Maxwell gives out 256 bytes at a time.
    PtxRunner strict("GTX 980", {}), lax("GTX 980", ignoring_out_of_bounds());
    const auto a = strict.allocate(std::vector<u32>(32, 5)), b = lax.allocate(std::vector<u32>(32, 5));
    CHECK(!strict.run(module_text(kernel), {}, Arguments(a.data(), u32{0})).fault);
    const auto refused = strict.run(module_text(kernel), {}, Arguments(a.data(), u32{4}));
    REQUIRE(refused.fault);
    CHECK(refused.fault->kind == FaultKind::outside_allocations);
    const auto further = strict.run(module_text(kernel), {}, Arguments(a.data(), u32{60}));
    REQUIRE(further.fault);
    CHECK(further.fault->kind == FaultKind::outside_allocations);  // of the lane that is told, the first
    const auto let = lax.run(module_text(kernel), {}, Arguments(b.data(), u32{4}));
    CHECK(!let.fault);
    for (u32 i = 0; i < 32; ++i) CHECK(b[i] == i + 1);
    CHECK(!lax.run(module_text(kernel), {}, Arguments(b.data(), u32{32})).fault);
    const auto far = lax.run(module_text(kernel), {}, Arguments(b.data(), u32{33}));
    REQUIRE(far.fault);
    CHECK(far.fault->kind == FaultKind::illegal_address);
}

TEST_CASE("the time left is told once a launch has run for two seconds") {
    CHECK(!seconds_left(0, 0.5, 1.9));
    CHECK(!seconds_left(0.5, 0.5, 10));
    CHECK(seconds_left(0, 0.25, 10).value() == 30);
    CHECK(seconds_left(0.5, 0.75, 5).value() == 5);
    CHECK(!sampling_advice("k", 14));
    CHECK(sampling_advice("k", 200).value().starts_with("k: about 3 min left of this launch; --sample-only"));
    CHECK(rough_time(8.2) == "8 s");
    CHECK(rough_time(200) == "3 min");
    CHECK(rough_time(9000) == "3 h");
}
