// Logic, shifts and bit fields of integers (PTX ISA 9.7.1, 9.7.8).
#include "collector/simulate/engine/handlers/integers.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

struct And {
    template <class D, class A>
    static D apply(A a, A b) {
        return static_cast<D>(a & b);
    }
};
struct Or {
    template <class D, class A>
    static D apply(A a, A b) {
        return static_cast<D>(a | b);
    }
};
struct Xor {
    template <class D, class A>
    static D apply(A a, A b) {
        return static_cast<D>(a ^ b);
    }
};
struct Not {
    template <class D, class A>
    static D apply(A a) {
        return static_cast<D>(~a);
    }
};
struct Cnot {
    template <class D, class A>
    static D apply(A a) {
        return a == 0 ? 1 : 0;
    }
};
struct Popc {
    template <class D, class A>
    static D apply(A a) {
        return static_cast<D>(std::popcount(a));
    }
};
struct Clz {
    template <class D, class A>
    static D apply(A a) {
        return static_cast<D>(std::countl_zero(a));
    }
};
struct Brev {
    template <class D, class A>
    static D apply(A a) {
        u64 value = a;
        value = ((value >> 1) & 0x5555555555555555ULL) | ((value & 0x5555555555555555ULL) << 1);
        value = ((value >> 2) & 0x3333333333333333ULL) | ((value & 0x3333333333333333ULL) << 2);
        value = ((value >> 4) & 0x0F0F0F0F0F0F0F0FULL) | ((value & 0x0F0F0F0F0F0F0F0FULL) << 4);
        value = __builtin_bswap64(value);
        return static_cast<D>(value >> (64 - bits_of<A>));
    }
};
template <bool Shift>
struct Bfind {
    template <class D, class A>
    static D apply(A a) {
        const auto value = [&] {
            if constexpr (std::is_signed_v<A>)
                return static_cast<Unsigned<A>>(a < 0 ? ~a : a);
            else
                return a;
        }();
        const int zeros = std::countl_zero(value);
        if (zeros == bits_of<A>) return static_cast<D>(-1);
        return static_cast<D>(Shift ? zeros : bits_of<A> - 1 - zeros);
    }
};

/// Shift amounts are u32 whatever the type; they clamp at the width.
template <class T, bool Left>
void shift(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const u32* b = source<u32>(warp, inst.b);
    alignas(64) T out[lanes];
    constexpr u32 width = static_cast<u32>(bits_of<T>);
    for (int lane = 0; lane < lanes; ++lane) {
        const u32 n = b[lane];
        if constexpr (Left)
            out[lane] = n >= width ? T{0} : static_cast<T>(static_cast<Unsigned<T>>(a[lane]) << n);
        else if constexpr (std::is_signed_v<T>)
            out[lane] = static_cast<T>(a[lane] >> (n >= width ? width - 1 : n));
        else
            out[lane] = n >= width ? T{0} : static_cast<T>(a[lane] >> n);
    }
    commit(destination<T>(warp, inst.d), out, warp.exec);
}

/// a: low word, b: high word, c: amount.
template <bool Left, bool Wrap>
struct Funnel {
    template <class D, class A>
    static D apply(A a, A b, D c) {
        const u32 n = Wrap ? (c & 31U) : (c > 32U ? 32U : c);
        const u64 value = (static_cast<u64>(b) << 32) | a;
        return static_cast<D>(Left ? (value << n) >> 32 : value >> n);
    }
};

/// Position and length of a field: 8 bits matter of those in a word. Fields of 64 bits are shifted to by several
/// instructions, to which all bits do; PTX leaves open what more than 255 means.
template <class T>
constexpr u32 field_mask = sizeof(T) == 8 ? ~u32{0} : u32{0xFF};

/// bfe d, a, position, length.
template <class T>
void bit_extract(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const u32* b = source<u32>(warp, inst.b);
    const u32* c = source<u32>(warp, inst.c);
    alignas(64) T out[lanes];
    constexpr u32 width = static_cast<u32>(bits_of<T>);
    for (int lane = 0; lane < lanes; ++lane) {
        const u32 position = b[lane] & field_mask<T>;
        const u32 length = c[lane] & field_mask<T>;
        const auto value = static_cast<Unsigned<T>>(a[lane]);
        const bool negative = std::is_signed_v<T> && length != 0 &&
                              ((value >> std::min<u64>(u64{position} + length - 1, width - 1)) & 1U) != 0;
        Unsigned<T> field = position >= width ? Unsigned<T>{0} : static_cast<Unsigned<T>>(value >> position);
        const u32 kept = position >= width ? 0 : (length < width - position ? length : width - position);
        const Unsigned<T> keep = kept >= width ? static_cast<Unsigned<T>>(~Unsigned<T>{0})
                                               : static_cast<Unsigned<T>>((Unsigned<T>{1} << kept) - 1);
        field &= keep;
        if (negative) field |= static_cast<Unsigned<T>>(~keep);
        out[lane] = static_cast<T>(length == 0 ? Unsigned<T>{0} : field);
    }
    commit(destination<T>(warp, inst.d), out, warp.exec);
}

