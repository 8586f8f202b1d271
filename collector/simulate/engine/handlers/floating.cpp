// f32 and f64 arithmetic (PTX ISA 9.7.3). Round to nearest is the processor's own; directed rounding of doubles,
// quotients and roots goes through the floating-point environment and is slow, which it is allowed to be: it is rare.
#include <array>
#include <cfenv>
#include <cmath>
#include <limits>

#include "collector/simulate/engine/handlers/directed_rounding.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/single.hpp"
#include "collector/simulate/engine/handlers/special_functions.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// Subnormals become zero of the same sign.
template <class T>
inline T flush(T x) {
    if constexpr (sizeof(T) == 4)
        return flush_single(x);
    else
        return x;
}
/// To [0, 1]; NaN becomes 0.
template <class T>
inline T saturate(T x) {
    return x > T{0} ? (x < T{1} ? x : T{1}) : T{0};
}

/// Single precision has one NaN on the machine, of positive sign; double keeps what the processor makes of it.
template <class T>
inline T canonical(T x) {
    if constexpr (sizeof(T) == 4)
        return canonical_single(x);
    else
        return x;
}

template <class T, bool Ftz, bool Sat>
inline T finish(T x) {
    if constexpr (Ftz) x = flush(x);
    if constexpr (Sat)
        return saturate(x);
    else
        return canonical(x);
}
template <class T, bool Ftz>
inline T in(T x) {
    if constexpr (Ftz)
        return flush(x);
    else
        return x;
}

