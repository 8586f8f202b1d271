// f16, bf16 and their pairs against their C++ meaning (PTX ISA 9.7.4): exact in double, rounded once.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/support/half.hpp"
#include "tests/support/ptx_runner.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;

namespace {

template <class H>
const char* name();
template <>
const char* name<f16>() {
    return "f16";
}
template <>
const char* name<bf16>() {
    return "bf16";
}

template <class H>
f64 least(f64 a, f64 b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == 0 && b == 0) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}

template <class H, class F>
auto lift(F f) {
    return [f](auto... h) { return round_to<H>(f(value_of(h)...)); };
}
/// Both halves of a pair.
template <class H, class F>
auto twice(F f) {
    return [f](auto... pairs) {
        const H low = f(H{static_cast<u16>(pairs)}...), high = f(H{static_cast<u16>(pairs >> 16)}...);
        return u32{low.bits} | (u32{high.bits} << 16);
    };
}
/// Equal halves, or both not a number.
template <class H>
struct PairEqual {
    bool operator()(u32 a, u32 b) const {
        return Exactly{}(H{static_cast<u16>(a)}, H{static_cast<u16>(b)}) &&
               Exactly{}(H{static_cast<u16>(a >> 16)}, H{static_cast<u16>(b >> 16)});
    }
};

template <class H>
void arithmetic() {
    const std::string one = std::string(".") + name<H>(), two = one + "x2";
    const auto binary = [&](const std::string& opcode, auto f) {
        check<H, H, H>(opcode + one, lift<H>(f));
        check<u32, u32, u32>(opcode + two, twice<H>(lift<H>(f)), PairEqual<H>{}, 20);
    };
    binary("add", [](f64 a, f64 b) { return a + b; });
    binary("sub", [](f64 a, f64 b) { return a - b; });
    binary("mul", [](f64 a, f64 b) { return a * b; });
    binary("min", least<H>);
    binary("max", [](f64 a, f64 b) { return -least<H>(-a, -b); });
    binary("max.NaN", [](f64 a, f64 b) { return std::isnan(a) || std::isnan(b) ? NAN : -least<H>(-a, -b); });
    // The sign that the product would have, NaN's too.
    const auto of_magnitudes = [&](const std::string& opcode, auto f) {
        const auto of_one = [=](H a, H b) {
            const H size = round_to<H>(f(std::fabs(value_of(a)), std::fabs(value_of(b))));
            const auto sign = static_cast<u16>((a.bits ^ b.bits) & 0x8000);
            return std::isnan(value_of(size)) ? size : H{static_cast<u16>(size.bits | sign)};
        };
        check<H, H, H>(opcode + one, of_one);
        check<u32, u32, u32>(opcode + two, twice<H>(of_one), PairEqual<H>{}, 20);
    };
    of_magnitudes("min.xorsign.abs", least<H>);
    of_magnitudes("max.xorsign.abs", [](f64 a, f64 b) { return -least<H>(-a, -b); });
    // The product is exact in double, the sum of it and c is rounded in one step only if done so here too.
    check<H, H, H, H>("fma.rn" + one, lift<H>(fused), Exactly{}, 4);
    check<u32, u32, u32, u32>("fma.rn" + two, twice<H>(lift<H>(fused)), PairEqual<H>{}, 4);
    const auto relu = [](f64 a, f64 b, f64 c) {
        const f64 x = fused(a, b, c);
        return std::isnan(x) ? x : std::max(x, 0.0) + 0.0;
    };
    check<H, H, H, H>("fma.rn.relu" + one, lift<H>(relu), Exactly{}, 2);
    check<H, H>("neg" + one, [](H a) { return H{static_cast<u16>(a.bits ^ 0x8000)}; });
    check<H, H>("abs" + one, [](H a) { return H{static_cast<u16>(a.bits & 0x7FFF)}; });
    check<u32, u32>(
        "neg" + two, [](u32 a) { return a ^ 0x80008000; }, PairEqual<H>{}, 20);
    check<u32, u32>(
        "abs" + two, [](u32 a) { return a & 0x7FFF7FFF; }, PairEqual<H>{}, 20);
}

}  // namespace

TEST_CASE("half precision", "[engine][half]") {
    arithmetic<f16>();
    arithmetic<bf16>();
    const auto saturate = [](f64 x) { return std::isnan(x) ? 0.0 : std::min(std::max(x, 0.0), 1.0) + 0.0; };
    check<f16, f16, f16>("add.sat.f16", lift<f16>([&](f64 a, f64 b) { return saturate(a + b); }));
    check<f16, f16, f16>("mul.rn.sat.f16", lift<f16>([&](f64 a, f64 b) { return saturate(a * b); }));
    const auto flush = [](f64 x) { return std::fabs(x) < 0x1p-14 ? std::copysign(0.0, x) : x; };
    const auto flushed = [&](auto f) {
        return [=](f16 a, f16 b) {
            return round_to<f16>(flush(value_of(round_to<f16>(f(flush(value_of(a)), flush(value_of(b)))))));
        };
    };
    check<f16, f16, f16>("add.ftz.f16", flushed([](f64 a, f64 b) { return a + b; }));
    check<f16, f16, f16>("mul.ftz.f16", flushed([](f64 a, f64 b) { return a * b; }));
}

TEST_CASE("bf16 numbers of ordinary size, whose products are calculated in float, are rounded once", "[engine][half]") {
    std::mt19937 random(5);
    const auto below = [&](u32 end) { return static_cast<u32>(random()) % end; };
    const auto ordinary = [&] {  // 2^-16 to 2^16, so that halfway cases and what is beside them are frequent; or 0
        const u32 exponent = 127 - 16 + below(33);
        return below(16) == 0 ? 0 : (below(2) << 15) | (exponent << 7) | below(128);
    };
    for (int round = 0; round < 100; ++round) {
        std::array<u32, 96> pairs{};
        std::string words;
        for (u32& pair : pairs) {
            pair = ordinary() | ordinary() << 16;
            words += fmt::format("{}{}", words.empty() ? "" : ", ", pair);
        }
        const Threads result = run_threads(
            "mul.wide.u32 %l1, %tid, 12; mov.u64 %l0, numbers; add.u64 %l0, %l0, %l1; ld.global.u32 %s0, [%l0];\n"
            "ld.global.u32 %s1, [%l0+4]; ld.global.u32 %s2, [%l0+8]; fma.rn.bf16x2 %r, %s0, %s1, %s2;",
            {}, fmt::format(".global .align 4 .b32 numbers[96] = {{{}}};", words));
        REQUIRE_FALSE(result.report.fault);
        for (std::size_t lane = 0; lane < 32; ++lane) {
            const auto half = [&](std::size_t operand, u32 shift) {
                return value_of(bf16{static_cast<u16>(pairs[3 * lane + operand] >> shift)});
            };
            const auto want = [&](u32 shift) {
                return u32{round_to<bf16>(fused(half(0, shift), half(1, shift), half(2, shift))).bits};
            };
            CHECK(result.values[lane] == (want(0) | want(16) << 16));
        }
    }
}

TEST_CASE("half precision functions are within an ulp or two", "[engine][half]") {
    const auto near = [](f16 got, f16 want) {
        return Exactly{}(got, want) || std::abs(static_cast<int>(got.bits) - static_cast<int>(want.bits)) <= 2;
    };
    check<f16, f16>("ex2.approx.f16", lift<f16>([](f64 a) { return std::exp2(a); }), near, 40);
    check<f16, f16>("tanh.approx.f16", lift<f16>([](f64 a) { return std::tanh(a); }), near, 40);
}