/// bfi f, a, b, position, length: a's low bits into b.
template <class T>
void bit_insert(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const T* b = source<T>(warp, inst.b);
    const u32* c = source<u32>(warp, inst.c);
    const u32* e = source<u32>(warp, inst.e);
    alignas(64) T out[lanes];
    constexpr u32 width = static_cast<u32>(bits_of<T>);
    for (int lane = 0; lane < lanes; ++lane) {
        const u32 position = c[lane] & field_mask<T>;
        u32 length = e[lane] & field_mask<T>;
        if (position >= width || length == 0) {
            out[lane] = b[lane];
            continue;
        }
        if (length > width - position) length = width - position;
        const T keep = length >= width ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
        out[lane] = static_cast<T>((b[lane] & static_cast<T>(~(keep << position))) | ((a[lane] & keep) << position));
    }
    commit(destination<T>(warp, inst.d), out, warp.exec);
}

/// mode: the 8-bit truth table, given for a = 0xF0, b = 0xCC, c = 0xAA.
void lop3(Warp& warp, const Inst& inst) {
    const u32* a = source<u32>(warp, inst.a);
    const u32* b = source<u32>(warp, inst.b);
    const u32* c = source<u32>(warp, inst.c);
    alignas(64) u32 out[lanes];
    u32 term[8];
    for (u32 i = 0; i < 8; ++i) term[i] = ((inst.mode >> i) & 1U) != 0 ? ~u32{0} : u32{0};
    for (int lane = 0; lane < lanes; ++lane) {
        const u32 x = a[lane], y = b[lane], z = c[lane];
        out[lane] = (term[0] & ~x & ~y & ~z) | (term[1] & ~x & ~y & z) | (term[2] & ~x & y & ~z) |
                    (term[3] & ~x & y & z) | (term[4] & x & ~y & ~z) | (term[5] & x & ~y & z) | (term[6] & x & y & ~z) |
                    (term[7] & x & y & z);
    }
    commit(destination<u32>(warp, inst.d), out, warp.exec);
}

/// mode: 0 default, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
void prmt(Warp& warp, const Inst& inst) {
    const u32* a = source<u32>(warp, inst.a);
    const u32* b = source<u32>(warp, inst.b);
    const u32* c = source<u32>(warp, inst.c);
    alignas(64) u32 out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        const u64 bytes = (static_cast<u64>(b[lane]) << 32) | a[lane];
        const u32 control = c[lane];
        u32 value = 0;
        for (u32 i = 0; i < 4; ++i) {
            u32 pick = 0;
            const u32 n = control & 3U;
            switch (inst.mode) {
                case 0:
                    pick = (control >> (4 * i)) & 0xF;
                    break;
                case 1:
                    pick = n + i;
                    break;
                case 2:
                    pick = (n + 8 - i) & 7U;
                    break;
                case 3:
                    pick = n;
                    break;
                case 4:
                    pick = i > n ? i : n;
                    break;
                case 5:
                    pick = i < n ? i : n;
                    break;
                default:
                    pick = ((n & 1U) * 2) + (i & 1U);
                    break;
            }
            u32 byte = static_cast<u32>(bytes >> (8 * (pick & 7U))) & 0xFF;
            if ((pick & 8U) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
            value |= byte << (8 * i);
        }
        out[lane] = value;
    }
    commit(destination<u32>(warp, inst.d), out, warp.exec);
}

