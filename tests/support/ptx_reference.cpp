#include "tests/support/ptx_reference.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <set>
#include <stdexcept>

#include "tests/support/half.hpp"

namespace gpuproj::test {

namespace {

using Wide = __int128;
using Instruction = Reference::Instruction;
using Operand = Reference::Operand;

[[noreturn]] void lacks(const Instruction& inst) {
    throw std::runtime_error("the reference interpreter lacks: " + inst.text);
}

// ---- types
u32 bits_in(std::string_view type) {
    if (type == "pred") return 1;
    if (type == "f32x2") return 64;
    if (type.starts_with("e")) return type == "e2m1x2" ? 8 : 16;
    if (type == "bf16") return 16;
    if (type.ends_with("x2")) return 32;
    return static_cast<u32>(std::stoul(std::string(type.substr(1))));
}
bool is_signed(std::string_view type) {
    return type.front() == 's';
}
bool is_real(std::string_view type) {
    return type.front() == 'f' || type.starts_with("bf");
}
u64 cut(Wide value, u32 bits) {
    return bits == 64 ? static_cast<u64>(value) : static_cast<u64>(value) & ((u64{1} << bits) - 1);
}
/// The number that bits stand for.
Wide integer(u64 bits, u32 width, bool negative_possible) {
    const u64 value = cut(static_cast<Wide>(bits), width);
    if (negative_possible && ((value >> (width - 1)) & 1) != 0) return static_cast<Wide>(value) - (Wide{1} << width);
    return static_cast<Wide>(value);
}
Wide lowest(std::string_view type) {
    return is_signed(type) ? -(Wide{1} << (bits_in(type) - 1)) : Wide{0};
}
Wide highest(std::string_view type) {
    return (Wide{1} << (bits_in(type) - (is_signed(type) ? 1 : 0))) - 1;
}

// ---- floating point
int mode_of(const Instruction& inst) {
    return inst.has("rz") ? FE_TOWARDZERO : inst.has("rm") ? FE_DOWNWARD : inst.has("rp") ? FE_UPWARD : FE_TONEAREST;
}
template <class F>
auto rounded(int mode, F&& compute) {
    const int before = std::fegetround();
    std::fesetround(mode);
    const volatile auto value = compute();
    std::fesetround(before);
    return value;
}
template <class T>
T flush(T x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(T{0}, x) : x;
}
/// Any real type's bits as a number; exact.
f64 real(u64 bits, std::string_view type) {
    if (type == "f64") return std::bit_cast<f64>(bits);
    if (type == "f32") return f64{std::bit_cast<f32>(static_cast<u32>(bits))};
    if (type == "f16") return value_of(f16{static_cast<u16>(bits)});
    return value_of(bf16{static_cast<u16>(bits)});
}
u64 bits_of_f32(f32 x) {
    return std::isnan(x) ? 0x7FFFFFFF : bits_of(x);  // the one NaN of single precision
}
f64 smallest_normal(std::string_view type) {
    return type == "f16" ? 0x1p-14 : 0x1p-126;
}
/// To 16 bits, with what single instructions may ask for.
u64 half_bits(f64 x, std::string_view type, bool ftz, bool sat) {
    if (sat) x = x > 0 ? std::min(x, 1.0) : 0.0;
    u64 bits = type == "f16" ? u64{round_to<f16>(x).bits} : u64{round_to<bf16>(x).bits};
    if (ftz && std::fabs(real(bits, type)) < smallest_normal(type)) bits &= 0x8000;
    return bits;
}
template <class T>
T arithmetic(const Instruction& inst, T a, T b, T c) {
    const int mode = mode_of(inst);
    volatile T x = a, y = b, z = c;
    if (inst.root == "add") return rounded(mode, [&] { return x + y; });
    if (inst.root == "sub") return rounded(mode, [&] { return x - y; });
    if (inst.root == "mul") return rounded(mode, [&] { return x * y; });
    if (inst.root == "div") return rounded(mode, [&] { return x / y; });
    if (inst.root == "rcp") return rounded(mode, [&] { return T{1} / x; });
    if (inst.root == "sqrt") return rounded(mode, [&] { return std::sqrt(T{x}); });
    if (inst.root == "fma") return rounded(mode, [&] { return std::fma(T{x}, T{y}, T{z}); });
    if (inst.root == "copysign") return std::copysign(b, a);
    const bool maximum = inst.root == "max";
    if (!maximum && inst.root != "min") lacks(inst);
    if (inst.has("xorsign")) {
        Instruction plain = inst;
        std::erase(plain.modifiers, "xorsign");
        const T size = arithmetic(plain, std::fabs(a), std::fabs(b), c);
        return std::isnan(size) || std::signbit(a) == std::signbit(b) ? size : -size;
    }
    if (inst.operands.size() > 3) {
        Instruction two = inst;
        two.operands.pop_back();
        return arithmetic(two, arithmetic(two, a, b, c), c, c);
    }
    if (std::isnan(a) || std::isnan(b)) return inst.has("NaN") || std::isnan(a) ? (inst.has("NaN") ? T(NAN) : b) : a;
    if (a == b) return std::signbit(a) == maximum ? b : a;  // +0 is above -0
    return (a < b) == maximum ? b : a;
}
u64 real_arithmetic(const Instruction& inst, std::string_view type, u64 a, u64 b, u64 c) {
    if (type == "f64") {
        const auto at = [](u64 bits) { return std::bit_cast<f64>(bits); };
        return bits_of(arithmetic(inst, at(a), at(b), at(c)));
    }
    const bool ftz = inst.has("ftz"), sat = inst.has("sat");
    if (type == "f32") {
        const auto at = [&](u64 bits) {
            const f32 x = std::bit_cast<f32>(static_cast<u32>(bits));
            return ftz ? flush(x) : x;
        };
        f32 x = arithmetic(inst, at(a), at(b), at(c));
        if (inst.root == "copysign") return bits_of(x);
        if (ftz) x = flush(x);
        if (sat) x = x > 0 ? std::min(x, 1.0F) : 0.0F;
        return bits_of_f32(x);
    }
    const auto at = [&](u64 bits) {
        const f64 x = real(bits, type);
        return ftz && std::fabs(x) < smallest_normal(type) ? std::copysign(0.0, x) : x;
    };
    const f64 x = inst.root == "fma" ? fused(at(a), at(b), at(c)) : arithmetic(inst, at(a), at(b), at(c));
    return half_bits(x, type, ftz, sat);
}

// ---- comparison
bool compare(const std::string& how, f64 a, f64 b, bool nan) {
    if (how == "num" || how == "nan") return nan == (how == "nan");
    if (how.size() == 3 && nan) return true;  // equ, neu, ltu, ...
    if (nan) return false;
    const std::string_view kind(how.data(), 2);
    return kind == "eq"   ? a == b
           : kind == "ne" ? a != b
           : kind == "lt" ? a < b
           : kind == "le" ? a <= b
           : kind == "gt" ? a > b
                          : a >= b;
}
bool compare_integers(const std::string& how, Wide a, Wide b) {
    return how == "eq"   ? a == b
           : how == "ne" ? a != b
           : how == "lt" ? a < b
           : how == "le" ? a <= b
           : how == "gt" ? a > b
                         : a >= b;
}
bool compared(const Instruction& inst, std::string_view type, u64 a, u64 b) {
    const std::string& how = inst.modifiers.front();
    if (!is_real(type)) {
        const u32 width = bits_in(type);
        return compare_integers(how, integer(a, width, is_signed(type)), integer(b, width, is_signed(type)));
    }
    f64 x = real(a, type), y = real(b, type);
    if (inst.has("ftz") && type == "f32") {
        x = std::fabs(x) < smallest_normal(type) ? 0.0 : x;
        y = std::fabs(y) < smallest_normal(type) ? 0.0 : y;
    }
    return compare(how, x, y, std::isnan(x) || std::isnan(y));
}

// ---- conversion
f64 to_integral(const Instruction& inst, f64 x) {
    return inst.has("rzi")   ? std::trunc(x)
           : inst.has("rmi") ? std::floor(x)
           : inst.has("rpi") ? std::ceil(x)
                             : std::nearbyint(x);
}
u64 converted(const Instruction& inst, std::string_view to, std::string_view from, u64 a) {
    const bool sat = inst.has("sat");
    if (!is_real(from)) {
        const Wide value = integer(a, bits_in(from), is_signed(from));
        if (!is_real(to)) {
            const Wide kept = sat ? std::min(std::max(value, lowest(to)), highest(to)) : value;
            return cut(integer(static_cast<u64>(kept), bits_in(to), is_signed(to)), 64);
        }
        const int mode = mode_of(inst);
        if (to == "f64") {
            return is_signed(from) ? bits_of(rounded(mode, [v = s64(value)] { return static_cast<f64>(v); }))
                                   : bits_of(rounded(mode, [v = u64(value)] { return static_cast<f64>(v); }));
        }
        if (to == "f32") {
            return is_signed(from) ? bits_of(rounded(mode, [v = s64(value)] { return static_cast<f32>(v); }))
                                   : bits_of(rounded(mode, [v = u64(value)] { return static_cast<f32>(v); }));
        }
        return half_bits(static_cast<f64>(value), to, false, false);  // 32 bits at most: exact
    }
    const f64 x = real(a, from);
    if (!is_real(to)) {
        // Out of range clamps; NaN is 0, but the top bit alone where a side has 64 bits.
        if (std::isnan(x)) return bits_in(to) == 64 || from == "f64" ? u64{1} << (bits_in(to) - 1) : 0;
        const f64 whole = to_integral(inst, x);
        if (whole >= std::ldexp(1.0, static_cast<int>(bits_in(to)) - (is_signed(to) ? 1 : 0)))
            return cut(highest(to), 64);
        if (whole <= static_cast<f64>(lowest(to))) return cut(lowest(to), 64);
        return cut(static_cast<Wide>(whole), 64);
    }
    if (to == "f64") return bits_of(x);
    if (to == "f32") {
        f32 y = rounded(mode_of(inst), [v = x] { return static_cast<f32>(v); });
        if (sat) y = y > 0 ? std::min(y, 1.0F) : 0.0F;
        if (std::isnan(y) && from == "bf16") return a << 16;
        if (std::isnan(y) && from == "f64") return (a >> 32 & 0x80000000) | 0x7FC00000 | (a >> 29 & 0x3FFFFF);
        return bits_of_f32(y);
    }
    const u64 half = half_bits(x, to, false, sat);
    const bool infinite = (half & 0x7FFF) == (to == "f16" ? 0x7C00U : 0x7F80U);
    return inst.has("satfinite") && infinite ? half - 1 : half;
}

// ---- 8 bits and fewer
struct Small {
    int exponent_bits, fraction_bits, bias;
    u32 largest;
    bool nan;
};
Small small_of(std::string_view type) {
    if (type.starts_with("e4m3")) return {4, 3, 7, 0x7E, true};
    if (type.starts_with("e5m2")) return {5, 2, 15, 0x7B, true};
    if (type.starts_with("e2m3")) return {2, 3, 1, 0x1F, false};
    return type.starts_with("e3m2") ? Small{3, 2, 3, 0x1F, false} : Small{2, 1, 1, 0x07, false};
}
f64 small_value(const Small& small, u32 bits) {
    const int fraction = static_cast<int>(bits) & ((1 << small.fraction_bits) - 1);
    const u32 sign = 1U << (small.exponent_bits + small.fraction_bits), magnitude = bits & (sign - 1);
    const int exponent = static_cast<int>(magnitude) >> small.fraction_bits;
    const f64 size = magnitude > small.largest ? (small.exponent_bits == 5 && fraction == 0 ? INFINITY : NAN)
                     : exponent == 0           ? std::ldexp(fraction, 1 - small.bias - small.fraction_bits)
                                               : std::ldexp(fraction + (1 << small.fraction_bits),
                                                            exponent - small.bias - small.fraction_bits);
    return (bits & sign) != 0 ? -size : size;
}
/// The nearest of all there are, of two the even one.
u64 small_bits(const Small& small, f64 x) {
    if (std::isnan(x)) return small.nan ? 0x7F : small.largest;
    u32 best = std::fabs(x) >= small_value(small, small.largest) ? small.largest : 0;
    for (u32 candidate = 1; candidate <= small.largest && best != small.largest; ++candidate) {
        const f64 off = std::fabs(small_value(small, candidate) - std::fabs(x));
        const f64 before = std::fabs(small_value(small, best) - std::fabs(x));
        if (off < before || (off == before && candidate % 2 == 0)) best = candidate;
    }
    return std::signbit(x) ? best | 1U << (small.exponent_bits + small.fraction_bits) : best;
}
bool is_small(std::string_view type) {
    return type.front() == 'e';
}
u64 convert_small(const Instruction& inst, u64 a, u64 b) {
    const std::string &to = inst.types[0], &from = inst.types[1];
    const auto kept = [&](f64 x) { return inst.has("relu") && x <= 0 ? 0.0 : x; };
    if (is_small(to)) {
        const Small small = small_of(to);
        const u32 shift = bits_in(to) / 2;
        const f64 high = from == "f32" ? real(a, "f32") : real(a >> 16 & 0xFFFF, "f16");
        const f64 low = from == "f32" ? real(b, "f32") : real(a & 0xFFFF, "f16");
        return small_bits(small, kept(high)) << shift | small_bits(small, kept(low));
    }
    const Small small = small_of(from);
    const u32 shift = bits_in(from) / 2;
    const auto half = [&](u64 bits) {
        return half_bits(kept(small_value(small, static_cast<u32>(bits & ((1U << shift) - 1)))), "f16", false, false);
    };
    return half(a >> shift) << 16 | half(a);
}

// ---- bytes and halves side by side
u64 video(const Instruction& inst, const std::array<u64, 4>& v) {
    const std::string root = inst.root.substr(0, inst.root.size() - 1);
    const u32 width = inst.root.back() == '4' ? 8 : 16;
    const bool sets = root == "vset";
    const std::string to = sets ? "u32" : inst.types[0], &a_type = inst.types[sets ? 0 : 1],
                      &b_type = inst.types[sets ? 1 : 2];
    Wide sum = integer(v[2], 32, false);
    u64 packed = 0;
    for (u32 at = 0; at < 32; at += width) {
        const Wide a = integer(v[0] >> at, width, is_signed(a_type)), b = integer(v[1] >> at, width, is_signed(b_type));
        Wide d = root == "vadd"       ? a + b
                 : root == "vsub"     ? a - b
                 : root == "vavrg"    ? (a + b + (a + b >= 0 ? 1 : 0)) >> 1
                 : root == "vabsdiff" ? (a > b ? a - b : b - a)
                 : root == "vmin"     ? std::min(a, b)
                 : root == "vmax"     ? std::max(a, b)
                                      : Wide{compare_integers(inst.modifiers.front(), a, b)};
        const Wide low = is_signed(to) ? -(Wide{1} << (width - 1)) : 0, high = (Wide{1} << width) - 1 + low;
        if (inst.has("sat")) d = std::min(std::max(d, low), high);
        packed |= cut(d, width) << at;
        sum += d;
    }
    return inst.has("add") ? cut(sum, 32) : packed;
}

// ---- bit operations
u64 bit_operation(const Instruction& inst, std::string_view type, const std::array<u64, 4>& v) {
    const u32 width = bits_in(type);
    const std::string& root = inst.root;
    const u64 a = cut(static_cast<Wide>(v[0]), width), b = cut(static_cast<Wide>(v[1]), width);
    const auto bit = [](u64 value, u32 i) { return (value >> i) & 1; };
    if (root == "and") return a & b;
    if (root == "or") return a | b;
    if (root == "xor") return a ^ b;
    if (root == "not") return ~a;
    if (root == "cnot") return a == 0 ? 1 : 0;
    if (root == "popc" || root == "clz" || root == "bfind" || root == "brev") {
        u64 ones = 0, reversed = 0;
        int leading = -1;
        const bool invert = root == "bfind" && is_signed(type) && bit(a, width - 1) != 0;
        for (u32 i = 0; i < width; ++i) {
            const u64 one = bit(a, i) ^ (invert ? 1 : 0);
            ones += one;
            reversed |= one << (width - 1 - i);
            if (one != 0) leading = static_cast<int>(i);
        }
        if (root == "popc") return ones;
        if (root == "brev") return reversed;
        if (root == "clz") return width - 1 - static_cast<u32>(leading);
        return leading < 0 || !inst.has("shiftamt") ? static_cast<u64>(leading) : width - 1 - static_cast<u32>(leading);
    }
    const u64 n = v[1] & 0xFFFFFFFF;
    if (root == "shl") return n >= width ? 0 : a << n;
    if (root == "shr") {
        const Wide value = integer(v[0], width, is_signed(type));
        return static_cast<u64>(value >> std::min<u64>(n, 100));
    }
    if (root == "shf") {
        const u64 amount = inst.has("wrap") ? v[2] % 32 : std::min<u64>(v[2] & 0xFFFFFFFF, 32);
        const u64 both = (b << 32) | a;
        return inst.has("l") ? static_cast<u64>((static_cast<Wide>(both) << amount) >> 32) : both >> amount;
    }
    if (root == "bfe") {
        const u64 bits = width == 64 ? 0xFFFFFFFF : 0xFF;  // as an H100 takes what PTX leaves open
        const u64 position = v[1] & bits, length = v[2] & bits;
        const u64 last = std::min<u64>(position + length - 1, width - 1);
        const u64 sign = is_signed(type) && length != 0 ? bit(a, static_cast<u32>(last)) : 0;
        u64 d = 0;
        for (u32 i = 0; i < width; ++i)
            d |= (i < length && position + i < width ? bit(a, static_cast<u32>(position + i)) : sign) << i;
        return d;
    }
    if (root == "bfi") {
        const u64 bits = width == 64 ? 0xFFFFFFFF : 0xFF;
        const u64 position = v[2] & bits, length = v[3] & bits;
        u64 d = b;
        for (u64 i = 0; i < length && position + i < width; ++i) {
            d &= ~(u64{1} << (position + i));
            d |= bit(a, static_cast<u32>(i)) << (position + i);
        }
        return d;
    }
    if (root == "prmt") {
        u64 d = 0;
        for (u32 i = 0; i < 4; ++i) {
            const u64 selector = (v[2] >> (4 * i)) & 15, byte = (((b << 32) | a) >> (8 * (selector & 7))) & 0xFF;
            d |= ((selector & 8) != 0 ? ((byte >> 7) != 0 ? u64{0xFF} : u64{0}) : byte) << (8 * i);
        }
        return d;
    }
    if (root == "lop3") {
        u64 d = 0;
        for (u32 i = 0; i < 32; ++i)
            d |= bit(v[3], static_cast<u32>(bit(a, i) << 2 | bit(b, i) << 1 | bit(v[2], i))) << i;
        return d;
    }
    lacks(inst);
}

u64 integer_arithmetic(const Instruction& inst, std::string_view type, const std::array<u64, 4>& v, bool& carry) {
    const std::string& root = inst.root;
    const u32 width = bits_in(type);
    const bool sign = is_signed(type);
    const Wide a = integer(v[0], width, sign), b = integer(v[1], width, sign);
    const auto third = [&](u32 bits) { return integer(v[2], bits, sign); };
    if (root == "add" || root == "addc" || root == "sub" || root == "subc" || root == "madc" || inst.has("cc")) {
        // The carry is the unsigned one, of a difference that of x + ~y + 1; products are cut before they are added.
        const Wide x = integer(v[0], width, false), y = integer(v[1], width, false);
        const Wide in = root.back() == 'c' && carry ? 1 : 0;
        Wide sum = 0;
        if (root.starts_with("mad")) {
            // Modulo 2^128: the products of 64 bits need all of them, and no sign.
            const auto all = static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
            const Wide product = inst.has("hi") ? all >> width : all;
            sum = static_cast<Wide>(cut(product, width)) + integer(v[2], width, false) + in;
        } else if (root.starts_with("sub")) {
            sum = x + static_cast<Wide>(cut(~y, width)) + (root == "subc" ? in : 1);
        } else {
            sum = x + y + in;
        }
        if (inst.has("cc")) carry = (sum >> width) != 0;
        if (inst.has("sat")) sum = std::min(std::max(root == "add" ? a + b : a - b, lowest(type)), highest(type));
        return cut(sum, 64);
    }
    const auto product_of = [&](Wide x, Wide y) {
        // 64-bit unsigned products need all 128 bits: the sign of __int128 does not matter for what is kept.
        const unsigned __int128 product = static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y);
        if (!inst.has("hi")) return cut(static_cast<Wide>(product), 64);
        return cut(static_cast<Wide>(product >> width), width);
    };
    if (root == "mul") return product_of(a, b);
    if (root == "mad") {
        const u32 wide = inst.has("wide") ? 2 * width : width;
        return cut(static_cast<Wide>(product_of(a, b)) + third(wide), 64);
    }
    if (root == "div") return cut(a / b, 64);
    if (root == "rem") return cut(a % b, 64);
    if (root == "min") return cut(std::min(a, b), 64);
    if (root == "max") return cut(std::max(a, b), 64);
    if (root == "abs") return cut(a < 0 ? -a : a, 64);
    if (root == "neg") return cut(-a, 64);
    if (root == "sad") return cut(third(width) + (a < b ? b - a : a - b), 64);
    if (root == "dp4a") {
        Wide sum = integer(v[2], 32, false);
        for (u32 i = 0; i < 4; ++i)
            sum += integer(v[0] >> (8 * i), 8, is_signed(inst.types[0])) *
                   integer(v[1] >> (8 * i), 8, is_signed(inst.types[1]));
        return cut(sum, 64);
    }
    return bit_operation(inst, type, v);
}

// ---- state
u64 read(const ReferenceThread& thread, const Operand& operand) {
    switch (operand.kind) {
        case 'h':
            return thread.h.at(operand.value);
        case 'r':
            return thread.r.at(operand.value);
        case 'q':
            return thread.q.at(operand.value);
        case 'p':
            return thread.p.at(operand.value);
        default:
            return operand.value;
    }
}
/// Writes to a register what fits it.
void write(ReferenceThread& thread, const Operand& operand, u64 value) {
    if (operand.kind == 'h') thread.h.at(operand.value) = value & 0xFFFF;
    if (operand.kind == 'r') thread.r.at(operand.value) = value & 0xFFFFFFFF;
    if (operand.kind == 'q') thread.q.at(operand.value) = value;
    if (operand.kind == 'p') thread.p.at(operand.value) = value & 1;
}
u32 width_of(const Operand& operand) {
    return operand.kind == 'h' ? 16 : operand.kind == 'r' ? 32 : 64;
}

/// cvt.pack: a and b limited to a type and side by side; the rest of the word are the lower bits of c.
u64 packed(const Instruction& inst, const std::array<u64, 4>& v) {
    const std::string& to = inst.types.front();
    const u32 bits = bits_in(to);
    const auto limited = [&](u64 x) { return cut(std::clamp(integer(x, 32, true), lowest(to), highest(to)), bits); };
    const u64 both = limited(v[0]) << bits | limited(v[1]);
    return bits == 16 ? both : both | v[2] << (2 * bits);
}

void access(const Instruction& inst, ReferenceThread& thread) {
    const bool load = inst.root == "ld";
    const std::string& type = inst.types.front();
    const std::size_t bytes = bits_in(type) / 8;
    std::byte* at = thread.memory.data() + inst.operands[load ? 1 : 0][0].value;
    for (const Operand& element : inst.operands[load ? 0 : 1]) {
        u64 bits = load ? 0 : read(thread, element);
        if (load) {
            std::memcpy(&bits, at, bytes);
            write(thread, element, cut(integer(bits, bits_in(type), is_signed(type)), 64));
        } else {
            std::memcpy(at, &bits, bytes);
        }
        at += bytes;
    }
}
void move(const Instruction& inst, ReferenceThread& thread) {
    const auto& to = inst.operands[0];
    const auto& from = inst.operands[1];
    u64 bits = 0;
    u32 at = 0;
    for (const Operand& element : from) {
        bits |= read(thread, element) << at;
        at += width_of(element);
    }
    at = 0;
    for (const Operand& element : to) {
        write(thread, element, bits >> at);
        at += width_of(element);
    }
}
bool combined(const Instruction& inst, bool holds, u64 with) {
    return inst.has("and")   ? holds && with != 0
           : inst.has("or")  ? holds || with != 0
           : inst.has("xor") ? holds != (with != 0)
                             : holds;
}

void execute(const Instruction& inst, ReferenceThread& thread) {
    const std::string& root = inst.root;
    if (root == "ld" || root == "st") return access(inst, thread);
    if (root == "mov") return move(inst, thread);
    std::array<u64, 4> v{};
    for (std::size_t i = 1; i < inst.operands.size(); ++i) v.at(i - 1) = read(thread, inst.operands[i][0]);
    const Operand& d = inst.operands[0][0];
    const std::string& type = inst.types.front();
    if (root == "setp" || root == "set") {
        const std::string& from = inst.types.back();
        const bool holds = compared(inst, from, v[0], v[1]);
        if (root == "set") {
            const u64 yes = type == "f32" ? 0x3F800000 : ~u64{0};
            return write(thread, d, combined(inst, holds, v[2]) ? yes : 0);
        }
        write(thread, d, combined(inst, holds, v[2]) ? 1 : 0);
        if (inst.operands[0].size() > 1) write(thread, inst.operands[0][1], combined(inst, !holds, v[2]) ? 1 : 0);
        return;
    }
    if (root == "selp") return write(thread, d, v[2] != 0 ? v[0] : v[1]);
    if (root == "slct") {
        const bool first = inst.types[1] == "f32" ? real(v[2], "f32") >= 0 : integer(v[2], 32, true) >= 0;
        return write(thread, d, first ? v[0] : v[1]);
    }
    if (root == "testp") {
        const f64 x = real(v[0], type);
        const f64 normal = type == "f64" ? 0x1p-1022 : 0x1p-126;
        const bool small = std::fabs(x) < normal;
        return write(thread, d,
                     inst.has("finite")       ? std::isfinite(x)
                     : inst.has("infinite")   ? std::isinf(x)
                     : inst.has("number")     ? !std::isnan(x)
                     : inst.has("notanumber") ? std::isnan(x)
                     : inst.has("normal")     ? std::isfinite(x) && (!small || x == 0)
                                              : small && x != 0);
    }
    if (root == "cvt" && inst.has("pack")) return write(thread, d, packed(inst, v));
    if (root == "cvt" && inst.has("pack")) return write(thread, d, packed(inst, v));
    if (root == "cvt" && (is_small(type) || is_small(inst.types[1])))
        return write(thread, d, convert_small(inst, v[0], v[1]));
    if (root == "cvt") return write(thread, d, converted(inst, type, inst.types[1], v[0]));
    if (root.starts_with("v") && (root.back() == '2' || root.back() == '4')) return write(thread, d, video(inst, v));
    if (type == "f32x2") {
        const auto part = [&](u32 at) {
            return real_arithmetic(inst, "f32", v[0] >> at & 0xFFFFFFFF, v[1] >> at & 0xFFFFFFFF,
                                   v[2] >> at & 0xFFFFFFFF);
        };
        return write(thread, d, part(32) << 32 | part(0));
    }
    if (is_real(type)) {
        if (!type.ends_with("x2")) return write(thread, d, real_arithmetic(inst, type, v[0], v[1], v[2]));
        const std::string half = type.substr(0, type.size() - 2);
        const u64 low = real_arithmetic(inst, half, v[0] & 0xFFFF, v[1] & 0xFFFF, v[2] & 0xFFFF);
        const u64 high = real_arithmetic(inst, half, v[0] >> 16, v[1] >> 16, v[2] >> 16);
        return write(thread, d, high << 16 | low);
    }
    write(thread, d, integer_arithmetic(inst, type, v, thread.carry));
}

// ---- text
std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (c == separator && depth == 0)
            parts.emplace_back();
        else if (c != ' ' && c != ';')
            parts.back().push_back(c);
    }
    return parts;
}
Operand one_operand(const std::string& text) {
    if (text == "_") return {'_', 0};
    if (text.starts_with("[%base+")) return {'m', std::stoull(text.substr(7))};
    if (text.front() == '%') return {text[1], std::stoull(text.substr(2))};
    return {'i', text.front() == '-' ? static_cast<u64>(std::stoll(text)) : std::stoull(text, nullptr, 0)};
}

}  // namespace