template <bool Ftz, bool Sat>
struct Add {
    template <class D, class A>
    static D apply(A a, A b) {
        return finish<D, Ftz, Sat>(in<A, Ftz>(a) + in<A, Ftz>(b));
    }
};
template <bool Ftz, bool Sat>
struct Sub {
    template <class D, class A>
    static D apply(A a, A b) {
        return finish<D, Ftz, Sat>(in<A, Ftz>(a) - in<A, Ftz>(b));
    }
};
template <bool Ftz, bool Sat>
struct Mul {
    template <class D, class A>
    static D apply(A a, A b) {
        return finish<D, Ftz, Sat>(in<A, Ftz>(a) * in<A, Ftz>(b));
    }
};
template <bool Ftz, bool Sat>
struct Fma {
    template <class D, class A>
    static D apply(A a, A b, D c) {
        if constexpr (sizeof(D) == 4)
            return finish<D, Ftz, Sat>(__builtin_fmaf(in<A, Ftz>(a), in<A, Ftz>(b), in<A, Ftz>(c)));
        else
            return finish<D, Ftz, Sat>(__builtin_fma(a, b, c));
    }
};
template <bool Ftz>
struct Div {
    template <class D, class A>
    static D apply(A a, A b) {
        return finish<D, Ftz, false>(in<A, Ftz>(a) / in<A, Ftz>(b));
    }
};
/// div.approx.f32 multiplies with the reciprocal, which is zero for divisors above 2^126.
template <bool Ftz>
struct DivApprox {
    template <class D, class A>
    static D apply(A a, A b) {
        const A x = in<A, Ftz>(a), y = in<A, Ftz>(b);
        return finish<D, Ftz, false>(std::fabs(y) > A(0x1p126) ? x * std::copysign(A{0}, y) : x / y);
    }
};
template <bool Ftz>
struct Rcp {
    template <class D, class A>
    static D apply(A a) {
        return finish<D, Ftz, false>(A{1} / in<A, Ftz>(a));
    }
};
template <bool Ftz>
struct Sqrt {
    template <class D, class A>
    static D apply(A a) {
        return finish<D, Ftz, false>(std::sqrt(in<A, Ftz>(a)));
    }
};
template <bool Ftz>
struct Rsqrt {
    template <class D, class A>
    static D apply(A a) {
        return finish<D, Ftz, false>(D{1} / std::sqrt(in<A, Ftz>(a)));
    }
};
template <bool Ftz>
struct Lg2 {
    template <class D, class A>
    static D apply(A a) {
        return finish<D, Ftz, false>(static_cast<D>(log2_of(in<A, Ftz>(a))));
    }
};
template <bool Ftz>
struct Ex2 {
    template <class D, class A>
    static D apply(A a) {
        return finish<D, Ftz, false>(static_cast<D>(exp2_of(in<A, Ftz>(a))));
    }
};
struct Tanh {
    template <class D, class A>
    static D apply(A a) {
        return canonical(static_cast<D>(tanh_of(a)));
    }
};
/// sin, cos: a quarter of a turn apart.
template <bool Ftz, bool Cosine>
void sine(Warp& warp, const Inst& inst) {
    alignas(64) std::array<float, lanes> a;  // NOLINT(*-member-init): filled at once; d may be the same register
    std::memcpy(a.data(), source<float>(warp, inst.a), sizeof(a));
    auto* d = destination<float>(warp, inst.d);
    const auto rounded = [](double value) { return finish<float, Ftz, false>(static_cast<float>(value)); };
    float most = 0;
    each_lane(d, warp.exec, [&](int lane) {
        return rounded(sine_of(in<float, Ftz>(a[static_cast<std::size_t>(lane)]), Cosine ? 1 : 0));
    });
    for (const float x : a) most = std::fabs(x) > most ? std::fabs(x) : most;
    if (most <= static_cast<float>(most_quarters)) return;
    for_lanes(warp.exec, [&](std::uint32_t lane) {
        if (std::fabs(a[lane]) > static_cast<float>(most_quarters))
            d[lane] = rounded(Cosine ? std::cos(double{a[lane]}) : std::sin(double{a[lane]}));
    });
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the upper half of the operand; the upper half of the result is
/// approximate, the lower zero. An H100's upper half is mostly what is left when the rest is cut off.
inline double flush64(double x) {
    return std::fabs(x) < std::numeric_limits<double>::min() ? std::copysign(0.0, x) : x;
}
template <bool Root>
struct Coarse {
    template <class D, class A>
    static D apply(A x) {
        constexpr std::uint64_t upper = 0xFFFFFFFF00000000ULL;
        const A a = flush64(std::bit_cast<A>(std::bit_cast<std::uint64_t>(x) & upper));
        const D full = flush64(Root ? D{1} / std::sqrt(a) : D{1} / a);
        return std::bit_cast<D>(std::isnan(full) || std::isnan(x) ? 0x7FFFFFFF00000000ULL
                                                                  : std::bit_cast<std::uint64_t>(full) & upper);
    }
};
/// These add to zero on the machine: NaN of single precision is the one that it has, and of double precision keeps its
/// sign.
template <bool Ftz>
struct Abs {
    template <class D, class A>
    static D apply(A a) {
        return canonical(in<D, Ftz>(std::fabs(a)));
    }
};
template <bool Ftz>
struct Neg {
    template <class D, class A>
    static D apply(A a) {
        if constexpr (sizeof(D) == 8)
            return std::isnan(a) ? a : -a;
        else
            return canonical(in<D, Ftz>(-a));
    }
};
/// copysign d, a, b: a's sign on b.
struct CopySign {
    template <class D, class A>
    static D apply(A a, A b) {
        return std::copysign(b, a);
    }
};

/// -0 is below +0; one NaN gives the other operand (or NaN with .NaN).
template <bool Ftz, bool Nan, bool Maximum>
struct MinMax {
    template <class D, class A>
    static D apply(A x, A y) {
        const A a = in<A, Ftz>(x), b = in<A, Ftz>(y);
        if (std::isnan(a) || std::isnan(b)) {
            if (Nan || (std::isnan(a) && std::isnan(b))) return canonical(std::numeric_limits<D>::quiet_NaN());
            return std::isnan(a) ? b : a;
        }
        if (a == b) return std::signbit(a) == Maximum ? b : a;
        return (a < b) != Maximum ? a : b;
    }
};

/// min.xorsign.abs: of the magnitudes, with the sign that the product would have.
template <bool Ftz, bool Nan, bool Maximum>
struct MinMaxMagnitude {
    template <class D, class A>
    static D apply(A a, A b) {
        const D magnitude = MinMax<Ftz, Nan, Maximum>::template apply<D, A>(std::fabs(a), std::fabs(b));
        if (std::isnan(magnitude)) return magnitude;
        return std::signbit(a) != std::signbit(b) ? -magnitude : magnitude;
    }
};
/// Three operands: two comparisons after each other.
template <bool Ftz, bool Nan, bool Maximum>
struct MinMaxOfThree {
    template <class D, class A>
    static D apply(A a, A b, D c) {
        using Two = MinMax<Ftz, Nan, Maximum>;
        return Two::template apply<D, D>(Two::template apply<D, A>(a, b), c);
    }
};
template <class T, bool Maximum, template <bool, bool, bool> class Wanted, template <class, class, class> class Form>
Handler pick_min_max(const Spec& spec) {
    if (spec.ftz)
        return spec.nan ? Form<T, T, Wanted<true, true, Maximum>>::run : Form<T, T, Wanted<true, false, Maximum>>::run;
    return spec.nan ? Form<T, T, Wanted<false, true, Maximum>>::run : Form<T, T, Wanted<false, false, Maximum>>::run;
}
template <class D, class A, class F>
struct Binary {
    static void run(Warp& warp, const Inst& inst) { binary<D, A, F>(warp, inst); }
};
template <class D, class A, class F>
struct Ternary {
    static void run(Warp& warp, const Inst& inst) { ternary<D, A, F>(warp, inst); }
};
template <class T, bool Maximum>
Handler pick_min_max(const Spec& spec) {
    if (spec.magnitudes) return pick_min_max<T, Maximum, MinMaxMagnitude, Binary>(spec);
    if (spec.three) return pick_min_max<T, Maximum, MinMaxOfThree, Ternary>(spec);
    return pick_min_max<T, Maximum, MinMax, Binary>(spec);
}

/// mode: 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, 5 subnormal. d is a predicate.
template <class T>
void test_property(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    std::uint32_t bits = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        const T x = a[lane];
        bool holds = false;
        switch (inst.mode) {
            case 0:
                holds = std::isfinite(x);
                break;
            case 1:
                holds = std::isinf(x);
                break;
            case 2:
                holds = !std::isnan(x);
                break;
            case 3:
                holds = std::isnan(x);
                break;
            case 4:
                holds = std::isnormal(x) || x == 0;  // PTX counts zeros among them
                break;
            default:
                holds = std::fpclassify(x) == FP_SUBNORMAL;
                break;
        }
        bits |= static_cast<std::uint32_t>(holds) << lane;
    }
    commit_predicate(warp, inst.d, bits);
}

