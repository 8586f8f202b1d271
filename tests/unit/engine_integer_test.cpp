// Integer instructions against their C++ meaning (PTX ISA 9.7.1, 9.7.2, 9.7.8), edge values included.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>

#include "tests/support/ptx_runner.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;

namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
constexpr u32 width = 8 * sizeof(T);
template <class T>
std::string typed(std::string_view root) {
    return std::string(root) + "." + type_name<T>();
}
template <class T>
std::string bits(std::string_view root) {
    return std::string(root) + ".b" + std::to_string(width<T>);
}
template <class T>
using Product = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;

template <class T>
void arithmetic() {
    check<T, T, T>(typed<T>("add"), [](T a, T b) { return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b)); });
    check<T, T, T>(typed<T>("sub"), [](T a, T b) { return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b)); });
    check<T, T, T>(typed<T>("mul.lo"), [](T a, T b) { return static_cast<T>(Product<T>(a) * Product<T>(b)); });
    check<T, T, T>(typed<T>("mul.hi"),
                   [](T a, T b) { return static_cast<T>((Product<T>(a) * Product<T>(b)) >> width<T>); });
    check<T, T, T, T>(typed<T>("mad.lo"), [](T a, T b, T c) {
        return static_cast<T>(static_cast<Unsigned<T>>(Product<T>(a) * Product<T>(b)) + static_cast<Unsigned<T>>(c));
    });
    if constexpr (sizeof(T) > 2) {
        check<T, T, T, T>(typed<T>("mad.hi"), [](T a, T b, T c) {
            return static_cast<T>(static_cast<Unsigned<T>>((Product<T>(a) * Product<T>(b)) >> width<T>) +
                                  static_cast<Unsigned<T>>(c));
        });
    }
    check<T, T, T, T>(typed<T>("sad"), [](T a, T b, T c) {
        const Product<T> difference = a < b ? Product<T>(b) - Product<T>(a) : Product<T>(a) - Product<T>(b);
        return static_cast<T>(difference + Product<T>(c));
    });
    check<T, T, T>(typed<T>("min"), [](T a, T b) { return b < a ? b : a; });
    check<T, T, T>(typed<T>("max"), [](T a, T b) { return a < b ? b : a; });
    // Division by zero is unspecified in PTX; the machine gives all ones, as the remainder, too (H100, driver 580).
    check<T, T, T>(typed<T>("div"),
                   [](T a, T b) { return b == 0 ? T(-1) : static_cast<T>(Product<T>(a) / Product<T>(b)); });
    check<T, T, T>(typed<T>("rem"),
                   [](T a, T b) { return b == 0 ? T(-1) : static_cast<T>(Product<T>(a) % Product<T>(b)); });
    if constexpr (std::is_signed_v<T>) {
        check<T, T>(typed<T>("abs"), [](T a) { return static_cast<T>(a < 0 ? 0 - Unsigned<T>(a) : Unsigned<T>(a)); });
        check<T, T>(typed<T>("neg"), [](T a) { return static_cast<T>(0 - Unsigned<T>(a)); });
    }
}

template <class W, class T>
void widening() {
    check<W, T, T>(typed<T>("mul.wide"),
                   [](T a, T b) { return static_cast<W>(static_cast<W>(a) * static_cast<W>(b)); });
    check<W, T, T, W>(typed<T>("mad.wide"), [](T a, T b, W c) {
        return static_cast<W>(static_cast<Unsigned<W>>(static_cast<W>(a) * static_cast<W>(b)) +
                              static_cast<Unsigned<W>>(c));
    });
}

