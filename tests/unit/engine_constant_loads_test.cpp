// What machine code for 9.0 loads that earlier code names as operands, against what ptxas 13.0 makes of the same PTX
// (nvdisasm's listing).
#include <catch2/catch.hpp>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;

namespace {

/// Of one warp of the kernel `k` in `text`.
KernelMetrics metrics(PtxRunner& runner, const std::string& text, const Arguments& arguments) {
    const auto report = runner.run(module_text(text), {}, arguments);
    REQUIRE(!report.fault);
    return report.counted.metrics;
}

KernelMetrics metrics(const std::string& text, const Arguments& arguments, const char* gpu) {
    PtxRunner runner(gpu);
    return metrics(runner, text, arguments);
}

double per_thread(const std::optional<Instructions>& count) {
    return count.value().value / 32;
}

double warps(const KernelMetrics& m) {
    return m.warp_inst.value().value;
}

constexpr const char* hopper = "H200 SXM 141GB";
constexpr const char* ampere = "RTX 3080";

constexpr const char* addition = R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
    .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<11>;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r2, [n];
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
    setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra END;
    cvta.to.global.u64 %rd4, %rd1;
    mul.wide.s32 %rd5, %r1, 4;
    add.s64 %rd6, %rd4, %rd5;
    cvta.to.global.u64 %rd7, %rd2;
    add.s64 %rd8, %rd7, %rd5;
    ld.global.f32 %f1, [%rd8];
    ld.global.f32 %f2, [%rd6];
    add.f32 %f3, %f2, %f1;
    cvta.to.global.u64 %rd9, %rd3;
    add.s64 %rd10, %rd9, %rd5;
    st.global.f32 [%rd10], %f3;
END:
    ret;
}
)";

/// Of one warp that adds 32 numbers.
KernelMetrics of_addition(const char* gpu) {
    PtxRunner runner(gpu);
    const auto memory = runner.allocate<float>(96);
    return metrics(runner, addition, Arguments(memory.data(), memory.data() + 32, memory.data() + 64, 32U));
}

}  // namespace

TEST_CASE("a sum of vectors on 9.0 loads its parameters", "[engine][constant_loads]") {
    // LDC R1, S2R, S2UR, LDC (ntid), IMAD, ULDC (n), ISETP, @P0 EXIT, LDC.64, ULDC.64 (descriptor), LDC.64, LDC.64,
    // IMAD.WIDE, LDG, IMAD.WIDE, LDG, IMAD.WIDE, FADD, STG, EXIT.
    const auto there = of_addition(hopper);
    CHECK(warps(there) == 20);
    CHECK(per_thread(there.thread_inst_load_store) == 8);
    CHECK(per_thread(there.thread_inst_integer) == 5);
    CHECK(per_thread(there.thread_inst_misc) == 2);
}

TEST_CASE("before 9.0 parameters are operands", "[engine][constant_loads]") {
    // MOV R1, 2 x S2R, IMAD, ISETP, @P0 EXIT, MOV (the 4), ULDC.64, 3 x IMAD.WIDE, 2 x LDG, FADD, STG, EXIT.
    const auto m = of_addition(ampere);
    CHECK(warps(m) == 16);
    CHECK(per_thread(m.thread_inst_load_store) == 3);
}

