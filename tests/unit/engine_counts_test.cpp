// What single instructions count as, worked out by hand: per thread of one full warp on a GTX 480 (compute capability
// 2.0, nearest table sm_35).
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <utility>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;

namespace {

KernelMetrics metrics_of(std::string_view body, std::string_view declarations = "", std::string_view gpu = "GTX 480") {
    PtxRunner runner(gpu);
    const auto memory = runner.allocate<u32>(4096);
    const auto report = runner.run(module_text(fmt::format(R"({}
.visible .entry k(.param .u64 memory_) {{
.reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %q<8>; .reg .pred %p<8>; .reg .f32 %f<8>; .reg .f64 %d<8>;
mov.u32 %r14, %tid.x;
{}
ret;
}}
)",
                                                           declarations, body)),
                                   {}, Arguments(memory.data()));
    INFO((report.fault ? report.fault->message : ""));
    REQUIRE_FALSE(report.fault);
    return report.counted.metrics;
}

/// Counts per thread of the lines, without the kernel's own `ret`.
struct Counts {
    double all = 0, fp32 = 0, fma32 = 0, fp64 = 0, fma64 = 0, integer = 0, load_store = 0, special = 0, conversion = 0,
           control = 0, misc = 0, communication = 0;
    bool operator==(const Counts&) const = default;
};
Counts counts(std::string_view body, std::string_view declarations = "") {
    const KernelMetrics with = metrics_of(body, declarations), without = metrics_of("", declarations);
    const auto per_thread = [&](auto member) {
        return ((with.*member).value().value - (without.*member).value().value) / 32;
    };
    using M = KernelMetrics;
    return {per_thread(&M::thread_inst),
            per_thread(&M::thread_inst_fp32),
            per_thread(&M::thread_inst_fp32_fma),
            per_thread(&M::thread_inst_fp64),
            per_thread(&M::thread_inst_fp64_fma),
            per_thread(&M::thread_inst_integer),
            per_thread(&M::thread_inst_load_store),
            per_thread(&M::thread_inst_special),
            per_thread(&M::thread_inst_conversion),
            per_thread(&M::thread_inst_control),
            per_thread(&M::thread_inst_misc),
            per_thread(&M::thread_inst_communication)};
}
void check(std::string_view body, const Counts& want, std::string_view declarations = "") {
    CAPTURE(body);
    const Counts got = counts(body, declarations);
    CHECK(got.all == want.all);
    CHECK(got.fp32 == want.fp32);
    CHECK(got.fma32 == want.fma32);
    CHECK(got.fp64 == want.fp64);
    CHECK(got.fma64 == want.fma64);
    CHECK(got.integer == want.integer);
    CHECK(got.load_store == want.load_store);
    CHECK(got.special == want.special);
    CHECK(got.conversion == want.conversion);
    CHECK(got.control == want.control);
    CHECK(got.misc == want.misc);
    CHECK(got.communication == want.communication);
}

}  // namespace

