// cvt (PTX ISA 9.7.9.21): any scalar type to any other. Source and destination registers may be wider than the types.
#include <cfenv>
#include <cmath>
#include <limits>
#include <utility>

#include "collector/simulate/engine/handlers/half.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/single.hpp"
#include "collector/simulate/engine/handlers/small_float.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// Inst::mode: the low three bits a Rounding; then flags.
constexpr std::uint8_t ftz_flag = 8, sat_flag = 16, relu_flag = 32, satfinite_flag = 64, away_flag = 128;

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat>;
template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T> || is_half<T>;

[[gnu::always_inline]] inline double flush32(double x) {
    return std::fabs(x) < static_cast<double>(std::numeric_limits<float>::min()) ? std::copysign(0.0, x) : x;
}

template <class S>
inline double real_value(S x) {
    if constexpr (is_half<S>)
        return static_cast<double>(to_float(x));
    else
        return static_cast<double>(x);
}

[[gnu::always_inline]] inline double to_integer_value(double x, Rounding rounding) {
    switch (rounding) {
        case Rounding::integer_zero:
        case Rounding::zero:
            return std::trunc(x);
        case Rounding::integer_down:
        case Rounding::down:
            return std::floor(x);
        case Rounding::integer_up:
        case Rounding::up:
            return std::ceil(x);
        default:
            return std::nearbyint(x);
    }
}

/// An integer, out of range clamped. NaN is 0, but the number with only the top bit set if a side of the conversion has
/// 64 bits.
template <class D, bool Wide>
[[gnu::always_inline]] inline D clamp_to(double x) {
    constexpr double high = static_cast<double>(std::numeric_limits<D>::max());
    constexpr double low = static_cast<double>(std::numeric_limits<D>::min());
    constexpr D of_nan = Wide ? static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1)) : D{0};
    if constexpr (sizeof(D) == 8) {
        if (std::isnan(x)) return of_nan;
        if (x >= high) return std::numeric_limits<D>::max();
        return x <= low ? std::numeric_limits<D>::min() : static_cast<D>(x);
    } else {
        // Vector units convert to signed integers of 32 bits.
        constexpr bool shifted = std::is_same_v<D, std::uint32_t>;
        constexpr double shift = shifted ? 2147483648.0 : 0.0;
        const double not_above = x > high ? high : x, inside = not_above < low ? low : not_above;
        const auto number = static_cast<std::int32_t>((std::isnan(x) ? low : inside) - shift);
        const auto value = static_cast<D>(static_cast<std::uint32_t>(number) + (shifted ? 0x80000000U : 0U));
        return std::isnan(x) ? of_nan : value;
    }
}

/// The neighbour of `nearest` on the required side of the exact value, for directed rounding to float and half.
[[gnu::always_inline]] inline float direct_float(double exact, Rounding rounding) {
    float f = static_cast<float>(exact);
    const double back = static_cast<double>(f);
    if (back == exact || std::isnan(exact)) return f;
    const bool toward_zero_too_far = rounding == Rounding::zero && std::fabs(back) > std::fabs(exact);
    if (toward_zero_too_far) return std::nextafter(f, 0.0f);
    if (rounding == Rounding::down && back > exact) return std::nextafter(f, -std::numeric_limits<float>::infinity());
    if (rounding == Rounding::up && back < exact) return std::nextafter(f, std::numeric_limits<float>::infinity());
    return f;
}
template <class H>
inline H direct_half(double exact, Rounding rounding) {
    H h = half_from<H>(exact);
    const double back = static_cast<double>(to_float(h));
    if (back == exact || std::isnan(exact) || rounding == Rounding::nearest) return h;
    const bool above = back > exact;
    const bool move_down = above && (rounding == Rounding::down || (rounding == Rounding::zero && exact > 0));
    const bool move_up = !above && (rounding == Rounding::up || (rounding == Rounding::zero && exact < 0));
    if (move_down) h.bits = static_cast<std::uint16_t>(back > 0 ? h.bits - 1 : back == 0 ? 0x8001 : h.bits + 1);
    if (move_up) h.bits = static_cast<std::uint16_t>(back < 0 ? h.bits - 1 : back == 0 ? 0x0001 : h.bits + 1);
    return h;
}

