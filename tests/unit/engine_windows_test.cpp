// What long launches do to memory is simulated in windows, and estimated between them.
#include <catch2/catch.hpp>
#include <functional>

#include "collector/simulate/engine/launch/windows.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

constexpr std::uint64_t at_once = 10;
constexpr double instructions_of_block = 100;

struct Outcome {
    Traffic total, truth;
    double estimated = 0;
};

/// A launch of blocks of which each loads `sectors` of its number from DRAM, and half as many from L2 beside those.
Outcome launch(std::uint64_t blocks, const WindowSizes& sizes,
               const std::function<std::uint64_t(std::uint64_t)>& sectors, double simulated_before = 0) {
    Windows windows(sizes, simulated_before, blocks, at_once);
    Traffic simulated;
    Outcome outcome;
    for (std::uint64_t next = 0; next < blocks; ++next) {
        const auto add = [&](Traffic& to) {
            to.memory.load_sectors += 2 * sectors(next);
            to.l2.read_sectors += 2 * sectors(next);
            to.l2.dram_read_sectors += sectors(next);
            to.memory.divergent_branches += 1;
        };
        add(outcome.truth);
        const bool simulates = windows.simulates();
        if (simulates)
            add(simulated);
        else
            simulated.memory.divergent_branches += 1;
        if (windows.wants_rest(next + 1))
            windows.go_on(next + 1, instructions_of_block * static_cast<double>(next + 1), simulated);
    }
    const double all = instructions_of_block * static_cast<double>(blocks);
    outcome.total = windows.total(all, simulated);
    outcome.estimated = windows.estimated_share(all);
    return outcome;
}

constexpr WindowSizes at_once_sizes{0, 0, 1};

bool same(const Traffic& a, const Traffic& b) {
    return a.memory.load_sectors == b.memory.load_sectors && a.l2.read_sectors == b.l2.read_sectors &&
           a.l2.dram_read_sectors == b.l2.dram_read_sectors &&
           a.memory.divergent_branches == b.memory.divergent_branches;
}
double off(const Outcome& outcome) {
    return static_cast<double>(outcome.total.l2.dram_read_sectors) /
               static_cast<double>(outcome.truth.l2.dram_read_sectors) -
           1;
}

// Block b adds 1 to each of its 32 words, 4 times; every 32nd word of another array is read for it.
constexpr const char* adding = R"(
.visible .entry k(.param .u64 py, .param .u64 px) {
    .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [py];
    ld.param.u64 %rd4, [px];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r1, 32, %r2;
    mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;
    mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5;
    mov.u32 %r5, 0;
LOOP:
    ld.global.u32 %r4, [%rd3];
    ld.global.u32 %r6, [%rd6];
    add.u32 %r4, %r4, %r6;
    st.global.u32 [%rd3], %r4;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 4;
    @%p1 bra LOOP;
    ret;
})";

}  // namespace

TEST_CASE("blocks that do alike are estimated from a few of them", "[engine][windows]") {
    const Outcome outcome = launch(10000, at_once_sizes, [](std::uint64_t) { return 7; });
    CHECK(same(outcome.total, outcome.truth));
    CHECK(outcome.estimated > 0.8);
}

TEST_CASE("nothing is left out of launches that are short, or of programs that are", "[engine][windows]") {
    const auto seven = [](std::uint64_t) { return std::uint64_t{7}; };
    const auto share = [&](std::uint64_t blocks, const WindowSizes& sizes, double before = 0) {
        const Outcome outcome = launch(blocks, sizes, seven, before);
        CHECK(same(outcome.total, outcome.truth));
        return outcome.estimated;
    };
    CHECK(share(60, at_once_sizes) == 0);  // three windows
    CHECK(share(2000, {0, 300000, 1}) == 0);
    CHECK(share(2000, {0, 100000, 1}) > 0.1);
    CHECK(share(2000, {300000, 0, 1}) == 0);
    CHECK(share(2000, {300000, 0, 1}, 200000) > 0.1);
    CHECK(share(1300, {0, 0, 100000}) == 0);  // windows are long
}

TEST_CASE("blocks that differ are simulated", "[engine][windows]") {
    // Windows of 20 blocks, which begin behind the first 30, are 10 % apart.
    const Outcome outcome = launch(10000, at_once_sizes, [](std::uint64_t block) {
        return (block + 10) / 20 % 2 == 0 ? std::uint64_t{100} : std::uint64_t{110};
    });
    CHECK(outcome.estimated == 0);
    CHECK(same(outcome.total, outcome.truth));
}