int environment_of(std::uint8_t mode) {
    switch (static_cast<Rounding>(mode & 7U)) {
        case Rounding::zero:
            return FE_TOWARDZERO;
        case Rounding::down:
            return FE_DOWNWARD;
        case Rounding::up:
            return FE_UPWARD;
        default:
            return FE_TONEAREST;
    }
}

/// In the floating-point environment of a direction. The operands pass through volatile so that nothing is folded or
/// moved across the change of it.
template <class T, Op Operation, int Count>
void in_environment(const T* a, const T* b, const T* c, std::uint8_t mode, T* out) {
    const int before = std::fegetround();
    std::fesetround(environment_of(mode));
    for (int i = 0; i < Count; ++i) {
        volatile T x = a[i];
        volatile T y = b[i];
        volatile T z = c[i];
        volatile T r = 0;
        if constexpr (Operation == Op::add) r = x + y;
        if constexpr (Operation == Op::sub) r = x - y;
        if constexpr (Operation == Op::mul_lo) r = x * y;
        if constexpr (Operation == Op::div) r = x / y;
        if constexpr (Operation == Op::rcp) r = T{1} / x;
        if constexpr (Operation == Op::sqrt) r = std::sqrt(static_cast<T>(x));
        if constexpr (Operation == Op::fma) r = std::fma(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z));
        out[i] = r;
    }
    std::fesetround(before);
}
template <Op Operation, int Count>
void by_neighbours(const float* a, const float* b, const float* c, std::uint8_t mode, float* out) {
    const auto all = [&]<Rounding Mode>(std::integral_constant<Rounding, Mode>) {
        for (int i = 0; i < Count; ++i) out[i] = rounded_result<Operation, Mode>(a[i], b[i], c[i]);
    };
    switch (static_cast<Rounding>(mode & 7U)) {
        case Rounding::down:
            return all(std::integral_constant<Rounding, Rounding::down>{});
        case Rounding::up:
            return all(std::integral_constant<Rounding, Rounding::up>{});
        case Rounding::zero:
            return all(std::integral_constant<Rounding, Rounding::zero>{});
        default:
            return in_environment<float, Operation, Count>(a, b, c, mode, out);
    }
}

/// Directed rounding: mode is a Rounding, 8 ftz, 16 sat. Pair: numbers per lane, side by side.
template <class T, Op Operation, int Pair = 1>
void directed(Warp& warp, const Inst& inst) {
    constexpr int count = lanes * Pair;
    constexpr bool by_hand = std::is_same_v<T, float> && (Operation == Op::add || Operation == Op::sub ||
                                                          Operation == Op::mul_lo || Operation == Op::fma);
    const bool ftz = (inst.mode & 8U) != 0, sat = (inst.mode & 16U) != 0;
    alignas(64) T flushed[3][count];
    const auto operand = [&](Ref ref, std::size_t number) -> const T* {
        if (ref == no_ref) ref = inst.a;  // it has none
        const T* from = source<T>(warp, ref);
        if (!ftz) return from;
        for (int i = 0; i < count; ++i) flushed[number][i] = flush(from[i]);
        return flushed[number];
    };
    const T *a = operand(inst.a, 0), *b = operand(inst.b, 1), *c = operand(inst.c, 2);
    alignas(64) T out[count];
    if constexpr (by_hand)
        by_neighbours<Operation, count>(a, b, c, inst.mode, out);
    else
        in_environment<T, Operation, count>(a, b, c, inst.mode, out);
    for (T& value : out) {
        const T number = canonical(value), kept = ftz ? flush(number) : number;
        value = sat ? saturate(kept) : kept;
    }
    if constexpr (Pair == 1) {
        commit(destination<T>(warp, inst.d), out, warp.exec);
    } else {
        alignas(64) std::array<T, Pair> pairs[lanes];
        std::memcpy(pairs, out, sizeof(out));
        commit(destination<std::array<T, Pair>>(warp, inst.d), pairs, warp.exec);
    }
}
/// Two numbers of single precision side by side (add, sub, mul, fma .f32x2).
Handler pick_pair(Op op) {
    switch (op) {
        case Op::add:
            return directed<float, Op::add, 2>;
        case Op::sub:
            return directed<float, Op::sub, 2>;
        case Op::mul_lo:
            return directed<float, Op::mul_lo, 2>;
        case Op::fma:
            return directed<float, Op::fma, 2>;
        default:
            return nullptr;
    }
}