template <class T>
void logic() {
    check<T, T, T>(bits<T>("and"), [](T a, T b) { return static_cast<T>(a & b); });
    check<T, T, T>(bits<T>("or"), [](T a, T b) { return static_cast<T>(a | b); });
    check<T, T, T>(bits<T>("xor"), [](T a, T b) { return static_cast<T>(a ^ b); });
    check<T, T>(bits<T>("not"), [](T a) { return static_cast<T>(~a); });
    check<T, T>(bits<T>("cnot"), [](T a) { return static_cast<T>(a == 0 ? 1 : 0); });
    check<T, T, u32>(bits<T>("shl"), [](T a, u32 n) { return n >= width<T> ? T(0) : static_cast<T>(a << n); });
    check<T, T, u32>(typed<T>("shr"), [](T a, u32 n) { return n >= width<T> ? T(0) : static_cast<T>(a >> n); });
    using S = std::make_signed_t<T>;
    check<S, S, u32>(typed<S>("shr"),
                     [](S a, u32 n) { return static_cast<S>(a >> (n >= width<T> ? width<T> - 1 : n)); });
}

/// PTX restricts positions and lengths to 255. Of larger ones an H100 takes 8 bits for fields of words, and all of them
/// for those of 64 bits (driver 580).
template <class T>
u64 field_number(u32 value) {
    return width<T> == 64 ? value : value & 0xFF;
}
/// The definition of bfe in the PTX ISA, bit by bit.
template <class T>
T extract(T a, u32 position, u32 length) {
    const u64 msb = width<T> - 1;
    const u64 pos = field_number<T>(position), len = field_number<T>(length);
    const auto bit = [&](u64 i) { return (static_cast<Unsigned<T>>(a) >> i) & 1U; };
    const Unsigned<T> sign = !std::is_signed_v<T> || len == 0 ? Unsigned<T>(0) : bit(std::min(pos + len - 1, msb));
    Unsigned<T> d = 0;
    for (u32 i = 0; i <= msb; ++i) {
        const Unsigned<T> value = i < len && pos + i <= msb ? bit(pos + i) : sign;
        d = static_cast<Unsigned<T>>(d | (value << i));
    }
    return static_cast<T>(d);
}
template <class T>
T insert(T a, T b, u32 position, u32 length) {
    const u64 msb = width<T> - 1;
    const u64 pos = field_number<T>(position), len = field_number<T>(length);
    T f = b;
    for (u32 i = 0; i < len && pos + i <= msb; ++i) {
        const T mask = static_cast<T>(T{1} << (pos + i));
        f = static_cast<T>((f & static_cast<T>(~mask)) | (((a >> i) & 1U) != 0 ? mask : T{0}));
    }
    return f;
}
template <class T>
u32 find_leading(T a) {
    const Unsigned<T> value = std::is_signed_v<T> && a < 0 ? static_cast<Unsigned<T>>(~a) : static_cast<Unsigned<T>>(a);
    for (u32 i = width<T>; i-- > 0;) {
        if (((value >> i) & 1U) != 0) return i;
    }
    return 0xFFFFFFFF;
}
template <class T>
void bit_fields() {
    check<T, T, u32, u32>(typed<T>("bfe"), extract<T>);
    check<u32, T>(typed<T>("bfind"), find_leading<T>);
    check<u32, T>("bfind.shiftamt." + std::string(type_name<T>()), [](T a) {
        const u32 found = find_leading(a);
        return found == 0xFFFFFFFF ? found : width<T> - 1 - found;
    });
    if constexpr (!std::is_signed_v<T>) {
        check<T, T, T, u32, u32>(bits<T>("bfi"), insert<T>, Exactly{}, 2);
        check<u32, T>(bits<T>("popc"), [](T a) { return static_cast<u32>(std::popcount(a)); });
        check<u32, T>(bits<T>("clz"), [](T a) { return static_cast<u32>(std::countl_zero(a)); });
        check<T, T>(bits<T>("brev"), [](T a) {
            T d = 0;
            for (u32 i = 0; i < width<T>; ++i) d = static_cast<T>(d | (((a >> i) & T{1}) << (width<T> - 1 - i)));
            return d;
        });
    }
}

s64 low24(s32 a) {
    return static_cast<s32>(static_cast<u32>(a) << 8) >> 8;
}

u32 byte_of(u32 a, u32 b, u32 i) {
    return static_cast<u32>(((u64{b} << 32) | a) >> (8 * i)) & 0xFF;
}

