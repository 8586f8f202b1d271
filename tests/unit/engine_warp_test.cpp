// Communication between the threads of a warp and of a block, divergence, calls and faults.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>

#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;
using gpuproj::simulate::FaultKind;

namespace {

template <class F>
void expect(std::string_view body, F&& meaning, const Shape& shape = {}, std::string_view declarations = "") {
    expect_threads(
        body, [&](u32 i) { return static_cast<u32>(meaning(i)); }, shape, declarations);
}

std::string fault_of(std::string_view body, FaultKind kind, const Shape& shape = {},
                     std::string_view declarations = "") {
    const Threads result = run_threads(body, shape, declarations);
    REQUIRE(result.report.fault);
    CHECK(result.report.fault->kind == kind);
    return result.report.fault->message;
}

}  // namespace

TEST_CASE("shuffles move values between lanes, within their segments", "[engine][warp]") {
    const auto value = [](u32 lane) { return 100 + lane; };
    const std::string_view start = "add.u32 %s2, %tid, 100; ";
    const auto with = [&](std::string_view rest) { return std::string(start) + std::string(rest); };
    expect(with("shfl.sync.idx.b32 %r, %s2, 5, 31, -1;"), [&](u32) { return value(5); });
    expect(with("shfl.sync.bfly.b32 %r, %s2, 3, 31, -1;"), [&](u32 i) { return value(i ^ 3); });
    expect(with("shfl.sync.up.b32 %r|%p0, %s2, 2, 0, -1; @!%p0 mov.u32 %r, 7;"),
           [&](u32 i) { return i < 2 ? 7 : value(i - 2); });
    expect(with("shfl.sync.down.b32 _|%p0, %s2, 4, 31, -1; selp.u32 %r, 1, 0, %p0;"), [](u32 i) { return i < 28; });
    expect(with("shfl.sync.down.b32 %r|%p0, %s2, 4, 31, -1; @!%p0 mov.u32 %r, 7;"),
           [&](u32 i) { return i + 4 > 31 ? 7 : value(i + 4); });
    // Segments of 8: c = (32 - 8) << 8 | 31 (up: | 0), as __shfl_sync(..., 8) has it.
    expect(with("shfl.sync.idx.b32 %r, %s2, 1, 6175, -1;"), [&](u32 i) { return value((i & ~7U) | 1); });
    expect(with("shfl.sync.down.b32 %r|%p0, %s2, 3, 6175, -1; @!%p0 mov.u32 %r, 7;"),
           [&](u32 i) { return i % 8 + 3 > 7 ? 7 : value(i + 3); });
    expect(with("shfl.sync.up.b32 %r|%p0, %s2, 3, 6144, -1; @!%p0 mov.u32 %r, 7;"),
           [&](u32 i) { return i % 8 < 3 ? 7 : value(i - 3); });
}

TEST_CASE("votes, matches and reductions", "[engine][warp]") {
    const std::string odd = "and.b32 %s2, %tid, 1; setp.eq.u32 %p0, %s2, 1; ";
    expect(odd + "vote.sync.ballot.b32 %r, %p0, -1;", [](u32) { return 0xAAAAAAAA; });
    expect(odd + "vote.sync.any.pred %p1, %p0, -1; selp.u32 %r, 1, 0, %p1;", [](u32) { return 1; });
    expect(odd + "vote.sync.all.pred %p1, %p0, -1; selp.u32 %r, 1, 0, %p1;", [](u32) { return 0; });
    expect(odd + "vote.sync.uni.pred %p1, %p0, -1; selp.u32 %r, 1, 0, %p1;", [](u32) { return 0; });
    expect("setp.lt.u32 %p0, %tid, 20; mov.u32 %r, 0; @%p0 activemask.b32 %r;",
           [](u32 i) { return i < 20 ? 0xFFFFF : 0; });
    expect("and.b32 %s2, %tid, 3; match.any.sync.b32 %r, %s2, -1;", [](u32 i) { return 0x11111111U << (i % 4); });
    expect("mov.u32 %s2, 9; match.all.sync.b32 %r|%p0, %s2, -1; @!%p0 mov.u32 %r, 1;", [](u32) { return 0xFFFFFFFF; });
    expect("match.all.sync.b32 %r|%p0, %tid, -1; @!%p0 add.u32 %r, %r, 1;", [](u32) { return 1; });
    expect("redux.sync.add.u32 %r, %tid, -1;", [](u32) { return 496; });
    expect("sub.u32 %s2, %tid, 5; redux.sync.min.s32 %r, %s2, -1;", [](u32) { return -5; });
    expect("sub.u32 %s2, %tid, 5; redux.sync.max.u32 %r, %s2, -1;", [](u32) { return -1; });
    expect("add.u32 %s2, %tid, 32; redux.sync.and.b32 %r, %s2, -1;", [](u32) { return 32; });
    expect("redux.sync.or.b32 %r, %tid, -1;", [](u32) { return 31; });
    expect("redux.sync.xor.b32 %r, %tid, -1;", [](u32) { return 0; });
    expect("elect.sync %s2|%p0, -1; selp.u32 %r, 1, 0, %p0; add.u32 %r, %r, %s2;",
           [](u32 i) { return i == 0 ? 1 : 0; });
}