template <bool Wrap>
struct Bmsk {
    template <class D, class A>
    static D apply(A a, A b) {
        if constexpr (Wrap) {
            a &= 31U;
            b &= 31U;
        }
        const u32 position = a & 31U;
        const u32 width = b > 32U ? 32U : b;
        if (a >= 32U) return 0;
        const u64 mask = width >= 32U ? 0xFFFFFFFFULL : (u64{1} << width) - 1;
        return static_cast<D>(mask << position);
    }
};
template <bool Signed, bool Wrap>
struct Szext {
    template <class D, class A>
    static D apply(A a, A b) {
        if constexpr (Wrap) b &= 31U;
        if (b >= 32U) return a;
        if (b == 0) return 0;
        const u32 kept = a & ((u32{1} << b) - 1);
        if (Signed && ((kept >> (b - 1)) & 1U) != 0) return kept | ~((u32{1} << b) - 1);
        return kept;
    }
};
/// The n-th set bit at or above (n > 0) or at or below (n < 0) a base position; n = 0: the base itself if set. An n
/// of which there is no opposite gives 0 on an H100.
void fns(Warp& warp, const Inst& inst) {
    const u32* a = source<u32>(warp, inst.a);
    const u32* b = source<u32>(warp, inst.b);
    const s32* c = source<s32>(warp, inst.c);
    alignas(64) u32 out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        const s32 step = c[lane] < 0 ? -1 : 1;
        const u32 wanted = static_cast<u32>(c[lane]);
        u32 left = wanted == 0 ? 1 : (c[lane] < 0 ? 0 - wanted : wanted);
        u32 found = 0xFFFFFFFF;
        for (s32 at = static_cast<s32>(b[lane]); at >= 0 && at < 32; at += step) {
            if (((a[lane] >> at) & 1U) != 0 && --left == 0) {
                found = static_cast<u32>(at);
                break;
            }
            if (c[lane] == 0) break;
        }
        out[lane] = c[lane] == INT32_MIN ? 0 : found;
    }
    commit(destination<u32>(warp, inst.d), out, warp.exec);
}

/// The result is u32 whatever the operand.
template <class F>
constexpr auto count_of = []<class T>(std::type_identity<T>) -> Handler { return unary<u32, T, F>; };
template <bool Left>
constexpr auto shift_of = []<class T>(std::type_identity<T>) -> Handler { return shift<T, Left>; };
constexpr auto extract_of = []<class T>(std::type_identity<T>) -> Handler { return bit_extract<T>; };

}  // namespace

Handler select_integer_bits(const Spec& spec) {
    using ptx::Type;
    switch (spec.op) {
        case Op::and_:
            return pick_any(spec.type, binary_of<And>);
        case Op::or_:
            return pick_any(spec.type, binary_of<Or>);
        case Op::xor_:
            return pick_any(spec.type, binary_of<Xor>);
        case Op::not_:
            return pick<u16, u32, u64>(spec.type, unary_of<Not>);
        case Op::cnot:
            return pick<u16, u32, u64>(spec.type, unary_of<Cnot>);
        case Op::popc:
            return pick<u32, u64>(spec.type, count_of<Popc>);
        case Op::clz:
            return pick<u32, u64>(spec.type, count_of<Clz>);
        case Op::bfind:
            return pick<u32, s32, u64, s64>(spec.type, count_of<Bfind<false>>);
        case Op::bfind_shift:
            return pick<u32, s32, u64, s64>(spec.type, count_of<Bfind<true>>);
        case Op::brev:
            return pick<u16, u32, u64>(spec.type, unary_of<Brev>);
        case Op::bfe:
            return pick<u32, s32, u64, s64>(spec.type, extract_of);
        case Op::bfi:
            return size_of(spec.type) == 8 ? bit_insert<u64> : bit_insert<u32>;
        case Op::bmsk:
            return spec.wrap ? binary<u32, u32, Bmsk<true>> : binary<u32, u32, Bmsk<false>>;
        case Op::szext:
            if (spec.wrap)
                return spec.type == Type::s32 ? binary<u32, u32, Szext<true, true>>
                                              : binary<u32, u32, Szext<false, true>>;
            return spec.type == Type::s32 ? binary<u32, u32, Szext<true, false>>
                                          : binary<u32, u32, Szext<false, false>>;
        case Op::fns:
            return fns;
        case Op::lop3:
            return lop3;
        case Op::prmt:
            return prmt;
        case Op::shl:
            return pick_any(spec.type, shift_of<true>);
        case Op::shr:
            return pick_any(spec.type, shift_of<false>);
        case Op::shf_l_wrap:
            return ternary<u32, u32, Funnel<true, true>>;
        case Op::shf_l_clamp:
            return ternary<u32, u32, Funnel<true, false>>;
        case Op::shf_r_wrap:
            return ternary<u32, u32, Funnel<false, true>>;
        case Op::shf_r_clamp:
            return ternary<u32, u32, Funnel<false, false>>;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
