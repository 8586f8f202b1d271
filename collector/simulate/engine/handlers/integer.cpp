// Integer arithmetic, logic and bit operations (PTX ISA 9.7.1, 9.7.2, 9.7.8).
#include "collector/simulate/engine/handlers/lanes.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u128 = unsigned __int128;
using s128 = __int128;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
inline constexpr int bits_of = static_cast<int>(sizeof(T) * 8);
template <class T>
struct WideOf;
template <>
struct WideOf<u16> {
    using type = u32;
};
template <>
struct WideOf<s16> {
    using type = s32;
};
template <>
struct WideOf<u32> {
    using type = u64;
};
template <>
struct WideOf<s32> {
    using type = s64;
};
template <>
struct WideOf<u64> {
    using type = u128;
};
template <>
struct WideOf<s64> {
    using type = s128;
};
template <class T>
using Wide = typename WideOf<T>::type;

// Arithmetic wraps: computed on unsigned types, where C++ says so. u16 promotes to int, whose product overflows.
template <class T>
inline T wrap_mul(T a, T b) {
    return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class T>
inline T high_mul(T a, T b) {
    return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> bits_of<T>);
}
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

/// Extended precision: the carry flag lives in the predicate slot `e`. Mode bits: 1 reads it, 2 writes it. A difference
/// is a + ~b + carry, on the machine too, so that the flag means "no borrow" there: ptxas makes of sub.cc and addc an
/// IADD3 that writes a carry and one that reads it, and nvcc's division of 128 bits relies on it.
template <class T, bool Subtract>
void carry(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const T* b = source<T>(warp, inst.b);
    const u32 in = (inst.mode & 1U) != 0 ? predicate(warp, inst.e) : Subtract ? full_mask : 0;
    u32 out_carry = 0;
    alignas(64) T out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        const T addend = Subtract ? static_cast<T>(~b[lane]) : b[lane];
        const u128 value = static_cast<u128>(a[lane]) + addend + ((in >> lane) & 1U);
        out[lane] = static_cast<T>(value);
        out_carry |= static_cast<u32>((value >> bits_of<T>)&1U) << lane;
    }
    commit(destination<T>(warp, inst.d), out, warp.exec);
    if ((inst.mode & 2U) != 0) commit_predicate(warp, inst.e, out_carry);
}
template <class T, bool High>
void carry_mad(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const T* b = source<T>(warp, inst.b);
    const T* c = source<T>(warp, inst.c);
    const u32 in = (inst.mode & 1U) != 0 ? predicate(warp, inst.e) : 0;
    u32 out_carry = 0;
    alignas(64) T out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        T product;
        if constexpr (High)
            product = (inst.mode & 4U) != 0 ? static_cast<T>(high_mul(static_cast<std::make_signed_t<T>>(a[lane]),
                                                                      static_cast<std::make_signed_t<T>>(b[lane])))
                                            : high_mul(a[lane], b[lane]);
        else
            product = wrap_mul(a[lane], b[lane]);
        const u128 value = static_cast<u128>(product) + c[lane] + ((in >> lane) & 1U);
        out[lane] = static_cast<T>(value);
        out_carry |= static_cast<u32>((value >> bits_of<T>)&1U) << lane;
    }
    commit(destination<T>(warp, inst.d), out, warp.exec);
    if ((inst.mode & 2U) != 0) commit_predicate(warp, inst.e, out_carry);
}