TEST_CASE("tiles of a warp vote apart, each with its own members", "[engine][warp]") {
    // As cooperative groups do for tiles of 8: one instruction, four masks.
    const std::string tile = "and.b32 %s2, %tid, 24; mov.u32 %s3, 255; shl.b32 %s3, %s3, %s2; ";
    expect(tile + "redux.sync.add.u32 %r, %tid, %s3;", [](u32 i) { return (i & 24) * 8 + 28; });
    expect(tile + "elect.sync %s4|%p0, %s3; selp.u32 %r, 100, 0, %p0; add.u32 %r, %r, %s4;",
           [](u32 i) { return (i & 24) + (i % 8 == 0 ? 100 : 0); });
    expect(tile + "setp.lt.u32 %p0, %tid, 12; vote.sync.ballot.b32 %r, %p0, %s3;", [](u32 i) {
        return i < 8 ? 0xFF : i < 16 ? 0xF00 : 0;
    });
    expect(tile + "setp.lt.u32 %p0, %tid, 12; vote.sync.any.pred %p1, %p0, %s3; selp.u32 %r, 1, 0, %p1;",
           [](u32 i) { return i < 16 ? 1 : 0; });
    expect(tile + "setp.lt.u32 %p0, %tid, 12; vote.sync.all.pred %p1, %p0, %s3; selp.u32 %r, 1, 0, %p1;",
           [](u32 i) { return i < 8 ? 1 : 0; });
    expect(tile + "and.b32 %s4, %tid, 1; match.any.sync.b32 %r, %s4, %s3;",
           [](u32 i) { return (0x55U << (i & 1)) << (i & 24); });
    expect(tile + "match.all.sync.b32 %r, %s2, %s3;", [](u32 i) { return 0xFFU << (i & 24); });
}

TEST_CASE("paths part and meet again", "[engine][control]") {
    // Nested conditions; after each the whole warp is together, which activemask shows.
    expect(R"(
mov.u32 %r, 0; setp.ge.u32 %p0, %tid, 16; @%p0 bra HIGH;
setp.ge.u32 %p1, %tid, 8; @%p1 bra INNER; add.u32 %r, %r, 1; bra.uni JOIN_INNER;
INNER: add.u32 %r, %r, 2;
JOIN_INNER: activemask.b32 %s2; popc.b32 %s2, %s2; mad.lo.u32 %r, %s2, 100, %r; bra.uni JOIN;
HIGH: add.u32 %r, %r, 4;
JOIN: activemask.b32 %s2; popc.b32 %s2, %s2; mad.lo.u32 %r, %s2, 10000, %r;
)",
           [](u32 i) { return 320000 + (i >= 16 ? 4 : 1600 + (i >= 8 ? 2 : 1)); });
    // Loops of different lengths.
    expect(R"(
mov.u32 %r, 0; mov.u32 %s2, 0;
LOOP: setp.ge.u32 %p0, %s2, %tid; @%p0 bra DONE; add.u32 %r, %r, %s2; add.u32 %s2, %s2, 1; bra.uni LOOP;
DONE: activemask.b32 %s3; popc.b32 %s3, %s3; mad.lo.u32 %r, %s3, 1000, %r;
)",
           [](u32 i) { return 32000 + i * (i - 1) / 2; });
    // Threads that leave early do not hold the others up at a barrier.
    expect(R"(
mov.u32 %r, 5; st.global.u32 [%out], %r; setp.lt.u32 %p0, %tid, 40; @%p0 exit;
bar.sync 0; activemask.b32 %r;
)",
           [](u32 i) { return i < 40   ? 5U
                              : i < 64 ? 0xFFFFFF00U
                                       : 0xFFFFFFFFU; }, {.block = {96, 1, 1}});
    // A switch.
    expect(R"(
and.b32 %s2, %tid, 3;
TABLE: .branchtargets A, B, C, D;
brx.idx %s2, TABLE;
A: mov.u32 %r, 10; bra.uni JOIN;
B: mov.u32 %r, 20; bra.uni JOIN;
C: mov.u32 %r, 30;
D: @%p7 bra JOIN; add.u32 %r, %r, 1; setp.ne.u32 %p1, %s2, 3; @%p1 bra JOIN; mov.u32 %r, 40;
JOIN: activemask.b32 %s3; popc.b32 %s3, %s3; mad.lo.u32 %r, %s3, 100, %r;
)",
           [](u32 i) {
               const u32 values[] = {10, 20, 31, 40};
               return 3200 + values[i % 4];
           });
}

TEST_CASE("paths meet in front of a barrier though some could have ended the launch", "[engine][control]") {
    for (const char* end : {"trap;",
                            "{ .param .b64 m, f, n, s; .param .b32 l; st.param.b64 [m], 0; st.param.b64 [f], 0; "
                            "st.param.b32 [l], 0; st.param.b64 [n], 0; st.param.b64 [s], 1; "
                            "call.uni __assertfail, (m, f, l, n, s); }"}) {
        const std::string body =
            "mov.u32 %s2, words; mad.lo.u32 %s3, %tid, 4, %s2; and.b32 %s4, %tid, 1; setp.eq.u32 %p0, %s4, 0;"
            "@%p0 bra EVEN; setp.eq.u32 %p1, %tid, 1000; @%p1 bra NEVER; mov.u32 %s5, 100; bra MEET;"
            "EVEN: mov.u32 %s5, 200; MEET: add.u32 %s5, %s5, %tid; st.shared.u32 [%s3], %s5; bar.sync 0;"
            "xor.b32 %s4, %tid, 33; mad.lo.u32 %s3, %s4, 4, %s2; ld.shared.u32 %r, [%s3]; bra END; NEVER: " +
            std::string(end) + " END: ";
        expect_threads(
            body, [](u32 i) { return (i ^ 33U) + (i % 2 == 0 ? 100 : 200); }, {{1, 1, 1}, {64, 1, 1}},
            ".shared .align 4 .b8 words[256]; .extern .func __assertfail (.param .b64 m_, .param .b64 f_, .param .b32 "
            "l_, "
            ".param .b64 n_, .param .b64 s_);");
    }
}

