// f32 and f64 arithmetic against its C++ meaning (PTX ISA 9.7.3), with rounding, flushing and saturation.
#include <fmt/format.h>
#include <xmmintrin.h>

#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>

#include "tests/support/ptx_runner.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;

namespace {

f32 flush(f32 x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}
template <class T>
T saturate(T x) {
    return x > 0 ? std::min(x, T(1)) : T(0);  // NaN and -0 give +0
}

template <class T>
T rounded(int mode, T (*f)(T, T, T), T a, T b, T c) {
    const int before = std::fegetround();
    std::fesetround(mode);
    const T result = f(a, b, c);
    std::fesetround(before);
    return result;
}
// Through volatile, so that the compiler computes when asked.
template <class T>
T plus(T a, T b, T) {
    volatile T x = a, y = b;
    volatile T r = x + y;
    return r;
}
template <class T>
T minus(T a, T b, T) {
    volatile T x = a, y = b;
    volatile T r = x - y;
    return r;
}
template <class T>
T times(T a, T b, T) {
    volatile T x = a, y = b;
    volatile T r = x * y;
    return r;
}
template <class T>
T over(T a, T b, T) {
    volatile T x = a, y = b;
    volatile T r = x / y;
    return r;
}
template <class T>
T root(T a, T, T) {
    volatile T x = a;
    volatile T r = std::sqrt(static_cast<T>(x));
    return r;
}
template <class T>
T multiply_add(T a, T b, T c) {
    volatile T x = a, y = b, z = c;
    volatile T r = std::fma(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z));
    return r;
}

template <class T>
void rounding_modes() {
    struct Mode {
        const char* name;
        int environment;
    };
    const std::string type = std::string(".") + type_name<T>();
    for (const Mode mode :
         {Mode{".rn", FE_TONEAREST}, Mode{".rz", FE_TOWARDZERO}, Mode{".rm", FE_DOWNWARD}, Mode{".rp", FE_UPWARD}}) {
        const std::string suffix = mode.name + type;
        const auto with = [&](T (*f)(T, T, T)) {
            return [=](T a, T b) { return rounded(mode.environment, f, a, b, T(0)); };
        };
        check<T, T, T>("add" + suffix, with(plus<T>));
        check<T, T, T>("sub" + suffix, with(minus<T>));
        check<T, T, T>("mul" + suffix, with(times<T>));
        check<T, T, T>("div" + suffix, with(over<T>));
        check<T, T>("rcp" + suffix, [=](T a) { return rounded(mode.environment, over<T>, T(1), a, T(0)); });
        check<T, T>("sqrt" + suffix, [=](T a) { return rounded(mode.environment, root<T>, a, T(0), T(0)); });
        check<T, T, T, T>(
            "fma" + suffix, [=](T a, T b, T c) { return rounded(mode.environment, multiply_add<T>, a, b, c); },
            Exactly{}, 2);
        check<T, T, T, T>(
            "mad" + suffix, [=](T a, T b, T c) { return rounded(mode.environment, multiply_add<T>, a, b, c); },
            Exactly{}, 1);
    }
}

/// IEEE 754-2019 minimumNumber and maximumNumber: -0 below +0, a number beats NaN.
template <class T>
T least(T a, T b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == 0 && b == 0) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
template <class T>
T greatest(T a, T b) {
    return -least<T>(-a, -b);
}

template <class T>
void plain() {
    const std::string type = std::string(".") + type_name<T>();
    check<T, T, T>("add" + type, [](T a, T b) { return a + b; });
    check<T, T, T>("mul" + type, [](T a, T b) { return a * b; });
    check<T, T, T>("min" + type, least<T>);
    check<T, T, T>("max" + type, greatest<T>);
    check<T, T>("neg" + type, [](T a) { return -a; });
    check<T, T>("abs" + type, [](T a) { return std::fabs(a); });
    check<T, T, T>("copysign" + type, [](T a, T b) { return std::copysign(b, a); });
    const auto property = [&](const char* name, auto meaning) {
        check_body<u32, T>("testp." + std::string(name) + type + " %p, %a; selp.u32 %d, 1, 0, %p;",
                           [&](T a) { return meaning(a) ? 1U : 0U; });
    };
    property("finite", [](T a) { return std::isfinite(a); });
    property("infinite", [](T a) { return std::isinf(a); });
    property("number", [](T a) { return !std::isnan(a); });
    property("notanumber", [](T a) { return std::isnan(a); });
    property("normal", [](T a) { return std::isnormal(a) || a == 0; });
    property("subnormal", [](T a) { return std::fpclassify(a) == FP_SUBNORMAL; });
}

}  // namespace