/// 64-bit integers do not fit a double: convert with the processor's rounding mode.
template <class D, class S>
[[gnu::always_inline]] inline D integer_to_real(S x, Rounding rounding) {
    if (rounding == Rounding::nearest) return static_cast<D>(x);
    const int before = std::fegetround();
    std::fesetround(rounding == Rounding::zero ? FE_TOWARDZERO : rounding == Rounding::down ? FE_DOWNWARD : FE_UPWARD);
    volatile S in = x;
    volatile D out = static_cast<D>(in);
    std::fesetround(before);
    return out;
}

/// What single precision gets of NaN: of bf16 the same bits, of double precision the upper ones, and of other types the
/// machine's one.
template <class S>
[[gnu::always_inline]] inline float nan_of(S x) {
    if constexpr (std::is_same_v<S, BFloat>)
        return to_float(x);
    else if constexpr (std::is_same_v<S, double>)
        return static_cast<float>(x);
    else
        return machine_nan;
}

/// The upper bits of a NaN.
inline Half half_of_nan(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    Half h;
    h.bits = static_cast<std::uint16_t>((bits >> 48 & 0x8000U) | 0x7E00U | (bits >> 42 & 0x3FFU));
    return h;
}

/// Always inline: with a mode that is known little of it is left.
template <class D, class S>
[[gnu::always_inline]] inline D convert(S x, std::uint8_t mode) {
    const auto rounding = static_cast<Rounding>(mode & 7U);
    if constexpr (!is_real<S> && !is_real<D>) {
        if ((mode & sat_flag) == 0) return static_cast<D>(x);
        using Wide = __int128;
        const Wide value = x;
        const Wide high = std::numeric_limits<D>::max(), low = std::numeric_limits<D>::min();
        return static_cast<D>(value > high ? high : value < low ? low : value);
    } else if constexpr (!is_real<S> && is_half<D>) {
        if ((mode & sat_flag) != 0) return direct_half<D>(x > 0 ? 1.0 : 0.0, rounding);
        return direct_half<D>(integer_to_real<double, S>(x, Rounding::nearest), rounding);
    } else if constexpr (!is_real<S>) {
        if ((mode & sat_flag) != 0) return x > 0 ? D{1} : D{0};
        return integer_to_real<D, S>(x, rounding);
    } else if constexpr (!is_real<D>) {
        double value = real_value(x);
        if ((mode & ftz_flag) != 0 && sizeof(S) == 4) value = flush32(value);
        return clamp_to < D, sizeof(S) == 8 || sizeof(D) == 8 > (to_integer_value(value, rounding));
    } else {
        double value = real_value(x);
        if ((mode & ftz_flag) != 0 && sizeof(S) == 4) value = flush32(value);
        if (rounding >= Rounding::integer_nearest) value = to_integer_value(value, rounding);
        if ((mode & sat_flag) != 0) value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
        if ((mode & relu_flag) != 0) value = value > 0 || std::isnan(value) ? value : 0.0;
        if constexpr (std::is_same_v<D, double>) {
            return value;
        } else if constexpr (std::is_same_v<D, float>) {
            const float f = std::isnan(value) ? nan_of(x) : direct_float(value, rounding);
            return (mode & ftz_flag) != 0 ? static_cast<float>(flush32(static_cast<double>(f))) : f;
        } else {
            D h = direct_half<D>(value, rounding);
            if constexpr (std::is_same_v<S, double> && std::is_same_v<D, Half>)
                if (std::isnan(value)) h = half_of_nan(x);
            constexpr std::uint16_t infinity = std::is_same_v<D, Half> ? 0x7C00 : 0x7F80;
            if ((mode & satfinite_flag) != 0 && (h.bits & 0x7FFFU) == infinity) --h.bits;  // the largest number
            return h;
        }
    }
}

/// Widens to the register: sign extension for signed integers, zeros above everything else.
template <class D>
inline void store_lane(std::byte* d, std::uint32_t width, D value) {
    if (width <= sizeof(D)) {
        std::memcpy(d, &value, width);
        return;
    }
    std::uint64_t wide = 0;
    if constexpr (is_real<D>) {
        std::memcpy(&wide, &value, sizeof(D));
    } else if constexpr (std::is_signed_v<D>) {
        wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    } else {
        wide = value;
    }
    std::memcpy(d, &wide, width < 8 ? width : 8);
}

