// Machine code against handlers: the same memory and the same counters, over loops, paths, calls and warps that are not
// full. What single instructions give is in the other engine tests, which run everything both ways.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "collector/simulate/engine/program.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;
using simulate::MachineCode;

namespace {

struct Outcome {
    std::vector<u32> values;
    simulate::LaunchReport report;
};

/// Each thread gets its number in %i and stores %r; %n is 1000.
std::string kernel(std::string_view body, std::string_view functions) {
    return module_text(fmt::format(R"(
{}
.visible .entry k(.param .u64 out_, .param .u32 n_) {{
.reg .b32 %i, %n, %r, %s<12>, %t<3>; .reg .b64 %out, %l<8>; .reg .f32 %f<8>; .reg .f64 %d<4>; .reg .pred %p<8>;
.reg .b16 %h<4>; .shared .b32 cell[64];
mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %i, %t0, %t1, %t2;
ld.param.u64 %out, [out_]; ld.param.u32 %n, [n_]; mov.u32 %r, 0;
{}
DONE: mad.wide.u32 %out, %i, 4, %out; st.global.u32 [%out], %r; ret;
}}
)",
                                   functions, body));
}

Outcome outcome(const std::string& text, MachineCode machine_code) {
    PtxRunner runner("RTX 2080 Ti", {}, machine_code);
    const Shape shape{.grid = {3, 1, 1}, .block = {83, 1, 1}};
    const auto out = runner.allocate<u32>(std::size_t{3} * 83);
    Outcome result{{}, runner.run(text, shape, Arguments(out.data(), u32{1000}))};
    result.values.assign(out.begin(), out.end());
    return result;
}

void expect_alike(std::string_view body, std::string_view functions = "") {
    const std::string text = kernel(body, functions);
    const Outcome handlers = outcome(text, MachineCode::none);
    REQUIRE(!handlers.report.fault);
    for (const auto by : {MachineCode::usual, MachineCode::all}) {
        const Outcome code = outcome(text, by);
        INFO(body << (by == MachineCode::all ? ", all of it" : ""));
        REQUIRE(!code.report.fault);
        CHECK(code.values == handlers.values);
        const auto compare = [&](const auto& field) {
            INFO(field.key);
            CHECK(code.report.counted.metrics.*field.member == handlers.report.counted.metrics.*field.member);
        };
        std::apply([&](const auto&... field) { (compare(field), ...); }, KernelMetrics::fields);
    }
}

}  // namespace

TEST_CASE("loops count the same by machine code", "[engine][machine-code]") {
    // All lanes alike; as often as the lane says; left from the middle; longer than a turn of a warp.
    expect_alike(
        "mov.u32 %s0, 0; A: add.u32 %s0, %s0, 1; mad.lo.u32 %r, %r, %s0, %i; setp.lt.u32 %p0, %s0, %n; @%p0 bra A;");
    expect_alike(
        "mov.u32 %s0, 0; A: add.u32 %s0, %s0, 1; mad.lo.u32 %r, %r, %s0, %i; setp.lt.u32 %p0, %s0, %i; @%p0 bra A;");
    expect_alike(
        "mov.u32 %s0, 0; A: add.u32 %s0, %s0, 1; xor.b32 %r, %r, %s0; setp.gt.u32 %p1, %s0, %i; @%p1 bra B;"
        "shl.b32 %s1, %s0, 3; add.u32 %r, %r, %s1; setp.lt.u32 %p0, %s0, 40; @%p0 bra A; B: add.u32 %r, %r, 7;");
    expect_alike(
        "mov.u32 %s0, 0; A: add.u32 %s0, %s0, 1; add.u32 %r, %r, %s0; sub.u32 %s2, %r, %i; xor.b32 %r, %r, %s2;"
        "setp.lt.u32 %p0, %s0, 9000; @%p0 bra A;");
    // With a guard that is negated, one that is a constant, and no guard.
    expect_alike(
        "mov.u32 %s0, 0; bra A; A: add.u32 %s0, %s0, 1; mad.lo.u32 %r, %r, 5, %s0; setp.ge.u32 %p0, %s0, 30; @!%p0 bra "
        "A;"
        "add.u32 %r, %r, %i; bra B; B: xor.b32 %r, %r, 99; add.u32 %r, %r, 1; sub.u32 %r, %r, %i;");
}

