// Clusters of blocks: their shared memory seen from each other, their barrier, their special registers (PTX
// ISA 9.7.13.4, 9.7.9.23, 10.12).
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj::test;
using gpuproj::simulate::FaultKind;

namespace {

struct Result {
    std::vector<u32> values;
    gpuproj::simulate::LaunchReport report;
};

/// `body` gives %r of every thread of a grid; 64 words of shared memory at `words`. %tid, %rank, %i (in the grid).
Result run(std::string_view body, Shape shape, std::string_view cluster) {
    PtxRunner runner;
    const std::size_t threads = std::size_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] * shape.block[0];
    const auto out = runner.allocate<u32>(threads);
    Result result;
    result.report = runner.run(module_text(fmt::format(R"(
.visible .entry k(.param .u64 out_) {}
{{
.shared .align 16 .b8 words[256]; .shared .align 8 .b64 waits;
.reg .b32 %r, %tid, %i, %rank, %s<16>; .reg .b64 %out, %l<8>; .reg .pred %p<8>;
mov.u32 %tid, %tid.x; mov.u32 %rank, %cluster_ctarank;
mov.u32 %s0, %ctaid.z; mov.u32 %s1, %nctaid.y; mov.u32 %s2, %ctaid.y; mad.lo.u32 %s0, %s0, %s1, %s2;
mov.u32 %s1, %nctaid.x; mov.u32 %s2, %ctaid.x; mad.lo.u32 %s0, %s0, %s1, %s2;
mov.u32 %s1, %ntid.x; mad.lo.u32 %i, %s0, %s1, %tid;
ld.param.u64 %out, [out_]; mad.wide.u32 %out, %i, 4, %out;
{}
st.global.u32 [%out], %r;
ret;
}}
)",
                                                       cluster, body)),
                               shape, Arguments(out.data()));
    INFO((result.report.fault ? result.report.fault->message : ""));
    result.values.assign(out.begin(), out.end());
    return result;
}
constexpr std::string_view all_arrive = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ";
constexpr std::string_view of_four = ".explicitcluster .reqnctapercluster 4, 1, 1";
const Shape grid_of_eight{{8, 1, 1}, {64, 1, 1}};

}  // namespace

TEST_CASE("blocks of a cluster read each other's shared memory", "[engine][cluster]") {
    const std::string fill =
        "mov.u32 %s3, words; mad.lo.u32 %s4, %tid, 4, %s3; st.shared.u32 [%s4], %i; " + std::string(all_arrive);
    const std::string next = "add.u32 %s5, %rank, 1; and.b32 %s5, %s5, 3; ";
    const auto want = [](u32 i) { return i / 256 * 256 + (i + 64) % 256; };  // the same thread of the next block
    for (const std::string& read :
         {std::string("mapa.shared::cluster.u32 %s6, %s4, %s5; ld.shared::cluster.u32 %r, [%s6]; "),
          std::string("cvt.u64.u32 %l0, %s4; cvta.shared.u64 %l0, %l0; mapa.u64 %l1, %l0, %s5; ld.u32 %r, [%l1]; "),
          std::string("cvt.u64.u32 %l0, %s3; mapa.shared::cluster.u64 %l1, %l0, %s5; mad.wide.u32 %l1, %tid, 4, %l1; "
                      "cvta.shared::cluster.u64 %l1, %l1; ld.u32 %r, [%l1]; ")}) {
        const Result result = run(fill + next + read + std::string(all_arrive), grid_of_eight, of_four);
        REQUIRE_FALSE(result.report.fault);
        for (u32 i = 0; i < result.values.size(); ++i) REQUIRE(result.values[i] == want(i));
    }
    // What is written to another block's memory is there behind the barrier.
    const Result written = run(std::string(all_arrive) + "mov.u32 %s3, words; mad.lo.u32 %s4, %tid, 4, %s3; " + next +
                                   "mapa.shared::cluster.u32 %s6, %s4, %s5; st.shared::cluster.u32 [%s6], %i; " +
                                   std::string(all_arrive) + "ld.shared.u32 %r, [%s4];",
                               grid_of_eight, of_four);
    REQUIRE_FALSE(written.report.fault);
    for (u32 i = 0; i < written.values.size(); ++i) REQUIRE(written.values[i] == i / 256 * 256 + (i + 192) % 256);
}

