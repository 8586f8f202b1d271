// cvt against its C++ meaning (PTX ISA 9.7.9.21): clamping, rounding, saturation, narrowing, NaN.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>

#include "tests/support/half.hpp"
#include "tests/support/ptx_threads.hpp"
using namespace gpuproj::test;

namespace {

template <class D, class S>
std::string cvt(std::string_view mode) {
    return "cvt" + std::string(mode) + "." + type_name<D>() + "." + type_name<S>();
}

template <class D, class S>
D clamped(S x) {
    const __int128 value = x;
    const __int128 low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max();
    return static_cast<D>(std::min(std::max(value, low), high));
}

template <class D, class... S>
void between_integers() {
    (check<D, S>(cvt<D, S>(""), [](S x) { return static_cast<D>(x); }), ...);
    (check<D, S>(cvt<D, S>(".sat"), [](S x) { return clamped<D>(x); }), ...);
}

/// The ISA on NaN: zero, but 1 << (bits - 1) if the source is f64 or the destination has 64 bits.
template <class D, class S>
D integer_of(S x, f64 rounded) {
    if (std::isnan(x)) {
        const bool zero = !std::is_same_v<S, f64> && sizeof(D) < 8;
        return zero ? D(0) : static_cast<D>(u64{1} << (8 * sizeof(D) - 1));
    }
    // 2^bits is exact in double where the largest integer is not.
    const f64 limit = std::ldexp(1.0, 8 * static_cast<int>(sizeof(D)) - (std::is_signed_v<D> ? 1 : 0));
    if (rounded >= limit) return std::numeric_limits<D>::max();
    if (rounded < (std::is_signed_v<D> ? -limit : 0.0)) return std::numeric_limits<D>::min();
    return static_cast<D>(rounded);
}
template <class S, class... D>
void to_integers() {
    (check<D, S>(cvt<D, S>(".rzi"), [](S x) { return integer_of<D>(x, std::trunc(f64{x})); }), ...);
    (check<D, S>(cvt<D, S>(".rni"), [](S x) { return integer_of<D>(x, std::nearbyint(f64{x})); }), ...);
    (check<D, S>(cvt<D, S>(".rmi"), [](S x) { return integer_of<D>(x, std::floor(f64{x})); }), ...);
    (check<D, S>(cvt<D, S>(".rpi"), [](S x) { return integer_of<D>(x, std::ceil(f64{x})); }), ...);
}

template <class D, class S>
D directed(int mode, S x) {
    const int before = std::fegetround();
    std::fesetround(mode);
    volatile S from = x;
    volatile D to = static_cast<D>(from);
    std::fesetround(before);
    return to;
}
template <class D, class... S>
void to_real() {
    (check<D, S>(cvt<D, S>(".rn"), [](S x) { return static_cast<D>(x); }), ...);
    (check<D, S>(cvt<D, S>(".rz"), [](S x) { return directed<D>(FE_TOWARDZERO, x); }), ...);
    (check<D, S>(cvt<D, S>(".rm"), [](S x) { return directed<D>(FE_DOWNWARD, x); }), ...);
    (check<D, S>(cvt<D, S>(".rp"), [](S x) { return directed<D>(FE_UPWARD, x); }), ...);
}

template <class T>
void to_integral_values() {
    check<T, T>(cvt<T, T>(".rni"), [](T x) { return std::nearbyint(x); });
    check<T, T>(cvt<T, T>(".rzi"), [](T x) { return std::trunc(x); });
    check<T, T>(cvt<T, T>(".rmi"), [](T x) { return std::floor(x); });
    check<T, T>(cvt<T, T>(".rpi"), [](T x) { return std::ceil(x); });
}

f32 flush(f32 x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}

}  // namespace

TEST_CASE("integers to integers", "[engine][convert]") {
    between_integers<u8, s8, u16, s16, u32, s32, u64, s64>();
    between_integers<s8, u8, u16, s16, u32, s32, u64, s64>();
    between_integers<u16, u8, s8, s16, u32, s32, u64, s64>();
    between_integers<s16, u8, s8, u16, u32, s32, u64, s64>();
    between_integers<u32, u8, s8, u16, s16, s32, u64, s64>();
    between_integers<s32, u8, s8, u16, s16, u32, u64, s64>();
    between_integers<u64, u8, s8, u16, s16, u32, s32, s64>();
    between_integers<s64, u8, s8, u16, s16, u32, s32, u64>();
    // Registers wider than the types: only the low bits of the source count, the result is extended.
    check_body<u32, u32>("cvt.u32.u8 %d, %a;", [](u32 a) { return a & 0xFF; });
    check_body<s32, s32>("cvt.s32.s8 %d, %a;", [](s32 a) { return s32{static_cast<s8>(a)}; });
    check_body<u32, u32>("cvt.s8.s32 %d, %a;", [](u32 a) { return static_cast<u32>(s32{static_cast<s8>(a)}); });
    check_body<u32, u32>("cvt.u8.u32 %d, %a;", [](u32 a) { return a & 0xFF; });
    check_body<u32, s32>("cvt.sat.u8.s32 %d, %a;", [](s32 a) { return static_cast<u32>(std::clamp(a, 0, 255)); });
    check_body<u64, u32>("cvt.s64.s16 %d, %a;", [](u32 a) { return static_cast<u64>(s64{static_cast<s16>(a)}); });
}