TEST_CASE("paths part and meet the same by machine code", "[engine][machine-code]") {
    expect_alike(
        "and.b32 %s0, %i, 3; setp.eq.u32 %p0, %s0, 0; setp.eq.u32 %p1, %s0, 1; @%p0 bra A; @%p1 bra B;"
        "add.u32 %r, %r, 10; mul.lo.u32 %r, %r, %i; add.u32 %r, %r, 1; bra C;"
        "A: add.u32 %r, %i, 20; mul.lo.u32 %r, %r, 3; xor.b32 %r, %r, %i; bra C;"
        "B: sub.u32 %r, %i, 30; mul.lo.u32 %r, %r, 5; xor.b32 %r, %r, %i;"
        "C: add.u32 %r, %r, 1; add.u32 %r, %r, %r; add.u32 %r, %r, %i;");
    // Some threads leave; the others go on, to a barrier, and read what others wrote.
    expect_alike(
        "setp.gt.u32 %p0, %t2, 63; add.u32 %r, %i, 5; mul.lo.u32 %r, %r, 9; @%p0 bra DONE;"
        "shl.b32 %s0, %t2, 2; mov.u32 %s1, cell; add.u32 %s1, %s1, %s0; st.shared.u32 [%s1], %r; bar.sync 0, 64;"
        "xor.b32 %s2, %s0, 4; mov.u32 %s1, cell; add.u32 %s1, %s1, %s2; ld.shared.u32 %s3, [%s1];"
        "add.u32 %r, %r, %s3; xor.b32 %r, %r, 1; add.u32 %r, %r, 2;");
    // Guarded instructions of all widths keep what the other lanes have.
    expect_alike(
        "and.b32 %s0, %i, 5; setp.lt.u32 %p0, %s0, 3; cvt.u64.u32 %l0, %i; cvt.u16.u32 %h0, %i; cvt.rn.f32.u32 %f0, %i;"
        "cvt.rn.f64.u32 %d0, %i; @%p0 add.u64 %l0, %l0, 77; @!%p0 add.u16 %h0, %h0, 3; @%p0 mul.f32 %f0, %f0, "
        "0f3FC00000;"
        "@!%p0 fma.rn.f64 %d0, %d0, %d0, %d0; @%p0 setp.gt.or.u32 %p0|%p1, %i, 40, %p0; cvt.u32.u64 %s1, %l0;"
        "cvt.u32.u16 %s2, %h0; cvt.rzi.u32.f32 %s3, %f0; cvt.rzi.s32.f64 %s4, %d0; selp.u32 %s5, 1, 2, %p0;"
        "add.u32 %r, %s1, %s2; mad.lo.u32 %r, %r, 3, %s3; mad.lo.u32 %r, %r, 3, %s4; mad.lo.u32 %r, %r, 3, %s5;");
}

TEST_CASE("calls pass the same by machine code", "[engine][machine-code]") {
    const std::string_view function = R"(
.func (.param .b32 result_, .param .b64 wide_) f(.param .b32 a_, .param .b64 b_) {
.reg .b32 %a, %r; .reg .b64 %b; .reg .pred %p;
ld.param.b32 %a, [a_]; ld.param.b64 %b, [b_]; cvt.u32.u64 %r, %b; mad.lo.u32 %r, %r, %a, 11;
setp.gt.u32 %p, %a, 50; @%p add.u32 %r, %r, 1000; add.u64 %b, %b, 1;
st.param.b32 [result_], %r; st.param.b64 [wide_], %b; ret;
})";
    expect_alike(
        "and.b32 %s0, %i, 1; setp.eq.u32 %p0, %s0, 0; cvt.u64.u32 %l0, %n; @%p0 bra A;"
        "{ .param .b32 a; .param .b64 b; .param .b32 c; .param .b64 d; add.u32 %s1, %i, 1; add.u64 %l0, %l0, 3;"
        "st.param.b32 [a], %s1; st.param.b64 [b], %l0; call (c, d), f, (a, b); ld.param.b32 %r, [c]; ld.param.b64 %l1, "
        "[d]; }"
        "cvt.u32.u64 %s2, %l1; add.u32 %r, %r, %s2; xor.b32 %r, %r, %i; A: add.u32 %r, %r, 4; add.u32 %r, %r, %r; "
        "add.u32 "
        "%r, %r, %i;",
        function);
}

TEST_CASE("more values than vector registers survive in the frame", "[engine][machine-code]") {
    std::string body;
    for (int i = 0; i < 12; ++i) body += fmt::format("mad.lo.u32 %s{}, %i, {}, {};", i, 3 * i + 1, 7 * i);
    for (int i = 0; i < 8; ++i)
        body += fmt::format("mul.wide.u32 %l{}, %s{}, %s{}; setp.gt.u64 %p{}, %l{}, {};", i, i, i + 4, i, i, 9000 * i);
    for (int i = 0; i < 12; ++i) body += fmt::format("xor.b32 %r, %r, %s{}; add.u32 %r, %r, {};", i, i);
    for (int i = 0; i < 8; ++i)
        body += fmt::format(
            "cvt.u32.u64 %s0, %l{}; @%p{} add.u32 %r, %r, %s0; selp.u32 %s0, 5, 9, %p{}; add.u32 %r, %r, %s0;", i, i,
            7 - i);
    expect_alike(body);
}

TEST_CASE("machine code is made where there is something to gain, when it is needed", "[engine][machine-code]") {
    simulate::DeviceMemory memory;
    const std::string text =
        kernel("add.u32 %r, %i, 1; mul.lo.u32 %r, %r, 3; xor.b32 %r, %r, %i; add.u32 %r, %r, 5;", "");
    const auto has_code = [&](MachineCode wanted) {
        const simulate::Module module(text, "test", memory, wanted);
        const simulate::Code& code = module.program().functions.front();
        CHECK(code.machine_code == nullptr);
        module.make_ready(0);
        CHECK(code.uncoded == nullptr);
        const auto made = code.machine_code;
        module.make_ready(0);
        CHECK(code.machine_code == made);
        return made != nullptr;
    };
    CHECK_FALSE(has_code(MachineCode::none));
    CHECK(has_code(MachineCode::usual) == (__builtin_cpu_supports("avx2") != 0));
}
