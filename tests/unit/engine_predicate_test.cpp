// Branches of PTX that the machine does not have, and what it has besides those it has: against ptxas 11.8.
#include <catch2/catch.hpp>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;

namespace {

struct Control {
    double all, branches, divergent;
    bool operator==(const Control&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Control& c) {
    return out << c.all << " instructions, " << c.branches << " branches, " << c.divergent << " divergent";
}

Control run(const std::string& body, const char* gpu) {
    PtxRunner runner(gpu);
    const auto memory = runner.allocate<float>(1024);
    const auto report = runner.run(module_text(R"(
.const .align 4 .f32 table[16];
.visible .entry k(.param .u64 pa) {
    .reg .b64 %rd<8>; .reg .f32 %f<16>; .reg .b32 %r<16>; .reg .pred %p<8>;
    .shared .align 4 .b8 tile[4096];
    ld.param.u64 %rd1, [pa];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
    setp.ge.u32 %p1, %r1, 7; setp.ge.u32 %p2, %r2, 7; setp.ge.u32 %p3, %r1, 20;
    ld.global.f32 %f1, [%rd1];
)" + body + R"(
    st.global.f32 [%rd1], %f1;
    ret;
})"),
                                   {}, Arguments(memory.data()));
    REQUIRE(!report.fault);
    const KernelMetrics& m = report.counted.metrics;
    return {m.warp_inst.value().value, m.warp_inst_branch.value().value, m.warp_inst_branch_divergent.value().value};
}

/// Without what the kernel has anyway.
Control more(const std::string& body, const char* gpu = "RTX 3090") {
    const Control with = run(body, gpu), without = run("", gpu);
    return {with.all - without.all, with.branches - without.branches, with.divergent - without.divergent};
}

const std::string sum = "add.f32 %f1, %f1, %f1;";

}  // namespace

TEST_CASE("branches over up to eight instructions become conditions of these", "[engine][counts]") {
    CHECK(more("@%p1 bra L;" + times(8, sum) + "L:") == Control{8, 0, 0});
    CHECK(more("@%p1 bra L;" + times(9, sum) + "L:") == Control{9 + 3, 1, 1});
    CHECK(more("@%p1 bra L; st.shared.f32 [tile], %f1; L:") == Control{1, 0, 0});
    // Two conditions to the same end.
    CHECK(more("@%p1 bra L; @%p3 bra L;" + times(8, sum) + "L:") == Control{8, 0, 0});
    CHECK(more("@%p1 bra L; @%p3 bra L;" + times(9, sum) + "L:").branches == 2);
    // The jump over the other way is one of the eight.
    CHECK(more("@%p1 bra L;" + times(7, sum) + "bra J; L:" + times(8, sum) + "J:") == Control{7 + 8, 0, 0});
    CHECK(more("@%p1 bra L;" + times(8, sum) + "bra J; L:" + times(8, sum) + "J:").branches == 2);
    CHECK(more("@%p1 bra L;" + times(7, sum) + "bra J; L:" + times(9, sum) + "J:").branches == 2);
}

TEST_CASE("conditions that hold for no lane are issued all the same, for no thread", "[engine][counts]") {
    const auto sums = [](const std::string& body) { return more(body).all; };
    const std::string both = times(3, sum) + "bra J; L:" + times(4, sum) + "J:";
    CHECK(sums("@!%p2 bra L;" + times(8, sum) + "L:") == 8);
    CHECK(sums("@%p2 bra L;" + times(8, sum) + "L:") == 8);
    CHECK(sums("@!%p2 bra L;" + both) == 7);
    CHECK(sums("@%p2 bra L;" + both) == 7);
    CHECK(sums("@%p1 bra L;" + both) == 7);
    // Within a condition of some lanes one of none: lanes from 7 on are all beyond 3.
    CHECK(sums("setp.ge.u32 %p4, %r1, 3; @!%p1 bra L; @%p4 bra L;" + times(3, sum) + "L:") == 1 + 3);
    PtxRunner runner("RTX 3090");
    const auto memory = runner.allocate<float>(1024);
    const auto report = runner.run(module_text(R"(
.visible .entry k(.param .u64 pa) {
    .reg .b64 %rd<8>; .reg .f32 %f<16>; .reg .b32 %r<16>; .reg .pred %p<8>;
    mov.u32 %r2, %ctaid.x; setp.ge.u32 %p2, %r2, 7; mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 8;
    @!%p2 bra L; add.f32 %f1, %f1, %f1; L:
    @%p1 bra M; add.f32 %f1, %f1, %f1; M:
    ret;
})"),
                                   {}, Arguments(memory.data()));
    CHECK(report.counted.metrics.thread_inst_fp32.value().value == 8);
}

TEST_CASE("what a condition within another follows from is calculated by all lanes", "[engine][counts]") {
    const std::string begin = "@%p1 bra L; mul.f32 %f2, %f1, %f1; setp.lt.f32 %p4, %f2, 0f00000000; @%p4 bra L;";
    const std::string inner = "mul.f32 %f3, %f1, 0f40000000; setp.lt.f32 %p5, %f3, 0f00000000; @%p5 bra L;";
    CHECK(more(begin + times(3, sum) + "L:") == Control{2 + 3, 0, 0});
    CHECK(more(begin + inner + times(3, sum) + "L:") == Control{2 + 2 + 3, 0, 0});
    // Not if it is wanted further on, or is an access to memory.
    CHECK(more(begin + "add.f32 %f1, %f1, %f2; L:") == Control{2 + 1 + 3, 1, 1});
    CHECK(more("@%p1 bra L;" + times(4, sum) + "@%p3 bra L;" + times(4, sum) + "L:") == Control{8 + 3, 1, 1});
    CHECK(more("@%p1 bra L; st.shared.f32 [tile], %f1; @%p3 bra L;" + sum + "L:").branches == 1);
    CHECK(more("@%p1 bra L; ld.shared.f32 %f2, [tile]; setp.lt.f32 %p4, %f2, 0f00000000; @%p4 bra L;" + sum + "L:")
              .branches == 1);
    PtxRunner runner("RTX 3090");
    const auto memory = runner.allocate<float>(1024);
    const auto report = runner.run(module_text(R"(
.visible .entry k(.param .u64 pa) {
    .reg .b64 %rd<8>; .reg .f32 %f<16>; .reg .b32 %r<16>; .reg .pred %p<8>;
    ld.param.u64 %rd1, [pa]; ld.global.f32 %f1, [%rd1];
    mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 7;
)" + begin + sum + "L: st.global.f32 [%rd1], %f1; ret; }"),
                                   {}, Arguments(memory.data()));
    REQUIRE(!report.fault);
    CHECK(report.counted.metrics.thread_inst_fp32.value().value == 2 * 32 + 7);
}

TEST_CASE("what waits for global memory, is atomic or a way out of the kernel keeps its branch", "[engine][counts]") {
    CHECK(more("bar.sync 0; @%p1 bra L; ld.global.f32 %f2, [%rd1]; add.f32 %f1, %f1, %f2; L:").branches == 1);
    CHECK(more("@%p1 bra L; ld.global.f32 %f2, [%rd1]; st.shared.f32 [tile], %f2; L:").branches == 0);
    CHECK(more("@%p1 bra L; ld.shared.f32 %f2, [tile]; add.f32 %f1, %f1, %f2; L:").branches == 0);
    CHECK(more("@%p1 bra L; red.global.add.f32 [%rd1], %f1; L:").branches == 1);
    CHECK(more("@%p1 bra L; bar.sync 0; L:").branches == 1);
    CHECK(more("@%p1 bra L; add.f32 %f1, %f1, %f1; st.global.f32 [%rd1], %f1; L: ret;").branches == 1);
    CHECK(more("mov.u32 %r3, 0; L: .pragma \"nounroll\"; add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, 2; @%p4 bra L;")
              .branches == 2);
}

TEST_CASE("a condition may wait for what it loads where a warp waits for loads anyway", "[engine][counts]") {
    const std::string load = "ld.global.f32 %f2, [%rd1+64];", use = "add.f32 %f1, %f1, %f2;";
    CHECK(more("@%p1 bra L;" + load + use + "L:") == Control{2, 0, 0});  // for %f1, in front
    CHECK(more("@%p1 bra L;" + load + use + times(18, sum) + "L:").branches == 0);
    CHECK(more("@%p1 bra L;" + load + use + times(19, sum) + "L:").branches == 1);
    CHECK(more("bar.sync 0; @%p1 bra L;" + load + use + "L: ld.global.f32 %f3, [%rd1+8]; add.f32 %f1, %f1, %f3;")
              .branches == 0);  // behind
    // The branch waits for %f1 itself; then also what was not for it.
    CHECK(more("setp.gt.f32 %p4, %f1, 0f40000000; @%p4 bra L;" + load + use + "L:").branches == 1);
    CHECK(more("setp.gt.f32 %p4, %f1, 0f40000000; ld.global.f32 %f3, [%rd1+8]; @%p4 bra L;" + load + use + "L:")
              .branches == 0);
}

TEST_CASE("blocks that one jump alone leads to stand behind it", "[engine][counts]") {
    const std::string red = "red.global.add.f32 [%rd1], %f1;";
    // A: jumps to C, and C to B: in the order A, C, B nobody jumps.
    CHECK(more("bra.uni C; B:" + red + "bra.uni D; C:" + red + "bra.uni B; D:") == Control{2, 0, 0});
    // The condition is turned around, for one branch in place of two.
    CHECK(more("@%p2 bra L; bra.uni M; L:" + red + "M:").branches == 1);
    CHECK(more("@!%p2 bra L; bra.uni M; L:" + red + "M:").branches == 1);
    // Of two ways to one place one jumps; the block is 0, which goes through the first.
    CHECK(more("@%p2 bra L;" + red + red + "bra.uni M; L:" + red + "M:").branches == 2);
}

TEST_CASE("where lanes may part, further instructions say where they meet", "[engine][counts]") {
    const std::string body = "@%p1 bra L; red.global.add.f32 [%rd1], %f1; L:";
    CHECK(more(body, "GTX 480").all == 1 + 2);      // RED; SSY, BRA
    CHECK(more(body, "GTX 1080").all == 1 + 3);     // SSY, SYNC of lanes that pass RED, SYNC behind it
    CHECK(more(body, "RTX 2080 Ti").all == 1 + 4);  // BMOV, BSSY, BRA, BSYNC
    CHECK(more(body, "RTX 3090").all == 1 + 3);
    // None if all lanes go one way: the block says which.
    CHECK(more("@%p2 bra L; red.global.add.f32 [%rd1], %f1; L:").all == 1 + 1);
    // Branches that meet in one place have one meeting.
    const std::string both =
        "@%p1 bra L; red.global.add.f32 [%rd1], %f1; @%p3 bra L; red.global.add.f32 [%rd1], %f1; L:";
    CHECK(more(both).all == 2 + 3 + 1);
    // Those that leave a loop meet behind it: not in every round.
    const std::string loop = R"(
        mov.u32 %r3, 0;
        A: add.u32 %r3, %r3, 1; setp.gt.u32 %p4, %r3, %r1; @%p4 bra B;
        red.global.add.f32 [%rd1], %f1; setp.lt.u32 %p5, %r3, 4; @%p5 bra A; B:)";
    CHECK(more(loop).all == 4 * 3 + 4 * 3);  // four rounds, the last lanes' too
}