TEST_CASE("each way that comes to a constant loads it, once", "[engine][constant_loads]") {
    // Of `n` and `m`, neighbours of 32 bits: where both are wanted one load has both, else each its own.
    const auto of = [](const std::string& body) {
        return warps(metrics(R"(
.visible .entry k(.param .u32 n, .param .u32 m) {
    .reg .pred %p<4>; .reg .b32 %r<16>; .shared .b32 s[64];
    ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m]; mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2;
)" + body + "    ret;\n}",
                             Arguments(1U, 2U), hopper));
    };
    const double none = of("st.shared.u32 [%r4], %r3;");
    const double one = of("add.u32 %r5, %r3, %r1; st.shared.u32 [%r4], %r5;");
    CHECK(one == none + 2);  // ULDC, IADD3
    const double again = of("add.u32 %r5, %r3, %r1; min.u32 %r6, %r5, %r1; st.shared.u32 [%r4], %r6;");
    CHECK(again == one + 1);
    const double both = of("add.u32 %r5, %r3, %r1; min.u32 %r6, %r5, %r2; st.shared.u32 [%r4], %r6;");
    CHECK(both == again);
    // Nobody takes the jump; behind it, where the ways meet, `n` is there by one of them only.
    const double apart = of(R"(
    setp.eq.u32 %p1, %r3, 77;
    @%p1 bra FAR;
    bar.sync 0;
    add.u32 %r5, %r3, %r1; st.shared.u32 [%r4], %r5;
FAR:
    bar.sync 0;
    add.u32 %r6, %r3, %r1; st.shared.u32 [%r4+4], %r6;
)");
    const double early = of(R"(
    add.u32 %r7, %r3, %r1; st.shared.u32 [%r4+8], %r7;
    setp.eq.u32 %p1, %r3, 77;
    @%p1 bra FAR;
    bar.sync 0;
    add.u32 %r5, %r3, %r1; st.shared.u32 [%r4], %r5;
FAR:
    bar.sync 0;
    add.u32 %r6, %r3, %r1; st.shared.u32 [%r4+4], %r6;
)");
    CHECK(early == apart + 2 + 1 - 2);  // IADD3 and STS more, and one load in place of two
}

TEST_CASE("a loop has what all its rounds use loaded in front of it", "[engine][constant_loads]") {
    const auto of = [](std::uint32_t rounds) {
        return warps(metrics(R"(
.visible .entry k(.param .u32 n, .param .u32 m) {
    .reg .pred %p<4>; .reg .b32 %r<16>; .shared .b32 s[64];
    ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m]; mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2; mov.u32 %r5, 0;
AGAIN:
    .pragma "nounroll";
    bar.sync 0;
    add.u32 %r3, %r3, %r2;
    st.shared.u32 [%r4], %r3;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, %r1;
    @%p1 bra AGAIN;
    ret;
}
)",
                             Arguments(rounds, 2U), hopper));
    };
    CHECK(of(11) - of(1) == 10 * 6);  // BAR, IADD3, STS, IADD3, ISETP, BRA
}

TEST_CASE("numbers of 64 bits are moved to registers on 9.0", "[engine][constant_loads]") {
    const auto of = [](const char* gpu, const std::string& number) {
        PtxRunner runner(gpu);
        const auto memory = runner.allocate<double>(32);
        return warps(metrics(runner, R"(
.visible .entry k(.param .u64 a) {
    .reg .f64 %d<8>; .reg .b64 %rd<16>;
    ld.param.u64 %rd1, [a];
    ld.global.f64 %d1, [%rd1];
    mov.f64 %d4, )" + number + R"(;
    fma.rn.f64 %d2, %d1, %d1, %d4;
    st.global.f64 [%rd1], %d2;
    ret;
}
)",
                             Arguments(memory.data())));
    };
    // The first has a lower half, the second (1.0) has none.
    CHECK(of(hopper, "0d3FE62E42FEFA39EF") == of(hopper, "0d3FF0000000000000") + 2);
    CHECK(of(ampere, "0d3FE62E42FEFA39EF") == of(ampere, "0d3FF0000000000000"));
}

