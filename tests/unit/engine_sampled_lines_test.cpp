// Long launches of few blocks are simulated for a sample of the lines.
#include <catch2/catch.hpp>

#include "collector/simulate/engine/launch/sampled_lines.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

MemoryConfig config() {
    MemoryConfig config;
    config.l2_bytes = std::uint64_t{768} << 10;  // 3 x 128 sets
    config.l1_bytes = std::uint64_t{64} << 10;
    config.l1_global_loads = true;
    config.l1_ways = 16;
    return config;
}

std::vector<LineRequest> loads(std::uint64_t first, std::uint64_t lines, const LineSample* sample = nullptr) {
    std::vector<LineRequest> requests;
    for (std::uint64_t line = first; line < first + lines; ++line)
        if (sample == nullptr || sample->has(line)) requests.emplace_back(line, 0xFU, AccessKind::load);
    return requests;
}

// Thread t adds x[8 (t ^ 32 (i / 8)) + i % 8] to y[t], for i from 0 to 511.
constexpr const char* strides = R"(
.visible .entry k(.param .u64 py, .param .u64 px) {
    .reg .b64 %rd<8>; .reg .b32 %r<12>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [py];
    ld.param.u64 %rd4, [px];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r1, 256, %r2;
    mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r5, 0;
LOOP:
    shr.u32 %r6, %r5, 3;
    and.b32 %r6, %r6, 63;
    mul.lo.u32 %r6, %r6, 32;
    xor.b32 %r7, %r3, %r6;
    and.b32 %r8, %r5, 7;
    mad.lo.u32 %r9, %r7, 8, %r8;
    mul.wide.u32 %rd5, %r9, 4; add.s64 %rd6, %rd4, %rd5;
    ld.global.u32 %r4, [%rd3];
    ld.global.u32 %r10, [%rd6];
    add.u32 %r4, %r4, %r10;
    st.global.u32 [%rd3], %r4;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 512;
    @%p1 bra LOOP;
    ret;
})";

}  // namespace

TEST_CASE("a sample has one of any neighbours, and its share of any stride", "[memory][sampled_lines]") {
    const L2Cache l2(config());
    REQUIRE(l2.sample_bits() == 3);
    for (const std::uint32_t bits : {1U, 2U, 3U}) {
        const LineSample sample = l2.sample(bits);
        const std::uint64_t one_in = sample.one_in();
        for (std::uint64_t first = 0; first < 4096; first += one_in) {
            std::uint64_t there = 0;
            for (std::uint64_t line = first; line < first + one_in; ++line) there += sample.has(line) ? 1 : 0;
            REQUIRE(there == 1);
        }
        for (const std::uint64_t stride : {3U, 8U, 32U, 128U, 1024U, 4096U, 5000U}) {
            std::uint64_t there = 0;
            constexpr std::uint64_t lines = 1 << 14;
            for (std::uint64_t i = 0; i < lines; ++i) there += sample.has(i * stride) ? 1 : 0;
            CAPTURE(bits, stride);
            CHECK(static_cast<double>(there * one_in) == Approx(lines).epsilon(0.1));
        }
    }
}

TEST_CASE("L1 keeps the lines of a sample, as many as it had", "[memory][sampled_lines]") {
    const L2Cache l2(config());
    REQUIRE(L1Cache::sample_bits(config()) == 3);
    const LineSample sample = l2.sample(3);
    L1Cache l1(config());
    std::vector<LineRequest> missed;
    CHECK(l1.access(loads(1024, 512), AccessKind::load, missed) == 0);
    l1.keep_only(sample);
    missed.clear();
    CHECK(l1.access(loads(1024, 512, &sample), AccessKind::load, missed) == 64 * 4);
    CHECK(missed.empty());
    // Others take their places, the least recently used first.
    CHECK(l1.access(loads(2048, 256, &sample), AccessKind::load, missed) == 0);
    CHECK(l1.access(loads(2048, 256, &sample), AccessKind::load, missed) == 32 * 4);
    // The next launch has all of it again.
    l1.invalidate(config());
    CHECK(l1.access(loads(1024, 512), AccessKind::load, missed) == 0);
    CHECK(l1.access(loads(1024, 512), AccessKind::load, missed) == 512 * 4);
}