TEST_CASE("lanes that leave a loop after different rounds meet behind it", "[engine][counts]") {
    const auto loop = [](const std::string& bound, const std::string& pragma, const char* gpu) {
        return more("mov.u32 %r5, %ntid.x; and.b32 %r5, %r5, 0; add.u32 %r5, %r5, 8; and.b32 %r4, " + bound +
                        ", 8; add.u32 %r4, %r4, 4; mov.u32 %r3, 0; A:" + pragma + sum +
                        "add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, %r4; @%p4 bra A; add.f32 %f1, %f1, %f1;",
                    gpu)
            .all;
    };
    // A lane's number or a constant; the warp runs twelve rounds.
    const auto meetings = [&](const std::string& pragma, const char* gpu) {
        return loop("%r1", pragma, gpu) - loop("%r5", pragma, gpu);
    };
    const std::string kept = ".pragma \"nounroll\";";
    CHECK(meetings(kept, "RTX 3090") == 2);
    CHECK(meetings(kept, "RTX 2080 Ti") == 3);
    CHECK(meetings("", "RTX 3090") == 2 * 2);
}

TEST_CASE("what a loop loads from constant memory in every round is loaded in front of it", "[engine][counts]") {
    const auto loop = [](const std::string& address) {
        return more(
            "mov.u64 %rd2, table; add.u64 %rd2, %rd2, %rd1; sub.u64 %rd2, %rd2, %rd1; mov.u32 %r3, 0; A:" + address +
            "ld.const.f32 %f2, [%rd2]; fma.rn.f32 %f1, %f1, %f2, %f2; add.u32 %r3, %r3, 1;"
            "setp.lt.u32 %p5, %r3, 4; @%p5 bra A;");
    };
    CHECK(loop("add.u64 %rd2, %rd2, 4;").all - loop("").all == 4 * (1 + 2));  // LDC, and IADD3 twice
}