TEST_CASE("functions: arguments, recursion, indirect calls", "[engine][control]") {
    const std::string_view functions = R"(
.func (.param .b32 out) factorial(.param .b32 n_) {
.reg .b32 %n, %m; .reg .pred %p;
ld.param.b32 %n, [n_]; mov.u32 %m, 1; setp.lt.u32 %p, %n, 2; @%p bra DONE;
{ .param .b32 a; .param .b32 r; sub.u32 %m, %n, 1; st.param.b32 [a], %m; call (r), factorial, (a); ld.param.b32 %m, [r]; }
mul.lo.u32 %m, %m, %n;
DONE: st.param.b32 [out], %m; ret;
}
.func (.param .b32 out) twice(.param .b32 n_) { .reg .b32 %n; ld.param.b32 %n, [n_]; shl.b32 %n, %n, 1; st.param.b32 [out], %n; ret; }
.func (.param .b32 out) next(.param .b32 n_) { .reg .b32 %n; ld.param.b32 %n, [n_]; add.u32 %n, %n, 1; st.param.b32 [out], %n; ret; }
)";
    expect(
        "{ .param .b32 a; .param .b32 b; and.b32 %s2, %tid, 7; st.param.b32 [a], %s2; call (b), factorial, (a); "
        "ld.param.b32 %r, [b]; }",
        [](u32 i) {
            u32 product = 1;
            for (u32 k = 2; k <= i % 8; ++k) product *= k;
            return product;
        },
        {}, functions);
    expect(R"(
and.b32 %s2, %tid, 1; setp.eq.u32 %p0, %s2, 0; mov.u64 %l0, twice; mov.u64 %l1, next; selp.b64 %l2, %l0, %l1, %p0;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %tid;
PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);
call (b), %l2, (a), PROTO; ld.param.b32 %r, [b]; }
activemask.b32 %s3; popc.b32 %s3, %s3; mad.lo.u32 %r, %s3, 1000, %r;
)",
           [](u32 i) { return 32000 + (i % 2 == 0 ? 2 * i : i + 1); }, {}, functions);
}

TEST_CASE("functions whose parameters and results are registers", "[engine][control]") {
    const std::string_view functions = R"(
.func (.reg .b32 sum, .reg .pred odd) add(.reg .b32 a, .reg .b32 b) {
.reg .b32 bit; add.u32 sum, a, b; and.b32 bit, sum, 1; setp.ne.u32 odd, bit, 0; @odd ret; add.u32 sum, sum, 100; ret;
}
.func (.reg .v2 .u32 out) swapped(.reg .v2 .u32 in) { mov.v2.u32 out, {in.y, in.x}; }
.func (.reg .f64 product) scaled(.reg .f64 x, .reg .f64 by, .reg .u16 shift) {
.reg .pred none; .reg .u32 s; .reg .f64 power; cvt.u32.u16 s, shift; shl.b32 s, 1, s; cvt.rn.f64.u32 power, s;
mul.f64 product, x, by; setp.eq.u32 none, s, 1; @none bra END; mul.f64 product, product, power; ret; END:
}
.func (.reg .b32 out) next(.reg .b32 in, .reg .pred more) { selp.u32 out, 1, 0, more; add.u32 out, out, in; ret; }
)";
    expect(
        "{ .reg .pred odd; call (%r, odd), add, (%tid, 5); @odd add.u32 %r, %r, 1000; }",
        [](u32 i) { return i + 5 + (i % 2 == 0 ? 1000 : 100); }, {}, functions);
    expect(
        "{ .reg .v2 .u32 two; mov.v2.u32 two, {%tid, 7}; call (two), swapped, (two); mad.lo.u32 %r, two.x, 100, two.y; "
        "}",
        [](u32 i) { return 700 + i; }, {}, functions);
    expect(
        "{ .reg .f64 d; cvt.rn.f64.u32 d, %tid; call (d), scaled, (d, 2.5, 2); cvt.rzi.u32.f64 %r, d; }",
        [](u32 i) { return 10 * i; }, {}, functions);
    expect(
        "{ .reg .f64 d; cvt.rn.f64.u32 d, %tid; call (d), scaled, (d, 0d4000000000000000, 0); cvt.rzi.u32.f64 %r, d; }",
        [](u32 i) { return 2 * i; }, {}, functions);
    // By a guard; a register and a parameter variable.
    expect(
        "{ .param .b32 a; st.param.b32 [a], %tid; setp.lt.u32 %p0, %tid, 9; setp.lt.u32 %p1, %tid, 4; mov.u32 %r, 77; "
        "@%p0 call (%r), next, (a, %p1); }",
        [](u32 i) { return i >= 9 ? 77 : i + (i < 4 ? 1 : 0); }, {}, functions);
}