template <std::uint8_t... Modes>
using ModeList = std::integer_sequence<std::uint8_t, Modes...>;
/// Whether `mode` is one of these; then the numbers are converted. A mode known to the compiler lets it vectorise the
/// loop.
template <class D, class S, std::uint8_t... Modes>
bool convert_in_known_mode(D* d, const S* a, std::uint32_t exec, std::uint8_t mode, ModeList<Modes...> /*modes*/) {
    return (... ||
            (mode == Modes && (each_lane(d, exec, [&](int lane) { return convert<D, S>(a[lane], Modes); }), true)));
}
/// Those that compilers make of casts, floor(), ceil(), rint(), trunc() and saturation.
template <class D, class S>
constexpr auto frequent_modes() {
    constexpr auto nearest = static_cast<std::uint8_t>(Rounding::integer_nearest),
                   zero = static_cast<std::uint8_t>(Rounding::integer_zero),
                   down = static_cast<std::uint8_t>(Rounding::integer_down),
                   up = static_cast<std::uint8_t>(Rounding::integer_up);
    if constexpr (std::is_same_v<S, float> && std::is_same_v<D, float>)
        return ModeList<0, nearest, zero, down, up, sat_flag, ftz_flag | nearest, ftz_flag | zero, ftz_flag | down,
                        ftz_flag | up, ftz_flag | sat_flag>{};
    else if constexpr (std::is_same_v<S, float> && sizeof(D) == 4)
        return ModeList<zero, nearest, down, up, ftz_flag | zero, ftz_flag | nearest, ftz_flag | down, ftz_flag | up>{};
    else if constexpr (std::is_same_v<S, double> && (std::is_same_v<D, double> || sizeof(D) == 4))
        return ModeList < std::is_same_v<D, float> ? 0 : zero, nearest, down, up > {};
    else if constexpr (is_real<S> && !is_real<D>)
        return ModeList<zero>{};
    else
        return ModeList<0>{};
}

/// From and to arrays of as many numbers as there are lanes.
template <class D, class S>
void convert_arrays(D* d, const S* a, std::uint32_t exec, std::uint8_t mode) {
    constexpr bool widens = is_half<S> && std::is_same_v<D, float>, narrows = is_half<D> && std::is_same_v<S, float>;
    if constexpr (widens) {
        if (mode == 0) {
            alignas(64) float wide[lanes];
            to_floats<lanes>(a, wide);
            if constexpr (std::is_same_v<S, BFloat>) return commit(d, wide, exec);
            return each_lane(d, exec, [&](int lane) { return canonical_single(wide[lane]); });
        }
    }
    if constexpr (narrows) {
        if (mode == 0) {
            alignas(64) D out[lanes];
            from_floats<lanes>(a, out);
            return commit(d, out, exec);
        }
    }
    if constexpr (std::is_same_v<S, Half>) {  // float has no subnormal number of f16's: .ftz changes nothing
        alignas(64) float wide[lanes];
        to_floats<lanes>(a, wide);
        return convert_arrays<D, float>(d, wide, exec, mode);
    }
    if (!convert_in_known_mode(d, a, exec, mode, frequent_modes<D, S>()))
        each_lane(d, exec, [&](int lane) { return convert<D, S>(a[lane], mode); });
}

template <class D, class S>
void convert_lanes(Warp& warp, const Inst& inst) {
    if (inst.a_width == sizeof(S) && inst.d_width == sizeof(D)) {
        convert_arrays(destination<D>(warp, inst.d), source<S>(warp, inst.a), warp.exec, inst.mode);
        return;
    }
    const auto* a = source<std::byte>(warp, inst.a);
    auto* d = destination<std::byte>(warp, inst.d);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (((warp.exec >> lane) & 1U) == 0) continue;
        S x;
        std::memcpy(&x, a + lane * inst.a_width, sizeof(S));
        store_lane<D>(d + lane * inst.d_width, inst.d_width, convert<D, S>(x, inst.mode));
    }
}