template <class T>
Handler pick_directed(Op op) {
    switch (op) {
        case Op::add:
            return directed<T, Op::add>;
        case Op::sub:
            return directed<T, Op::sub>;
        case Op::mul_lo:
            return directed<T, Op::mul_lo>;
        case Op::div:
            return directed<T, Op::div>;
        case Op::rcp:
            return directed<T, Op::rcp>;
        case Op::sqrt:
            return directed<T, Op::sqrt>;
        case Op::fma:
            return directed<T, Op::fma>;
        default:
            return nullptr;
    }
}

template <template <bool, bool> class F, class T>
Handler pick_binary(const Spec& spec) {
    if (spec.ftz) return spec.sat ? binary<T, T, F<true, true>> : binary<T, T, F<true, false>>;
    return spec.sat ? binary<T, T, F<false, true>> : binary<T, T, F<false, false>>;
}
template <template <bool> class F, class T>
Handler pick_unary(const Spec& spec) {
    return spec.ftz ? unary<T, T, F<true>> : unary<T, T, F<false>>;
}

template <class T>
Handler pick(const Spec& spec) {
    const bool directed_rounding =
        spec.rounding == Rounding::zero || spec.rounding == Rounding::down || spec.rounding == Rounding::up;
    if (directed_rounding) return pick_directed<T>(spec.op);
    constexpr bool single = sizeof(T) == 4;
    switch (spec.op) {
        case Op::add:
            return pick_binary<Add, T>(spec);
        case Op::sub:
            return pick_binary<Sub, T>(spec);
        case Op::mul_lo:
            return pick_binary<Mul, T>(spec);
        case Op::fma:
            if (spec.ftz) return spec.sat ? ternary<T, T, Fma<true, true>> : ternary<T, T, Fma<true, false>>;
            return spec.sat ? ternary<T, T, Fma<false, true>> : ternary<T, T, Fma<false, false>>;
        case Op::div:
            if constexpr (single)
                if (spec.approx && !spec.full)
                    return spec.ftz ? binary<T, T, DivApprox<true>> : binary<T, T, DivApprox<false>>;
            return spec.ftz ? binary<T, T, Div<true>> : binary<T, T, Div<false>>;
        case Op::rcp:
            if constexpr (!single)
                if (spec.approx) return unary<T, T, Coarse<false>>;
            return pick_unary<Rcp, T>(spec);
        case Op::sqrt:
            return pick_unary<Sqrt, T>(spec);
        case Op::rsqrt:
            if constexpr (!single)
                if (spec.ftz) return unary<T, T, Coarse<true>>;
            return pick_unary<Rsqrt, T>(spec);
        case Op::abs:
            return pick_unary<Abs, T>(spec);
        case Op::neg:
            return pick_unary<Neg, T>(spec);
        case Op::copysign:
            return binary<T, T, CopySign>;
        case Op::testp:
            return test_property<T>;
        case Op::min:
            return pick_min_max<T, false>(spec);
        case Op::max:
            return pick_min_max<T, true>(spec);
        default:
            break;
    }
    if constexpr (single) {
        switch (spec.op) {
            case Op::sin:
                return spec.ftz ? sine<true, false> : sine<false, false>;
            case Op::cos:
                return spec.ftz ? sine<true, true> : sine<false, true>;
            case Op::lg2:
                return pick_unary<Lg2, T>(spec);
            case Op::ex2:
                return pick_unary<Ex2, T>(spec);
            case Op::tanh:
                return unary<T, T, Tanh>;
            default:
                break;
        }
    }
    return nullptr;
}

}  // namespace

Handler select_floating(const Spec& spec) {
    if (spec.type == ptx::Type::f32) return pick<float>(spec);
    if (spec.type == ptx::Type::f64) return pick<double>(spec);
    if (spec.type == ptx::Type::f32x2) return pick_pair(spec.op);
    return nullptr;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
