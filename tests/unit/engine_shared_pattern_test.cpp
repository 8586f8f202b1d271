// An instruction that finds its lanes in shared memory as it found them the last time counts and checks all the same.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

/// One warp loads a word of shared memory at %r3 four times, `next` going on from one round to the next; %r1 is the
/// lane, %r2 counts rounds from 0, and %r3 begins as 4 times the lane.
std::string loop(const std::string& next) {
    return module_text(R"(
.visible .entry k() {
    .reg .b32 %r<8>;
    .reg .pred %p<4>;
    .shared .align 4 .b8 words[4096];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    shl.b32 %r3, %r1, 2;
again:
    ld.shared.u32 %r4, [%r3];
    add.u32 %r2, %r2, 1;
    )" + next + R"(
    setp.lt.u32 %p1, %r2, 4;
    @%p1 bra again;
    ret;
})");
}

LaunchReport run(const std::string& next) {
    PtxRunner runner;
    return runner.run(loop(next), {}, Arguments());
}

}  // namespace

TEST_CASE("lanes that move apart take more passes", "[engine][shared]") {
    // Strides of 1, 2, 4 and 8 words: 0, 1, 3 and 7 passes more than one each.
    const LaunchReport report = run("shl.b32 %r3, %r3, 1;");
    REQUIRE_FALSE(report.fault);
    CHECK(report.counted.metrics.shared_wavefront == Instructions{15});
    CHECK(report.counted.metrics.shared_bank_conflict == Instructions{11});
    CHECK(report.counted.metrics.warp_inst_shared_load == Instructions{4});
}

TEST_CASE("lanes that stay together take one pass each wherever they go", "[engine][shared]") {
    const LaunchReport report = run("add.u32 %r3, %r3, 68;");
    REQUIRE_FALSE(report.fault);
    CHECK(report.counted.metrics.shared_wavefront == Instructions{4});
    CHECK(report.counted.metrics.shared_bank_conflict == Instructions{0});
}

TEST_CASE("lanes that lie as before are still checked", "[engine][shared]") {
    const LaunchReport misaligned = run("add.u32 %r3, %r3, 2;");
    REQUIRE(misaligned.fault);
    CHECK(misaligned.fault->kind == FaultKind::misaligned_address);
    const LaunchReport outside = run("add.u32 %r3, %r3, 2000;");  // the third time
    REQUIRE(outside.fault);
    CHECK(outside.fault->kind == FaultKind::illegal_address);
    const LaunchReport below = run("sub.u32 %r3, %r3, 4;");
    REQUIRE(below.fault);
    CHECK(below.fault->kind == FaultKind::illegal_address);
}

TEST_CASE("fewer lanes than the last time are looked at anew", "[engine][shared]") {
    // Lanes 0 to 15 alone in the last three rounds, at 32 words' distance: 16 passes each.
    const LaunchReport report =
        run("setp.gt.u32 %p2, %r1, 15; @%p2 bra done; mul.lo.u32 %r3, %r1, 128; bra more; done: ret; more:");
    REQUIRE_FALSE(report.fault);
    CHECK(report.counted.metrics.shared_wavefront == Instructions{1 + 3 * 16});
    CHECK(report.counted.metrics.shared_bank_conflict == Instructions{3 * 15});
}
