// What the engine says of other GPUs while it imitates one, against what it counts when it imitates those.
#include <catch2/catch.hpp>
#include <random>

#include "collector/simulate/memory/other_l1.hpp"
#include "collector/simulate/memory/other_l2.hpp"
#include "targets/catalog.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

// Remainders, wide products, minima, square roots and a branch: what compilers make other things of.
constexpr const char* mixed = R"(
.visible .entry k(.param .u64 py) {
    .reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [py];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.s32 %r3, %r2, 256, %r1;
    mul.wide.s32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;
    add.s32 %r4, %r1, 3;
    rem.s32 %r5, %r3, %r4;
    div.u32 %r6, %r3, %r4;
    mul.lo.s32 %r7, %r5, %r6;
    max.s32 %r8, %r7, %r3;
    cvt.rn.f32.s32 %f1, %r8;
    sqrt.rn.f32 %f2, %f1;
    div.rn.f32 %f3, %f1, %f2;
    cvt.rzi.s32.f32 %r9, %f3;
    setp.gt.s32 %p1, %r1, 100;
    @%p1 bra DONE;
    st.global.u32 [%rd3], %r9;
DONE:
    ret;
})";

LaunchReport run_on(const char* gpu, EngineOptions options = {}) {
    PtxRunner runner(gpu, std::move(options));
    const auto y = runner.allocate<u32>(100 * 256);
    LaunchReport report =
        runner.run(module_text(mixed), {.grid = {100, 1, 1}, .block = {256, 1, 1}}, Arguments(y.data()));
    REQUIRE(!report.fault);
    return report;
}

double share_apart(double a, double b) {
    return std::abs(a - b) / std::max(a, b);
}

}  // namespace

TEST_CASE("instructions for another generation are what a GPU of it counts", "[engine][other_gpus]") {
    const LaunchReport fermi = run_on("GTX 480"), turing = run_on("RTX 2080 Ti");
    for (const char* name : {"GTX480", "K20c", "GTX750Ti", "GTX980", "GTX1080Ti", "V100-SXM2-16GB", "RTX2080Ti",
                             "A100-PCIE-40GB", "RTX3080", "RTX4090"}) {
        CAPTURE(name);
        const Gpu gpu = Catalog({}).get(name);
        const LaunchReport own = run_on(gpu.name.c_str());
        const KernelMetrics& m = own.counted.metrics;
        for (const LaunchReport* from : {&fermi, &turing}) {
            const MachineCodeCounts& row = *code_for(from->counted.other_gpus, gpu.compute_capability);
            CHECK(row.warp_inst == *m.warp_inst);
            CHECK(row.thread_inst == *m.thread_inst);
            CHECK(row.fp32 == *m.thread_inst_fp32);
            CHECK(row.fp32_fma == *m.thread_inst_fp32_fma);
            CHECK(row.integer == *m.thread_inst_integer);
            CHECK(row.integer_multiply == *m.thread_inst_integer_multiply);
            CHECK(row.integer_shift == *m.thread_inst_integer_shift);
            CHECK(row.special == *m.thread_inst_special);
            CHECK(row.conversion == *m.thread_inst_conversion);
            CHECK(row.control == *m.thread_inst_control);
            CHECK(row.misc == *m.thread_inst_misc);
        }
    }
    // Maxwell splits its products.
    const auto& rows = fermi.counted.other_gpus.machine_code;
    const auto integer = [&](const char* capability) {
        return code_for(fermi.counted.other_gpus, capability)->integer.value;
    };
    CHECK(rows.size() > 3);
    CHECK(integer("5.2") > 1.4 * integer("3.5"));
    CHECK(integer("7.0") < integer("5.2"));
}