TEST_CASE("numbers to integers clamp, and NaN is what the machine makes of it", "[engine][convert]") {
    to_integers<f32, u8, s8, u16, s16, u32, s32, u64, s64>();
    to_integers<f64, u8, s8, u16, s16, u32, s32, u64, s64>();
    check<s32, f32>("cvt.rzi.ftz.s32.f32", [](f32 x) { return integer_of<s32>(x, std::trunc(f64{x})); });
    check<s32, f32>("cvt.rpi.ftz.s32.f32", [](f32 x) { return integer_of<s32>(x, std::ceil(f64{flush(x)})); });
}

TEST_CASE("integers to numbers", "[engine][convert]") {
    to_real<f32, u8, s8, u16, s16, u32, s32, u64, s64>();
    to_real<f64, u8, s8, u16, s16, u32, s32, u64, s64>();
}

TEST_CASE("numbers to numbers", "[engine][convert]") {
    check<f64, f32>("cvt.f64.f32", [](f32 x) { return f64{x}; });
    to_real<f32, f64>();
    check<f32, f64>("cvt.rn.ftz.f32.f64", [](f64 x) { return flush(static_cast<f32>(x)); });
    check<f32, f64>("cvt.rn.sat.f32.f64", [](f64 x) { return x > 0 ? static_cast<f32>(std::min(x, 1.0)) : 0.0F; });
    to_integral_values<f32>();
    to_integral_values<f64>();
    check<f32, f32>("cvt.sat.f32.f32", [](f32 x) { return x > 0 ? std::min(x, 1.0F) : 0.0F; });
    check<f32, f32>("cvt.ftz.f32.f32", flush);
    const auto between = [](auto x) { return x > 0 ? 1.0F : 0.0F; };
    check<f32, s32>("cvt.rn.sat.f32.s32", between);
    check<f32, u64>("cvt.rz.sat.f32.u64", between);
    check<f64, s16>("cvt.rn.sat.f64.s16", [](s16 x) { return x > 0 ? 1.0 : 0.0; });
}

namespace {

/// A format of 8 bits and fewer, and what its bits stand for: from the definitions in PTX ISA 5.2.3.
struct Small {
    const char* name;
    int exponent_bits, fraction_bits, bias;
    u32 largest;  // finite bits
    bool nan;     // has one
    u32 codes() const { return 2U << (exponent_bits + fraction_bits); }
    f64 value(u32 bits) const {
        const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
        const int exponent = static_cast<int>(bits) >> fraction_bits & ((1 << exponent_bits) - 1);
        const f64 size = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                       : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
        const u32 magnitude = bits & (codes() / 2 - 1);
        if (magnitude > largest) return exponent_bits == 5 && fraction == 0 ? INFINITY : NAN;
        return bits >= codes() / 2 ? -size : size;
    }
    /// The nearest of all numbers, of two the one with an even last bit.
    u32 bits(f64 x) const {
        if (std::isnan(x)) return nan ? 0x7F : largest;
        u32 best = 0;
        for (u32 candidate = 1; candidate <= largest; ++candidate) {
            const f64 off = std::fabs(value(candidate) - std::fabs(x)), before = std::fabs(value(best) - std::fabs(x));
            if (off < before || (off == before && candidate % 2 == 0)) best = candidate;
        }
        if (std::fabs(x) >= value(largest)) best = largest;
        return std::signbit(x) ? best | codes() / 2 : best;
    }
};
const std::vector<Small> smalls{{"e4m3", 4, 3, 7, 0x7E, true},
                                {"e5m2", 5, 2, 15, 0x7B, true},
                                {"e2m3", 2, 3, 1, 0x1F, false},
                                {"e3m2", 3, 2, 3, 0x1F, false},
                                {"e2m1", 2, 1, 1, 0x07, false}};

}  // namespace