TEST_CASE("f32 and f64 arithmetic in all rounding modes", "[engine][floating]") {
    plain<f32>();
    plain<f64>();
    rounding_modes<f32>();
    rounding_modes<f64>();
}

TEST_CASE("flushing and saturation", "[engine][floating]") {
    check<f32, f32, f32>("add.ftz.f32", [](f32 a, f32 b) { return flush(flush(a) + flush(b)); });
    check<f32, f32, f32>("sub.rn.ftz.f32", [](f32 a, f32 b) { return flush(flush(a) - flush(b)); });
    check<f32, f32, f32>("mul.ftz.f32", [](f32 a, f32 b) { return flush(flush(a) * flush(b)); });
    check<f32, f32, f32>("mul.sat.f32", [](f32 a, f32 b) { return saturate(a * b); });
    check<f32, f32, f32>("add.sat.f32", [](f32 a, f32 b) { return saturate(a + b); });
    check<f32, f32, f32>("sub.ftz.sat.f32", [](f32 a, f32 b) { return saturate(flush(flush(a) - flush(b))); });
    check<f32, f32, f32, f32>(
        "fma.rn.ftz.f32", [](f32 a, f32 b, f32 c) { return flush(std::fma(flush(a), flush(b), flush(c))); }, Exactly{},
        2);
    check<f32, f32, f32, f32>(
        "fma.rn.sat.f32", [](f32 a, f32 b, f32 c) { return saturate(std::fma(a, b, c)); }, Exactly{}, 2);
    check<f32, f32, f32, f32>(
        "fma.rz.ftz.sat.f32",
        [](f32 a, f32 b, f32 c) {
            return saturate(flush(rounded(FE_TOWARDZERO, multiply_add<f32>, flush(a), flush(b), flush(c))));
        },
        Exactly{}, 1);
    check<f32, f32, f32>("div.rn.ftz.f32", [](f32 a, f32 b) { return flush(flush(a) / flush(b)); });
    check<f32, f32>("rcp.rn.ftz.f32", [](f32 a) { return flush(1 / flush(a)); });
    check<f32, f32>("sqrt.rn.ftz.f32", [](f32 a) { return std::sqrt(flush(a)); });
    check<f32, f32>("neg.ftz.f32", [](f32 a) { return flush(-a); });
    check<f32, f32, f32, f32>("slct.ftz.f32.f32", [](f32 a, f32 b, f32 c) { return flush(c) >= 0 ? a : b; });
    check<f32, f32>("abs.ftz.f32", [](f32 a) { return flush(std::fabs(a)); });
    check<f32, f32, f32>("min.ftz.f32", [](f32 a, f32 b) { return least(flush(a), flush(b)); });
    check<f32, f32, f32>("max.ftz.f32", [](f32 a, f32 b) { return greatest(flush(a), flush(b)); });
    const auto nan_wins = [](auto f) {
        return [=](f32 a, f32 b) { return std::isnan(a) || std::isnan(b) ? NAN : f(a, b); };
    };
    check<f32, f32, f32>("min.NaN.f32", nan_wins(least<f32>));
    check<f32, f32, f32>("max.NaN.f32", nan_wins(greatest<f32>));
    check<f32, f32, f32>("max.ftz.NaN.f32", [&](f32 a, f32 b) { return nan_wins(greatest<f32>)(flush(a), flush(b)); });
}