/// cvt.rn.f16x2.f32 d, a, b: a into the upper, b into the lower half.
template <class H>
void convert_pair(Warp& warp, const Inst& inst) {
    const float* a = source<float>(warp, inst.a);
    const float* b = source<float>(warp, inst.b);
    alignas(64) H high[lanes], low[lanes];
    if (inst.mode == 0) {
        from_floats<lanes>(a, high);
        from_floats<lanes>(b, low);
    } else {
        for (int lane = 0; lane < lanes; ++lane) {
            high[lane] = convert<H, float>(a[lane], inst.mode);
            low[lane] = convert<H, float>(b[lane], inst.mode);
        }
    }
    alignas(64) std::uint32_t out[lanes];
    for (int lane = 0; lane < lanes; ++lane)
        out[lane] = (static_cast<std::uint32_t>(high[lane].bits) << 16) | low[lane].bits;
    commit(destination<std::uint32_t>(warp, inst.d), out, warp.exec);
}

/// Of a number in [-max, max] of a small format, or NaN. .relu leaves no negative zero.
double restricted(double x, std::uint8_t mode) {
    return (mode & relu_flag) != 0 && x <= 0 ? 0.0 : x;
}

/// cvt.rn.satfinite.e4m3x2.f32 d, a, b and the like: a into the upper, b into the lower half. Type: ptx::Type.
template <ptx::Type Type>
void convert_small_pair(Warp& warp, const Inst& inst) {
    const SmallFormat format = small_format(Type);
    constexpr unsigned shift = Type == ptx::Type::e2m1x2 ? 4 : 8;
    const float* a = source<float>(warp, inst.a);
    const float* b = source<float>(warp, inst.b);
    alignas(64) std::uint16_t out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        const auto high = small_bits(format, restricted(static_cast<double>(a[lane]), inst.mode));
        const auto low = small_bits(format, restricted(static_cast<double>(b[lane]), inst.mode));
        out[lane] = static_cast<std::uint16_t>(high << shift | low);
    }
    commit(destination<std::uint16_t>(warp, inst.d), out, warp.exec);
}
/// cvt.rn.satfinite.e4m3x2.f16x2 d, a.
template <ptx::Type Type>
void convert_halves_to_small(Warp& warp, const Inst& inst) {
    const SmallFormat format = small_format(Type);
    const Half* a = source<Half>(warp, inst.a);
    alignas(64) std::uint16_t out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        const auto part = [&](int i) {
            return small_bits(format, restricted(static_cast<double>(to_float(a[2 * lane + i])), inst.mode));
        };
        out[lane] = static_cast<std::uint16_t>(part(1) << 8 | part(0));
    }
    commit(destination<std::uint16_t>(warp, inst.d), out, warp.exec);
}
/// cvt.rn.f16x2.e4m3x2 d, a: exact.
template <ptx::Type Type>
void convert_small_to_halves(Warp& warp, const Inst& inst) {
    const SmallFormat format = small_format(Type);
    constexpr unsigned shift = Type == ptx::Type::e2m1x2 ? 4 : 8;
    const auto* a = source<std::uint16_t>(warp, inst.a);
    alignas(64) std::uint32_t out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        const auto part = [&](unsigned bits) {
            return std::uint32_t{half_from<Half>(restricted(small_value(format, bits), inst.mode)).bits};
        };
        out[lane] = part(a[lane] >> shift & ((1U << shift) - 1)) << 16 | part(a[lane] & ((1U << shift) - 1));
    }
    commit(destination<std::uint32_t>(warp, inst.d), out, warp.exec);
}