TEST_CASE("to 8 bits and fewer: nearest, and never more than the largest number", "[engine][convert]") {
    for (const Small& small : smalls) {
        CAPTURE(small.name);
        const u32 shift = small.codes() == 16 ? 4 : 8;
        const std::string opcode = fmt::format("cvt.rn.satfinite.{}x2.f32", small.name);
        const auto pair = [&](f64 a, f64 b) { return static_cast<u16>(small.bits(a) << shift | small.bits(b)); };
        check<u16, f32, f32>(
            opcode, [&](f32 a, f32 b) { return pair(f64{a}, f64{b}); }, Exactly{}, 40);
        // Halfway between neighbours, and a little beside.
        for (u32 code = 0; code < small.largest; ++code) {
            const f64 middle = (small.value(code) + small.value(code + 1)) / 2;
            const auto a = static_cast<f32>(middle), b = std::nextafter(a, 1e9F), c = std::nextafter(a, -1e9F);
            const auto bits = [](f32 x) { return bits_of(x); };
            const auto got = run_threads(fmt::format("mov.b32 %f0, {}; mov.b32 %f1, {}; mov.b32 %f2, {}; "
                                                     "{} %h0, %f0, %f1; {} %h1, %f2, %f2; mov.b32 %r, {{%h0, %h1}};",
                                                     bits(a), bits(b), bits(c), opcode, opcode))
                                 .values[0];
            REQUIRE((got & 0xFFFF) == pair(f64{a}, f64{b}));
            REQUIRE(got >> 16 == pair(f64{c}, f64{c}));
            if (code % 16 != 0 && small.codes() > 64) code += 5;  // each run costs a launch
        }
        const auto relu = run_threads(fmt::format("{} %h0, 0fC0000000, 0f3F800000; cvt.u32.u16 %r, %h0;",
                                                  "cvt.rn.satfinite.relu." + std::string(small.name) + "x2.f32"));
        CHECK(relu.values[0] == pair(0, 1));
    }
}

TEST_CASE("bytes side by side in a register, as pairs of four bits are packed", "[engine][convert]") {
    const std::string_view bytes = "{ .reg .b8 a, b, c, d; ";
    // e2m1: 0.5 is 1, 1.5 is 3, -6 is 15; the second operand is the lower half.
    const std::string packs =
        "cvt.rn.satfinite.e2m1x2.f32 a, 0f3FC00000, 0f3F000000; cvt.rn.satfinite.e2m1x2.f32 b, 0f3F000000, 0f3FC00000; "
        "cvt.rn.satfinite.e2m1x2.f32 c, 0fC0C00000, 0f3F000000; cvt.rn.satfinite.e2m1x2.f32 d, 0f00000000, "
        "0fC0C00000; ";
    expect_threads(std::string(bytes) + packs + "mov.b32 %r, {a, b, c, d}; }", [](u32) { return 0x0FF11331; });
    expect_threads(std::string(bytes) + packs + "mov.b32 %r, {d, 7, b, a}; }", [](u32) { return 0x3113070F; });
    expect_threads("mad.lo.u32 %s2, %tid, 0x01010101, 0x40302010; " + std::string(bytes) +
                       "mov.b32 {a, b, c, d}, %s2; mov.b32 %r, {d, a, c, b}; }",
                   [](u32 i) { return 0x20301040 + i * 0x01010101; });
    expect_threads("mad.lo.u32 %s2, %tid, 0x0101, 0x2010; cvt.u16.u32 %h0, %s2; " + std::string(bytes) +
                       "mov.b16 {a, b}, %h0; mov.b16 %h1, {b, a}; cvt.u32.u16 %r, %h1; }",
                   [](u32 i) { return 0x1020 + i * 0x0101; });
}

TEST_CASE("from 8 bits and fewer to halves, every number exactly", "[engine][convert]") {
    for (const Small& small : smalls) {
        CAPTURE(small.name);
        const u32 shift = small.codes() == 16 ? 4 : 8, codes = small.codes();
        const auto half = [&](u32 code) {
            const f64 value = small.value(code);
            if (std::isinf(value)) return u32{code >= codes / 2 ? 0xFC00U : 0x7C00U};
            return u32{round_to<f16>(value).bits};
        };
        expect_threads(fmt::format("mul.lo.u32 %s2, %i, {}; and.b32 %s2, %s2, {}; cvt.u16.u32 %h0, %s2; "
                                   "cvt.rn.f16x2.{}x2 %r, %h0;",
                                   (1U << shift) + 1, (1U << 2 * shift) - 1, small.name),
                       [&](u32 i) { return half(i % codes) | half(i % codes) << 16; },
                       {{codes / 16, 1, 1}, {16, 1, 1}});
    }
    // From halves: e4m3 has no more than 448, and e5m2 is a half without its last bits.
    CHECK(run_threads("cvt.rn.satfinite.e4m3x2.f16x2 %h0, 0xFC003C00; cvt.u32.u16 %r, %h0;").values[0] == 0xFE38);
    CHECK(run_threads("cvt.rn.satfinite.e5m2x2.f16x2 %h0, 0x7BFF3C80; cvt.u32.u16 %r, %h0;").values[0] == 0x7B3C);
}