TEST_CASE("approximate functions stay within the errors that the PTX ISA promises", "[engine][floating]") {
    // The ISA gives 2 ulp for division, 1 ulp for rcp, 2^-22.9 or so for sqrt, rsqrt, ex2 and lg2 (9.7.3).
    const Within close{5e-7};
    // A divisor above 2^126 has no reciprocal: the quotient is zero, and of infinity NaN.
    check<f32, f32, f32>(
        "div.approx.f32", [](f32 a, f32 b) { return std::fabs(b) > 0x1p126F ? a * std::copysign(0.0F, b) : a / b; },
        close);
    check<f32, f32, f32>(
        "div.full.f32", [](f32 a, f32 b) { return a / b; }, close);
    check<f32, f32, f32>(
        "div.full.ftz.f32", [](f32 a, f32 b) { return flush(flush(a) / flush(b)); }, close);
    check<f32, f32>(
        "rcp.approx.f32", [](f32 a) { return 1 / a; }, close);
    check<f32, f32>(
        "rcp.approx.ftz.f32", [](f32 a) { return flush(1 / flush(a)); }, close);
    check<f32, f32>(
        "sqrt.approx.f32", [](f32 a) { return std::sqrt(a); }, close);
    check<f32, f32>(
        "rsqrt.approx.f32", [](f32 a) { return static_cast<f32>(1 / std::sqrt(f64{a})); }, close);
    check<f32, f32>(
        "rsqrt.approx.ftz.f32", [](f32 a) { return static_cast<f32>(1 / std::sqrt(f64{flush(a)})); }, close);
    check<f32, f32>(
        "ex2.approx.f32", [](f32 a) { return static_cast<f32>(std::exp2(f64{a})); }, close);
    check<f32, f32>(
        "ex2.approx.ftz.f32", [](f32 a) { return flush(static_cast<f32>(std::exp2(f64{flush(a)}))); }, close);
    check<f32, f32>(
        "lg2.approx.f32", [](f32 a) { return static_cast<f32>(std::log2(f64{a})); }, close);
    check<f32, f32>(
        "lg2.approx.ftz.f32", [](f32 a) { return static_cast<f32>(std::log2(f64{flush(a)})); }, close);
    check<f32, f32>(
        "tanh.approx.f32", [](f32 a) { return std::tanh(a); }, close);
    check<f32, f32>(
        "sin.approx.f32", [](f32 a) { return static_cast<f32>(std::sin(f64{a})); }, close);
    check<f32, f32>(
        "cos.approx.f32", [](f32 a) { return static_cast<f32>(std::cos(f64{a})); }, close);
    check<f64, f64>(
        "rsqrt.approx.f64", [](f64 a) { return 1 / std::sqrt(a); }, Within{1e-6});
    // Only the upper half of the result is there; subnormal operands and results are flushed.
    const auto flush64 = [](f64 x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x; };
    check<f64, f64>(
        "rcp.approx.ftz.f64", [&](f64 a) { return flush64(1 / flush64(a)); }, Within{1e-6});
    check<f64, f64>(
        "rsqrt.approx.ftz.f64", [&](f64 a) { return 1 / std::sqrt(flush64(a)); }, Within{1e-6});
}

TEST_CASE("pairs of single precision are computed each for itself", "[engine][floating]") {
    const auto both = [](const char* root, const char* operands) {
        return fmt::format(
            "mov.b64 %l0, {{%a, %b}}; mov.b64 %l1, {{%b, %c}}; mov.b64 %l2, {{%c, %a}}; "
            "{}.f32x2 %l3, {}; mov.b64 {{%s0, %s1}}, %l3; ",
            root, operands);
    };
    for (const bool high : {false, true}) {
        const std::string keep = high ? "mov.b32 %d, %s1;" : "mov.b32 %d, %s0;";
        check_body<f32, f32, f32, f32>(both("add.rn", "%l0, %l1") + keep,
                                       [&](f32 a, f32 b, f32 c) { return high ? b + c : a + b; });
        check_body<f32, f32, f32, f32>(both("sub.rn", "%l0, %l1") + keep,
                                       [&](f32 a, f32 b, f32 c) { return high ? b - c : a - b; });
        check_body<f32, f32, f32, f32>(both("mul.rn", "%l0, %l1") + keep,
                                       [&](f32 a, f32 b, f32 c) { return high ? b * c : a * b; });
        check_body<f32, f32, f32, f32>(both("fma.rn", "%l0, %l1, %l2") + keep, [&](f32 a, f32 b, f32 c) {
            return high ? std::fma(b, c, a) : std::fma(a, b, c);
        });
        check_body<f32, f32, f32, f32>(both("add.rz", "%l0, %l1") + keep, [&](f32 a, f32 b, f32 c) {
            const int before = std::fegetround();
            std::fesetround(FE_TOWARDZERO);
            volatile f32 x = high ? b : a, y = high ? c : b;
            volatile f32 sum = x + y;
            std::fesetround(before);
            return f32{sum};
        });
    }
}