/// Bytes or halves of two words (PTX ISA 9.7.16). mode: bits 0 to 2 the operation, 8: bytes, 16, 32, 64: a, b, d
/// signed, 128: saturated. imm: 1 where the results' sum is added to c. bytes: the comparison of vset.
void video(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint32_t>(warp, inst.a);
    const auto* b = source<std::uint32_t>(warp, inst.b);
    const auto* c = source<std::uint32_t>(warp, inst.c);
    const std::uint32_t bits = (inst.mode & 8U) != 0 ? 8 : 16, mask = (1U << bits) - 1;
    const bool to_signed = (inst.mode & 64U) != 0, saturated = (inst.mode & 128U) != 0;
    const std::int32_t low = to_signed ? -(1 << (bits - 1)) : 0,
                       high = static_cast<std::int32_t>(mask) + (to_signed ? low : 0);
    const auto part = [&](std::uint32_t word, std::uint32_t at, bool is_signed) {
        const auto raw = static_cast<std::int32_t>(word >> at & mask);
        return is_signed && (raw >> (bits - 1)) != 0 ? raw - static_cast<std::int32_t>(mask) - 1 : raw;
    };
    const auto result = [&](std::int32_t x, std::int32_t y) {
        switch (inst.mode & 7U) {
            case 0:
                return x + y;
            case 1:
                return x - y;
            case 2:
                return (x + y + (x + y >= 0 ? 1 : 0)) >> 1;
            case 3:
                return x > y ? x - y : y - x;
            case 4:
                return x < y ? x : y;
            case 5:
                return x > y ? x : y;
            default:
                break;
        }
        switch (inst.bytes) {
            case 0:
                return x == y ? 1 : 0;
            case 1:
                return x != y ? 1 : 0;
            case 2:
                return x < y ? 1 : 0;
            case 3:
                return x <= y ? 1 : 0;
            case 4:
                return x > y ? 1 : 0;
            default:
                return x >= y ? 1 : 0;
        }
    };
    each_lane(destination<std::uint32_t>(warp, inst.d), warp.exec, [&](int lane) {
        std::uint32_t packed = 0, sum = c[lane];
        for (std::uint32_t at = 0; at < 32; at += bits) {
            std::int32_t value =
                result(part(a[lane], at, (inst.mode & 16U) != 0), part(b[lane], at, (inst.mode & 32U) != 0));
            if (saturated) value = value < low ? low : value > high ? high : value;
            packed |= (static_cast<std::uint32_t>(value) & mask) << at;
            sum += static_cast<std::uint32_t>(value);
        }
        return inst.imm != 0 ? sum : packed;
    });
}