/// The exponent of a number's magnitude; mantissas round it up or are dropped. Bits of float.
std::uint32_t power_of_two(std::uint32_t bits, std::uint8_t mode) {
    constexpr std::uint32_t magnitude = 0x7FFFFFFF, infinity = 0x7F800000, least = 0x00400000, mantissa = 0x007FFFFF;
    const std::uint32_t size = bits & magnitude;
    std::uint32_t exponent = size >> 23;
    const bool up = static_cast<Rounding>(mode & 7U) == Rounding::up;
    if (up && (size & mantissa) != 0 && size > least && size < infinity) exponent += 1;
    if ((mode & satfinite_flag) != 0 && size <= infinity && exponent == 0xFF) exponent -= 1;
    return exponent;
}
/// cvt.{rz, rp}{.satfinite}.ue8m0x2.f32 d, a, b: a into the upper half.
void convert_to_powers(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint32_t>(warp, inst.a);
    const auto* b = source<std::uint32_t>(warp, inst.b);
    each_lane(destination<std::uint16_t>(warp, inst.d), warp.exec, [&](int lane) {
        return static_cast<std::uint16_t>(power_of_two(a[lane], inst.mode) << 8 | power_of_two(b[lane], inst.mode));
    });
}
/// cvt.{rz, rp}{.satfinite}.ue8m0x2.bf16x2 d, a.
void convert_halves_to_powers(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint32_t>(warp, inst.a);
    each_lane(destination<std::uint16_t>(warp, inst.d), warp.exec, [&](int lane) {
        return static_cast<std::uint16_t>(power_of_two(a[lane] & 0xFFFF0000U, inst.mode) << 8 |
                                          power_of_two(a[lane] << 16, inst.mode));
    });
}
/// cvt.rn.bf16x2.ue8m0x2 d, a: exact.
void convert_powers_to_halves(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint16_t>(warp, inst.a);
    const auto part = [](std::uint32_t bits) { return bits == 0xFF ? 0x7FFFU : bits == 0 ? 0x0040U : bits << 7; };
    each_lane(destination<std::uint32_t>(warp, inst.d), warp.exec, [&](int lane) {
        const std::uint32_t bits = a[lane];
        return part(bits >> 8) << 16 | part(bits & 0xFF);
    });
}

/// cvt.{rna, rn, rz}.tf32.f32: 10 bits of mantissa; rna: ties away from zero.
void convert_tf32(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint32_t>(warp, inst.a);
    const bool away = (inst.mode & away_flag) != 0;
    const bool to_zero = static_cast<Rounding>(inst.mode & 7U) == Rounding::zero;
    constexpr std::uint32_t magnitude = 0x7FFFFFFF, infinity = 0x7F800000, unit = 0x2000;
    alignas(64) std::uint32_t out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        std::uint32_t bits = a[lane];
        if ((bits & infinity) != infinity) {
            const std::uint32_t even = (bits / unit) & 1U;
            bits = (bits + (away ? unit / 2 : to_zero ? 0 : unit / 2 - 1 + even)) & ~(unit - 1);
        } else if (!away && (bits & magnitude) > infinity) {
            bits = magnitude & ~(unit - 1);
        }
        if ((inst.mode & relu_flag) != 0 && (bits & ~magnitude) != 0 && (bits & magnitude) <= infinity) bits = 0;
        if ((inst.mode & satfinite_flag) != 0 && (bits & magnitude) == infinity) bits -= unit;
        out[lane] = bits;
    }
    commit(destination<std::uint32_t>(warp, inst.d), out, warp.exec);
}

/// cvt.pack: a and b to Signed or unsigned integers of inst.mode bits, with saturation, b in the lowest bits of the
/// result, a above it, above both the lower bits of c, if there is one.
template <bool Signed>
void pack_saturated(Warp& warp, const Inst& inst) {
    const unsigned bits = inst.mode;
    const auto* a = source<std::int32_t>(warp, inst.a);
    const auto* b = source<std::int32_t>(warp, inst.b);
    const auto* c = inst.c == no_ref ? nullptr : source<std::uint32_t>(warp, inst.c);
    const std::int32_t high = (1 << (Signed ? bits - 1 : bits)) - 1, low = Signed ? -high - 1 : 0;
    const std::uint32_t mask = (1U << bits) - 1;
    alignas(64) std::uint32_t above[lanes] = {};
    if (c != nullptr)
        for (int lane = 0; lane < lanes; ++lane) above[lane] = c[lane] << (2 * bits);
    const auto part = [&](std::int32_t x) {
        return static_cast<std::uint32_t>(x > high ? high : x < low ? low : x) & mask;
    };
    each_lane(destination<std::uint32_t>(warp, inst.d), warp.exec,
              [&](int lane) { return above[lane] | part(a[lane]) << bits | part(b[lane]); });
}