TEST_CASE("all blocks of a cluster count in one place", "[engine][cluster]") {
    const std::string generic = "cvt.u64.u32 %l0, %s3; cvta.shared.u64 %l0, %l0; mapa.u64 %l1, %l0, 2; ";
    for (const std::string& add :
         {std::string("mapa.shared::cluster.u32 %s6, %s3, 2; red.shared::cluster.add.u32 [%s6], 3; "),
          generic + "atom.add.u32 %s7, [%l1], 3; "}) {
        const Result result = run("mov.u32 %s3, words; " + std::string(all_arrive) + add + std::string(all_arrive) +
                                      "setp.eq.u32 %p0, %rank, 2; mov.u32 %r, 1; @%p0 ld.shared.u32 %r, [words];",
                                  grid_of_eight, of_four);
        REQUIRE_FALSE(result.report.fault);
        for (u32 i = 0; i < result.values.size(); ++i) REQUIRE(result.values[i] == (i / 64 % 4 == 2 ? 3U * 256 : 1U));
    }
}

TEST_CASE("asynchronous stores complete the bytes of a barrier in another block", "[engine][cluster]") {
    const Result result =
        run("mov.u32 %s3, words; mov.u32 %s4, waits; xor.b32 %s5, %rank, 1; setp.eq.u32 %p0, %tid, 0; "
            "@%p0 mbarrier.init.shared.b64 [waits], 1; @%p0 mbarrier.arrive.expect_tx.shared.b64 %l0, [waits], 256; " +
                std::string(all_arrive) +
                "mad.lo.u32 %s6, %tid, 4, %s3; mapa.shared::cluster.u32 %s6, %s6, %s5; mapa.shared::cluster.u32 %s7, "
                "%s4, %s5; "
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%s6], %i, [%s7]; "
                "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [waits], 0; @!%p1 bra WAIT; "
                "mad.lo.u32 %s6, %tid, 4, %s3; ld.shared.u32 %r, [%s6]; " +
                std::string(all_arrive),
            {{4, 1, 1}, {64, 1, 1}}, ".explicitcluster .reqnctapercluster 2, 1, 1");
    INFO((result.report.fault ? result.report.fault->message : ""));
    REQUIRE_FALSE(result.report.fault);
    for (u32 i = 0; i < result.values.size(); ++i) REQUIRE(result.values[i] == (i ^ 64));
}

TEST_CASE("no launch of another cluster is cancelled", "[engine][cluster]") {
    // One thread asks; the answer is in its block, or in all of the cluster, when the barriers there say so.
    const std::string ask =
        "mov.u32 %s3, words; mov.u32 %s4, waits; setp.eq.u32 %p0, %tid, 0; setp.eq.and.u32 %p1, %rank, 0, %p0; "
        "mov.u32 %s6, 9; st.shared.v4.u32 [words], {{%s6, %s6, %s6, %s6}}; @%p0 mbarrier.init.shared.b64 [waits], 1; "
        "@%p0 mbarrier.arrive.expect_tx.shared.b64 %l0, [waits], 16; " +
        std::string(all_arrive) +
        "@%p{} clusterlaunchcontrol.try_cancel.async{}.mbarrier::complete_tx::bytes{}.b128 {}; ";
    const std::string look =
        "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [waits], 0; @!%p2 bra WAIT; .reg .b128 %w; "
        "ld.shared.v2.b64 {%l0, %l1}, [words]; mov.b128 %w, {%l0, %l1}; mov.u32 %r, 0; "
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %w; @%p3 add.u32 %r, %r, 1; ";
    const auto none = [&](const std::string& body) {
        const Result result = run(body + look + std::string(all_arrive), grid_of_eight, of_four);
        REQUIRE_FALSE(result.report.fault);
        for (const u32 value : result.values) REQUIRE(value == 0);
    };
    none(fmt::format(fmt::runtime(ask), 0, ".shared::cta", "", "[%s3], [%s4]"));
    none(fmt::format(fmt::runtime(ask), 1, ".shared::cta", ".multicast::cluster::all", "[%s3], [%s4]"));
    none("mov.u64 %l2, words; mov.u64 %l3, waits; cvta.shared.u64 %l2, %l2; cvta.shared.u64 %l3, %l3; " +
         fmt::format(fmt::runtime(ask), 0, "", "", "[%l2], [%l3]"));
    // Where a response has a block's index; what it says is the engine's own affair.
    const Result index =
        run("{ .reg .b128 %w; mov.b64 %l0, {1, 20}; mov.b64 %l1, {300, 4000}; mov.b128 %w, {%l0, %l1}; "
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %w; selp.u32 %r, 1, 0, %p3; "
            "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%s3, %s4, %s5, _}, %w; "
            "clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %s6, %w; "
            "add.u32 %r, %r, %s3; add.u32 %r, %r, %s4; add.u32 %r, %r, %s5; add.u32 %r, %r, %s6; }",
            {{1, 1, 1}, {32, 1, 1}}, "");
    REQUIRE_FALSE(index.report.fault);
    CHECK(index.values[0] == 1 + 20 + 300 + 4000 + 4000);
    const Result no_barrier =
        run("mov.u32 %s3, words; mov.u32 %s4, waits; mov.u32 %r, 0; clusterlaunchcontrol.try_cancel."
            "async.shared::cta.mbarrier::complete_tx::bytes.b128 [%s3], [%s4];",
            {{1, 1, 1}, {32, 1, 1}}, "");
    REQUIRE(no_barrier.report.fault);
    CHECK(no_barrier.report.fault->kind == FaultKind::barrier);
}