TEST_CASE("what nothing was written to reads as 0, whatever ran there before", "[engine][control]") {
    PtxRunner runner;
    constexpr u32 threads = 96, blocks = 30;
    const auto out = runner.allocate<u32>(threads * blocks);
    const auto run = [&](std::string_view body, std::string_view functions) {
        const auto report = runner.run(
            module_text(std::string(functions) +
                        ".visible .entry k(.param .u64 out_) { .local .align 8 .b8 own[64]; .reg .b32 %t, %c, %i, "
                        "%r<9>; .reg .b64 %out, %l<9>; .reg .b16 %h<9>; .reg .pred %p<9>; mov.u32 %t, %tid.x; mov.u32 "
                        "%c, %ctaid.x; mad.lo.u32 %i, %c, 96, %t; ld.param.u64 %out, [out_]; mad.wide.u32 %out, %i, "
                        "4, %out;" +
                        std::string(body) + "st.global.u32 [%out], %r8; ret; }"),
            {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}}, Arguments(out.data()));
        INFO((report.fault ? report.fault->message : ""));
        REQUIRE_FALSE(report.fault);
    };
    const auto fill = [&] {  // all of them alive at once, here and in a function
        std::string body = "mov.u32 %r8, 0;", use, calculation, sum;
        for (u32 i = 0; i < 8; ++i) {
            body += fmt::format(
                "add.u32 %r{0}, %t, 77; cvt.u64.u32 %l{0}, %r{0}; cvt.u16.u32 %h{0}, %r{0}; setp.ne.u32 %p{0}, %r{0}, "
                "0; st.local.u64 [own+{1}], %l{0};",
                i, 8 * i);
            use += fmt::format(
                "cvt.u32.u64 %c, %l{0}; add.u32 %r8, %r8, %c; cvt.u32.u16 %c, %h{0}; add.u32 %r8, %r8, %c; selp.u32 "
                "%c, 1, 0, %p{0}; add.u32 %r8, %r8, %c; add.u32 %r8, %r8, %r{0};",
                i);
            calculation += fmt::format("add.u32 %a{0}, %n, {0};", i);
            sum += fmt::format("add.u32 %n, %n, %a{};", i);
        }
        run(body + "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %t; call (b), f, (a); ld.param.b32 %c, [b]; }" +
                use + "add.u32 %r8, %r8, %c;",
            ".func (.param .b32 out) f(.param .b32 n_) { .reg .b32 %n, %a<8>; ld.param.b32 %n, [n_];" + calculation +
                sum + "st.param.b32 [out], %n; ret; }");
    };
    const auto expect_zero = [&](std::string_view body, std::string_view functions = "") {
        fill();
        run(body, functions);
        INFO(body);
        CHECK(std::ranges::all_of(out, [](u32 value) { return value == 0; }));
    };
    expect_zero("mov.u32 %r8, %r0;");
    expect_zero("cvt.u32.u64 %r8, %l0;");
    expect_zero("cvt.u32.u16 %r8, %h0;");
    expect_zero("selp.u32 %r8, 1, 0, %p0;");
    expect_zero("ld.local.u32 %r8, [own+20];");
    // Where a guard, or a branch, leaves it out; a loop that adds to it.
    expect_zero("setp.gt.u32 %p0, %t, 200; @%p0 mov.u32 %r0, 5; add.u32 %r8, %r0, %r0;");
    expect_zero("setp.gt.u32 %p0, %t, 200; @!%p0 bra E; mov.u32 %r0, 5; E: mov.u32 %r8, %r0;");
    expect_zero(
        "mov.u32 %r1, 0; A: add.u32 %r0, %r0, %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 1; @%p0 bra A; "
        "mov.u32 %r8, %r0;");
    // In a function that half of the lanes call, then the others.
    expect_zero(
        "and.b32 %r1, %t, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra E; { .param .b32 b; call (b), g, (); "
        "ld.param.b32 %r8, [b]; } bra F; E: { .param .b32 b; call (b), g, (); ld.param.b32 %r8, [b]; } F:",
        ".func (.param .b32 out) g() { .reg .b32 %a, %b, %c, %d; add.u32 %a, %b, %c; add.u32 %d, %d, %a; "
        "mov.u32 %c, 9; mov.u32 %b, %c; st.param.b32 [out], %d; ret; }");
}

TEST_CASE("the address of a function's parameter is that of a copy on its stack", "[engine][control]") {
    // s = {10, 20, 30} + the thread's number; element i % 3 by an address of each kind.
    const auto function = [](std::string_view reads) {
        return ".func (.param .b32 out) pick(.param .align 4 .b8 s_[13], .param .b32 i_) {\n"
               ".reg .b32 %i, %v; .reg .b64 %a, %o, %generic;\n"
               "mov.b64 %generic, i_;\n"  // which nobody uses
               "AGAIN: mov.b64 %a, s_; ld.param.b32 %i, [i_]; rem.u32 %i, %i, 3; mul.wide.u32 %o, %i, 4;\n" +
               std::string(reads) + "st.param.b32 [out], %v; ret; }";
    };
    const std::string_view call = R"({ .param .align 4 .b8 a[13]; .param .b32 b; .param .b32 c;
add.u32 %s2, %tid, 10; st.param.b32 [a], %s2; add.u32 %s2, %tid, 20; st.param.b32 [a+4], %s2;
add.u32 %s2, %tid, 30; st.param.b32 [a+8], %s2; st.param.b8 [a+12], %s2; st.param.b32 [b], %i;
call (c), pick, (a, b); ld.param.b32 %r, [c]; })";
    const auto picked = [](u32 i) { return i + 10 + 10 * (i % 3); };
    expect(call, picked, {}, function("add.s64 %a, %a, %o; ld.param.b32 %v, [%a];"));
    expect(call, picked, {}, function("add.s64 %a, %a, %o; ld.local.b32 %v, [%a];"));
    expect(call, picked, {}, function("add.s64 %a, s_, %o; ld.local.b32 %v, [%a];"));
    expect(
        call, [&](u32 i) { return picked(i) + 7; }, {},
        function("cvta.local.u64 %generic, %a; add.s64 %generic, %generic, %o; ld.u32 %v, [%generic]; "
                 "add.u32 %v, %v, 7; st.u32 [%generic], %v; mov.u32 %v, 0; ld.param.b32 %v, [%a]; "
                 "add.s64 %a, %a, %o; ld.param.b32 %v, [%a];"));
}