template <class T>
s32 dot(u32 a, u32 b, s32 c) {
    s32 sum = c;
    for (u32 i = 0; i < 4; ++i)
        sum = static_cast<s32>(static_cast<u32>(sum) +
                               static_cast<u32>(s32{static_cast<T>(a >> (8 * i))} * s32{static_cast<T>(b >> (8 * i))}));
    return sum;
}

}  // namespace

TEST_CASE("integer arithmetic means what C++ says of it", "[engine][integer]") {
    arithmetic<u16>();
    arithmetic<s16>();
    arithmetic<u32>();
    arithmetic<s32>();
    arithmetic<u64>();
    arithmetic<s64>();
    widening<u32, u16>();
    widening<s32, s16>();
    widening<u64, u32>();
    widening<s64, s32>();
    const auto clamp = [](s64 x) { return static_cast<s32>(std::clamp<s64>(x, INT32_MIN, INT32_MAX)); };
    check<s32, s32, s32>("add.sat.s32", [&](s32 a, s32 b) { return clamp(s64{a} + b); });
    check<s32, s32, s32>("sub.sat.s32", [&](s32 a, s32 b) { return clamp(s64{a} - b); });
    check<s32, s32, s32, s32>("mad.hi.sat.s32", [&](s32 a, s32 b, s32 c) { return clamp(((s64{a} * b) >> 32) + c); });
    check<s32, s32, s32>("mul24.lo.s32", [](s32 a, s32 b) { return static_cast<s32>(low24(a) * low24(b)); });
    check<u32, u32, u32>("mul24.lo.u32",
                         [](u32 a, u32 b) { return static_cast<u32>(u64{a & 0xFFFFFF} * (b & 0xFFFFFF)); });
    check<s32, s32, s32>("mul24.hi.s32", [](s32 a, s32 b) { return static_cast<s32>((low24(a) * low24(b)) >> 16); });
    check<u32, u32, u32>("mul24.hi.u32",
                         [](u32 a, u32 b) { return static_cast<u32>((u64{a & 0xFFFFFF} * (b & 0xFFFFFF)) >> 16); });
    check<s32, s32, s32, s32>("mad24.lo.s32", [](s32 a, s32 b, s32 c) {
        return static_cast<s32>(static_cast<u64>(low24(a) * low24(b)) + static_cast<u64>(s64{c}));
    });
    check<u32, u32, u32, u32>(
        "mad24.lo.u32", [](u32 a, u32 b, u32 c) { return static_cast<u32>(u64{a & 0xFFFFFF} * (b & 0xFFFFFF) + c); });
    // Packed pairs (sm_90).
    const auto pairs = [](u32 a, u32 b, auto f) {
        return static_cast<u32>(static_cast<u16>(f(static_cast<u16>(a), static_cast<u16>(b)))) |
               static_cast<u32>(static_cast<u16>(f(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16)))) << 16;
    };
    check<u32, u32, u32>("add.u16x2", [&](u32 a, u32 b) { return pairs(a, b, [](u16 x, u16 y) { return x + y; }); });
    check<u32, u32, u32>("min.s16x2", [&](u32 a, u32 b) {
        return pairs(a, b, [](u16 x, u16 y) { return std::min(static_cast<s16>(x), static_cast<s16>(y)); });
    });
    check<u32, u32, u32>("max.u16x2",
                         [&](u32 a, u32 b) { return pairs(a, b, [](u16 x, u16 y) { return std::max(x, y); }); });
    check<s32, s32, s32>("min.relu.s32", [](s32 a, s32 b) { return std::max(std::min(a, b), 0); });
    check<s32, s32, s32>("max.relu.s32", [](s32 a, s32 b) { return std::max(std::max(a, b), 0); });
}