TEST_CASE("instructions count as what the machine makes of them", "[engine][counts]") {
    // Floating point: one each; a negation is a modifier of its user.
    check("add.f32 %f0, %f1, %f2; mul.rn.f32 %f3, %f0, %f0; sub.f32 %f4, %f3, %f1;", {.all = 3, .fp32 = 3});
    check("fma.rn.f32 %f0, %f1, %f2, %f3;", {.all = 1, .fp32 = 1, .fma32 = 1});
    check("fma.rn.f64 %d0, %d1, %d2, %d3; add.f64 %d0, %d0, %d1;", {.all = 2, .fp64 = 2, .fma64 = 1});
    check("neg.f32 %f0, %f1; abs.f32 %f2, %f1;", {});
    // A comparison is of the type compared; a selection is none of the arithmetic classes; predicates' logic too.
    check("setp.lt.f32 %p0, %f0, %f1;", {.all = 1, .fp32 = 1});
    check("setp.lt.f64 %p0, %d0, %d1;", {.all = 1, .fp64 = 1});
    check("setp.lt.s32 %p0, %r0, %r1;", {.all = 1, .integer = 1});
    check("selp.b32 %r0, %r1, %r2, %p0;", {.all = 1, .misc = 1});
    check("and.pred %p0, %p1, %p2;", {.all = 1, .misc = 1});
    // Moves vanish in register allocation: of registers, of constants, of special registers that cost nothing.
    check("mov.u32 %r0, %r1; mov.f32 %f0, 0f3F800000; mov.b64 %q0, {%r0, %r1};", {});
    // Guarded instructions are executed by all lanes of the warp, but counted for the threads whose guard holds.
    check("setp.lt.u32 %p0, 1, 2; @%p0 add.f32 %f0, %f1, %f2; @!%p0 add.f32 %f0, %f1, %f2;",
          {.all = 2, .fp32 = 1, .integer = 1});
    // Kepler reduces the range first (RRO), then MUFU.
    check("ex2.approx.ftz.f32 %f0, %f1;", {.all = 2, .fp32 = 2, .special = 1});
    check("cvt.rn.f32.s32 %f0, %r0; cvt.rzi.s32.f32 %r1, %f0;", {.all = 2, .conversion = 2});
    check("vote.ballot.b32 %r0, %p0;", {.all = 1, .communication = 1});
    check("bra.uni NEXT; NEXT:", {});
    check("bar.sync 0;", {.all = 1, .misc = 1});
}

TEST_CASE("memory instructions are counted as the assembler makes them", "[engine][counts]") {
    const std::string_view base = "ld.param.u64 %q0, [memory_]; ";
    const auto with = [&](std::string_view rest) { return std::string(base) + std::string(rest); };
    // A kernel parameter is an operand of its user, but for an address, which is moved to registers half by half (ptxas
    // 11.8 for sm_35), once.
    check(base, {});
    check(with("ld.global.u32 %r0, [%q0]; st.global.u32 [%q0+256], %r0;"), {.all = 4, .load_store = 2, .misc = 2});
    check(with("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%q0];"), {.all = 3, .load_store = 1, .misc = 2});
    check(with("red.global.add.u32 [%q0], 1; atom.global.add.u32 %r0, [%q0], 1;"),
          {.all = 4, .load_store = 2, .misc = 2});
    const std::string_view shared = ".shared .align 16 .b8 words[1024]; .const .align 4 .b32 constant = 3;";
    // Four neighbours at an address known to be aligned are one load of 16 bytes; a store between parts them; so does a
    // barrier; volatile loads stay what they are.
    check(
        "ld.shared.u32 %r0, [words]; ld.shared.u32 %r1, [words+4]; ld.shared.u32 %r2, [words+8]; "
        "ld.shared.u32 %r3, [words+12];",
        {.all = 1, .load_store = 1}, shared);
    check("ld.shared.u32 %r0, [words]; st.shared.u32 [words+64], %r5; ld.shared.u32 %r1, [words+4];",
          {.all = 3, .load_store = 3}, shared);
    check("ld.shared.u32 %r0, [words]; bar.sync 0; ld.shared.u32 %r1, [words+4];",
          {.all = 3, .load_store = 2, .misc = 1}, shared);
    check("ld.volatile.shared.u32 %r0, [words]; ld.volatile.shared.u32 %r1, [words+4];", {.all = 2, .load_store = 2},
          shared);
    // Not aligned to 8 bytes: two loads.
    check("ld.shared.u32 %r0, [words+4]; ld.shared.u32 %r1, [words+8];", {.all = 2, .load_store = 2}, shared);
    // A constant at a fixed address is an operand too.
    check("ld.const.u32 %r0, [constant];", {}, shared);
    check("mov.u64 %q1, constant; ld.const.u32 %r0, [%q1];", {.all = 1, .load_store = 1}, shared);
}

