// vmad (PTX ISA 9.7.15): parts of words multiplied and added, as an H100 does it (driver 580): its PTX is compiled to
// one multiplication of signed words, so that whole words of u32 count as signed, and c always does. The ISA's own
// steps are done in 64 bits beside it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

#include "collector/simulate/engine/engine.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;

namespace {

constexpr std::array<u32, 8> values{0, 1, 0x7F, 0x80, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x89ABCDEF};

struct Form {
    bool a_signed, b_signed, minus_product, minus_c, plus_one, saturates;
    int shift;
};
u32 meaning(const Form& form, u32 a, u32 b, u32 c) {
    const bool is_signed = form.a_signed || form.b_signed || form.minus_product || form.minus_c;
    s64 product = s64{static_cast<s32>(a)} * static_cast<s32>(b);
    s64 addend = static_cast<s32>(c);
    s64 least = form.plus_one ? 1 : 0;
    if (!form.plus_one && form.minus_product) {
        product = ~product;
        least = 1;
    } else if (!form.plus_one && form.minus_c) {
        addend = ~addend;
        least = 1;
    }
    const s64 exact = product + addend + least;
    const s64 sum = is_signed ? exact >> form.shift : static_cast<s64>(static_cast<u64>(exact) >> form.shift);
    if (!form.saturates) return static_cast<u32>(sum);
    const s64 low = is_signed ? -(s64{1} << 31) : 0, high = (s64{1} << (is_signed ? 31 : 32)) - 1;
    return static_cast<u32>(std::clamp(sum, low, high));
}
/// Thread i has value i % 8 as a and i / 8 as b.
std::string operands() {
    std::string body = "and.b32 %s5, %tid, 7; shr.u32 %s6, %tid, 3; mov.u32 %s2, 0; mov.u32 %s3, 0;";
    for (std::size_t i = 0; i < values.size(); ++i)
        body += fmt::format(
            "setp.eq.u32 %p0, %s5, {0}; @%p0 mov.u32 %s2, {1:#x}; setp.eq.u32 %p0, %s6, {0}; @%p0 mov.u32 %s3, {1:#x};",
            i, values.at(i));
    return body;
}
const Shape all{{1, 1, 1}, {64, 1, 1}};

}  // namespace

TEST_CASE("vmad in all its forms", "[engine][video]") {
    for (const u32 c : {0U, 5U, 0x80000000U, 0xFFFFFFFFU})
        for (int form = 0; form < 4 * 4 * 3 * 2; ++form) {
            const int signs = form / 4 % 4;  // none, -a, -c, .po
            const Form wanted{form % 2 == 1,
                              form / 2 % 2 == 1,
                              signs == 1,
                              signs == 2,
                              signs == 3,
                              form / 48 % 2 == 1,
                              std::array{0, 7, 15}.at(static_cast<std::size_t>(form / 16 % 3))};
            const std::string text =
                fmt::format("vmad.s32.{}32.{}32{}{}{} %r, {}%s2, %s3, {}%s4;", wanted.a_signed ? 's' : 'u',
                            wanted.b_signed ? 's' : 'u', wanted.plus_one ? ".po" : "", wanted.saturates ? ".sat" : "",
                            wanted.shift == 0 ? "" : fmt::format(".shr{}", wanted.shift),
                            wanted.minus_product ? "-" : "", wanted.minus_c ? "-" : "");
            expect_threads(
                operands() + fmt::format("mov.u32 %s4, {:#x}; ", c) + text,
                [&](u32 i) { return meaning(wanted, values.at(i % 8), values.at(i / 8), c); }, all);
        }
}

TEST_CASE("vmad of parts of words", "[engine][video]") {
    const std::string body = "mov.u32 %s2, 0x89ABCDEF; mov.u32 %s3, 0x01FE0380; mov.u32 %s4, 1000; ";
    const auto expect = [&](std::string_view text, s32 want) {
        INFO(text);
        expect_threads(body + std::string(text), [&](u32) { return static_cast<u32>(want); });
    };
    expect("vmad.s32.u32.u32 %r, %s2.b1, %s3.b0, %s4;", 0xCD * 0x80 + 1000);
    expect("vmad.s32.s32.s32 %r, %s2.b1, %s3.b0, %s4;", (0xCD - 256) * -128 + 1000);
    expect("vmad.s32.s32.u32 %r, %s2.h1, %s3.h0, %s4;", (0x89AB - 65536) * 0x380 + 1000);
    expect("vmad.s32.u32.u32 %r, -%s2.b3, %s3.b2, %s4;", -0x89 * 0xFE + 1000);
    expect("vmad.s32.u32.u32 %r, -%s2.b3, -%s3.b2, %s4;", 0x89 * 0xFE + 1000);
    expect("vmad.s32.u32.u32 %r, %s2.b3, %s3.b2, -%s4;", 0x89 * 0xFE - 1000);
    // No other instruction takes a register with a minus.
    const Threads refused = run_threads("add.u32 %r, -%tid, %tid;");
    REQUIRE(refused.report.fault);
    CHECK(refused.report.fault->message.find("a register with a minus") != std::string::npos);
    CHECK_THROWS_AS(run_threads("mov.u32 %r, -%ctaid.x;"), gpuproj::simulate::PtxError);
}