TEST_CASE("passes through other banks are what a GPU with such banks counts", "[engine][other_gpus]") {
    // Columns of a tile 32 words wide, which begin at each of its words in turn, and columns of 8-byte values.
    const std::string columns = R"(.visible .entry k() {
        .reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .pred %p<2>; .shared .align 16 .b8 tile[16384];
        mov.u32 %r1, %tid.x;
        mov.u32 %r2, tile;
        mad.lo.u32 %r3, %r1, 128, %r2;
        mov.u32 %r4, 0;
    AGAIN:
        ld.shared.u32 %r5, [%r3];
        add.u32 %r3, %r3, 4;
        add.u32 %r4, %r4, 1;
        setp.lt.u32 %p1, %r4, 64;
        @%p1 bra AGAIN;
        mad.lo.u32 %r6, %r1, 256, %r2;
        ld.shared.b64 %rd1, [%r6];
        ret;
    })";
    const auto counted_by = [&](const char* gpu) {
        PtxRunner runner(gpu);
        const LaunchReport report =
            runner.run(module_text(columns), {.grid = {3, 1, 1}, .block = {32, 1, 1}}, Arguments());
        REQUIRE(!report.fault);
        return report.counted;
    };
    const Counted fermi = counted_by("GTX 480"), kepler = counted_by("Tesla K20c");
    // Each of 32 lanes a pass, in wide banks half of them, one more where the column begins in the middle of a stretch.
    CHECK(fermi.metrics.shared_wavefront == Instructions{3.0 * (64 * 32 + 32)});
    CHECK(kepler.metrics.shared_wavefront == Instructions{3.0 * (32 * 16 + 32 * 17 + 32)});
    for (const Counted* from : {&fermi, &kepler}) {
        REQUIRE(from->other_gpus.banks.size() == 2);
        for (const Counted* on : {&fermi, &kepler}) {
            const PassesOfBanks& row = from->other_gpus.banks[on == &fermi ? 0 : 1];
            CHECK(row.wavefront == *on->metrics.shared_wavefront);
            CHECK(row.conflict == *on->metrics.shared_bank_conflict);
        }
    }
}

TEST_CASE("generations that make the same of a kernel have one row", "[engine][other_gpus]") {
    PtxRunner runner;
    const LaunchReport report = runner.run(module_text(R"(.visible .entry k() { ret; })"), {}, Arguments());
    // The stack pointer is moved until 8.9, from 7.0 on by the one or the other pipe, and loaded (LDC) from 9.0 on.
    const auto& rows = report.counted.other_gpus.machine_code;
    REQUIRE(rows.size() == 3);
    CHECK(rows[1].compute_capability == "7.0");
    CHECK(rows[2].compute_capability == "9.0");
    for (const auto& row : rows) CHECK(row.warp_inst == rows.front().warp_inst);
}

TEST_CASE("a sample of lines meets the DRAM traffic of L2 caches of other sizes", "[memory][other_gpus]") {
    // Random reads and writes of 6 MiB, a sweep through 3 MiB again and again, and both in turn.
    const auto requests_of = [](int kind, int step) {
        std::mt19937_64 random(20261125 + static_cast<std::uint64_t>(step));
        std::vector<LineRequest> requests;
        constexpr std::uint64_t mib = (1 << 20) / line_bytes;
        for (std::uint64_t i = 0; i < 6 * mib; ++i) {
            const bool random_one = kind == 0 || (kind == 2 && i % 2 == 0);
            const std::uint64_t line = random_one ? random() % (6 * mib) : 8 * mib + i % (3 * mib);
            const bool write = random_one && random() % 4 == 0;
            requests.emplace_back(line, 0xFU, write ? AccessKind::store : AccessKind::load, 0xFFU);
        }
        return requests;
    };
    for (const int kind : {0, 1, 2}) {
        const auto run = [&](std::uint64_t bytes, std::uint32_t halves) {
            MemoryConfig config;
            config.l2_bytes = bytes;
            config.l2_halves = halves;
            L2Cache cache(config);
            for (int step = 0; step < 4; ++step) {
                // Two SMs, one on each side of an L2 of halves: each has lines of its own, and others are of both.
                std::array<std::vector<LineRequest>, 2> queues;
                for (const LineRequest request : requests_of(kind, step)) {
                    const std::uint64_t line = request.line();
                    queues.at(line % 3 == 2 ? queues[0].size() > queues[1].size() : line % 3).push_back(request);
                }
                cache.process(queues);
            }
            cache.charge();
            return cache.counters();
        };
        const L2Counters sampled = run(768 << 10, 1);
        for (std::size_t i = 0; i < other_l2_sizes.size(); ++i) {
            CAPTURE(kind, other_l2_sizes[i].bytes, other_l2_sizes[i].halves);
            const L2Counters own = run(other_l2_sizes[i].bytes, other_l2_sizes[i].halves);
            CHECK(share_apart(static_cast<double>(sampled.other[i].read), static_cast<double>(own.dram_read_sectors)) <
                  0.06);
            if (kind != 1)
                CHECK(share_apart(static_cast<double>(sampled.other[i].write),
                                  static_cast<double>(own.dram_write_sectors)) < 0.06);
        }
    }
}

