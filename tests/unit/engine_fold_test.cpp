// What the assembler folds together, against ptxas 11.8 for sm_35 on the same PTX (nvdisasm's listing).
#include <catch2/catch.hpp>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;

namespace {

double value(const std::optional<Instructions>& count) {
    return count.value().value;
}

/// One warp runs `body` after `%rd1` and `%rd2` were loaded from the parameters.
KernelMetrics metrics(const std::string& body, const char* gpu = "GTX 480") {
    PtxRunner runner(gpu);
    const auto memory = runner.allocate<float>(1024);
    const auto report = runner.run(module_text(R"(
.visible .entry k(.param .u64 pa, .param .u64 pc) {
    .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .b32 %r<16>; .reg .pred %p<8>;
    .shared .align 4 .b8 tile[4096];
    ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pc];
)" + body + "    ret;\n}"),
                                   {}, Arguments(memory.data(), memory.data() + 512));
    REQUIRE(!report.fault);
    return report.counted.metrics;
}

}  // namespace

TEST_CASE("a scaled index goes into both addresses that use it") {
    // MOV (stack pointer), S2R, 2 x (ISCADD, IMAD.HI.X), LD, ST, EXIT; ptxas has the 4 in a register as well.
    const auto m = metrics(R"(
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    st.global.f32 [%rd5], %f1;
)");
    CHECK(value(m.warp_inst) == 9);
    CHECK(value(m.thread_inst_integer) == 4 * 32);
}

TEST_CASE("a scaled index that is also wanted by itself is computed") {
    const auto m = metrics(R"(
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    st.global.u64 [%rd1], %rd3;
    st.global.f32 [%rd4], %f1;
)");
    CHECK(value(m.thread_inst_integer) == 4 * 32);  // 2 for the product, 2 for the sum
}

TEST_CASE("shared arrays: shift, base and offset are one instruction") {
    // SHL, and the array's place in the access; the second's +64 too.
    const auto m = metrics(R"(
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.s32 %r4, %r3, %r2;
    ld.shared.f32 %f1, [%r4];
    add.s32 %r5, %r4, 64;
    st.shared.f32 [%r5], %f1;
)");
    CHECK(value(m.thread_inst_integer) == 32);
    CHECK(value(m.thread_inst_load_store) == 64);
}

TEST_CASE("constants cost nothing") {
    const auto m = metrics(R"(
    mov.f32 %f1, 0f40800000;
    cvt.rzi.s32.f32 %r1, %f1;
    shr.u32 %r2, %r1, 31;
    add.s32 %r3, %r1, %r2;
    shr.s32 %r4, %r3, 1;
    st.global.u32 [%rd1], %r4;
)");
    CHECK(value(m.thread_inst_integer) == 0);
    CHECK(value(m.thread_inst_conversion) == 0);
}

TEST_CASE("three-operand logic and additions exist from Maxwell on") {
    const char* body = R"(
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;
    and.b32 %r4, %r1, %r3;
    xor.b32 %r5, %r4, %r2;
    add.s32 %r6, %r5, %r1;
    add.s32 %r7, %r6, %r3;
    st.global.u32 [%rd1], %r7;
)";
    CHECK(value(metrics(body, "GTX 480").thread_inst_integer) == 4 * 32);
    CHECK(value(metrics(body, "GTX 980").thread_inst_integer) == 2 * 32);
}

TEST_CASE("a comparison takes a predicate along") {
    const auto m = metrics(R"(
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 16;
    setp.gt.u32 %p2, %r1, 3;
    and.pred %p3, %p1, %p2;
    @%p3 st.global.u32 [%rd1], %r1;
)");
    CHECK(value(m.warp_inst) == 6);  // MOV, S2R, ISETP, ISETP.AND, ST, EXIT
}