TEST_CASE("constants at an address that is the same for all lanes come to a register of all from 7.5 on",
          "[engine][constant_loads]") {
    // `body` puts the index into %r2; what it does not leave is loaded behind it.
    const auto loads = [](const std::string& body, const char* gpu) {
        PtxRunner runner(gpu);
        const auto memory = runner.allocate<u32>(64);
        const auto m = metrics(runner, R"(
.const .align 4 .b8 table[4096];
.visible .entry k(.param .u64 a, .param .u32 n) {
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [a]; ld.param.u32 %r4, [n]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x; mad.wide.u32 %rd3, %r1, 4, %rd2;
)" + body + R"(
    mul.wide.u32 %rd4, %r2, 4; mov.u64 %rd5, table; add.s64 %rd6, %rd5, %rd4;
    ld.const.u32 %r3, [%rd6]; st.global.u32 [%rd3], %r3;
END:
    ret;
}
)",
                               Arguments(memory.data(), 3U));
        return per_thread(m.thread_inst_load_store);
    };
    const std::string of_block = "mov.u32 %r2, %ctaid.x;", of_lane = "mov.u32 %r2, %r1;";
    // Who has left the kernel is not missed; who is elsewhere is.
    const std::string some_left = of_block + "setp.gt.u32 %p1, %r1, 99; @%p1 bra END;";
    const std::string elsewhere = of_block + R"(
    mov.u32 %r5, %r1;
ROUND:
    .pragma "nounroll";
    mul.wide.u32 %rd4, %r4, 4; mov.u64 %rd5, table; add.s64 %rd6, %rd5, %rd4; ld.const.u32 %r3, [%rd6];
    add.u32 %r4, %r4, 1; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 32; @%p2 bra ROUND;
)";
    for (const char* gpu : {"RTX 2080 Ti", ampere, hopper}) {
        INFO(gpu);
        CHECK(loads(of_block, gpu) == loads(of_lane, gpu) - 1);
        CHECK(loads(some_left, gpu) == loads(of_block, gpu));
        // 32 rounds, of which lane 0 runs all and lane 31 one; the load behind them is of all.
        CHECK(loads(elsewhere, gpu) == loads(of_block, gpu) + 16.5);
    }
    CHECK(loads(of_block, "GTX1060") == loads(of_lane, "GTX1060"));
}

TEST_CASE("what follows from constants alone is calculated for all lanes at once from 7.5 on",
          "[engine][constant_loads]") {
    const auto of = [](const std::string& body, const char* gpu) {
        PtxRunner runner(gpu);
        const auto memory = runner.allocate<std::uint32_t>(64);
        return metrics(runner, R"(
.visible .entry k(.param .u64 a, .param .u32 m, .param .u32 o, .param .u32 n) {
    .reg .b32 %r<9>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [m]; ld.param.u32 %r2, [n];
    cvta.to.global.u64 %rd1, %rd1; mov.u32 %r3, %tid.x; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd1, %rd1, %rd2;
)" + body + "    mul.lo.s32 %r5, %r3, %r4; st.global.u32 [%rd1], %r5; ret; }",
                       Arguments(memory.data(), 3U, 4U, 5U));
    };
    const std::string none = "mov.u32 %r4, %r1;\n", sum = "add.s32 %r4, %r1, %r2;\n", shift = "shl.b32 %r4, %r1, 4;\n";
    const auto more = [&](const std::string& body, const char* gpu) {
        return warps(of(body, gpu)) - warps(of(none, gpu));
    };
    const auto integer = [&](const std::string& body, const char* gpu) {
        return per_thread(of(body, gpu).thread_inst_integer) - per_thread(of(none, gpu).thread_inst_integer);
    };
    for (const char* const gpu : {"RTX 2080 Ti", ampere}) {
        CHECK(more(sum, gpu) == 3);  // 2 x ULDC, UIADD3
        CHECK(integer(sum, gpu) == 0);
        CHECK(more(shift, gpu) == 2);  // ULDC, USHF
        CHECK(integer(shift, gpu) == 0);
    }
    CHECK(more(sum, hopper) == 2);    // ULDC, UIADD3
    CHECK(more(shift, hopper) == 1);  // USHF
    CHECK(integer(shift, hopper) == 0);
    CHECK(more(sum, "GTX 1080 Ti") == 2);  // MOV, IADD
    CHECK(integer(sum, "GTX 1080 Ti") == 1);
    CHECK(more(shift, "GTX 1080 Ti") == 2);  // MOV, SHL
}