TEST_CASE("the sample of L2 forgets what the host writes", "[memory][other_gpus]") {
    MemoryConfig config;
    config.l2_bytes = 1 << 20;
    L2Cache cache(config);
    const auto sweep = [&] {
        std::vector<LineRequest> requests;
        for (std::uint64_t line = 0; line < 4096; ++line) requests.emplace_back(line, 0xFU, AccessKind::load);
        std::array queues{requests};
        cache.reset_counters();
        cache.process(queues);
        return cache.counters().other.back().read;
    };
    const std::uint64_t first = sweep();
    CHECK(static_cast<double>(first) > 0.9 * 4096 * 4);
    CHECK(static_cast<double>(first) < 1.1 * 4096 * 4);
    CHECK(sweep() == 0);
    cache.drop(0, 4096 * 4);
    CHECK(sweep() == first);
    cache.drop(0, 64);  // few lines: looked for one by one
    CHECK(sweep() <= 64 * 4);
}

TEST_CASE("L1 caches of other sizes hold what such caches do", "[memory][other_gpus]") {
    AccessTrace trace;
    std::mt19937 random(1);
    trace.begin_block();
    trace.begin_interval();
    for (int warp = 0; warp < 8; ++warp) {
        trace.begin_warp();
        for (int i = 0; i < 2000; ++i) {
            const std::uint64_t line = random() % 600;  // 75 KiB
            const auto kind = random() % 8 == 0 ? AccessKind::read_only_load : AccessKind::load;
            trace.add(kind, line * line_bytes, line_bytes);
        }
    }
    OtherL1 other;
    OtherL1Hits hits{};
    other.see(trace, hits);
    for (std::size_t i = 1; i < other_l1_sizes.size(); ++i) {
        MemoryConfig config;
        config.l1_bytes = other_l1_sizes[i];
        config.l1_global_loads = true;
        config.l1_stores_update = true;
        config.l1_ways = 16;
        L1Cache own(config);
        std::vector<LineRequest> missed;
        CHECK(hits[i] == trace.replay(own, missed));
    }
    CHECK(hits[0] > 0);  // read-only loads
    CHECK(hits[0] < hits[1]);
    CHECK(hits[1] < hits[2]);
    CHECK(hits[3] == hits[4]);  // all of it fits
    other.invalidate();
    OtherL1Hits again{};
    other.see(trace, again);
    CHECK(again == hits);
}

TEST_CASE("what is said of other GPUs does not depend on the host's threads", "[engine][other_gpus]") {
    EngineOptions one, two;
    one.threads = 1;
    two.threads = 2;
    const OtherGpus a = run_on("GTX 480", one).counted.other_gpus, b = run_on("GTX 480", two).counted.other_gpus;
    REQUIRE(a.l2.size() == b.l2.size());
    for (std::size_t i = 0; i < a.l2.size(); ++i) {
        CHECK(a.l2[i].dram_read == b.l2[i].dram_read);
        CHECK(a.l2[i].dram_write == b.l2[i].dram_write);
    }
    for (std::size_t i = 0; i < a.l1.size(); ++i) CHECK(a.l1[i].hits == b.l1[i].hits);
}
