// Launches that do to memory what the ones before did are executed, and their traffic is known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

#include "collector/simulate/engine/launch/steady.hpp"
#include "tests/support/ptx_one_warp.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

using Source = Steady::Source;

Counted metrics(double loads, double dram, double l2 = 1000) {
    Counted counted;
    KernelMetrics& m = counted.metrics;
    m.thread_inst = m.warp_inst = Instructions{100 * loads};
    m.thread_inst_load_store = Instructions{loads};
    m.warp_inst_global_load = Instructions{loads};
    m.l2_read = Sectors{l2};
    m.dram_read = Sectors{dram};
    counted.other_gpus.machine_code.emplace_back().warp_inst = Instructions{loads};
    counted.other_gpus.l2 = {{Bytes{1024}, Sectors{2 * dram}, Sectors{}}};
    return counted;
}
/// What a launch that was not simulated has counted.
Counted instructions(double loads) {
    Counted counted = metrics(loads, 0, 0);
    counted.metrics.warp_inst_global_load = Instructions{0};
    return counted;
}

MemoryConfig config() {
    MemoryConfig config;
    config.l2_bytes = std::uint64_t{64} << 10;
    config.l2_ways = 16;
    return config;
}

/// out[lane] += in[lane] for as often as in[0] says.
constexpr std::string_view adds_often = R"(
    ld.global.u32 %r5, [%rd1];
again:
    ld.global.u32 %r1, [%rd4];
    ld.global.u32 %r2, [%rd5];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [%rd5], %r3;
    sub.u32 %r5, %r5, 1;
    setp.gt.s32 %p1, %r5, 0;
    @%p1 bra again;)";

bool knows(Steady& steady, const Repeats::Key& key) {
    return steady.source_of(key) != Steady::Source::simulation;
}
Repeats::Key named(std::string_view name) {
    return {.kind = std::string(name), .blocks = 1, .arguments = {}};
}

struct Kernels {
    /// With an L2 that is full, of which all would have to be kept.
    explicit Kernels(double enough) : steady(l2, enough) {
        std::vector<std::vector<LineRequest>> queues(1);
        for (std::uint64_t line = 100000; line < 105000; ++line) queues[0].emplace_back(line, 0xF, AccessKind::load);
        l2.process(queues);
    }
    /// Whether the kernel is steady behind these launches.
    bool after(const std::vector<Counted>& launches) {
        for (const Counted& launch : launches) steady.simulated(named("k"), launch, 1000);
        return knows(steady, named("k"));
    }
    L2Cache l2{config()};
    Steady steady;
};

}  // namespace

TEST_CASE("a kernel is steady when its launches are enough and alike", "[engine][steady]") {
    Kernels kernels(4000);
    Steady& steady = kernels.steady;
    const Repeats::Key key = named("k"), other = named("other");
    CHECK_FALSE(knows(steady, key));
    for (int launch = 0; launch < 4; ++launch) {
        CHECK_FALSE(knows(steady, key));
        // Four make 4000 of work, of which three would be enough.
        steady.simulated(key, metrics(10, launch == 2 ? 300 : 301), 1000);
    }
    CHECK(knows(steady, key));
    CHECK_FALSE(knows(steady, other));
    Counted known = instructions(10);
    steady.complete(key, Source::same, known);
    CHECK(known.metrics.dram_read == Sectors{301});
    CHECK(known.metrics.l2_read == Sectors{1000});
    CHECK(known.metrics.warp_inst_global_load == Instructions{10});
    // Of other GPUs: its own instructions, and the traffic of that launch.
    CHECK(known.other_gpus.machine_code.front().warp_inst == Instructions{10});
    CHECK(known.other_gpus.l2.front().dram_read == Sectors{602});
    CHECK(knows(steady, key));
}

