// What the assembler folds together, against ptxas 11.8 on the same PTX (nvdisasm's listing), for sm_35 if nothing else
// is said.
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
    .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .f64 %d<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .pred %p<8>;
    .shared .align 4 .b8 tile[4096];
    ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pc];
)" + body + "    ret;\n}"),
                                   {}, Arguments(memory.data(), memory.data() + 512));
    REQUIRE(!report.fault);
    return report.counted.metrics;
}

}  // namespace

TEST_CASE("a scaled index goes into both addresses that use it") {
    // MOV (stack pointer), S2R, MOV (the 4), 2 x (ISCADD, IMAD.HI.X), LD, ST, EXIT.
    const auto m = metrics(R"(
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    st.global.f32 [%rd5], %f1;
)");
    CHECK(value(m.warp_inst) == 10);
    CHECK(value(m.thread_inst_integer) == 4 * 32);
}

TEST_CASE("a scaled index goes into addresses of other blocks, too") {
    const std::string body = R"(
    mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 7;
    ld.global.u32 %r2, [%rd1]; mul.wide.s32 %rd3, %r2, 4;
    @%p1 bra L; add.s64 %rd4, %rd1, %rd3; red.global.add.u32 [%rd4], %r2; L:
)";
    CHECK(value(metrics(body, "RTX 3090").thread_inst_integer_multiply) == 7);  // IMAD.WIDE
    CHECK(value(metrics(body, "GTX 1080").thread_inst_integer_add) == 2 * 7);   // ISCADD, IADD.X
}

TEST_CASE("what a loop adds in each round is multiplied there, but on Maxwell and Pascal") {
    const auto products = [](const char* rounds, const char* gpu) {
        const std::string body = R"(
    ld.global.u32 %r2, [%rd1]; mul.wide.s32 %rd3, %r2, 4; mov.u64 %rd4, %rd1; mov.u32 %r3, 0;
M:  st.global.f32 [%rd4], %f1; add.s64 %rd4, %rd4, %rd3;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, )" +
                                 std::string(rounds) + "; @%p1 bra M;\n";
        return value(metrics(body, gpu).thread_inst_integer_multiply) / 32;
    };
    CHECK(products("4", "RTX 3090") == 4);
    CHECK(products("8", "RTX 3090") == 8);
    CHECK(products("8", "GTX 1080") == products("4", "GTX 1080"));
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

TEST_CASE("shifts go into sums: from Volta on also those that keep the sign") {
    const auto integers = [](const std::string& body, const char* gpu) {  // without moves
        const auto m = metrics(
            "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];" + body + "st.global.u32 [%rd1], %r5;", gpu);
        return (value(m.thread_inst_integer_add) + value(m.thread_inst_integer_multiply) +
                value(m.thread_inst_integer_shift)) /
               32;
    };
    const auto more = [&](const std::string& body, const char* gpu) { return integers(body, gpu) - integers("", gpu); };
    const std::string unsigned_ = "shr.u32 %r3, %r1, 5; add.s32 %r5, %r2, %r3;";
    const std::string signed_ = "shr.s32 %r3, %r1, 5; add.s32 %r5, %r2, %r3;";
    const std::string difference = "shl.b32 %r3, %r1, 2; sub.s32 %r5, %r2, %r3;";
    CHECK(more(unsigned_, "GTX 1080") == 1);      // LEA.HI
    CHECK(more(signed_, "GTX 1080") == 2);        // SHR, IADD
    CHECK(more(signed_, "RTX 2080 Ti") == 1);     // LEA.HI.SX32
    CHECK(more(difference, "GTX 1080") == 1);     // ISCADD
    CHECK(more(difference, "RTX 2080 Ti") == 1);  // IMAD
    // SHF, IADD3, IADD3: a right shift that two sums want is done once.
    CHECK(more(signed_ + "add.s32 %r6, %r3, %r1;", "RTX 2080 Ti") == 3);
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
    CHECK(value(m.warp_inst) == 8);  // MOV, S2R, ISETP, ISETP.AND, 2 x MOV (address), ST, EXIT
}

