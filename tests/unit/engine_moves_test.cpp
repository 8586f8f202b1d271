// Which pipe moves go to, against ptxas 11.8 on the same PTX for sm_75 and sm_86.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;

namespace {

struct PerThread {
    double integer = 0, misc = 0;
};

/// Of one warp. Every one of these kernels has two moves, its stack pointer and the factor of the index.
PerThread counts(const std::string& body, const char* gpu = "RTX 2080 Ti") {
    PtxRunner runner(gpu);
    const auto memory = runner.allocate<float>(1024);
    std::ranges::fill(memory, 1.0F);  // nothing unusual to divide
    const auto report = runner.run(module_text(R"(
.visible .entry k(.param .u64 pa, .param .u64 pc) {
    .reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .b32 %r<8>;
    ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pc];
    mov.u32 %r4, %tid.x; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd4+4];
    ld.global.u32 %r1, [%rd4+8]; ld.global.u32 %r2, [%rd4+12]; ld.global.u32 %r3, [%rd4+16];
)" + body + R"(
    st.global.f32 [%rd5], %f2; st.global.u32 [%rd5+4], %r2; st.global.u32 [%rd5+8], %r1; st.global.u32 [%rd5+12], %r3;
    ret;
})"),
                                   {}, Arguments(memory.data(), memory.data() + 512));
    REQUIRE(!report.fault);
    const KernelMetrics& m = report.counted.metrics;
    return {m.thread_inst_integer.value().value / 32, m.thread_inst_misc.value().value / 32};
}

const std::string multiply_adds = times(4, "fma.rn.f32 %f2, %f1, %f1, %f2;");

}  // namespace

TEST_CASE("moves go to the pipe that has less to do in the kernel", "[engine][moves]") {
    const auto gpu = GENERATE(as<const char*>(), "RTX 2080 Ti", "RTX 3090");
    // S2R; both products of the index are IMAD.WIDE.
    const PerThread multiplied = counts(multiply_adds, gpu);
    CHECK(multiplied.integer == 2);
    CHECK(multiplied.misc == 1 + 2);  // MOV
    const PerThread compared = counts(times(8, "min.s32 %r2, %r2, %r1;"), gpu);
    CHECK(compared.integer == 2 + 8 + 2);  // IMAD.MOV
    CHECK(compared.misc == 1);
}

TEST_CASE("moves go where they would if a division's subroutine were executed", "[engine][moves]") {
    const PerThread with = counts(multiply_adds + "div.rn.f32 %f2, %f2, %f1;");
    CHECK(with.integer == 2 + 2);
    CHECK(with.misc == 1);
}

TEST_CASE("before 7.0 moves are no integer instructions", "[engine][moves]") {
    const std::string comparisons = times(8, "min.s32 %r2, %r2, %r1;");
    const PerThread without = counts("", "GTX 1080"), with = counts(comparisons, "GTX 1080");
    CHECK(with.integer == without.integer + 8);
    CHECK(with.misc == without.misc);
}