TEST_CASE("barriers and shared memory", "[engine][warp]") {
    const Shape two_warps{.grid = {3, 1, 1}, .block = {64, 1, 1}};
    expect(R"(
mov.u32 %s2, buffer; mad.lo.u32 %s3, %tid, 4, %s2; st.shared.u32 [%s3], %i; bar.sync 0;
sub.u32 %s4, 63, %tid; mad.lo.u32 %s4, %s4, 4, %s2; ld.shared.u32 %r, [%s4];
)",
           [](u32 i) { return i / 64 * 64 + 63 - i % 64; }, two_warps, ".shared .align 4 .b8 buffer[256];");
    expect(R"(
mov.u32 %s2, dynamic; mad.lo.u32 %s3, %tid, 4, %s2; st.shared.u32 [%s3], %i; barrier.sync 0;
xor.b32 %s4, %tid, 32; mad.lo.u32 %s4, %s4, 4, %s2; ld.shared.u32 %r, [%s4];
)",
           [](u32 i) { return i ^ 32; }, {.block = {64, 1, 1}, .dynamic_shared_bytes = 256},
           ".extern .shared .align 4 .b8 dynamic[];");
    expect(
        "setp.lt.u32 %p0, %tid, 40; bar.red.popc.u32 %r, 0, %p0;", [](u32) { return 40; }, two_warps);
    expect(
        "setp.lt.u32 %p0, %tid, 40; bar.red.and.pred %p1, 0, %p0; selp.u32 %r, 1, 0, %p1;", [](u32) { return 0; },
        two_warps);
    expect(
        "setp.lt.u32 %p0, %tid, 40; bar.red.or.pred %p1, 0, %p0; selp.u32 %r, 1, 0, %p1;", [](u32) { return 1; },
        two_warps);
    // A producer arrives, a consumer waits: 64 threads at barrier 1.
    expect(R"(
mov.u32 %s2, buffer; mov.u32 %r, 1; setp.ge.u32 %p0, %tid, 32; @%p0 bra CONSUMER;
mad.lo.u32 %s3, %tid, 4, %s2; st.shared.u32 [%s3], %tid; bar.arrive 1, 64; bra.uni JOIN;
CONSUMER: bar.sync 1, 64; sub.u32 %s4, %tid, 32; mad.lo.u32 %s4, %s4, 4, %s2; ld.shared.u32 %r, [%s4];
JOIN: bar.warp.sync -1;
)",
           [](u32 i) { return i < 32 ? 1 : i - 32; }, {.block = {64, 1, 1}}, ".shared .align 4 .b8 buffer[128];");
}