TEST_CASE("halves that saturate, and tf32 by every rounding", "[engine][convert]") {
    check<f16, f32>("cvt.rn.satfinite.f16.f32", [](f32 x) {
        const f16 h = round_to<f16>(f64{x});
        return (h.bits & 0x7FFF) == 0x7C00 ? f16{static_cast<u16>(h.bits - 1)} : h;
    });
    check<bf16, f32>("cvt.rn.satfinite.bf16.f32", [](f32 x) {
        const bf16 h = round_to<bf16>(f64{x});
        return (h.bits & 0x7FFF) == 0x7F80 ? bf16{static_cast<u16>(h.bits - 1)} : h;
    });
    // 13 bits of the fraction go. In units of the last that stays:
    const auto rounded = [](f32 x, auto&& rule) {
        if (!std::isfinite(x)) return x;
        const f64 unit = std::ldexp(1.0, std::max(std::ilogb(x), -126) - 10);
        return x == 0 ? x : static_cast<f32>(rule(f64{x} / unit) * unit);
    };
    check<f32, f32>("cvt.rn.tf32.f32", [&](f32 x) { return rounded(x, [](f64 v) { return std::nearbyint(v); }); });
    check<f32, f32>("cvt.rna.tf32.f32", [&](f32 x) { return rounded(x, [](f64 v) { return std::round(v); }); });
    check<f32, f32>("cvt.rz.tf32.f32", [&](f32 x) { return rounded(x, [](f64 v) { return std::trunc(v); }); });
}

TEST_CASE("half precision conversions", "[engine][convert]") {
    check<f32, f16>(
        "cvt.f32.f16", [](f16 h) { return static_cast<f32>(value_of(h)); }, Exactly{}, 100);
    check<f64, f16>(
        "cvt.f64.f16", [](f16 h) { return value_of(h); }, Exactly{}, 100);
    check<f32, bf16>(
        "cvt.f32.bf16", [](bf16 h) { return static_cast<f32>(value_of(h)); }, Exactly{}, 100);
    check<f16, f32>(
        "cvt.rn.f16.f32", [](f32 x) { return round_to<f16>(f64{x}); }, Exactly{}, 100);
    check<f16, f64>(
        "cvt.rn.f16.f64", [](f64 x) { return round_to<f16>(x); }, Exactly{}, 100);
    check<bf16, f32>(
        "cvt.rn.bf16.f32", [](f32 x) { return round_to<bf16>(f64{x}); }, Exactly{}, 100);
    const auto toward_zero = [](f32 x) {
        f16 h = round_to<f16>(f64{x});
        if (std::isfinite(x) && std::fabs(value_of(h)) > std::fabs(f64{x})) --h.bits;
        return h;
    };
    check<f16, f32>("cvt.rz.f16.f32", toward_zero, Exactly{}, 100);
    check<f16, s32>(
        "cvt.rn.f16.s32", [](s32 x) { return round_to<f16>(static_cast<f64>(x)); }, Exactly{}, 100);
    check<f16, u64>(
        "cvt.rn.f16.u64", [](u64 x) { return round_to<f16>(static_cast<f64>(x)); }, Exactly{}, 40);
    check<s32, f16>(
        "cvt.rzi.s32.f16",
        [](f16 h) { return integer_of<s32>(static_cast<f32>(value_of(h)), std::trunc(value_of(h))); }, Exactly{}, 100);
    check<u8, f16>(
        "cvt.rni.u8.f16",
        [](f16 h) { return integer_of<u8>(static_cast<f32>(value_of(h)), std::nearbyint(value_of(h))); }, Exactly{},
        100);
    check<f16, f16>(
        "cvt.rni.f16.f16", [](f16 h) { return round_to<f16>(std::nearbyint(value_of(h))); }, Exactly{}, 100);
    const auto pack = [](f16 high, f16 low) { return (u32{high.bits} << 16) | low.bits; };
    const auto equal = [](u32 a, u32 b) {
        return Exactly{}(f16{static_cast<u16>(a)}, f16{static_cast<u16>(b)}) &&
               Exactly{}(f16{static_cast<u16>(a >> 16)}, f16{static_cast<u16>(b >> 16)});
    };
    check<u32, f32, f32>(
        "cvt.rn.f16x2.f32", [&](f32 a, f32 b) { return pack(round_to<f16>(f64{a}), round_to<f16>(f64{b})); }, equal);
    check<u32, f32, f32>(
        "cvt.rn.relu.f16x2.f32",
        [&](f32 a, f32 b) {
            const auto relu = [](f32 x) { return std::isnan(x) || x > 0 ? f64{x} : 0.0; };
            return pack(round_to<f16>(relu(a)), round_to<f16>(relu(b)));
        },
        equal);
    check<u32, f32, f32>(
        "cvt.rn.bf16x2.f32",
        [&](f32 a, f32 b) { return (u32{round_to<bf16>(f64{a}).bits} << 16) | round_to<bf16>(f64{b}).bits; },
        [](u32 a, u32 b) {
            return Exactly{}(bf16{static_cast<u16>(a)}, bf16{static_cast<u16>(b)}) &&
                   Exactly{}(bf16{static_cast<u16>(a >> 16)}, bf16{static_cast<u16>(b >> 16)});
        });
    // Round to nearest, ties away from zero, to 10 bits of fraction.
    check_body<u32, f32>(
        "cvt.rna.tf32.f32 %d, %a;",
        [](f32 x) {
            u32 bits = static_cast<u32>(bits_of(x));
            if (!std::isfinite(x)) return bits;
            return (bits + 0x1000U) & ~0x1FFFU;
        },
        [](u32 a, u32 b) { return a == b || ((a & 0x7FFFFFFF) > 0x7F800000 && (b & 0x7FFFFFFF) > 0x7F800000); }, 100);
}