TEST_CASE("behind a sample, L2 holds the neighbours of what it has of it", "[memory][sampled_lines]") {
    L2Cache l2(config());
    const LineSample sample = l2.sample(3);
    const auto reads = [&](std::vector<LineRequest> requests) {
        l2.reset_counters();
        std::vector<std::vector<LineRequest>> queues{std::move(requests)};
        l2.process(queues);
        return l2.counters().dram_read_sectors;
    };
    std::vector<LineRequest> stores;
    for (std::uint64_t line = 0; line < 1000; ++line) stores.emplace_back(line, 0xFU, AccessKind::store, 0xFFU);
    CHECK(reads(stores) == 0);
    l2.begin_sample(sample);
    CHECK(reads(loads(0, 1000, &sample)) == 0);
    CHECK(reads(loads(5000, 2000, &sample)) == 250 * 4);
    l2.reset_counters();
    l2.charge();
    // Of the stores, those of the sample alone, for they stand for the others.
    CHECK(l2.counters().dram_write_sectors <= 125 * 4);
    l2.end_sample(sample);
    CHECK(reads(loads(5000, 2000)) == 0);
    CHECK(reads(loads(20000, 1000)) == 4000);
}

TEST_CASE("launches with little work have no sample", "[engine][sampled_lines]") {
    const auto begins = [](double program, double launch, double before, std::uint64_t lines) {
        SampledLines sampled({.program = program, .lines = launch}, before);
        int rests = 0;
        for (int round = 0; round < 100; ++round) rests += sampled.wants_rest() ? 1 : 0;
        // 2, 4, 8, 16, 32 and 64, but the first four where the program is not near.
        CHECK(rests == (program - before > launch ? 2 : 6));
        Traffic traffic;
        traffic.memory.line_requests = lines;
        return sampled.begins(1000, traffic);
    };
    CHECK_FALSE(begins(2000, 500, 0, 100));
    CHECK(begins(2000, 500, 700, 100));
    CHECK(begins(2000, 500, 0, 400));
    CHECK_FALSE(begins(2000, 1400, 5000, 100));
}

TEST_CASE("a launch of few blocks has nearly the traffic of all lines", "[engine][sampled_lines]") {
    const auto* const gpu = GENERATE("GTX 480", "RTX 2080 Ti", "H100 SXM5 80GB");
    CAPTURE(gpu);
    constexpr u32 blocks = 128, threads = 256 * blocks;
    EngineOptions every, one, two;
    every.count_every_launch = true;
    one.windows = two.windows = {0, 0, 1, 0};
    one.threads = 1;
    two.threads = 2;
    const auto run = [&](const EngineOptions& options) {
        PtxRunner runner(gpu, options);
        const auto y = runner.allocate<u32>(threads), x = runner.allocate<u32>(std::size_t{8} * threads);
        for (u32 i = 0; i < x.size(); ++i) x[i] = i % 8;
        auto report = runner.run(module_text(strides), {.grid = {blocks, 1, 1}, .block = {256, 1, 1}},
                                 Arguments(y.data(), x.data()));
        REQUIRE(!report.fault);
        u32 wrong = 0;
        for (const u32 sum : y) wrong += sum == 64 * 28 ? 0 : 1;
        CHECK(wrong == 0);
        return report;
    };
    const LaunchReport all = run(every), sampled = run(one), by_two = run(two);
    CHECK(all.sampled_lines == 0);
    CHECK(sampled.sampled_lines >= 2);
    const KernelMetrics &a = all.counted.metrics, &b = sampled.counted.metrics;
    CHECK(b.thread_inst == a.thread_inst);
    CHECK(b.global_load == a.global_load);
    CHECK(b.global_store == a.global_store);
    CHECK(b.uncoalesced == a.uncoalesced);
    CHECK(b.l2_write == a.l2_write);
    const auto near = [](Sectors measured, Sectors truth, double share) {
        return measured.value == Approx(truth.value).epsilon(share);
    };
    CHECK(near(*b.l1_hit, *a.l1_hit, 0.02));
    CHECK(near(*b.l2_read, *a.l2_read, 0.02));
    CHECK(near(*b.dram_read, *a.dram_read, 0.02));
    CHECK(near(*b.dram_write, *a.dram_write, 0.02));
    CHECK(by_two.counted.metrics.l2_read == b.l2_read);
    CHECK(by_two.counted.metrics.dram_read == b.dram_read);
    for (std::size_t i = 0; i < all.counted.other_gpus.l2.size(); ++i)
        CHECK(near(sampled.counted.other_gpus.l2[i].dram_read, all.counted.other_gpus.l2[i].dram_read, 0.05));
}