TEST_CASE("extended precision carries from instruction to instruction", "[engine][integer]") {
    using U = unsigned __int128;
    const auto split = "mov.b64 {%s0, %s1}, %a; mov.b64 {%s2, %s3}, %b; ";
    const auto join = " mov.b64 %d, {%s4, %s5};";
    check_body<u64, u64, u64>(std::string(split) + "add.cc.u32 %s4, %s0, %s2; addc.u32 %s5, %s1, %s3;" + join,
                              [](u64 a, u64 b) { return a + b; });
    check_body<u64, u64, u64>(std::string(split) + "sub.cc.u32 %s4, %s0, %s2; subc.u32 %s5, %s1, %s3;" + join,
                              [](u64 a, u64 b) { return a - b; });
    check_body<u64, u64, u64>(
        std::string(split) +
            "add.cc.s32 %s4, %s0, %s2; addc.cc.s32 %s5, %s1, %s3; addc.u32 %s4, 0, 0; mov.u32 %s5, 0;" + join,
        [](u64 a, u64 b) { return static_cast<u64>((U{a} + b) >> 64); });
    check_body<u64, u64, u64>("sub.cc.u64 %l0, %a, %b; subc.cc.u64 %l1, 0, 0; subc.u64 %d, 0, %l1;",
                              // The borrow of a - b makes %l1 all ones and borrows again.
                              [](u64 a, u64 b) { return a < b ? u64{0} - ~u64{0} - 1 : u64{0}; });
    // One flag for sums and differences: ptxas 11.8 makes of these pairs, for sm_35 and sm_75, an addition of -b that
    // writes the carry and one that reads it.
    check_body<u64, u64, u64>("sub.cc.u64 %l0, %a, %b; addc.u64 %d, 0, 0;",
                              [](u64 a, u64 b) { return a >= b ? u64{1} : u64{0}; });
    check_body<u64, u64, u64>("add.cc.u64 %l0, %a, %b; subc.u64 %d, %b, 0;",
                              [](u64 a, u64 b) { return b - 1 + (a + b < a ? 1 : 0); });
    check_body<u64, u32, u32, u32>("mad.lo.cc.u32 %s4, %a, %b, %c; madc.hi.u32 %s5, %a, %b, 0;" + std::string(join),
                                   [](u32 a, u32 b, u32 c) { return u64{a} * b + c; });
    check_body<u64, u32, u32, u32>("mad.hi.cc.u32 %s4, %a, %b, %c; addc.u32 %s5, 0, 0;" + std::string(join),
                                   [](u32 a, u32 b, u32 c) { return u64{static_cast<u32>((u64{a} * b) >> 32)} + c; });
    check_body<u64, u32, u32, u32>(
        "add.cc.u32 %s4, %a, %a; madc.lo.cc.u32 %s4, %a, %b, %c; addc.u32 %s5, 0, 0;" + std::string(join),
        [](u32 a, u32 b, u32 c) { return u64{static_cast<u32>(a * b)} + c + (a >> 31); });
    // addc without .cc leaves the flag as it was.
    check_body<u32, u32, u32>("add.cc.u32 %s0, %a, %b; addc.u32 %s1, 0, 0; addc.u32 %d, %s1, 0;",
                              [](u32 a, u32 b) { return 2 * static_cast<u32>((u64{a} + b) >> 32); });
}