TEST_CASE("packed conversions limit two numbers and keep lower bits of a third", "[engine][convert]") {
    const auto gives = [](const char* instruction, u32 want) {
        INFO(instruction);
        expect_threads(instruction, [&](u32) { return want; });
    };
    gives("cvt.pack.sat.s2.s32.b32 %r, 1, -5, 0x12345678;", 0x23456786);
    gives("cvt.pack.sat.u2.s32.b32 %r, 7, 2, 0;", 0xE);
    gives("cvt.pack.sat.s4.s32.b32 %r, -9, 7, 0xABCDEF12;", 0xCDEF1287);
    gives("cvt.pack.sat.u4.s32.b32 %r, -1, 16, 0xFFFFFFFF;", 0xFFFFFF0F);
    gives("cvt.pack.sat.s8.s32.b32 %r, 200, -200, 0x12345678;", 0x56787F80);
    gives("cvt.pack.sat.u8.s32.b32 %r, 256, -1, 0xAAAA;", 0xAAAAFF00);
    gives("cvt.pack.sat.s16.s32 %r, 40000, -40000;", 0x7FFF8000);
    gives("cvt.pack.sat.u16.s32 %r, 70000, -1;", 0xFFFF0000);
    for (const char* wrong : {"cvt.pack.s8.s32.b32 %r, 1, 2, 3;", "cvt.pack.sat.s8.s32 %r, 1, 2;",
                              "cvt.pack.sat.u16.s32.b32 %r, 1, 2, 3;", "cvt.pack.sat.s8 %r, 1, 2, 3;"}) {
        INFO(wrong);
        const auto fault = run_threads(wrong).report.fault;
        REQUIRE(fault);
        CHECK_THAT(fault->message, Catch::Contains("this form of cvt.pack"));
    }
    const auto limited = [](s32 x, s32 low, s32 high) { return static_cast<u32>(std::clamp(x, low, high)); };
    check<u32, s32, s32, u32>("cvt.pack.sat.s8.s32.b32", [&](s32 a, s32 b, u32 c) {
        return c << 16 | (limited(a, -128, 127) & 0xFF) << 8 | (limited(b, -128, 127) & 0xFF);
    });
    check<u32, s32, s32, u32>("cvt.pack.sat.u4.s32.b32",
                              [&](s32 a, s32 b, u32 c) { return c << 8 | limited(a, 0, 15) << 4 | limited(b, 0, 15); });
    check<u32, s32, s32>("cvt.pack.sat.s16.s32", [&](s32 a, s32 b) {
        return limited(a, -32768, 32767) << 16 | (limited(b, -32768, 32767) & 0xFFFF);
    });
}