TEST_CASE("sectors of global accesses, by hand", "[engine][counts]") {
    const std::string_view index = "ld.param.u64 %q0, [memory_]; mov.u32 %r0, %tid.x; ";
    const auto run = [&](std::string_view rest) { return metrics_of(std::string(index) + std::string(rest)); };
    // 32 threads side by side: 128 bytes are 4 sectors, all used.
    const KernelMetrics unit =
        run("mad.wide.u32 %q1, %r0, 4, %q0; ld.global.u32 %r1, [%q1]; st.global.u32 [%q1+4096], %r1;");
    CHECK(unit.global_load.value().value == 4);
    CHECK(unit.global_store.value().value == 4);
    CHECK(unit.global_load_requested.value().value == 128);
    CHECK(unit.warp_inst_coalesced.value().value == 2);
    CHECK(unit.warp_inst_uncoalesced.value().value == 0);
    CHECK(unit.global_line.value().value == 2);
    CHECK(unit.uncoalesced_line.value().value == 0);
    // Every second word: twice the sectors for the same bytes.
    const KernelMetrics strided = run("mad.wide.u32 %q1, %r0, 8, %q0; ld.global.u32 %r1, [%q1];");
    CHECK(strided.global_load.value().value == 8);
    CHECK(strided.warp_inst_uncoalesced.value().value == 1);
    CHECK(strided.uncoalesced.value().value == 8);
    CHECK(strided.global_line.value().value == 2);
    CHECK(strided.uncoalesced_line.value().value == 2);
    // A row that begins in the middle of a sector: 5 sectors in 2 lines.
    const KernelMetrics shifted = run("mad.wide.u32 %q1, %r0, 4, %q0; ld.global.u32 %r1, [%q1+16];");
    CHECK(shifted.global_load.value().value == 5);
    CHECK(shifted.uncoalesced_line.value().value == 2);
    // Vectors of four floats: 16 sectors in 4 lines, all used.
    const KernelMetrics vectors = run("mad.wide.u32 %q1, %r0, 16, %q0; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%q1];");
    CHECK(vectors.global_load.value().value == 16);
    CHECK(vectors.global_line.value().value == 4);
    CHECK(vectors.uncoalesced_line.value().value == 0);
    // All the same word: one sector.
    const KernelMetrics same = run("ld.global.u32 %r1, [%q0];");
    CHECK(same.global_load.value().value == 1);
    CHECK(same.global_line.value().value == 1);
    // A column of 32-byte rows: a sector each.
    const KernelMetrics column = run("mad.wide.u32 %q1, %r0, 32, %q0; ld.global.u32 %r1, [%q1];");
    CHECK(column.global_load.value().value == 32);
    CHECK(column.global_line.value().value == 8);
}

TEST_CASE("the unit of special functions checks divisions, and converts, from Volta on", "[engine][counts]") {
    // Per warp: a division is MUFU, and FCHK from 7.0 on; of a conversion from an integer, I2F is there and I2FP of 8.6
    // and later not (smsp__inst_executed_pipe_xu of an H200). The functions alone count as such.
    const auto special = [](std::string_view body, std::string_view gpu) {
        const KernelMetrics metrics = metrics_of(body, "", gpu);
        return std::pair{metrics.warp_inst_special.value().value, metrics.thread_inst_special.value().value / 32};
    };
    constexpr std::string_view divides = "mov.f32 %f1, 0f40400000; div.rn.f32 %f2, %f1, %f1;";
    CHECK(special(divides, "GTX 980") == std::pair{1.0, 1.0});
    CHECK(special(divides, "Tesla V100 SXM2 16GB") == std::pair{2.0, 1.0});
    CHECK(special(divides, "H200 SXM 141GB") == std::pair{2.0, 1.0});
    constexpr std::string_view converts = "cvt.rn.f32.s32 %f1, %r14; cvt.rzi.s32.f32 %r1, %f1;";
    CHECK(special(converts, "GTX 980") == std::pair{0.0, 0.0});
    CHECK(special(converts, "Tesla V100 SXM2 16GB") == std::pair{2.0, 0.0});
    CHECK(special(converts, "H200 SXM 141GB") == std::pair{1.0, 0.0});
    CHECK(special("mov.f32 %f1, 0f40400000; sin.approx.f32 %f2, %f1;", "H200 SXM 141GB") == std::pair{1.0, 1.0});
}
