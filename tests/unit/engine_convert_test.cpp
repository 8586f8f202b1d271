// cvt against its C++ meaning (PTX ISA 9.7.9.21): clamping, rounding, saturation, narrowing, NaN.
#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>

#include "tests/support/half.hpp"
#include "tests/support/ptx_runner.hpp"

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