TEST_CASE("threads of a warp on different ways wait for each other", "[engine][warp]") {
    const std::string_view words = ".shared .align 4 .b8 words[256];";
    const std::string start =
        "mov.u32 %s2, words; mad.lo.u32 %s3, %tid, 4, %s2; xor.b32 %s4, %tid, 16; mad.lo.u32 %s4, %s4, 4, %s2; "
        "mov.u32 %r, 0; setp.ge.u32 %p0, %tid, 16; ";
    // Each half gives the other its number.
    const std::string give = "st.shared.u32 [%s3], %i; bar.warp.sync -1; ld.shared.u32 %r, [%s4]; ";
    expect(
        start + "@%p0 bra HIGH; " + give + "bra.uni JOIN; HIGH: add.u32 %s5, %s5, 1; " + give + "JOIN:",
        [](u32 i) { return i ^ 16; }, {.grid = {2, 1, 1}}, words);
    // The same with barriers of the block, of which both warps are to come to the same.
    const std::string give_block =
        "st.shared.u32 [%s3], %i; barrier.sync 0; ld.shared.u32 %r, [%s4]; barrier.sync 0; st.shared.u32 [%s3], %r; "
        "barrier.sync 0; ld.shared.u32 %r, [%s5]; ";
    expect(
        start + "xor.b32 %s5, %tid, 32; mad.lo.u32 %s5, %s5, 4, %s2; @%p0 bra HIGH; " + give_block +
            "bra.uni JOIN; HIGH: " + give_block + "JOIN:",
        [](u32 i) { return i ^ 48; }, {.grid = {2, 1, 1}, .block = {64, 1, 1}}, words);
    // One half writes a value each round that the other adds up, %i % 32 + 4 rounds; then it goes on by itself.
    const std::string produce =
        "LOW: mad.lo.u32 %s5, %s6, 100, %tid; st.shared.u32 [%s3], %s5; bar.warp.sync -1; bar.warp.sync -1; "
        "add.u32 %s6, %s6, 1; setp.lt.u32 %p1, %s6, 5; @%p1 bra LOW; mov.u32 %r, %s6; bra.uni JOIN; ";
    const std::string consume =
        "HIGH: bar.warp.sync -1; ld.shared.u32 %s5, [%s4]; add.u32 %r, %r, %s5; bar.warp.sync -1; "
        "add.u32 %s6, %s6, 1; setp.lt.u32 %p1, %s6, 5; @%p1 bra HIGH; ";
    const std::string end =
        "JOIN: bar.warp.sync -1; activemask.b32 %s5; popc.b32 %s5, %s5; mad.lo.u32 %r, %s5, 10000, %r;";
    const auto sum = [](u32 i) { return 320000 + (i < 16 ? 5 : 5 * (i - 16) + 1000); };
    expect(start + "mov.u32 %s6, 0; @%p0 bra HIGH; " + produce + consume + end, sum, {}, words);
    // Whoever is waited for may be waiting for a third; and a member that will not come holds nobody up.
    const std::string three =
        "setp.lt.u32 %p1, %tid, 8; @%p1 bra FIRST; @%p0 bra HIGH; "
        "st.shared.u32 [%s3], %tid; bar.warp.sync -1; mov.u32 %r, 1; bra.uni JOIN; "
        "FIRST: bar.warp.sync -1; ld.shared.u32 %r, [%s2+40]; bra.uni JOIN; "
        "HIGH: setp.eq.u32 %p2, %tid, 31; @%p2 bra JOIN; bar.warp.sync -1; ld.shared.u32 %r, [%s2+44]; JOIN:";
    expect(
        start + three, [](u32 i) { return i < 8     ? 10
                                          : i < 16  ? 1
                                          : i == 31 ? 0
                                                    : 11; }, {}, words);
    // Members are waited for, nobody else.
    const std::string tiles =
        "st.shared.u32 [%s3], %tid; bar.warp.sync 0xFFFF; xor.b32 %s5, %tid, 1; "
        "mad.lo.u32 %s5, %s5, 4, %s2; ld.shared.u32 %r, [%s5]; ";
    expect(
        start + "@%p0 bra HIGH; " + tiles + "bra.uni JOIN; HIGH: ld.shared.u32 %r, [words]; JOIN:",
        [](u32 i) { return i < 16 ? i ^ 1 : 0; }, {}, words);
}

TEST_CASE("threads of a warp on different ways exchange values", "[engine][warp]") {
    // Each way has its own registers, and the second one's is the first one's result.
    const auto both = [](const std::string& low, const std::string& high) {
        return "mov.u32 %s2, %i; add.u32 %s3, %i, 100; mov.u32 %s4, 1000; mov.u32 %s5, 2000; mov.u32 %r, 0; "
               "setp.ge.u32 %p0, %tid, 16; and.b32 %s6, %tid, 1; setp.ne.u32 %p1, %s6, 0; setp.eq.u32 %p2, %s6, 0; "
               "@%p0 bra HIGH; " +
               low + " bra.uni JOIN; HIGH: " + high + " JOIN: add.u32 %r, %r, %s4; add.u32 %r, %r, %s5;";
    };
    const auto plain = [](u32 value) { return value + 3000; };
    const Shape two{.grid = {2, 1, 1}};
    const auto i_of = [](u32 i, u32 lane) { return i / 32 * 32 + lane; };
    expect(
        both("shfl.sync.bfly.b32 %r, %s2, 16, 31, -1;", "shfl.sync.bfly.b32 %r, %s3, 16, 31, -1;"),
        [&](u32 i) { return plain(i % 32 < 16 ? (i ^ 16) + 100 : i ^ 16); }, two);
    // What one reads from is what the other writes to, and the other way round.
    expect(
        both("shfl.sync.bfly.b32 %s3, %s2, 16, 31, -1; mov.u32 %r, %s3;",
             "shfl.sync.bfly.b32 %s2, %s3, 16, 31, -1; mov.u32 %r, %s2;"),
        [&](u32 i) { return plain(i % 32 < 16 ? (i ^ 16) + 100 : i ^ 16); }, two);
    expect(
        both("shfl.sync.idx.b32 %s2, %s2, %s6, 31, -1; mov.u32 %r, %s2;",
             "add.u32 %s7, %s6, 16; shfl.sync.idx.b32 %r|%p3, %s3, %s7, 31, -1; @!%p3 mov.u32 %r, 7;"),
        [&](u32 i) { return plain(i % 32 < 16 ? i_of(i, i % 2) : i_of(i, 16 + i % 2) + 100); }, two);
    expect(both("vote.sync.ballot.b32 %r, %p1, -1;", "vote.sync.ballot.b32 %r, %p2, -1;"),
           [&](u32) { return plain(0x5555AAAA); });
    expect(both("vote.sync.any.pred %p3, %p7, -1; selp.u32 %r, 1, 0, %p3;",
                "setp.eq.u32 %p4, %tid, 31; vote.sync.any.pred %p5, %p4, -1; selp.u32 %r, 1, 0, %p5;"),
           [&](u32) { return plain(1); });
    expect(both("redux.sync.add.u32 %r, %s2, -1;", "redux.sync.add.u32 %s8, %s3, -1; mov.u32 %r, %s8;"),
           [&](u32) { return plain(496 + 1600); });
    expect(both("match.any.sync.b32 %r, %s6, -1;", "match.any.sync.b32 %r, %s6, -1;"),
           [&](u32 i) { return plain(i % 2 == 0 ? 0x55555555 : 0xAAAAAAAA); });
    // One lane is a constant on one way and a register on the other; and so are the members, which are a tile's.
    expect(
        both("shfl.sync.idx.b32 %r, %s2, 20, 31, -1;", "shfl.sync.idx.b32 %r, %s3, %s6, 31, -1;"),
        [&](u32 i) { return plain(i % 32 < 16 ? i_of(i, 20) + 100 : i_of(i, i % 2)); }, two);
    const std::string tile = "and.b32 %s7, %tid, 1; shl.b32 %s7, 0x55555555, %s7; ";
    expect(
        both(tile + "shfl.sync.bfly.b32 %r, %s2, 16, 31, %s7;", "shfl.sync.bfly.b32 %r, %s3, 16, 31, -1;"),
        [&](u32 i) { return plain(i % 32 < 16 ? (i ^ 16) + 100 : i ^ 16); }, two);
    expect(
        both(tile + "setp.lt.u32 %p3, %s6, 1; @%p3 bra B; shfl.sync.bfly.b32 %r, %s2, 16, 31, %s7; bra C; "
                    "B: shfl.sync.bfly.b32 %r, %s2, 16, 31, %s7; add.u32 %r, %r, 1000; C:",
             tile + "shfl.sync.bfly.b32 %r, %s3, 16, 31, %s7;"),
        [&](u32 i) { return plain(i % 32 < 16 ? (i ^ 16) + 100 + (i % 2 == 0 ? 1000 : 0) : i ^ 16); }, two);
    // Different instructions, and lanes that are not meant, stay by themselves.
    expect(both("vote.sync.ballot.b32 %r, %p1, -1;", "shfl.sync.bfly.b32 %r, %s3, 1, 31, -1;"),
           [&](u32 i) { return plain(i < 16 ? 0xAAAA : (i ^ 1) + 100); });
    expect(both("vote.sync.ballot.b32 %r, %p1, 0xFFFF;", "vote.sync.ballot.b32 %r, %p2, 0xFFFF0000;"),
           [&](u32 i) { return plain(i < 16 ? 0xAAAA : 0x55550000); });
}