TEST_CASE("launches that differ are not steady", "[engine][steady]") {
    const auto after_six = [](const Counted& last) {
        Kernels differing(0);
        for (int launch = 0; launch < 5; ++launch) REQUIRE_FALSE(differing.after({metrics(10, 300 + 10 * launch)}));
        return differing.after({last});
    };
    CHECK(after_six(metrics(10, 340)));
    CHECK(after_six(metrics(10, 343)));  // within 1 %
    CHECK_FALSE(after_six(metrics(10, 345)));
    CHECK_FALSE(after_six(metrics(11, 340)));  // other instructions
    CHECK_FALSE(after_six(metrics(10, 340, 1020)));

    const auto after_alike = [](double enough, const Counted& launch) {
        return Kernels(enough).after(std::vector(9, launch));
    };
    CHECK(after_alike(0, metrics(10, 300)));
    CHECK_FALSE(after_alike(10000, metrics(10, 300)));  // too little in all
    // To keep what L2 holds costs as much as to simulate 127 instructions; 31 launches may pay for it.
    CHECK(after_alike(0, metrics(0.05, 300)));
    CHECK_FALSE(after_alike(0, metrics(0.03, 300)));
    // What stays in L2 may differ by a few sectors of DRAM: a quarter of its traffic is what counts.
    const Counted some = metrics(10, 3), fewer = metrics(10, 1);
    CHECK(Kernels(0).after({some, fewer, some, fewer, some}));
    // And so may what is rare: stores beside 1000 loads.
    const auto with_stores = [](double stores) {
        Counted counted = metrics(1000, 3000);
        counted.metrics.warp_inst_global_store = Instructions{stores};
        return counted;
    };
    const Counted two = with_stores(2), four = with_stores(4), six = with_stores(6);
    CHECK(Kernels(0).after({two, four, two, four, two}));
    CHECK_FALSE(Kernels(0).after({two, six, two, six, two}));
}

TEST_CASE("steady kernels are looked at again, and what they do is corrected", "[engine][steady]") {
    Kernels kernels(0);
    Steady& steady = kernels.steady;
    const Repeats::Key key = named("k");
    const auto launch = [&](double loads, double dram) {
        Counted m = instructions(loads);
        const bool known = knows(steady, key);
        if (known)
            steady.complete(key, Source::same, m);
        else
            steady.simulated(key, m = metrics(loads, dram), 1000);
        return std::pair{known, m.metrics.dram_read->value};
    };
    for (int i = 0; i < 5; ++i) launch(10, 300);
    for (int i = 5; i < 32; ++i) CHECK(launch(10, 500) == std::pair{true, 300.0});
    CHECK(launch(10, 500) == std::pair{false, 500.0});  // not what was expected
    CHECK(launch(10, 500) == std::pair{false, 500.0});
    CHECK(launch(10, 500) == std::pair{true, 500.0});
    // More instructions than before: scaled to the loads, and then simulated.
    CHECK(launch(12, 500) == std::pair{true, 600.0});
    CHECK(launch(12, 580) == std::pair{false, 580.0});
    CHECK(launch(12, 580) == std::pair{false, 580.0});
    CHECK(launch(12, 580) == std::pair{true, 580.0});
}

namespace {

/// Launches of one kernel with other arguments each time.
struct Steps {
    struct Done {
        Source source;
        double dram;
        bool operator==(const Done&) const = default;
    };
    /// Of 100 instructions for each load.
    Done step(double loads, double dram, std::uint64_t blocks = 100) {
        return launch({.kind = "step", .blocks = blocks, .arguments = std::to_string(next++)}, loads, dram);
    }
    Done launch(const Repeats::Key& key, double loads, double dram) {
        Counted m = instructions(loads);
        const Source source = kernels.steady.source_of(key);
        if (source != Source::simulation)
            kernels.steady.complete(key, source, m);
        else
            kernels.steady.simulated(key, m = metrics(loads, dram, 100 * loads), 1000);
        return {source, m.metrics.dram_read->value};
    }
    /// Of so many launches that are alike, those that were simulated.
    int simulated(int launches, double loads = 10) {
        int sum = 0;
        for (int i = 0; i < launches; ++i) sum += step(loads, 30 * loads).source == Source::simulation ? 1 : 0;
        return sum;
    }
    Kernels kernels{0};
    int next = 0;
};

}  // namespace

TEST_CASE("launches with other arguments have the traffic of those before them", "[engine][steady]") {
    Steps steps;
    // Work that shrinks from step to step, and its traffic with it.
    for (int i = 0; i < 9; ++i) CHECK(steps.step(100 - i, 30 * (100 - i)).source == Source::simulation);
    CHECK(steps.step(91, 0) == Steps::Done{Source::alike, 30 * 91});
    CHECK(steps.step(90, 30 * 90).source == Source::simulation);
    // The longer it stays so, the fewer are simulated: between two of them up to one for each eight before.
    CHECK(Steps().simulated(20) == 9 + 5);
    const int of_many = Steps().simulated(1000);
    CHECK(of_many > 1000 / 32);
    CHECK(of_many < 9 + 60);
    // Short ones: two of them pay for what it costs, so that 16 have to be alike.
    CHECK(Steps().simulated(17, 1) == 17);
    CHECK(Steps().simulated(20, 1) == 17 + 1);
    CHECK(Steps().simulated(1000, 0.03) == 1000);
}