TEST_CASE("a block knows its place in its cluster", "[engine][cluster]") {
    // 8 x 4 blocks in clusters of 2 x 2: one number of digits from the registers.
    const Result result =
        run("mov.u32 %s3, %cluster_ctaid.x; mov.u32 %s4, %cluster_ctaid.y; mad.lo.u32 %r, %s4, 10, %s3; "
            "mov.u32 %s3, %clusterid.x; mad.lo.u32 %r, %s3, 100, %r; mov.u32 %s3, %clusterid.y; mad.lo.u32 %r, %s3, "
            "1000, %r; "
            "mad.lo.u32 %r, %rank, 10000, %r; mov.u32 %s3, %cluster_nctarank; mad.lo.u32 %r, %s3, 100000, %r; "
            "mov.u32 %s3, %nclusterid.x; mad.lo.u32 %r, %s3, 1000000, %r; mov.pred %p0, %is_explicit_cluster; "
            "@%p0 add.u32 %r, %r, 10000000;",
            {{8, 4, 1}, {1, 1, 1}}, ".explicitcluster .reqnctapercluster 2, 2");
    REQUIRE_FALSE(result.report.fault);
    for (u32 y = 0; y < 4; ++y) {
        for (u32 x = 0; x < 8; ++x) {
            const u32 rank = x % 2 + 2 * (y % 2);
            CHECK(result.values[y * 8 + x] ==
                  x % 2 + 10 * (y % 2) + 100 * (x / 2) + 1000 * (y / 2) + 10000 * rank + 14400000);
        }
    }
    // Without one, every block is a cluster of its own.
    const Result alone =
        run(std::string(all_arrive) +
                "mov.u32 %s3, %cluster_nctarank; mov.u32 %s4, %clusterid.x; mad.lo.u32 %r, %s4, 10, %s3; "
                "add.u32 %r, %r, %rank; mov.pred %p0, %is_explicit_cluster; @%p0 add.u32 %r, %r, 1000;",
            {{3, 1, 1}, {1, 1, 1}}, "");
    REQUIRE_FALSE(alone.report.fault);
    CHECK(alone.values == std::vector<u32>{1, 11, 21});
}

TEST_CASE("a launch that says its cluster, and those that cannot be", "[engine][cluster]") {
    Shape shape{{8, 1, 1}, {1, 1, 1}};
    shape.cluster = {8, 1, 1};
    CHECK(run("mov.u32 %r, %cluster_ctarank;", shape, "").values == std::vector<u32>{0, 1, 2, 3, 4, 5, 6, 7});
    shape.cluster = {3, 1, 1};
    CHECK(run("mov.u32 %r, 0;", shape, "").report.fault->kind == FaultKind::invalid_launch);
    const auto outside =
        run("mov.u32 %s3, words; mapa.shared::cluster.u32 %s4, %s3, 4; ld.shared::cluster.u32 %r, [%s4];",
            grid_of_eight, of_four);
    REQUIRE(outside.report.fault);
    CHECK(outside.report.fault->kind == FaultKind::illegal_address);
    CHECK(outside.report.fault->message.find("of rank 4") != std::string::npos);
}

TEST_CASE("blocks of a cluster that wait for each other in vain are a fault", "[engine][cluster]") {
    const auto result =
        run("mul.lo.u32 %s3, %rank, %tid; setp.lt.u32 %p0, %s3, 32; @%p0 barrier.cluster.arrive; "
            "@%p0 barrier.cluster.wait; @!%p0 bar.sync 1; mov.u32 %r, 1;",
            grid_of_eight, of_four);
    REQUIRE(result.report.fault);
    CHECK(result.report.fault->kind == FaultKind::barrier);
    // Whoever has left is not waited for.
    CHECK_FALSE(
        run("setp.ne.u32 %p0, %rank, 0; mov.u32 %r, 1; @%p0 exit; barrier.cluster.arrive; barrier.cluster.wait;",
            grid_of_eight, of_four)
            .report.fault);
}