TEST_CASE("logic and shifts", "[engine][integer]") {
    logic<u16>();
    logic<u32>();
    logic<u64>();
    check<u32, u32, u32, u32>(
        "shf.l.wrap.b32", [](u32 a, u32 b, u32 c) { return c % 32 == 0 ? b : (b << (c % 32)) | (a >> (32 - c % 32)); });
    check<u32, u32, u32, u32>(
        "shf.r.wrap.b32", [](u32 a, u32 b, u32 c) { return c % 32 == 0 ? a : (a >> (c % 32)) | (b << (32 - c % 32)); });
    check<u32, u32, u32, u32>("shf.l.clamp.b32", [](u32 a, u32 b, u32 c) {
        return c >= 32 ? a : c == 0 ? b : (b << c) | (a >> (32 - c));
    });
    check<u32, u32, u32, u32>("shf.r.clamp.b32", [](u32 a, u32 b, u32 c) {
        return c >= 32 ? b : c == 0 ? a : (a >> c) | (b << (32 - c));
    });
    for (const u32 table : {0x00U, 0x01U, 0x80U, 0x96U, 0xE8U, 0xCAU, 0xFEU, 0x6AU}) {
        check_body<u32, u32, u32, u32>(
            "lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";", [&](u32 a, u32 b, u32 c) {
                u32 d = 0;
                for (u32 i = 0; i < 32; ++i) {
                    const u32 row = ((a >> i) & 1) << 2 | ((b >> i) & 1) << 1 | ((c >> i) & 1);
                    d |= ((table >> row) & 1) << i;
                }
                return d;
            });
    }
    // With a test of what comes of it, joined with a predicate.
    check_body<u32, u32, u32, u32>(
        "{ .reg .pred %q; setp.gt.u32 %q, %c, 100; lop3.or.b32 %d|%q, %a, %b, %c, 0xC0, %q; @%q add.u32 %d, %d, 7; }",
        [](u32 a, u32 b, u32 c) { return (a & b) + ((a & b) != 0 || c > 100 ? 7 : 0); });
    check_body<u32, u32, u32, u32>(
        "{ .reg .pred %q, %t; setp.gt.u32 %q, %c, 100; lop3.and.b32 _|%t, %a, %b, %c, 0x3C, %q;"
        " selp.u32 %d, 3, 5, %t; }",
        [](u32 a, u32 b, u32 c) { return (a ^ b) != 0 && c > 100 ? 3 : 5; });
}