TEST_CASE("products and the sums that want them are multiply-adds, unless their rounding is named") {
    const auto operations = [](const std::string& body) {
        const auto m = metrics(
            "ld.global.f32 %f1, [%rd1]; ld.global.f64 %d1, [%rd1]; ld.global.u16 %h1, [%rd1];" + body, "GTX 1080");
        return std::vector<double>{value(m.thread_inst_fp32) / 32, value(m.thread_inst_fp32_fma) / 32,
                                   value(m.thread_inst_fp64) / 32, value(m.thread_inst_fp64_fma) / 32,
                                   value(m.thread_inst_fp16) / 32, value(m.thread_inst_fp16_fma) / 32};
    };
    CHECK(operations("mul.f32 %f2, %f1, %f1; sub.f32 %f3, %f1, %f2;") == std::vector<double>{1, 1, 0, 0, 0, 0});
    CHECK(operations("mul.ftz.f32 %f2, %f1, %f1; add.ftz.f32 %f3, %f2, %f1;") == std::vector<double>{1, 1, 0, 0, 0, 0});
    CHECK(operations("mul.f64 %d2, %d1, %d1; add.f64 %d3, %d2, %d1;") == std::vector<double>{0, 0, 1, 1, 0, 0});
    CHECK(operations("mul.f16 %h2, %h1, %h1; add.f16 %h3, %h2, %h1;") == std::vector<double>{0, 0, 0, 0, 1, 1});
    // Into both of its sums.
    CHECK(operations("mul.f32 %f2, %f1, %f1; add.f32 %f3, %f2, %f1; sub.f32 %f4, %f1, %f2;") ==
          std::vector<double>{2, 2, 0, 0, 0, 0});
    // A sum takes one product; one that something else wants as well is computed.
    CHECK(operations("mul.f32 %f2, %f1, %f1; mul.f32 %f3, %f1, 0f40400000; add.f32 %f4, %f2, %f3;") ==
          std::vector<double>{2, 1, 0, 0, 0, 0});
    CHECK(operations("mul.f32 %f2, %f1, %f1; add.f32 %f3, %f2, %f1; max.f32 %f4, %f2, %f1;") ==
          std::vector<double>{3, 0, 0, 0, 0, 0});
    CHECK(operations("mul.rn.f32 %f2, %f1, %f1; add.f32 %f3, %f2, %f1;") == std::vector<double>{2, 0, 0, 0, 0, 0});
    CHECK(operations("mul.f32 %f2, %f1, %f1; add.rn.f32 %f3, %f2, %f1;") == std::vector<double>{2, 0, 0, 0, 0, 0});
    CHECK(operations("mul.f32 %f2, %f1, %f1; add.ftz.f32 %f3, %f2, %f1;") == std::vector<double>{2, 0, 0, 0, 0, 0});
}

TEST_CASE("logic sets a predicate itself from Maxwell on, and inverts and negates for nothing") {
    const auto integers = [](const std::string& body, const char* gpu) {
        return value(metrics("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd2];" + body, gpu).thread_inst_integer) /
               32;
    };
    const char* const test = "and.b32 %r3, %r1, 4; setp.ne.s32 %p1, %r3, 0; @%p1 st.global.u32 [%rd1], %r2;";
    CHECK(integers(test, "GTX 480") == 2);
    CHECK(integers(test, "GTX 980") == 1);
    CHECK(integers("and.b32 %r3, %r1, 1; setp.eq.b32 %p1, %r3, 1; @%p1 st.global.u32 [%rd1], %r2;", "GTX 980") == 2);
    CHECK(integers("not.b32 %r3, %r1; and.b32 %r4, %r3, %r2;", "GTX 980") == 1);
    CHECK(integers("not.b32 %r3, %r1; add.s32 %r4, %r3, %r2;", "GTX 980") == 2);
    CHECK(integers("neg.s32 %r3, %r1; add.s32 %r4, %r3, %r2;", "GTX 480") == 1);
    CHECK(integers("sub.s32 %r3, %r1, %r2; sub.s32 %r4, %r2, %r3;", "GTX 980") == 1);
    CHECK(integers("shr.u32 %r3, %r1, 5; and.b32 %r4, %r3, 7;", "GTX 1080") == 1);
    // And the move that the kernel begins with, IMAD.MOV where there is nothing else to multiply.
    CHECK(integers("shr.u32 %r3, %r1, 5; and.b32 %r4, %r3, 7;", "RTX 2080 Ti") == 3);
}