/// mode bits: 1: a signed, 2: b signed; dp2a: 4: high half of b.
void dp4a(Warp& warp, const Inst& inst) {
    const u32* a = source<u32>(warp, inst.a);
    const u32* b = source<u32>(warp, inst.b);
    const u32* c = source<u32>(warp, inst.c);
    alignas(64) u32 out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        s64 sum = 0;
        for (int i = 0; i < 4; ++i) {
            const u32 x = (a[lane] >> (8 * i)) & 0xFF, y = (b[lane] >> (8 * i)) & 0xFF;
            sum += s64{(inst.mode & 1U) != 0 ? static_cast<std::int8_t>(x) : static_cast<s32>(x)} *
                   ((inst.mode & 2U) != 0 ? static_cast<std::int8_t>(y) : static_cast<s32>(y));
        }
        out[lane] = c[lane] + static_cast<u32>(sum);
    }
    commit(destination<u32>(warp, inst.d), out, warp.exec);
}
void dp2a(Warp& warp, const Inst& inst) {
    const u32* a = source<u32>(warp, inst.a);
    const u32* b = source<u32>(warp, inst.b);
    const u32* c = source<u32>(warp, inst.c);
    alignas(64) u32 out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        s64 sum = 0;
        const u32 half = (inst.mode & 4U) != 0 ? b[lane] >> 16 : b[lane];
        for (int i = 0; i < 2; ++i) {
            const u32 x = (a[lane] >> (16 * i)) & 0xFFFF, y = (half >> (8 * i)) & 0xFF;
            sum += s64{(inst.mode & 1U) != 0 ? static_cast<s16>(x) : static_cast<s32>(x)} *
                   ((inst.mode & 2U) != 0 ? static_cast<std::int8_t>(y) : static_cast<s32>(y));
        }
        out[lane] = c[lane] + static_cast<u32>(sum);
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

template <class F>
constexpr auto binary_of = []<class T>(std::type_identity<T>) -> Handler { return binary<T, T, F>; };
template <class F>
constexpr auto ternary_of = []<class T>(std::type_identity<T>) -> Handler { return ternary<T, T, F>; };
template <class F>
constexpr auto unary_of = []<class T>(std::type_identity<T>) -> Handler { return unary<T, T, F>; };
/// The result is u32 whatever the operand.
template <class F>
constexpr auto count_of = []<class T>(std::type_identity<T>) -> Handler { return unary<u32, T, F>; };
template <class F>
constexpr auto wide_binary_of = []<class T>(std::type_identity<T>) -> Handler { return binary<Wide<T>, T, F>; };
template <class F>
constexpr auto wide_ternary_of = []<class T>(std::type_identity<T>) -> Handler { return ternary<Wide<T>, T, F>; };
template <bool Left>
constexpr auto shift_of = []<class T>(std::type_identity<T>) -> Handler { return shift<T, Left>; };
constexpr auto extract_of = []<class T>(std::type_identity<T>) -> Handler { return bit_extract<T>; };

template <class F>
Handler pick_any(ptx::Type type, F handler) {
    return pick<u16, s16, u32, s32, u64, s64>(type, handler);
}
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
template <bool Subtract>
Handler pick_carry(ptx::Type type) {
    return size_of(type) == 8 ? carry<std::uint64_t, Subtract> : carry<std::uint32_t, Subtract>;
}
template <bool High>
Handler pick_carry_mad(ptx::Type type) {
    return size_of(type) == 8 ? carry_mad<std::uint64_t, High> : carry_mad<std::uint32_t, High>;
}

/// Bits of a word with their sign.
std::int32_t signed_part(std::uint32_t word, std::uint32_t first, std::uint32_t count, bool is_signed) {
    const std::uint32_t up = 32 - first - count, down = 32 - count;
    return is_signed ? static_cast<std::int32_t>(word << up) >> down : static_cast<std::int32_t>(word << up >> down);
}
/// vmad: imm the parts of a and b; mode as the decoder says. Since GPUs have no such instruction, they multiply and add
/// with one of signed words that gives 64 bits: whole words of u32 count as signed, and c always.
void multiply_add_parts(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint32_t>(warp, inst.a);
    const auto* b = source<std::uint32_t>(warp, inst.b);
    const auto* c = source<std::int32_t>(warp, inst.c);
    const auto parts = static_cast<std::uint32_t>(inst.imm);
    const bool signed_result = (inst.mode & 15U) != 0;
    const auto result = [&](int lane) {
        // 2^62 + 2^31 + 1 at most
        std::int64_t sum = std::int64_t{signed_part(a[lane], parts & 0xFF, parts >> 8 & 0xFF, (inst.mode & 1U) != 0)} *
                           signed_part(b[lane], parts >> 16 & 0xFF, parts >> 24, (inst.mode & 2U) != 0);
        const std::int64_t addend = c[lane];
        if ((inst.mode & 4U) != 0) sum = -sum;
        sum += (inst.mode & 8U) != 0 ? -addend : addend;
        if ((inst.mode & 16U) != 0) sum += 1;
        const int shift = (inst.mode & 64U) != 0 ? 7 : (inst.mode & 128U) != 0 ? 15 : 0;
        sum = signed_result ? sum >> shift : static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) >> shift);
        if ((inst.mode & 32U) != 0) {
            const std::int64_t low = signed_result ? INT32_MIN : 0, high = signed_result ? INT32_MAX : UINT32_MAX;
            sum = sum < low ? low : sum > high ? high : sum;
        }
        return static_cast<std::uint32_t>(sum);
    };
    each_lane(destination<std::uint32_t>(warp, inst.d), warp.exec, result);
}

}  // namespace

Handler select_integer(const Spec& spec) {
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
        case Op::dp4a:
            return dp4a;
        case Op::dp2a:
            return dp2a;
        case Op::vmad:
            return multiply_add_parts;
        case Op::video:
            return video;
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
        case Op::add_cc:
        case Op::addc:
        case Op::addc_cc:
            return pick_carry<false>(spec.type);
        case Op::sub_cc:
        case Op::subc:
        case Op::subc_cc:
            return pick_carry<true>(spec.type);
        case Op::mad_lo_cc:
        case Op::madc_lo:
        case Op::madc_lo_cc:
            return pick_carry_mad<false>(spec.type);
        case Op::mad_hi_cc:
        case Op::madc_hi:
        case Op::madc_hi_cc:
            return pick_carry_mad<true>(spec.type);
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
