// Loops that ptxas unrolls, and what they then cost: against what ptxas 11.8 and 13.0 make of such loops.
#include <catch2/catch.hpp>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;

namespace {

const std::string multiply_add = "fma.rn.f32 %f2, %f2, %f1, %f3;";

struct Loop {
    std::string body;
    std::string count = "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %n;";
    std::string begin = "mov.u32 %r1, 0;";
    std::string again = "@%p1 bra AGAIN;";
};

/// Instructions of a warp in a kernel with the loop.
double instructions(const Loop& loop, std::uint32_t n) {
    PtxRunner runner("RTX 2080 Ti");
    const auto memory = runner.allocate<float>(4096);
    const auto report = runner.run(module_text(R"(
.visible .entry k(.param .u64 pa, .param .u32 pn) {
    .reg .b64 %rd<8>; .reg .f32 %f<64>; .reg .b32 %r<16>; .reg .b32 %n; .reg .pred %p<4>;
    .shared .align 4 .b8 tile[4096];
    ld.param.u64 %rd1, [pa]; ld.param.u32 %n, [pn];
    ld.global.f32 %f1, [%rd1]; ld.global.f32 %f3, [%rd1+4]; mov.f32 %f2, %f3; mov.u32 %r2, tile; mov.u32 %r3, 0;
)" + loop.begin + "AGAIN:" + loop.body + loop.count +
                                               loop.again + R"(
    st.global.f32 [%rd1], %f2; st.global.u32 [%rd1+4], %r3;
    ret;
})"),
                                   {}, Arguments(memory.data(), n));
    REQUIRE(!report.fault);
    return report.counted.metrics.warp_inst.value().value;
}

/// What rounds 5 to 8 have besides the body's own instructions.
double counting(const Loop& loop, double body) {
    return instructions(loop, 8) - instructions(loop, 4) - 4 * body;
}
constexpr double once = 3, each = 4 * 3;  // the sum, the comparison and the branch

}  // namespace

TEST_CASE("a loop runs four rounds, then two, then one", "[engine][unrolled_loops]") {
    const Loop loop{times(5, multiply_add)};
    const double one = instructions(loop, 1);
    const auto more = [&](std::uint32_t n) { return instructions(loop, n) - one - 5 * (n - 1); };
    CHECK(more(2) == 0);
    CHECK(more(3) == once);
    CHECK(more(4) == 0);
    CHECK(more(6) == once);
    CHECK(more(7) == 2 * once);
    CHECK(more(40) == 9 * once);
    // How many rounds are left is asked on the way.
    const Loop kept{".pragma \"nounroll\";" + loop.body};
    CHECK(one == instructions(kept, 1) + 10);
    CHECK(counting(kept, 5) == each);
}

TEST_CASE("large loops are not unrolled, those with loads later than others", "[engine][unrolled_loops]") {
    const auto with = [](const std::string& first, int n) {
        return counting({first + times(n, multiply_add)}, n + (first.empty() ? 0 : 1));
    };
    CHECK(with("", 18) == once);
    CHECK(with("", 19) == each);
    CHECK(with("st.global.f32 [%rd1+64], %f1;", 16) == once);
    CHECK(with("st.global.f32 [%rd1+64], %f1;", 17) == each);
    CHECK(with("red.global.add.f32 [%rd1+64], %f1;", 8) == once);
    CHECK(with("red.global.add.f32 [%rd1+64], %f1;", 9) == each);
    CHECK(with("ld.volatile.global.f32 %f9, [%rd1+64];", 45) == once);
    CHECK(with("ld.volatile.global.f32 %f9, [%rd1+64];", 46) == each);
    CHECK(with("ld.volatile.shared.f32 %f9, [%r2+64];", 21) == once);
    CHECK(with("ld.volatile.shared.f32 %f9, [%r2+64];", 22) == each);
}

TEST_CASE("a loop is unrolled if a constant is added to what is compared", "[engine][unrolled_loops]") {
    const auto of = [](const char* count, const char* begin, const char* again = "@%p1 bra AGAIN;") {
        return counting({multiply_add, count, begin, again}, 1);
    };
    CHECK(of("add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0;", "mov.u32 %r1, %n;") == once);
    CHECK(of("sub.s32 %r1, %r1, 1; setp.eq.s32 %p1, %r1, 0;", "mov.u32 %r1, %n;", "@!%p1 bra AGAIN;") == once);
    CHECK(of("add.s32 %r1, %r1, 1; setp.gt.s32 %p1, %n, %r1;", "mov.u32 %r1, 0;") == once);
    CHECK(of("add.s32 %r4, %r1, 1; setp.lt.s32 %p1, %r4, %n; mov.u32 %r1, %r4;", "mov.u32 %r1, 0;") == once);
    CHECK(of("add.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, %n;", "mov.u32 %r1, %laneid; sub.s32 %r1, %r1, %r1;") == once);
    // A register is added, or what it was before is compared.
    CHECK(of("add.s32 %r1, %r1, %r5; setp.lt.s32 %p1, %r1, %n;", "mov.u32 %r5, 1; mov.u32 %r1, 0;") == each);
    CHECK(instructions({multiply_add, "setp.lt.s32 %p1, %r1, %n; add.s32 %r1, %r1, 1;"}, 8) -
              instructions({multiply_add, "setp.lt.s32 %p1, %r1, %n; add.s32 %r1, %r1, 1;"}, 4) ==
          4 + each);
}

TEST_CASE("pointers that move on are offsets of accesses, unless something else wants them",
          "[engine][unrolled_loops]") {
    const std::string load = "ld.global.f32 %f4, [%rd1]; fma.rn.f32 %f2, %f4, %f1, %f2;";
    CHECK(counting({load + "add.s64 %rd1, %rd1, 4;"}, 2) == once + 2);  // numbers of 64 bits are two sums
    CHECK(counting({load + "add.s64 %rd1, %rd1, 4; cvt.u32.u64 %r3, %rd1; add.u32 %r3, %r3, %r1;"}, 2 + 2 + 1) ==
          once + 3);  // and %r1 is wanted
    CHECK(counting({"add.s32 %r3, %r3, %r1;"}, 1 + 1) == once - 1);
}

TEST_CASE("a loop whose rounds are known has more of them behind each other", "[engine][unrolled_loops]") {
    // 20 multiply-adds: sixteen rounds, and all of ten.
    const auto rounds = [](const char* n) {
        const Loop loop{times(20, multiply_add), std::string("add.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, ") + n + ";"};
        return instructions(loop, 0) - 20 * std::stod(n);
    };
    CHECK(rounds("1600") - rounds("10") == 100 * once);
    CHECK(rounds("80") - rounds("10") == 5 * once);
}