TEST_CASE("launches with other arguments are simulated again where they differ", "[engine][steady]") {
    const auto after_alike = [](auto then) {
        Steps steps;
        steps.simulated(9);
        then(steps);
        return steps.step(10, 300).source;
    };
    CHECK(after_alike([](Steps&) {}) == Source::alike);
    // One that was simulated had other traffic.
    CHECK(after_alike([](Steps& steps) {
              CHECK(steps.step(10, 0).source == Source::alike);
              CHECK(steps.step(10, 310).source == Source::simulation);
          }) == Source::simulation);
    CHECK(after_alike([](Steps& steps) {
              CHECK(steps.step(10, 0).source == Source::alike);
              CHECK(steps.step(10, 302).source == Source::simulation);  // within 1 %
          }) == Source::alike);
    // Grids of another size, and many more loads.
    CHECK(after_alike([](Steps& steps) { CHECK(steps.step(10, 300, 130).source == Source::simulation); }) ==
          Source::simulation);
    CHECK(after_alike([](Steps& steps) { CHECK(steps.step(10, 0, 110).source == Source::alike); }) ==
          Source::simulation);  // its turn
    CHECK(after_alike([](Steps& steps) {
              steps.simulated(200);
              CHECK(steps.step(13, 0) == Steps::Done{Source::alike, 390});
          }) == Source::simulation);
}

TEST_CASE("arguments that come again are compared with themselves", "[engine][steady]") {
    Steps steps;
    const Repeats::Key ping{.kind = "step", .blocks = 100, .arguments = "ping"};
    const Repeats::Key pong{.kind = "step", .blocks = 100, .arguments = "pong"};
    for (int i = 0; i < 3; ++i) {
        CHECK(steps.launch(ping, 10, 300).source == Source::simulation);
        CHECK(steps.launch(pong, 10, 301).source == Source::simulation);
    }
    CHECK(steps.launch(ping, 10, 0) == Steps::Done{Source::same, 300});
    CHECK(steps.launch(pong, 10, 0) == Steps::Done{Source::same, 301});
}

TEST_CASE("launches with the same arguments and other instructions may be alike", "[engine][steady]") {
    Steps steps;
    const Repeats::Key ping{.kind = "step", .blocks = 100, .arguments = "ping"};
    const Repeats::Key pong{.kind = "step", .blocks = 100, .arguments = "pong"};
    // Loads that go up and down, and DRAM sectors with them: 30 for each load of one, 60 of the other.
    const auto pair = [&](double loads, double dram) {
        const auto first = steps.launch(ping, loads, 30 * dram), second = steps.launch(pong, loads, 60 * dram);
        CHECK(second == Steps::Done{first.source, 2 * first.dram});
        return first;
    };
    for (int i = 0; i < 9; ++i) CHECK(pair(100 + i % 3, 100 + i % 3).source == Source::simulation);
    CHECK(pair(101, 0) == Steps::Done{Source::alike, 30 * 101});
    CHECK(pair(100, 100).source == Source::simulation);
    CHECK(pair(102, 0) == Steps::Done{Source::alike, 30 * 102});
    // One that differs ends it.
    CHECK(pair(101, 103).source == Source::simulation);
    for (int i = 0; i < 8; ++i) CHECK(pair(102 - i % 2, 104 - i % 2).source == Source::simulation);
}

TEST_CASE("behind a launch that was not simulated, L2 holds what it held behind one that was", "[engine][steady]") {
    Kernels kernels(0);
    L2Cache& l2 = kernels.l2;
    Steady& steady = kernels.steady;
    // Reads the lines from `first` on, and gives how many sectors of them came from DRAM.
    const auto reads = [&](std::uint64_t first, std::uint64_t lines) {
        std::vector<std::vector<LineRequest>> queues(1);
        for (std::uint64_t line = first; line < first + lines; ++line)
            queues[0].emplace_back(line, 0xF, AccessKind::load);
        l2.reset_counters();
        l2.process(queues);
        l2.charge();
        return l2.counters().dram_read_sectors;
    };
    const Repeats::Key ours = named("ours"), other = named("other");
    for (int launch = 0; launch < 3; ++launch) {
        CHECK_FALSE(knows(steady, ours));
        reads(0, 100);
        steady.simulated(ours, metrics(10, 300), 1000);
    }
    const auto executes = [&] {
        REQUIRE(knows(steady, ours));
        Counted known = instructions(10);
        steady.complete(ours, Source::same, known);
    };
    CHECK_FALSE(knows(steady, other));
    CHECK(reads(0, 100) == 0);
    reads(10000, 5000);  // all of L2
    steady.simulated(other, metrics(10, 20000), 1000);
    executes();
    CHECK_FALSE(knows(steady, other));
    CHECK(reads(0, 100) == 0);

    // Unless the host has written there since.
    reads(10000, 5000);
    steady.simulated(other, metrics(10, 20000), 1000);
    steady.dropped({360, 8});  // of lines 90 and 91
    executes();
    CHECK_FALSE(knows(steady, other));
    CHECK(reads(0, 90) == 0);
    CHECK(reads(0, 100) == 8);

    // A copy on the device, behind it, brings them in again.
    reads(10000, 5000);
    steady.simulated(other, metrics(10, 20000), 1000);
    steady.dropped({360, 12});
    steady.passed({360, 8});
    executes();
    CHECK_FALSE(knows(steady, named("third")));
    CHECK(reads(0, 100) == 4);
}

