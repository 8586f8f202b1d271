// What addresses in shared memory take, against ptxas 11.8 (and 13.0 for 9.0) on the same PTX (nvdisasm's listing).
#include <catch2/catch.hpp>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;

namespace {

double value(const std::optional<Instructions>& count) {
    return count.value().value;
}

/// Of one warp that has its index in %r1 and %r2.
KernelMetrics metrics(const std::string& body, const char* gpu) {
    PtxRunner runner(gpu);
    const auto report = runner.run(module_text(R"(
.shared .align 4 .b8 of_module[64];
.visible .entry k() {
    .reg .b32 %r<32>; .reg .pred %p<4>; .shared .align 16 .b8 one[4096], two[4096];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;
)" + body + "    ret;\n}"),
                                   {}, Arguments());
    REQUIRE(!report.fault);
    return report.counted.metrics;
}

/// But for moves, by thread.
double integers(const std::string& body, const char* gpu) {
    const auto m = metrics(body, gpu);
    return (value(m.thread_inst_integer_add) + value(m.thread_inst_integer_multiply) +
            value(m.thread_inst_integer_shift)) /
           32;
}

constexpr const char* gpus[] = {"Tesla K20c",  "GTX 1080", "Tesla V100 SXM2 16GB",
                                "RTX 2080 Ti", "RTX 3090", "H200 SXM 141GB"};
using Counts = std::vector<double>;

Counts of(const std::string& body) {
    Counts counts;
    for (const char* const gpu : gpus) counts.push_back(integers(body, gpu));
    return counts;
}

std::string index_times(int shift) {
    return "mov.u32 %r3, one; shl.b32 %r4, %r1, " + std::to_string(shift) +
           "; add.s32 %r5, %r3, %r4; st.shared.u32 [%r5], %r1; bar.sync 0; ld.shared.u32 %r6, [%r5+4];";
}

}  // namespace

TEST_CASE("an access to shared memory multiplies by 4, 8 and 16 itself from 7.5 to 8.9") {
    for (const int shift : {2, 3, 4}) CHECK(of(index_times(shift)) == Counts{1, 1, 1, 0, 0, 1});
    CHECK(of(index_times(5)) == Counts{1, 1, 1, 1, 1, 1});
    CHECK(of("mov.u32 %r3, one; shl.b32 %r4, %r1, 1; add.s32 %r5, %r3, %r4; st.shared.u8 [%r5], %r1;") ==
          Counts{1, 1, 1, 1, 1, 1});
    CHECK(of("mov.u32 %r3, one; mad.lo.s32 %r5, %r1, 4, %r3; st.shared.u32 [%r5], %r1; bar.sync 0; ld.shared.u32 %r6, "
             "[%r5+4];") == Counts{1, 1, 1, 0, 0, 1});
    CHECK(of("mov.u32 %r3, one; shl.b32 %r4, %r1, 2; add.s32 %r5, %r3, %r4; atom.shared.add.u32 %r6, [%r5], %r1;") ==
          Counts{1, 1, 1, 0, 0, 1});
    // Other readers want the product itself: of the value that is stored IMAD.SHL, and STS [R.X4]; from 9.0 on STS
    // [R + UR].
    CHECK(of("mov.u32 %r3, one; shl.b32 %r4, %r1, 2; add.s32 %r5, %r3, %r4; st.shared.u32 [%r5], %r4;") ==
          Counts{1, 1, 1, 1, 1, 1});
}

TEST_CASE("arrays in shared memory have one index until 8.9") {
    CHECK(of("shl.b32 %r4, %r1, 2; mov.u32 %r3, one; add.s32 %r5, %r3, %r4; mov.u32 %r6, two; add.s32 %r7, %r6, %r4;"
             "st.shared.u32 [%r5], %r1; st.shared.u32 [%r7], %r1;") == Counts{1, 1, 1, 0, 0, 2});
    CHECK(of("mov.u32 %r3, one; mad.lo.s32 %r5, %r1, 8, %r3; mov.u32 %r6, two; mad.lo.s32 %r7, %r1, 8, %r6;"
             "st.shared.u32 [%r5], %r1; st.shared.u32 [%r7], %r1;") == Counts{1, 1, 1, 0, 0, 2});
}

