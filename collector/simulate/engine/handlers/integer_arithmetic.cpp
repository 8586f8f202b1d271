// Integer arithmetic (PTX ISA 9.7.1), also of two halves of a word.
#include "collector/simulate/engine/handlers/integers.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

template <class T>
inline T saturated_s32(s64 value) {
    return static_cast<T>(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

struct Add {
    template <class D, class A>
    static D apply(A a, A b) {
        return static_cast<D>(static_cast<Unsigned<A>>(a) + static_cast<Unsigned<A>>(b));
    }
};
struct Sub {
    template <class D, class A>
    static D apply(A a, A b) {
        return static_cast<D>(static_cast<Unsigned<A>>(a) - static_cast<Unsigned<A>>(b));
    }
};
struct AddSat {
    template <class D, class A>
    static D apply(A a, A b) {
        return saturated_s32<D>(s64{a} + s64{b});
    }
};
struct SubSat {
    template <class D, class A>
    static D apply(A a, A b) {
        return saturated_s32<D>(s64{a} - s64{b});
    }
};
struct MulLo {
    template <class D, class A>
    static D apply(A a, A b) {
        return wrap_mul(a, b);
    }
};
struct MulHi {
    template <class D, class A>
    static D apply(A a, A b) {
        return high_mul(a, b);
    }
};
struct MulWide {
    template <class D, class A>
    static D apply(A a, A b) {
        return static_cast<D>(static_cast<D>(a) * static_cast<D>(b));
    }
};
struct MadLo {
    template <class D, class A>
    static D apply(A a, A b, D c) {
        return static_cast<D>(static_cast<Unsigned<A>>(wrap_mul(a, b)) + static_cast<Unsigned<A>>(c));
    }
};
struct MadHi {
    template <class D, class A>
    static D apply(A a, A b, D c) {
        return static_cast<D>(static_cast<Unsigned<A>>(high_mul(a, b)) + static_cast<Unsigned<A>>(c));
    }
};
struct MadHiSat {
    template <class D, class A>
    static D apply(A a, A b, D c) {
        return saturated_s32<D>(s64{high_mul(a, b)} + s64{c});
    }
};
struct MadWide {
    template <class D, class A>
    static D apply(A a, A b, D c) {
        return static_cast<D>(static_cast<Unsigned<D>>(static_cast<D>(a) * static_cast<D>(b)) +
                              static_cast<Unsigned<D>>(c));
    }
};
template <class A>
inline s64 low24(A a) {
    if constexpr (std::is_signed_v<A>)
        return static_cast<s32>(static_cast<u32>(a) << 8) >> 8;
    else
        return a & 0xFFFFFF;
}
template <int Shift>
struct Mul24 {
    template <class D, class A>
    static D apply(A a, A b) {
        return static_cast<D>((low24(a) * low24(b)) >> Shift);
    }
};
template <int Shift>
struct Mad24 {
    template <class D, class A>
    static D apply(A a, A b, D c) {
        return static_cast<D>(static_cast<u64>((low24(a) * low24(b)) >> Shift) + static_cast<u64>(c));
    }
};
struct Mad24HiSat {
    template <class D, class A>
    static D apply(A a, A b, D c) {
        return saturated_s32<D>(((low24(a) * low24(b)) >> 16) + s64{c});
    }
};
struct Sad {
    template <class D, class A>
    static D apply(A a, A b, D c) {
        return static_cast<D>(static_cast<Unsigned<A>>(c) +
                              (a < b ? static_cast<Unsigned<A>>(b) - static_cast<Unsigned<A>>(a)
                                     : static_cast<Unsigned<A>>(a) - static_cast<Unsigned<A>>(b)));
    }
};
// Division by zero has no defined value in PTX; the hardware gives all ones, as the remainder, too.
struct Div {
    template <class D, class A>
    static D apply(A a, A b) {
        if (b == 0) return static_cast<D>(-1);
        if constexpr (std::is_signed_v<A>)
            if (b == -1) return static_cast<D>(Unsigned<A>{0} - static_cast<Unsigned<A>>(a));
        return static_cast<D>(a / b);
    }
};
struct Rem {
    template <class D, class A>
    static D apply(A a, A b) {
        if (b == 0) return static_cast<D>(-1);
        if constexpr (std::is_signed_v<A>)
            if (b == -1) return 0;
        return static_cast<D>(a % b);
    }
};
struct Abs {
    template <class D, class A>
    static D apply(A a) {
        return static_cast<D>(a < 0 ? Unsigned<A>{0} - static_cast<Unsigned<A>>(a) : static_cast<Unsigned<A>>(a));
    }
};
struct Neg {
    template <class D, class A>
    static D apply(A a) {
        return static_cast<D>(Unsigned<A>{0} - static_cast<Unsigned<A>>(a));
    }
};
struct Min {
    template <class D, class A>
    static D apply(A a, A b) {
        return a < b ? a : b;
    }
};
struct Max {
    template <class D, class A>
    static D apply(A a, A b) {
        return a > b ? a : b;
    }
};
template <class F>
struct Relu {
    template <class D, class A>
    static D apply(A a, A b) {
        const D d = F::template apply<D, A>(a, b);
        return d < 0 ? D{0} : d;
    }
};
/// Both 16-bit halves of a word.
template <class T, class F>
struct Pair {
    template <class D, class A>
    static D apply(A a, A b) {
        const auto low = static_cast<u16>(F::template apply<T, T>(static_cast<T>(a), static_cast<T>(b)));
        const auto high = static_cast<u16>(F::template apply<T, T>(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
        return static_cast<D>(low | (static_cast<u32>(high) << 16));
    }
};

template <class F>
constexpr auto wide_binary_of = []<class T>(std::type_identity<T>) -> Handler { return binary<Wide<T>, T, F>; };
template <class F>
constexpr auto wide_ternary_of = []<class T>(std::type_identity<T>) -> Handler { return ternary<Wide<T>, T, F>; };

template <class F>
Handler pick_pair(ptx::Type type) {
    if (type == ptx::Type::u16x2) return binary<u32, u32, Pair<u16, F>>;
    if (type == ptx::Type::s16x2) return binary<u32, u32, Pair<s16, F>>;
    return nullptr;
}
/// min and max; .relu is for s32 and s16x2.
template <class F>
Handler pick_least(const Spec& spec) {
    const bool packed = spec.type == ptx::Type::u16x2 || spec.type == ptx::Type::s16x2;
    if (!spec.relu) return packed ? pick_pair<F>(spec.type) : pick_any(spec.type, binary_of<F>);
    if (spec.type == ptx::Type::s32) return binary<s32, s32, Relu<F>>;
    if (spec.type == ptx::Type::s16x2) return binary<u32, u32, Pair<s16, Relu<F>>>;
    return nullptr;
}

}  // namespace

Handler select_integer_arithmetic(const Spec& spec) {
    if (is_float(spec.type)) return nullptr;
    using ptx::Type;
    switch (spec.op) {
        case Op::add:
            if (spec.type == Type::u16x2 || spec.type == Type::s16x2) return pick_pair<Add>(spec.type);
            return spec.sat ? binary<s32, s32, AddSat> : pick_any(spec.type, binary_of<Add>);
        case Op::sub:
            return spec.sat ? binary<s32, s32, SubSat> : pick_any(spec.type, binary_of<Sub>);
        case Op::mul_lo:
            return pick_any(spec.type, binary_of<MulLo>);
        case Op::mul_hi:
            return pick_any(spec.type, binary_of<MulHi>);
        case Op::mul_wide:
            return pick<u16, s16, u32, s32>(spec.type, wide_binary_of<MulWide>);
        case Op::mad_lo:
            return pick_any(spec.type, ternary_of<MadLo>);
        case Op::mad_hi:
            return spec.sat ? ternary<s32, s32, MadHiSat> : pick_any(spec.type, ternary_of<MadHi>);
        case Op::mad_wide:
            return pick<u16, s16, u32, s32>(spec.type, wide_ternary_of<MadWide>);
        case Op::mul24:
            if (spec.high) return spec.type == Type::s32 ? binary<s32, s32, Mul24<16>> : binary<u32, u32, Mul24<16>>;
            return spec.type == Type::s32 ? binary<s32, s32, Mul24<0>> : binary<u32, u32, Mul24<0>>;
        case Op::mad24:
            if (spec.sat) return spec.high && spec.type == Type::s32 ? ternary<s32, s32, Mad24HiSat> : nullptr;
            if (spec.high) return spec.type == Type::s32 ? ternary<s32, s32, Mad24<16>> : ternary<u32, u32, Mad24<16>>;
            return spec.type == Type::s32 ? ternary<s32, s32, Mad24<0>> : ternary<u32, u32, Mad24<0>>;
        case Op::sad:
            return pick_any(spec.type, ternary_of<Sad>);
        case Op::div:
            return pick_any(spec.type, binary_of<Div>);
        case Op::rem:
            return pick_any(spec.type, binary_of<Rem>);
        case Op::abs:
            return pick<s16, s32, s64>(spec.type, unary_of<Abs>);
        case Op::neg:
            return pick<s16, s32, s64>(spec.type, unary_of<Neg>);
        case Op::min:
            return pick_least<Min>(spec);
        case Op::max:
            return pick_least<Max>(spec);
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