TEST_CASE("on 9.0 a sum and its minimum or maximum are one, and so are two of these alike") {
    // ptxas 13.0: VIADDMNMX, VIMNMX3
    const auto integers = [](const std::string& body, const char* gpu) {
        const auto m = metrics("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r3, [%rd1+8];" +
                                   body + "st.global.u32 [%rd2], %r5;",
                               gpu);
        return (value(m.thread_inst_integer_add) + value(m.thread_inst_integer_compare)) / 32;
    };
    const auto on_hopper = [&](const std::string& body) { return integers(body, "H200 SXM 141GB"); };
    const std::string sum = "add.s32 %r4, %r1, %r2;";
    CHECK(on_hopper(sum + "max.s32 %r5, %r4, %r3;") == 1);
    CHECK(integers(sum + "max.s32 %r5, %r4, %r3;", "RTX 3090") == 2);
    CHECK(integers(sum + "max.s32 %r5, %r4, %r3;", "GTX 1080") == 2);
    CHECK(on_hopper("sub.s32 %r4, %r1, %r2; min.u32 %r5, %r3, %r4;") == 1);
    CHECK(on_hopper("add.s32 %r4, %r1, -3; max.s32 %r5, %r4, 7;") == 2);
    CHECK(on_hopper(sum + "max.s32 %r6, %r4, %r3; max.s32 %r5, %r6, %r1;") == 2);
    CHECK(on_hopper(sum + "max.s32 %r5, %r4, %r3; st.global.u32 [%rd2+4], %r4;") == 2);
    CHECK(on_hopper("min.s32 %r4, %r1, %r2; min.s32 %r5, %r4, %r3;") == 1);
    CHECK(integers("min.s32 %r4, %r1, %r2; min.s32 %r5, %r4, %r3;", "RTX 3090") == 2);
    CHECK(on_hopper("min.u32 %r4, %r1, %r2; min.s32 %r5, %r4, %r3;") == 2);
    CHECK(on_hopper("max.s32 %r4, %r1, %r2; min.s32 %r5, %r4, %r3;") == 2);
}

TEST_CASE("of two additions of 64 bits one is free from Maxwell on, but for a constant that goes into the access") {
    const auto integers = [](const std::string& body, const char* gpu) {
        return value(
                   metrics("ld.global.u64 %rd3, [%rd1]; ld.global.u64 %rd4, [%rd2];" + body, gpu).thread_inst_integer) /
               32;
    };
    const char* const sums = "add.s64 %rd5, %rd3, %rd4; add.s64 %rd6, %rd5, %rd1; st.global.u64 [%rd2], %rd6;";
    CHECK(integers(sums, "GTX 480") == 4);
    CHECK(integers(sums, "GTX 980") == 2);
    // A sum takes a product rather than the other sum: 2 and 2.
    CHECK(
        integers("add.s64 %rd5, %rd3, %rd4; cvt.u32.u64 %r3, %rd3; mul.wide.u32 %rd6, %r3, 4; add.s64 %rd7, %rd5, %rd6;"
                 "st.global.u64 [%rd2], %rd7;",
                 "GTX 480") == 4);
    CHECK(integers(
              "sub.s64 %rd5, %rd3, %rd3; add.s64 %rd6, %rd5, %rd1; add.s64 %rd7, %rd6, 8; st.global.u64 [%rd7], %rd4;",
              "GTX 480") == 4);
}

TEST_CASE("of a divisor that ptxas comes to know there is less to find out") {
    const char* const loads = "    ld.global.u32 %r2, [%rd1];\n";
    const char* const stores = "    st.global.u32 [%rd2], %r2;\n";
    const auto more = [&](const std::string& divides, const char* gpu) {
        return value(metrics(loads + divides + stores, gpu).warp_inst) -
               value(metrics(std::string(loads) + stores, gpu).warp_inst);
    };
    // What nvcc leaves of `n % (int)powf(2, 3)`, as Rodinia's backprop has it.
    const char* const late = "    mov.f32 %f1, 0f41000000; cvt.rzi.s32.f32 %r1, %f1; rem.s32 %r2, %r2, %r1;\n";
    CHECK(more(late, "K20c") == 15);
    CHECK(more(late, "GTX 1080 Ti") == 23);
    CHECK(more(late, "RTX 2080 Ti") == 16);
    CHECK(more("    mov.u32 %r1, WARP_SZ; div.u32 %r2, %r2, %r1;\n", "RTX 2080 Ti") == 14);
    CHECK(more("    ld.param.u32 %r1, [pa]; rem.s32 %r2, %r2, %r1;\n", "RTX 2080 Ti") == 22);
}