TEST_CASE("launches that go on from their own results count the same when they are steady", "[engine][steady]") {
    EngineOptions all;
    all.count_every_launch = true;
    EngineOptions at_once;
    at_once.steady_after = 0;
    OneWarp every(adds_often, all), some(adds_often, at_once), later(adds_often);
    const auto set_all = [&](u32 often) {
        for (OneWarp* runs : {&every, &some, &later}) std::ranges::fill(runs->in, often);
    };
    set_all(400);
    u32 steady = 0;
    for (u32 i = 0; i < 80; ++i) {
        // A launch of its own kind in between.
        if (i == 20 || i == 50) set_all(406);
        if (i == 21) set_all(400);
        const LaunchReport simulated = every.run(), report = some.run();
        CHECK_FALSE(simulated.steady);
        CHECK_FALSE(later.run().steady);
        for (u32 lane = 0; lane < 32; ++lane) REQUIRE(some.out[lane] == every.out[lane]);
        steady += report.steady ? 1 : 0;
        CHECK(report.counted.metrics.thread_inst == simulated.counted.metrics.thread_inst);
        CHECK(report.counted.metrics.warp_inst_branch == simulated.counted.metrics.warp_inst_branch);
        if (i == 20 || i == 50) continue;  // these are estimated
        CHECK(report.counted.metrics.global_load == simulated.counted.metrics.global_load);
        CHECK(report.counted.metrics.l2_write == simulated.counted.metrics.l2_write);
        CHECK(report.counted.metrics.warp_inst_coalesced == simulated.counted.metrics.warp_inst_coalesced);
        CHECK(report.counted.metrics.dram_read == simulated.counted.metrics.dram_read);
        CHECK(report.counted.metrics.achieved_occupancy == simulated.counted.metrics.achieved_occupancy);
    }
    CHECK(steady > 60);
}

TEST_CASE("launches that are steady share fewer SMs, unless the kernel looks at them", "[engine][steady]") {
    EngineOptions at_once;
    at_once.steady_after = 0;
    constexpr u32 blocks = 60, sms = 15;
    // out[block] += 1 for each thread, and seen[SM] = 1.
    const auto kernel = [](std::string_view sm) {
        return module_text(R"(
.visible .entry k(.param .u64 out_, .param .u64 seen_) {
    .reg .b32 %sm, %block, %old; .reg .b64 %out, %seen, %offset;
    ld.param.u64 %out, [out_]; ld.param.u64 %seen, [seen_];
    mov.u32 %block, %ctaid.x; mul.wide.u32 %offset, %block, 4; add.s64 %out, %out, %offset;
    atom.global.add.u32 %old, [%out], 1;
    mov.u32 %sm, )" + std::string(sm) +
                           R"(; mul.wide.u32 %offset, %sm, 4; add.s64 %seen, %seen, %offset;
    st.global.u32 [%seen], 1;
    ret;
})");
    };
    for (const std::string_view sm : {"%smid", "0"}) {
        PtxRunner runner("GTX 480", at_once);
        const Module module(kernel(sm), "test", runner.memory());
        const std::span<u32> out = runner.allocate<u32>(blocks), seen = runner.allocate<u32>(sms);
        const auto run = [&] {
            return runner.run(module, {.grid = {blocks, 1, 1}, .block = {64, 1, 1}},
                              Arguments(out.data(), seen.data()));
        };
        std::vector<LaunchReport> reports;
        for (int launch = 0; launch < 4; ++launch) {
            std::ranges::fill(seen, 0);
            reports.push_back(run());
        }
        REQUIRE_FALSE(reports[2].steady);
        REQUIRE(reports[3].steady);
        CHECK(reports[3].resident_blocks_per_sm == reports[2].resident_blocks_per_sm);
        CHECK(reports[3].counted.metrics.achieved_occupancy == reports[2].counted.metrics.achieved_occupancy);
        CHECK(reports[3].counted.metrics.thread_inst == reports[2].counted.metrics.thread_inst);
        CHECK(std::ranges::all_of(out, [](u32 count) { return count == 4 * 64; }));
        CHECK(std::ranges::count(seen, 1) == (sm == "0" ? 1 : sms));
    }
}