TEST_CASE("bit fields, searches and permutations", "[engine][integer]") {
    bit_fields<u32>();
    bit_fields<s32>();
    bit_fields<u64>();
    bit_fields<s64>();
    check<u32, u32, u32>("bmsk.clamp.b32", [](u32 a, u32 b) {
        u32 d = 0;
        for (u32 i = 0; i < 32; ++i) d |= (i >= a && u64{i} < u64{a} + b ? 1U : 0U) << i;
        return d;
    });
    check<u32, u32, u32>("bmsk.wrap.b32", [](u32 a, u32 b) {
        u32 d = 0;
        for (u32 i = 0; i < 32; ++i) d |= (i >= (a & 31) && i < (a & 31) + (b & 31) ? 1U : 0U) << i;
        return d;
    });
    check<u32, u32, u32>("szext.clamp.u32", [](u32 a, u32 n) {
        return n >= 32 ? a : n == 0 ? 0 : a & ((1U << n) - 1);
    });
    check<s32, s32, u32>("szext.clamp.s32", [](s32 a, u32 n) {
        return n >= 32 ? a : n == 0 ? 0 : static_cast<s32>(static_cast<u32>(a) << (32 - n)) >> (32 - n);
    });
    check<u32, u32, u32>("szext.wrap.u32", [](u32 a, u32 n) { return a & ((1U << (n & 31)) - 1); });
    // The PTX ISA's own description of fns; an offset without an opposite gives 0 on an H100 (driver 580).
    check<u32, u32, u32, s32>("fns.b32", [](u32 mask, u32 base, s32 offset) -> u32 {
        if (offset == std::numeric_limits<s32>::min()) return 0;
        if (base >= 32) return 0xFFFFFFFF;
        if (offset == 0) return ((mask >> base) & 1) != 0 ? base : 0xFFFFFFFF;
        const s32 step = offset > 0 ? 1 : -1;
        s64 left = offset > 0 ? s64{offset} - 1 : -s64{offset} - 1;
        for (s32 at = static_cast<s32>(base); at >= 0 && at < 32; at += step) {
            if (((mask >> at) & 1) == 0) continue;
            if (left-- == 0) return static_cast<u32>(at);
        }
        return 0xFFFFFFFF;
    });
    check<u32, u32, u32, u32>("prmt.b32", [](u32 a, u32 b, u32 c) {
        u32 d = 0;
        for (u32 i = 0; i < 4; ++i) {
            const u32 selector = (c >> (4 * i)) & 0xF;
            u32 byte = byte_of(a, b, selector & 7);
            if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
            d |= byte << (8 * i);
        }
        return d;
    });
    struct Mode {
        const char* opcode;
        std::array<std::array<u32, 4>, 4> source;  // by c & 3: byte for d.b0, d.b1, d.b2, d.b3
    };
    // The table of the PTX ISA, least significant byte first.
    const Mode modes[] = {
        {"prmt.b32.f4e", {{{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}}},
        {"prmt.b32.b4e", {{{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}}},
        {"prmt.b32.rc8", {{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}}},
        {"prmt.b32.ecl", {{{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}}},
        {"prmt.b32.ecr", {{{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}}},
        {"prmt.b32.rc16", {{{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}}},
    };
    for (const Mode& mode : modes) {
        check<u32, u32, u32, u32>(mode.opcode, [&](u32 a, u32 b, u32 c) {
            u32 d = 0;
            for (u32 i = 0; i < 4; ++i) d |= byte_of(a, b, mode.source[c & 3][i]) << (8 * i);
            return d;
        });
    }
    check<s32, u32, u32, s32>("dp4a.s32.s32", dot<s8>);
    check<s32, u32, u32, s32>("dp4a.u32.u32", dot<u8>);
    check<s32, u32, u32, s32>("dp4a.s32.u32", [](u32 a, u32 b, s32 c) {
        u32 sum = static_cast<u32>(c);
        for (u32 i = 0; i < 4; ++i)
            sum += static_cast<u32>(s32{static_cast<s8>(a >> (8 * i))} * s32{static_cast<u8>(b >> (8 * i))});
        return static_cast<s32>(sum);
    });
    for (const bool high : {false, true}) {
        check<s32, u32, u32, s32>(high ? "dp2a.hi.s32.u32" : "dp2a.lo.s32.u32", [&](u32 a, u32 b, s32 c) {
            u32 sum = static_cast<u32>(c);
            for (u32 i = 0; i < 2; ++i)
                sum += static_cast<u32>(s32{static_cast<s16>(a >> (16 * i))} *
                                        s32{static_cast<u8>(b >> (8 * (i + (high ? 2 : 0))))});
            return static_cast<s32>(sum);
        });
    }
}

namespace {

/// vadd and its like, as an H100 computes them (driver 580), whose ptxas makes several instructions of each: in 64
/// bits, of a and b by their signs. What is too large for u32 is not saturated but cut off, and where a sum or
/// difference is compared with c, it counts as its lower 32 bits with the sign of those, even as an unsigned number of
/// 64 bits.
template <class D, class A, class B, class F>
void video_words(const std::string& root, F&& meaning) {
    const std::string types =
        "." + std::string(type_name<D>()) + "." + std::string(type_name<A>()) + "." + std::string(type_name<B>());
    using Limits = std::numeric_limits<D>;
    using Wide = std::conditional_t<std::is_signed_v<D>, s64, u64>;
    const auto exact = [&](A a, B b) { return static_cast<long long>(meaning((long long)a, (long long)b)); };
    check<D, A, B>(root + types, [&](A a, B b) { return static_cast<D>(exact(a, b)); });
    const auto saturated = [&](A a, B b) {
        const long long from_below = std::max<long long>(exact(a, b), Limits::min());
        return static_cast<D>(std::is_signed_v<D> ? std::min<long long>(from_below, Limits::max()) : from_below);
    };
    check<D, A, B>(root + types + ".sat", saturated);
    check<D, A, B, D>(root + types + ".sat.add", [&](A a, B b, D c) { return static_cast<D>(saturated(a, b) + c); });
    const auto compared = [&](A a, B b) {
        const long long value = exact(a, b);
        return static_cast<Wide>(root == "vadd" || root == "vsub" ? s64{static_cast<s32>(value)} : value);
    };
    check<D, A, B, D>(root + types + ".min",
                      [&](A a, B b, D c) { return static_cast<D>(std::min(compared(a, b), static_cast<Wide>(c))); });
    check<D, A, B, D>(root + types + ".max",
                      [&](A a, B b, D c) { return static_cast<D>(std::max(compared(a, b), static_cast<Wide>(c))); });
}

template <class D, class A, class B>
void all_video_words() {
    video_words<D, A, B>("vadd", [](long long a, long long b) { return a + b; });
    video_words<D, A, B>("vsub", [](long long a, long long b) { return a - b; });
    video_words<D, A, B>("vabsdiff", [](long long a, long long b) { return std::llabs(a - b); });
    video_words<D, A, B>("vmin", [](long long a, long long b) { return std::min(a, b); });
    video_words<D, A, B>("vmax", [](long long a, long long b) { return std::max(a, b); });
}

}  // namespace

TEST_CASE("video instructions on single words", "[engine][integer]") {
    all_video_words<u32, u32, u32>();
    all_video_words<s32, s32, s32>();
    all_video_words<s32, u32, s32>();
    all_video_words<u32, s32, u32>();
    for (const bool wrap : {false, true}) {
        const std::string mode = wrap ? ".wrap" : ".clamp";
        const auto amount = [&](u32 b) { return wrap ? b % 32 : std::min(b, 32U); };
        check<u32, u32, u32>("vshl.u32.u32.u32" + mode,
                             [&](u32 a, u32 b) { return static_cast<u32>(u64{a} << amount(b)); });
        check<u32, u32, u32>("vshr.u32.u32.u32" + mode,
                             [&](u32 a, u32 b) { return static_cast<u32>(u64{a} >> amount(b)); });
        check<s32, s32, u32>("vshr.s32.s32.u32" + mode,
                             [&](s32 a, u32 b) { return static_cast<s32>(s64{a} >> amount(b)); });
    }
    check<u32, s32, u32>("vset.s32.u32.ge", [](s32 a, u32 b) { return s64{a} >= s64{b} ? 1U : 0U; });
    check<u32, u32, u32, u32>("vset.u32.u32.ne.add", [](u32 a, u32 b, u32 c) { return c + (a != b ? 1U : 0U); });
}

TEST_CASE("video instructions on parts of words", "[engine][integer]") {
    // %s1 = 80 7F FF 01, %s2 = 8001 7FFF.
    const auto run = [](const std::string& body) {
        const Threads result = run_threads("mov.u32 %s1, 0x807FFF01; mov.u32 %s2, 0x80017FFF;" + body);
        INFO(body << (result.report.fault ? result.report.fault->message : ""));
        REQUIRE_FALSE(result.report.fault);
        return result.values[0];
    };
    CHECK(run("vadd.u32.u32.u32 %r, %s1.b1, %s1.b0;") == 0x100);
    CHECK(run("vadd.s32.s32.s32 %r, %s1.b1, %s1.b3;") == static_cast<u32>(-1 - 128));
    CHECK(run("vsub.s32.s32.u32 %r, %s2.h1, %s2.h0;") == static_cast<u32>(-0x7FFF - 0x7FFF));
    CHECK(run("vmax.u32.u32.u32 %r, %s2.h1, %s1.b2;") == 0x8001);
    // Merged into c, with and without saturation to the part.
    CHECK(run("vadd.u32.u32.u32 %r.b2, %s1.b1, %s1.b0, 0x11223344;") == 0x11003344);
    CHECK(run("vadd.u32.u32.u32.sat %r.b2, %s1.b1, %s1.b0, 0x11223344;") == 0x11FF3344);
    // As the PTX ISA has it; ptxas 13.0 saturates negative numbers of parts upwards, and takes the wrong half of
    // vset's.
    CHECK(run("vsub.s32.s32.s32.sat %r.h0, %s2.h1, %s2.h0, 0x11223344;") == 0x11228000);
    CHECK(run("vset.u32.u32.eq %r.h1, %s1.b1, 255, 0x11223344;") == 0x00013344);
}