bool Instruction::has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Reference::Reference(const std::vector<std::string>& lines) {
    static const std::set<std::string_view> types{
        "pred",   "b8",     "b16",    "b32",    "b64",    "u8",  "u16",  "u32",   "u64",    "s8",
        "s16",    "s32",    "s64",    "f16",    "f32",    "f64", "bf16", "f16x2", "bf16x2", "f32x2",
        "e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2", "s2",  "u2",   "s4",    "u4"};
    for (const std::string& line : lines) {
        Instruction inst;
        inst.text = line;
        std::string_view rest = line;
        if (rest.front() == '@') {
            inst.guard_negated = rest[1] == '!';
            inst.guard = rest[inst.guard_negated ? 4 : 3] - '0';
            rest.remove_prefix(rest.find(' ') + 1);
        }
        const std::size_t space = rest.find(' ');
        const auto parts = split(rest.substr(0, space), '.');
        inst.root = parts.front();
        for (std::size_t i = 1; i < parts.size(); ++i)
            (types.contains(parts[i]) ? inst.types : inst.modifiers).push_back(parts[i]);
        for (const std::string& text : split(rest.substr(space), ',')) {
            std::vector<Operand> elements;
            const std::string inner = text.front() == '{' ? text.substr(1, text.size() - 2) : text;
            for (const std::string& element : split(inner, text.front() == '{' ? ',' : '|'))
                elements.push_back(one_operand(element));
            inst.operands.push_back(std::move(elements));
        }
        instructions_.push_back(std::move(inst));
    }
}

void Reference::run(ReferenceThread& thread) const {
    for (const Instruction& inst : instructions_) {
        const bool runs =
            inst.guard < 0 || (thread.p.at(static_cast<std::size_t>(inst.guard)) != 0) != inst.guard_negated;
        if (runs) execute(inst, thread);
    }
}

}  // namespace gpuproj::test