TEST_CASE("minimum and maximum of three and of magnitudes", "[engine][floating]") {
    const auto least = [](f32 a, f32 b) {
        return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
    };
    const auto most = [](f32 a, f32 b) {
        return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
    };
    check<f32, f32, f32, f32>("min.f32", [&](f32 a, f32 b, f32 c) { return least(least(a, b), c); });
    check<f32, f32, f32, f32>("max.f32", [&](f32 a, f32 b, f32 c) { return most(most(a, b), c); });
    check<f32, f32, f32, f32>("max.NaN.f32", [&](f32 a, f32 b, f32 c) {
        return std::isnan(a) || std::isnan(b) || std::isnan(c) ? f32(NAN) : most(most(a, b), c);
    });
    check<f32, f32, f32>("min.xorsign.abs.f32", [&](f32 a, f32 b) {
        const f32 size = least(std::fabs(a), std::fabs(b));
        return std::signbit(a) != std::signbit(b) ? -size : size;
    });
    check<f32, f32, f32>("max.xorsign.abs.f32", [&](f32 a, f32 b) {
        const f32 size = most(std::fabs(a), std::fabs(b));
        return std::signbit(a) != std::signbit(b) ? -size : size;
    });
}

TEST_CASE("how the program rounds on the host, and whether it flushes there, is not the kernel's affair",
          "[engine][floating]") {
    constexpr unsigned flushes = 0x8040, rounds_up = 0x4000;
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | flushes | rounds_up);
    // Half of the least normal number is one that flushing loses; 1 + 2^-30 is 1. In several blocks, for all threads.
    const auto run = run_threads(
        "mov.b32 %f0, 0x00800000; mul.rn.f32 %f0, %f0, 0f3F000000; mov.b32 %s0, %f0;"
        "add.rn.f32 %f1, 0f3F800000, 0f30800000; mov.b32 %s1, %f1; add.u32 %r, %s0, %s1;",
        {.grid = {64, 1, 1}, .block = {32, 1, 1}});
    const unsigned kept = _mm_getcsr();
    _mm_setcsr(before);
    CHECK((kept & (flushes | rounds_up)) == (flushes | rounds_up));
    for (const u32 value : run.values) CHECK(value == 0x00400000U + 0x3F800000U);
}

TEST_CASE("which NaN it is", "[engine][floating]") {
    // As an H100 has it (driver 580).
    const auto expect = [](std::string_view body, u32 want) {
        INFO(body);
        expect_threads(body, [&](u32) { return want; });
    };
    expect("mov.b32 %s2, 0x7FC00000; neg.f32 %r, %s2;", 0x7FFFFFFF);
    expect("mov.b32 %s2, 0xFFC00000; abs.ftz.f32 %r, %s2;", 0x7FFFFFFF);
    expect("mov.b64 %l0, 0x7FF8000000000000; neg.f64 %l1, %l0; mov.b64 {%s2, %r}, %l1;", 0x7FF80000);
    expect("mov.b64 %l0, 0x7FF8000000000000; cvt.rn.f32.f64 %r, %l0;", 0x7FC00000);
    expect("mov.b64 %l0, 0xFFFFF2C7C0000000; cvt.rm.f32.f64 %r, %l0;", 0xFFFF963E);
    expect("mov.b64 %l0, 0x7FF8000000000000; cvt.rn.f16.f64 %h0, %l0; cvt.u32.u16 %r, %h0;", 0x7E00);
    expect("mov.b16 %h0, 0x7FC0; cvt.f32.bf16 %r, %h0;", 0x7FC00000);
    expect("mov.b32 %s2, 0x7FC00000; cvt.rn.tf32.f32 %r, %s2;", 0x7FFFE000);
    expect("st.global.b32 [%out], 0x3F800000; atom.global.add.f32 %s2, [%out], 0f7FC00000; ld.global.b32 %r, [%out];",
           0x7FFFFFFF);
    expect("mov.b64 %l0, 0xBFF0000000000000; rsqrt.approx.ftz.f64 %l1, %l0; mov.b64 {%s2, %r}, %l1;", 0x7FFFFFFF);
    // A result whose lower half is cut off, of the upper half of the operand.
    expect("mov.b64 %l0, 0x3FF0000000000001; rcp.approx.ftz.f64 %l1, %l0; mov.b64 {%s2, %r}, %l1;", 0x3FF00000);
    // .relu leaves no negative zero in 8 bits.
    expect("cvt.rn.satfinite.relu.e4m3x2.f32 %h0, 0f80000000, 0fC0000000; cvt.u32.u16 %r, %h0;", 0);
}