TEST_CASE("threads of a warp exchange values from different calls", "[engine][warp]") {
    // f(v, lane) = 3 v of the lane, g the same with 5, of a register and by a constant; deeper(v, lane) calls f.
    const std::string functions = R"(
.func (.param .b32 out) f(.param .b32 v_, .param .b32 lane_) {
    .reg .b32 %v<4>; ld.param.b32 %v0, [v_]; ld.param.b32 %v1, [lane_]; mul.lo.u32 %v0, %v0, 3;
    shfl.sync.idx.b32 %v2, %v0, %v1, 31, -1; st.param.b32 [out], %v2; ret; }
.func (.param .b32 out) g(.param .b32 v_, .param .b32 lane_) {
    .reg .pred %p; .reg .b32 %v<9>; ld.param.b32 %v7, [v_]; ld.param.b32 %v8, [lane_]; mul.lo.u32 %v7, %v7, 5;
    shfl.sync.idx.b32 %v6|%p, %v7, %v8, 31, -1; @!%p mov.u32 %v6, 77; st.param.b32 [out], %v6; ret; }
.func (.param .b32 out) deeper(.param .b32 v_, .param .b32 lane_) {
    .reg .b32 %v<4>; ld.param.b32 %v0, [v_]; ld.param.b32 %v1, [lane_]; add.u32 %v0, %v0, 1000;
    { .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %v0; st.param.b32 [b], %v1;
      call.uni (c), f, (a, b); ld.param.b32 %v2, [c]; }
    add.u32 %v2, %v2, 1; st.param.b32 [out], %v2; ret; }
)";
    const auto both = [](const std::string& low, const std::string& high) {
        return "mov.u32 %r, 0; xor.b32 %s2, %tid, 16; setp.ge.u32 %p0, %tid, 16; @%p0 bra HIGH; " + low +
               " bra.uni JOIN; HIGH: " + high + " JOIN:";
    };
    const auto call = [](const std::string& name) {
        return "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %tid; st.param.b32 [b], %s2; call "
               "(c), " +
               name + ", (a, b); ld.param.b32 %r, [c]; }";
    };
    const std::string here = "shfl.sync.idx.b32 %r, %tid, %s2, 31, -1;";
    const auto low_and_high = [](u32 low, u32 high) { return [=](u32 i) { return (i ^ 16) * (i < 16 ? high : low); }; };
    expect(both(call("f"), call("f")), low_and_high(3, 3), {}, functions);
    expect(both(call("f"), call("g")), low_and_high(3, 5), {}, functions);
    expect(both(call("f"), here), low_and_high(3, 1), {}, functions);
    expect(both(here, call("g")), low_and_high(1, 5), {}, functions);
    expect(
        both(call("deeper"), call("g")), [](u32 i) { return i < 16 ? (i + 16) * 5 + 1 : (i - 16 + 1000) * 3; }, {},
        functions);
    // What one half has called before, and calls afterwards, does not come into it.
    expect(
        both(call("f") + " " + call("g"), call("deeper") + " " + call("f")),
        [](u32 i) { return (i ^ 16) * (i < 16 ? 3 : 5); }, {}, functions);
}

