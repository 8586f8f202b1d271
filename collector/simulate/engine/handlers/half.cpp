// f16, bf16 and their packed pairs (PTX ISA 9.7.4): computed in double, rounded once.
#include "collector/simulate/engine/handlers/half.hpp"

#include <cmath>
#include <limits>

#include "collector/simulate/engine/handlers/lanes.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// mode bits: 1 relu, 2 sat, 4 NaN-propagating, 8 flush subnormals.
struct Add {
    static double apply(double a, double b, double, std::uint8_t) { return a + b; }
};
struct Sub {
    static double apply(double a, double b, double, std::uint8_t) { return a - b; }
};
struct Mul {
    static double apply(double a, double b, double, std::uint8_t) { return a * b; }
};
/// The product of two is exact in double. What the sum loses is kept in its last bit (rounding to odd), so that the
/// rounding to 16 bits is as if it were the only one: a bf16 product halfway between two numbers plus a tiny one.
struct Fma {
    static double apply(double a, double b, double c, std::uint8_t) {
        const double product = a * b, sum = product + c;
        const double part = sum - product;
        const double lost = (product - (sum - part)) + (c - part);
        const auto bits = std::bit_cast<std::uint64_t>(sum);
        if (!std::isfinite(sum) || lost == 0 || (bits & 1U) != 0) return sum;
        return std::bit_cast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
    }
};
struct Abs {
    static double apply(double a, double, double, std::uint8_t) { return std::fabs(a); }
};
struct Neg {
    static double apply(double a, double, double, std::uint8_t) { return -a; }
};
struct Ex2 {
    static double apply(double a, double, double, std::uint8_t) { return std::exp2(a); }
};
struct Tanh {
    static double apply(double a, double, double, std::uint8_t) { return std::tanh(a); }
};
template <bool Maximum>
struct MinMax {
    static double apply(double a, double b, double, std::uint8_t mode) {
        if (std::isnan(a) || std::isnan(b)) {
            if ((mode & 4U) != 0 || (std::isnan(a) && std::isnan(b))) return std::numeric_limits<double>::quiet_NaN();
            return std::isnan(a) ? b : a;
        }
        if (a == b) return std::signbit(a) == Maximum ? b : a;
        return (a < b) != Maximum ? a : b;
    }
};

/// Subnormals of the format become zero of the same sign.
template <class H>
double flushed(double x) {
    const double smallest = std::is_same_v<H, Half> ? 0x1p-14 : 0x1p-126;
    return std::fabs(x) < smallest ? std::copysign(0.0, x) : x;
}

template <class H, class F, int Pair>
void half_op(Warp& warp, const Inst& inst) {
    const H* a = source<H>(warp, inst.a);
    const H* b = inst.b == no_ref ? a : source<H>(warp, inst.b);
    const H* c = inst.c == no_ref ? a : source<H>(warp, inst.c);
    auto* d = destination<H>(warp, inst.d);
    for (int lane = 0; lane < lanes; ++lane) {
        if (((warp.exec >> lane) & 1U) == 0) continue;
        for (int part = 0; part < Pair; ++part) {
            const int at = lane * Pair + part;
            const bool flush = (inst.mode & 8U) != 0;
            const auto in = [&](H h) {
                const auto x = static_cast<double>(to_float(h));
                return flush ? flushed<H>(x) : x;
            };
            double value = F::apply(in(a[at]), in(b[at]), in(c[at]), inst.mode);
            if ((inst.mode & 1U) != 0 && !(value > 0)) value = std::isnan(value) ? value : 0.0;
            if ((inst.mode & 2U) != 0) value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
            d[at] = half_from<H>(value);
            if (flush) d[at] = half_from<H>(in(d[at]));
        }
    }
}

template <class H, int Pair>
Handler pick(Op op) {
    switch (op) {
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
            return half_op<H, MinMax<false>, Pair>;
        case Op::max:
            return half_op<H, MinMax<true>, Pair>;
        default:
            return nullptr;
    }
}

}  // namespace

Handler select_half(const Spec& spec) {
    switch (spec.type) {
        case ptx::Type::f16:
            return pick<Half, 1>(spec.op);
        case ptx::Type::f16x2:
            return pick<Half, 2>(spec.op);
        case ptx::Type::bf16:
            return pick<BFloat, 1>(spec.op);
        case ptx::Type::bf16x2:
            return pick<BFloat, 2>(spec.op);
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