TEST_CASE("rows in shared memory are a quarter where the access multiplies") {
    const auto row = [](const char* product) {
        return std::string("mov.u32 %r3, one;") + product +
               "shl.b32 %r4, %r1, 2; add.s32 %r6, %r5, %r4; st.shared.u32 [%r6], %r1;";
    };
    // (ISCADD, SHL), (LEA, SHL), IMAD, (LEA, IMAD)
    CHECK(of(row("mad.lo.s32 %r5, %r2, 64, %r3;")) == Counts{2, 2, 2, 1, 1, 2});
    CHECK(of(row("shl.b32 %r7, %r2, 6; add.s32 %r5, %r3, %r7;")) == Counts{2, 2, 2, 1, 1, 2});
    CHECK(of(row("mad.lo.s32 %r5, %r2, 68, %r3;")) == Counts{2, 3, 2, 1, 1, 2});  // 2 x XMAD on 6.1
    CHECK(of(row("mad.lo.s32 %r5, %r2, 66, %r3;")) == Counts{2, 3, 2, 2, 2, 2});
    CHECK(of(R"(
    mov.u32 %r3, one; mad.lo.s32 %r5, %r2, 68, %r3; mov.u32 %r7, two; mad.lo.s32 %r8, %r2, 68, %r7; shl.b32 %r4, %r1, 2;
    add.s32 %r6, %r5, %r4; add.s32 %r9, %r8, %r4; st.shared.u32 [%r6], %r1; st.shared.u32 [%r9], %r1;
)") == Counts{2, 3, 2, 1, 1, 4});
}

TEST_CASE("on 9.0 addresses of variables in shared memory are made where they are first used") {
    const auto warps = [](const std::string& body, const char* gpu = "H200 SXM 141GB") {
        return value(metrics(body, gpu).warp_inst);
    };
    const double none = warps("st.shared.u32 [%r2], %r1;"), one = warps("st.shared.u32 [one], %r1;");
    CHECK(one == none + 3);  // S2UR, UMOV, ULEA
    CHECK(warps("st.shared.u32 [of_module], %r1;") == none + 3);
    CHECK(warps("mov.u32 %r3, of_module; st.shared.u32 [%r3], %r1;") == none + 3);
    CHECK(warps("st.shared.u32 [one], %r1; st.shared.u32 [two], %r1;") == one + 1 + 2);  // UIADD3, ULEA
    CHECK(warps("st.shared.u32 [one], %r1; st.shared.u32 [one+16], %r1;") == one + 1);
    CHECK(warps("st.shared.u32 [one], %r1;", "RTX 3090") == warps("st.shared.u32 [%r2], %r1;", "RTX 3090"));
    // By lane where there is a condition, by all where what follows wants it, too, or had it.
    const std::string some = "setp.gt.u32 %p1, %r1, 9; @%p1 bra OVER; st.shared.u32 [one], %r1; OVER:";
    const std::string by_index = "setp.gt.u32 %p1, %r1, 9; @%p1 bra OVER; st.shared.u32 [%r2], %r1; OVER:";
    CHECK(warps(some) == warps(by_index) + 3);
    CHECK(warps(some + "st.shared.u32 [one], %r1;") == warps(by_index + "st.shared.u32 [%r2], %r1;") + 3);
    CHECK(warps("st.shared.u32 [one], %r1;" + some) == warps("st.shared.u32 [%r2], %r1;" + by_index) + 3);
}

TEST_CASE("on 9.0 an index times a power of two is added to the address of a variable by LEA") {
    const auto multiplies = [](const std::string& body) {
        return value(metrics("mov.u32 %r3, one;" + body, "H200 SXM 141GB").thread_inst_integer_multiply) / 32;
    };
    const std::string store = "st.shared.u32 [%r5], %r1;", index = "shl.b32 %r4, %r1, 2;";
    const std::string sum = index + "add.s32 %r5, %r3, %r4;";
    CHECK(multiplies(sum + store) == 0);
    CHECK(multiplies("mad.lo.s32 %r5, %r1, 64, %r3;" + store) == 0);
    CHECK(multiplies("mad.lo.s32 %r5, %r1, 68, %r3;" + store) == 1);
    CHECK(multiplies("add.s32 %r8, %r2, 8;" + index + "add.s32 %r5, %r8, %r4;" + store) == 1);
    // A row that is an address itself, with an index (the two LEAs of lud_internal for each array, of which the second
    // may be IMAD).
    CHECK(multiplies("shl.b32 %r7, %r2, 6; add.s32 %r8, %r3, %r7; ld.shared.u32 %r9, [%r8];" + index +
                     "add.s32 %r5, %r8, %r4;" + store) == 1);
}