TEST_CASE("what a kernel does wrong is reported with place and line", "[engine][faults]") {
    using Catch::Contains;
    CHECK_THAT(fault_of("mov.u64 %l0, 64; ld.global.u32 %r, [%l0];", FaultKind::outside_allocations),
               Contains("illegal address: 4 bytes at 0x40 in kernel k, block (0,0,0), thread (0,0,0), PTX line"));
    // The last word there could be: its end wraps to 0.
    CHECK_THAT(
        fault_of("ld.global.u32 %r, [%out]; mov.u64 %l0, -4; ld.global.u32 %r, [%l0];", FaultKind::outside_allocations),
        Contains("illegal address: 4 bytes at 0xfffffffffffffffc"));
    CHECK_THAT(fault_of("add.u64 %l0, %out, 2; ld.global.u32 %r, [%l0];", FaultKind::misaligned_address),
               Contains("misaligned address: 4 bytes"));
    CHECK_THAT(fault_of("mov.u32 %s2, 4096; ld.shared.u32 %r, [%s2];", FaultKind::illegal_address),
               Contains("illegal shared-memory address: 4 bytes at 0x1000"));
    CHECK_THAT(fault_of("setp.eq.u32 %p0, %tid, 3; @%p0 trap; mov.u32 %r, 0;", FaultKind::trap),
               Contains("thread (3,0,0)"));
    CHECK_THAT(
        fault_of("setp.lt.u32 %p0, %tid, 32; @%p0 bra A; bar.sync 1; bra.uni B; A: bar.sync 2; B: mov.u32 %r, 0;",
                 FaultKind::barrier, {.block = {64, 1, 1}}),
        Contains("wait at different barriers"));
    // With the line of the source where the PTX has it.
    CHECK_THAT(fault_of("\n.loc 1 41 7\nmov.u64 %l0, 64;\n.loc 1 42 9\nld.global.u32 %r, [%l0];\n.loc 1 43 1\n",
                        FaultKind::outside_allocations, {}, ".file 1 \"kernels.cu\""),
               Contains("thread (0,0,0), kernels.cu:42 (PTX line"));
    // What ptxas would not take, and would run over registers and parameters of others here.
    CHECK_THAT(fault_of("add.u64 %l0, %r, %l1;", FaultKind::unsupported), Contains("narrower than its type"));
    CHECK_THAT(fault_of("ld.param.u64 %l0, [out_+4];", FaultKind::unsupported), Contains("outside the parameter"));
    CHECK_THAT(fault_of("cvt.rs.f16x2.f32 %r, %f0, %f1, %r;", FaultKind::unsupported),
               Contains("'cvt.rs.f16x2.f32' (line"));
    CHECK_THAT(fault_of("add.u32 %r, %r.b0, %r;", FaultKind::unsupported), Contains("a part of a register"));
    CHECK_THAT(fault_of("add.u32 %r.h1, %r, %r;", FaultKind::unsupported), Contains("a part of a register"));
    // So would writing more than a register holds, or less.
    for (const char* body :
         {"add.u64 %r, %l0, %l1;", "add.u32 %l0, %r, %r;", "mul.wide.u32 %r, %r, %r;", "popc.b64 %l0, %l1;",
          "setp.eq.u32 %r, %r, %r;", "mov.u64 %r, %l0;", "mov.u32 %l0, %tid.x;", "mov.b64 {%h0, %r}, %l0;",
          "mov.b64 %r, {%s1, %s2};", "atom.global.add.u64 %r, [%out], %l0;", "ld.global.v2.u32 {%r, %l0}, [%out];",
          "shfl.sync.idx.b32 %l0, %r, 0, 31, -1;", "vote.sync.ballot.b32 %p0, %p1, -1;",
          "vote.sync.any.pred %r, %p1, -1;", "selp.b64 %r, %l0, %l1, %p0;", "cvt.rn.f16x2.f32 %h0, %f0, %f1;",
          "activemask.b32 %l0;", "tex.1d.v4.u32.s32 {%r, %l1, %s3, %s4}, [%in, {3}];", "testp.finite.f32 %r, %f0;"}) {
        CAPTURE(body);
        CHECK_THAT(fault_of(body, FaultKind::unsupported), Contains("of another size than the result"));
    }
}

TEST_CASE("warps of a block that write and fence see what each other wrote", "[engine][warp]") {
    // Without a barrier: a race, but warps of a GPU reach their fences together (Gpufit's cuda_gaussjordan).
    for (const std::string fence : {"membar.cta;", "membar.gl;", "fence.acq_rel.gpu;"}) {
        Shape shape;
        shape.block = {64, 1, 1};
        expect_threads(
            "shl.b32 %s0, %tid, 2; mov.u32 %s1, words; add.u32 %s0, %s0, %s1; add.u32 %s2, %tid, 7;"
            "st.shared.u32 [%s0], %s2; " +
                fence + "xor.b32 %s0, %tid, 63; shl.b32 %s0, %s0, 2; add.u32 %s0, %s0, %s1; ld.shared.u32 %r, [%s0];",
            [](u32 i) { return (i ^ 63U) + 7; }, shape, ".shared .align 4 .b8 words[256];");
    }
}
