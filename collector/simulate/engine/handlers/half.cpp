// f16, bf16 and their packed pairs (PTX ISA 9.7.4): rounded once. All numbers of the 32 lanes go through a step before
// the next begins, so that each step is vectorised.
#include "collector/simulate/engine/handlers/half.hpp"

#include <cmath>
#include <limits>

#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/special_functions.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// a + b with what rounding took away kept in its last bit (rounding to odd), so that a later rounding to fewer bits is
/// as if it were the only one. The loss is exact (Knuth's TwoSum). Compared as integers: nothing to branch on.
template <class T>
inline T odd_sum(T a, T b) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    const T sum = a + b, part = sum - a;
    const auto bits = std::bit_cast<Bits>(sum), lost = std::bit_cast<Bits>((a - (sum - part)) + (b - part));
    const Bits toward_loss = (bits ^ lost) >> (8 * sizeof(T) - 1) == 0 ? bits + 1 : bits - 1;
    const Bits inexact = (lost << 1) != 0 ? toward_loss : bits;
    const Bits odd = (bits & 1U) != 0 ? bits : inexact;
    return std::bit_cast<T>((bits & infinity) == infinity ? bits : odd);
}

// What the operations compute in: the float that rounds to 16 bits as the exact result does. For sums and products of
// two numbers of at most 11 bits the nearest float is such a one, as it has 24, twice as many and two (Figueroa 1995);
// where float has fewer, in its subnormal numbers, sums of bf16 are exact, and products that are not are below half
// of the least bf16.
struct Add {
    template <class H>
    static float apply(float a, float b, float) {
        return a + b;
    }
};
struct Sub {
    template <class H>
    static float apply(float a, float b, float) {
        return a - b;
    }
};
struct Mul {
    template <class H>
    static float apply(float a, float b, float) {
        return a * b;
    }
};
/// A product halfway between two numbers plus a tiny one must not become the halfway one. Products of f16 are exact in
/// float, and those of bf16 that are neither tiny nor huge.
struct Fma {
    template <class H>
    static float apply(float a, float b, float c) {
        return odd_sum(a * b, c);
    }
};
/// Whether all products of bf16 are exact in float and their sums finite: 0, or between 2^-126 and 2^126, as c is
/// below.
template <int Count>
bool products_are_exact(const float* a, const float* b, const float* c) {
    std::uint32_t inexact = 0;
    for (int i = 0; i < Count; ++i) {
        const float product = std::fabs(a[i] * b[i]);
        const bool zero = a[i] == 0 || b[i] == 0;
        const bool ordinary = product >= 0x1p-126F && product <= 0x1p126F;
        inexact |=
            static_cast<std::uint32_t>(!zero && !ordinary) | static_cast<std::uint32_t>(!(std::fabs(c[i]) <= 0x1p126F));
    }
    return inexact == 0;
}
/// Of any numbers.
float fma_in_double(float a, float b, float c) {
    return to_odd(odd_sum(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
}
struct Abs {
    template <class H>
    static float apply(float a, float, float) {
        return std::fabs(a);
    }
};
struct Neg {
    template <class H>
    static float apply(float a, float, float) {
        return -a;
    }
};
struct Ex2 {
    template <class H>
    static float apply(float a, float, float) {
        return to_odd(exp2_of(a));
    }
};
struct Tanh {
    template <class H>
    static float apply(float a, float, float) {
        return to_odd(tanh_of(a));
    }
};
/// A number rather than NaN, unless NaN is to be seen.
template <bool Maximum, bool Nan>
struct MinMax {
    template <class H>
    static float apply(float a, float b, float) {
        const bool a_negative = std::bit_cast<std::int32_t>(a) < 0;
        const float of_equal = a_negative == Maximum ? b : a, of_different = (a < b) != Maximum ? a : b;
        const float of_numbers = a == b ? of_equal : of_different;
        const float of_nan = Nan ? a + b : a != a ? b : a;
        return a != a || b != b ? of_nan : of_numbers;
    }
};
/// min.xorsign.abs: of the magnitudes, with the sign that the product would have.
template <bool Maximum, bool Nan>
struct MinMaxMagnitude {
    template <class H>
    static float apply(float a, float b, float) {
        const float magnitude = MinMax<Maximum, Nan>::template apply<H>(std::fabs(a), std::fabs(b), 0);
        const bool negative = std::signbit(a) != std::signbit(b);
        return magnitude == magnitude && negative ? -magnitude : magnitude;
    }
};

template <class H>
inline constexpr std::uint16_t exponent_bits = std::is_same_v<H, Half> ? 0x7C00 : 0x7F80;
/// Subnormals of the format become zero of the same sign.
template <int Count, class H>
void flush(const H* from, H* to) {
    for (int i = 0; i < Count; ++i) {
        const std::uint16_t bits = from[i].bits;
        to[i].bits = (bits & exponent_bits<H>) == 0 ? bits & 0x8000U : bits;
    }
}

/// mode bits: 1 relu, 2 sat, 8 flush subnormals.
template <class H, class F, int Pair>
void half_op(Warp& warp, const Inst& inst) {
    constexpr int count = lanes * Pair;
    const bool flushes = (inst.mode & 8U) != 0;
    const auto read = [&](Ref ref, float* to) {
        const H* from = source<H>(warp, ref);
        alignas(64) H flushed[count];
        if (flushes) {
            flush<count>(from, flushed);
            from = flushed;
        }
        to_floats<count>(from, to);
    };
    alignas(64) float a[count], b[count], c[count];
    read(inst.a, a);
    const float *y = a, *z = a;
    if (inst.b != no_ref) {
        read(inst.b, b);
        y = b;
    }
    if (inst.c != no_ref) {
        read(inst.c, c);
        z = c;
    }
    alignas(64) float value[count];
    if (std::is_same_v<F, Fma> && std::is_same_v<H, BFloat> && !products_are_exact<count>(a, y, z)) {
        for (int i = 0; i < count; ++i) value[i] = fma_in_double(a[i], y[i], z[i]);
    } else {
        for (int i = 0; i < count; ++i) value[i] = F::template apply<H>(a[i], y[i], z[i]);
    }
    if ((inst.mode & 1U) != 0)
        for (float& x : value) x = x > 0 || x != x ? x : 0.0F;
    if ((inst.mode & 2U) != 0)
        for (float& x : value) x = x > 0 ? (x < 1 ? x : 1.0F) : 0.0F;
    const auto write = [&](H* to) {
        from_floats<count>(value, to);
        if (flushes) flush<count>(to, to);
    };
    using Word = std::conditional_t<Pair == 2, std::uint32_t, std::uint16_t>;
    auto* d = destination<Word>(warp, inst.d);
    // Into the register at once: narrow stores would hold up the wide loads of a copy.
    if (warp.exec == full_mask) return write(reinterpret_cast<H*>(d));
    alignas(64) H out[count];
    write(out);
    commit(d, reinterpret_cast<const Word*>(out), warp.exec);
}

template <class H, int Pair, bool Maximum>
Handler pick_min_max(const Spec& spec) {
    if (spec.magnitudes)
        return spec.nan ? half_op<H, MinMaxMagnitude<Maximum, true>, Pair>
                        : half_op<H, MinMaxMagnitude<Maximum, false>, Pair>;
    return spec.nan ? half_op<H, MinMax<Maximum, true>, Pair> : half_op<H, MinMax<Maximum, false>, Pair>;
}
template <class H, int Pair>
Handler pick(const Spec& spec) {
    switch (spec.op) {
        case Op::add:
            return half_op<H, Add, Pair>;
        case Op::sub:
            return half_op<H, Sub, Pair>;
        case Op::mul_lo:
            return half_op<H, Mul, Pair>;
        case Op::fma:
            return half_op<H, Fma, Pair>;
        case Op::abs:
            return half_op<H, Abs, Pair>;
        case Op::neg:
            return half_op<H, Neg, Pair>;
        case Op::ex2:
            return half_op<H, Ex2, Pair>;
        case Op::tanh:
            return half_op<H, Tanh, Pair>;
        case Op::min:
            return pick_min_max<H, Pair, false>(spec);
        case Op::max:
            return pick_min_max<H, Pair, true>(spec);
        default:
            return nullptr;
    }
}

}  // namespace

Handler select_half(const Spec& spec) {
    switch (spec.type) {
        case ptx::Type::f16:
            return pick<Half, 1>(spec);
        case ptx::Type::f16x2:
            return pick<Half, 2>(spec);
        case ptx::Type::bf16:
            return pick<BFloat, 1>(spec);
        case ptx::Type::bf16x2:
            return pick<BFloat, 2>(spec);
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