TEST_CASE("traffic that changes within a launch is followed", "[engine][windows]") {
    const auto at_once_double = launch(20000, at_once_sizes, [](std::uint64_t b) { return b < 9000 ? 100U : 200U; });
    CHECK(at_once_double.estimated > 0.5);
    CHECK(std::abs(off(at_once_double)) < 0.02);
    const auto slowly = launch(20000, at_once_sizes, [](std::uint64_t b) { return 1000 + b; });
    CHECK(slowly.estimated > 0.5);
    CHECK(std::abs(off(slowly)) < 0.01);
}

TEST_CASE("what blocks do when none begins any more is not estimated", "[engine][windows]") {
    // Each stores at its end, as the one that has its place begins; those of the last stand for many of all.
    constexpr std::uint64_t blocks = 200, stores = 5;
    Windows windows(at_once_sizes, 0, blocks, at_once);
    Traffic simulated;
    for (std::uint64_t next = 1; next <= blocks; ++next) {
        if (next > at_once && windows.simulates()) simulated.memory.store_sectors += stores;
        if (windows.wants_rest(next)) windows.go_on(next, instructions_of_block * static_cast<double>(next), simulated);
    }
    REQUIRE(windows.simulates());
    simulated.memory.store_sectors += stores * at_once;
    const double instructions = instructions_of_block * blocks + 1;
    const Traffic total = windows.total(instructions, simulated);
    CHECK(windows.estimated_share(instructions) > 0.1);
    CHECK(total.memory.store_sectors == stores * blocks);
}

TEST_CASE("lines that L1 is asked for are work as well", "[engine][windows]") {
    const auto estimated = [](std::uint64_t lines_of_block) {
        Windows windows({0, 300000, 1}, 0, 2000, at_once);
        Traffic simulated;
        for (std::uint64_t next = 1; next <= 2000; ++next) {
            simulated.memory.line_requests += lines_of_block;
            if (windows.wants_rest(next))
                windows.go_on(next, instructions_of_block * static_cast<double>(next), simulated);
        }
        return windows.estimated_share(instructions_of_block * 2000);
    };
    CHECK(estimated(16) == 0);  // 2000 x (100 + 3 x 16) are less than 300000
    CHECK(estimated(40) > 0.1);
}

TEST_CASE("a long launch has the results and instructions of all blocks, and nearly their traffic",
          "[engine][windows]") {
    constexpr std::uint32_t blocks = 20000;
    EngineOptions every, some;
    every.count_every_launch = true;
    some.windows = at_once_sizes;
    EngineOptions two_threads = some;
    two_threads.threads = 2;
    some.threads = 1;
    const auto run = [&](const EngineOptions& options) {
        PtxRunner runner("GTX 480", options);
        const auto y = runner.allocate<u32>(std::size_t{32} * blocks), x = runner.allocate<u32>(blocks);
        for (u32 i = 0; i < blocks; ++i) x[i] = i;
        auto report = runner.run(module_text(adding), {.grid = {blocks, 1, 1}, .block = {32, 1, 1}},
                                 Arguments(y.data(), x.data()));
        REQUIRE(!report.fault);
        u32 wrong = 0;
        for (u32 i = 0; i < y.size(); ++i) wrong += y[i] == 4 * (i / 32) ? 0 : 1;
        CHECK(wrong == 0);
        return report;
    };
    const LaunchReport all = run(every), estimated = run(some), by_two = run(two_threads);
    CHECK(all.estimated_share == 0);
    CHECK(estimated.estimated_share > 0.5);
    const KernelMetrics &a = all.counted.metrics, &b = estimated.counted.metrics;
    CHECK(b.thread_inst == a.thread_inst);
    CHECK(b.warp_inst_branch == a.warp_inst_branch);
    const auto near = [](auto measured, auto truth) { return Approx(truth->value).epsilon(0.01) == measured->value; };
    CHECK(near(b.warp_inst_global_load, a.warp_inst_global_load));
    CHECK(near(b.global_load, a.global_load));
    CHECK(near(b.global_store, a.global_store));
    CHECK(near(b.l2_write, a.l2_write));
    CHECK(near(b.dram_read, a.dram_read));
    CHECK(near(b.dram_write, a.dram_write));
    CHECK(by_two.estimated_share == estimated.estimated_share);
    CHECK(by_two.counted.metrics.l2_read == b.l2_read);
    CHECK(by_two.counted.metrics.dram_read == b.dram_read);
}
