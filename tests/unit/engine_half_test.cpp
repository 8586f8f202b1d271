// f16, bf16 and their pairs against their C++ meaning (PTX ISA 9.7.4): exact in double, rounded once.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/half.hpp"
#include "tests/support/ptx_runner.hpp"

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

TEST_CASE("half precision functions are within an ulp or two", "[engine][half]") {
    const auto near = [](f16 got, f16 want) {
        return Exactly{}(got, want) || std::abs(static_cast<int>(got.bits) - static_cast<int>(want.bits)) <= 2;
    };
    check<f16, f16>("ex2.approx.f16", lift<f16>([](f64 a) { return std::exp2(a); }), near, 40);
    check<f16, f16>("tanh.approx.f16", lift<f16>([](f64 a) { return std::tanh(a); }), near, 40);
}