template <ptx::Type Type>
Handler pick_small(ptx::Type from) {
    if (from == ptx::Type::f32) return convert_small_pair<Type>;
    if constexpr (Type == ptx::Type::e4m3x2 || Type == ptx::Type::e5m2x2)
        if (from == ptx::Type::f16x2) return convert_halves_to_small<Type>;
    return nullptr;
}
Handler pick_halves(ptx::Type from) {
    using enum ptx::Type;
    switch (from) {
        case f32:
            return convert_pair<Half>;
        case e4m3x2:
            return convert_small_to_halves<e4m3x2>;
        case e5m2x2:
            return convert_small_to_halves<e5m2x2>;
        case e2m3x2:
            return convert_small_to_halves<e2m3x2>;
        case e3m2x2:
            return convert_small_to_halves<e3m2x2>;
        case e2m1x2:
            return convert_small_to_halves<e2m1x2>;
        default:
            return nullptr;
    }
}

template <class D>
Handler pick_from(ptx::Type from) {
    using enum ptx::Type;
    switch (from) {
        case u8:
        case b8:
            return convert_lanes<D, std::uint8_t>;
        case s8:
            return convert_lanes<D, std::int8_t>;
        case u16:
        case b16:
            return convert_lanes<D, std::uint16_t>;
        case s16:
            return convert_lanes<D, std::int16_t>;
        case u32:
        case b32:
            return convert_lanes<D, std::uint32_t>;
        case s32:
            return convert_lanes<D, std::int32_t>;
        case u64:
        case b64:
            return convert_lanes<D, std::uint64_t>;
        case s64:
            return convert_lanes<D, std::int64_t>;
        case f16:
            return convert_lanes<D, Half>;
        case bf16:
            return convert_lanes<D, BFloat>;
        case f32:
            return convert_lanes<D, float>;
        case f64:
            return convert_lanes<D, double>;
        default:
            return nullptr;
    }
}

}  // namespace

Handler select_convert(const Spec& spec) {
    if (spec.op == Op::cvt_pack) return spec.from == ptx::Type::s32 ? pack_saturated<true> : pack_saturated<false>;
    if (spec.op != Op::cvt) return nullptr;
    using enum ptx::Type;
    switch (spec.type) {
        case u8:
        case b8:
            return pick_from<std::uint8_t>(spec.from);
        case s8:
            return pick_from<std::int8_t>(spec.from);
        case u16:
        case b16:
            return pick_from<std::uint16_t>(spec.from);
        case s16:
            return pick_from<std::int16_t>(spec.from);
        case u32:
        case b32:
            return pick_from<std::uint32_t>(spec.from);
        case s32:
            return pick_from<std::int32_t>(spec.from);
        case u64:
        case b64:
            return pick_from<std::uint64_t>(spec.from);
        case s64:
            return pick_from<std::int64_t>(spec.from);
        case f16:
            return pick_from<Half>(spec.from);
        case bf16:
            return pick_from<BFloat>(spec.from);
        case f32:
            return pick_from<float>(spec.from);
        case f64:
            return pick_from<double>(spec.from);
        case f16x2:
            return pick_halves(spec.from);
        case e4m3x2:
            return pick_small<e4m3x2>(spec.from);
        case e5m2x2:
            return pick_small<e5m2x2>(spec.from);
        case e2m3x2:
            return pick_small<e2m3x2>(spec.from);
        case e3m2x2:
            return pick_small<e3m2x2>(spec.from);
        case e2m1x2:
            return pick_small<e2m1x2>(spec.from);
        case bf16x2:
            return spec.from == f32 ? convert_pair<BFloat> : spec.from == ue8m0x2 ? convert_powers_to_halves : nullptr;
        case ue8m0x2:
            if (spec.rounding != Rounding::zero && spec.rounding != Rounding::up) return nullptr;
            return spec.from == f32 ? convert_to_powers : spec.from == bf16x2 ? convert_halves_to_powers : nullptr;
        case tf32:
            return spec.from == f32 ? convert_tf32 : nullptr;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
