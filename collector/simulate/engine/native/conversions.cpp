// Conversions between numbers of 32 and 64 bits, as handlers/convert.cpp has them.
#include <bit>

#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;
using Xbyak::Xmm;

// Of Inst::mode.
constexpr std::uint8_t rounding_bits = 7, ftz = 8, sat = 16;

constexpr std::uint32_t one = 0x3F800000U, sign = 0x80000000U;
constexpr std::uint32_t two_to_31 = 0x4F000000U, two_to_32 = 0x4F800000U;  // of single precision
constexpr std::uint64_t largest_word = 0x41DFFFFFFFC00000U;                // 2^31 - 1

/// What vroundps has for cvt's roundings to integers, without the exception for inexact results.
std::uint8_t direction(const Inst& inst) {
    constexpr std::uint8_t quiet = 8;
    switch (static_cast<Rounding>(inst.mode & rounding_bits)) {
        case Rounding::integer_down:
            return quiet | 1;
        case Rounding::integer_up:
            return quiet | 2;
        case Rounding::integer_zero:
            return quiet | 3;
        default:
            return quiet;
    }
}
bool rounds_to_integer(const Inst& inst) {
    return static_cast<Rounding>(inst.mode & rounding_bits) >= Rounding::integer_nearest;
}

Ymm single(Emitter& e, const Step& s) {
    return (s.inst->mode & ftz) != 0 ? e.flushed(s.inst->a) : e.word(s.inst->a, Nan::any);
}
// ---- integers
/// Words that hold a number of a narrower type, or of a word, as that type has it; in place.
void cut(Emitter& e, const Ymm& value, ptx::Type type) {
    const std::uint32_t bits = 8 * size_of(type);
    if (bits >= 32) return;
    const auto above = static_cast<std::uint8_t>(32 - bits);
    if (is_signed(type)) {
        e.vpslld(value, value, above);
        e.vpsrad(value, value, above);
    } else {
        e.vpand(value, value, e.all((1U << bits) - 1));
    }
}
/// The source, at most a word of it that counts, in a register of its own.
Ymm source_word(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    if (s.inst->a_width == 8)
        e.narrow(d, e.wide(s.inst->a, 0), e.wide(s.inst->a, 1));
    else
        e.vmovaps(d, s.inst->a_width == 2 ? e.half(s.inst->a) : e.word(s.inst->a));
    if (size_of(s.spec->from) < 8) cut(e, d, s.spec->from);
    return d;
}
void same_wide_bits(Emitter& e, const Step& s) {
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        e.vmovaps(d, e.wide(s.inst->a, part));
        e.set_wide(s.inst->d, part, d);
    }
}
/// Between integers, one of which has at most 32 bits. Registers may be wider than the types.
void integer_to_integer(Emitter& e, const Step& s) {
    const Ymm word = source_word(e, s);
    const ptx::Type to = s.spec->type;
    cut(e, word, to);
    if (s.inst->d_width == 2) return e.set_half(s.inst->d, word);
    if (s.inst->d_width == 4) return e.set_word(s.inst->d, word);
    const bool extends_sign = is_signed(size_of(to) == 8 ? s.spec->from : to);
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        e.widen(d, word, part, extends_sign);
        e.set_wide(s.inst->d, part, d);
    }
}

// ---- integers to real numbers
/// Whether the source is no negative number in a word that has its uppermost bit.
bool is_large(const Step& s) {
    return !is_signed(s.spec->from) && size_of(s.spec->from) == 4;
}
void integer_to_single(Emitter& e, const Step& s) {
    const Ymm a = source_word(e, s);
    if (!is_large(s)) {
        e.vcvtdq2ps(a, a);
        return e.set_word(s.inst->d, a, {Nan::canonical, true});
    }
    const Ymm low = e.scratch(), high = e.scratch();
    e.to_double(low, a, 0, false);
    e.to_double(high, a, 1, false);
    e.vcvtpd2ps(Xmm(low.getIdx()), low);
    e.vcvtpd2ps(Xmm(high.getIdx()), high);
    e.join(low, high);
    e.set_word(s.inst->d, low, {Nan::canonical, true});
}
void integer_to_double(Emitter& e, const Step& s) {
    const Ymm a = source_word(e, s);
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        e.to_double(d, a, part, !is_large(s));
        e.set_wide(s.inst->d, part, d);
    }
}

/// The upper and the lower half, each in the lowest bits of a number whose exponent stands for its place; only the last
/// sum is rounded.
void wide_to_double(Emitter& e, const Step& s) {
    constexpr std::uint64_t two_to_52 = 0x4330000000000000U, two_to_84 = 0x4530000000000000U,
                            two_to_63 = 0x0000000080000000U, low_word = 0xFFFFFFFFU;
    constexpr std::uint8_t half = 32;
    const bool is_negative_too = s.spec->from == ptx::Type::s64;
    // Of a number with a sign the upper half is 2^31 too large, and 2^63 is taken off again.
    const double excess = (is_negative_too ? 0x1p63 : 0.0) + 0x1p84 + 0x1p52;
    for (int part = 0; part < 2; ++part) {
        const Ymm a = e.wide(s.inst->a, part), d = e.scratch(), low = e.scratch();
        e.vpsrlq(d, a, half);
        e.vpxor(d, d, e.all_wide(is_negative_too ? two_to_84 ^ two_to_63 : two_to_84));
        e.vpand(low, a, e.all_wide(low_word));
        e.vpor(low, low, e.all_wide(two_to_52));
        e.vsubpd(d, d, e.all_wide(std::bit_cast<std::uint64_t>(excess)));
        e.vaddpd(d, d, low);
        e.set_wide(s.inst->d, part, d);
    }
}

// ---- real numbers to integers
void single_to_signed(Emitter& e, const Step& s) {
    const Ymm a = single(e, s), d = e.scratch(), mask = e.scratch();
    e.vroundps(d, a, direction(*s.inst));
    e.vcmpps(mask, d, e.all(two_to_31),
             condition(Compare::ge));  // too large: the smallest number comes out, the largest is wanted
    e.vcvttps2dq(d, d);
    e.vpxor(d, d, mask);
    e.vcmpps(mask, a, a, condition(Compare::num));
    e.vpand(d, d, mask);  // NaN becomes 0
    e.set_word(s.inst->d, d);
}
void single_to_unsigned(Emitter& e, const Step& s) {
    const Ymm a = single(e, s), d = e.scratch(), upper = e.scratch(), mask = e.scratch();
    e.vroundps(d, a, direction(*s.inst));
    e.vmaxps(d, d, e.all(0));  // NaN becomes 0
    e.vsubps(upper, d, e.all(two_to_31));
    e.vcvttps2dq(upper, upper);
    e.vpxor(upper, upper, e.all(sign));
    e.vcmpps(mask, d, e.all(two_to_32), condition(Compare::ge));
    e.vpor(upper, upper, mask);
    e.vcmpps(mask, d, e.all(two_to_31), condition(Compare::ge));
    e.vcvttps2dq(d, d);
    e.vblendvps(d, d, upper, mask);
    e.set_word(s.inst->d, d);
}
/// NaN becomes the smallest number, as what is below it does.
void double_to_signed(Emitter& e, const Step& s) {
    const Ymm low = e.scratch(), high = e.scratch(), most = e.scratch();
    e.vmovups(most, e.all_wide(largest_word));
    for (int part = 0; part < 2; ++part) {
        const Ymm& d = part == 0 ? low : high;
        e.vroundpd(d, e.wide(s.inst->a, part), direction(*s.inst));
        e.vminpd(d, most, d);  // the second where that is NaN
        e.vcvttpd2dq(Xmm(d.getIdx()), d);
    }
    e.join(low, high);
    e.set_word(s.inst->d, low);
}

// ---- between real numbers
void single_to_single(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    if (rounds_to_integer(*s.inst))
        e.vroundps(d, single(e, s), direction(*s.inst));
    else
        e.vmovaps(d, single(e, s));
    if ((s.inst->mode & sat) != 0) {
        e.vmaxps(d, d, e.all(0));
        e.vminps(d, d, e.all(one));
    }
    e.set_word(s.inst->d, d, {Nan::any, (s.inst->mode & ftz) != 0});
}
void single_to_double(Emitter& e, const Step& s) {
    const bool flushes = (s.inst->mode & ftz) != 0;
    const Ymm a = flushes ? e.flushed(s.inst->a) : e.word(s.inst->a);
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        e.vcvtps2pd(d, e.four_lanes(d, a, part));
        e.set_wide(s.inst->d, part, d);
    }
}
void double_to_single(Emitter& e, const Step& s) {
    const Ymm low = e.scratch(), high = e.scratch();
    e.vcvtpd2ps(Xmm(low.getIdx()), e.wide(s.inst->a, 0));
    e.vcvtpd2ps(Xmm(high.getIdx()), e.wide(s.inst->a, 1));
    e.join(low, high);
    if ((s.inst->mode & ftz) != 0) e.flush(low, low);
    e.set_word(s.inst->d, low, {Nan::canonical, (s.inst->mode & ftz) != 0});  // the upper bits of NaN are kept
}
void double_to_double(Emitter& e, const Step& s) {
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        e.vroundpd(d, e.wide(s.inst->a, part), direction(*s.inst));
        e.set_wide(s.inst->d, part, d);
    }
}

bool is_integer(ptx::Type type) {
    using enum ptx::Type;
    switch (type) {
        case u8:
        case s8:
        case b8:
        case u16:
        case s16:
        case b16:
        case u32:
        case s32:
        case b32:
        case u64:
        case s64:
        case b64:
            return true;
        default:
            return false;
    }
}

Emitter::Emit find_among_integers(const Spec& spec, const Inst& inst) {
    if (inst.mode != 0 || inst.d_width < 2 || inst.d_width > 8 || inst.a_width < 2 || inst.a_width > 8) return nullptr;
    const bool from_wide = size_of(spec.from) == 8, to_wide = size_of(spec.type) == 8;
    if (from_wide && to_wide) return same_wide_bits;
    return integer_to_integer;
}

}  // namespace

Emitter::Emit find_conversion(const Spec& spec, const Inst& inst) {
    using enum ptx::Type;
    if (spec.op != Op::cvt || inst.d_width < size_of(spec.type) || inst.a_width < size_of(spec.from)) return nullptr;
    const bool from_integer = is_integer(spec.from), into_integer = is_integer(spec.type);
    if (from_integer && into_integer) return find_among_integers(spec, inst);
    if (inst.d_width != size_of(spec.type)) return nullptr;
    const bool plain = inst.mode == 0, to_integer = rounds_to_integer(inst);
    const bool flushes_only = (inst.mode & ~(rounding_bits | ftz)) == 0;
    if (from_integer) {
        if (!plain) return nullptr;
        if (size_of(spec.from) == 8) return spec.type == f64 && inst.a_width == 8 ? wide_to_double : nullptr;
        return spec.type == f32 ? integer_to_single : spec.type == f64 ? integer_to_double : nullptr;
    }
    if (inst.a_width != size_of(spec.from)) return nullptr;
    if (spec.from == f32 && (spec.type == s32 || spec.type == u32)) {
        if (!to_integer || !flushes_only) return nullptr;
        return spec.type == s32 ? single_to_signed : single_to_unsigned;
    }
    if (spec.from == f64 && spec.type == s32) return to_integer && flushes_only ? double_to_signed : nullptr;
    const bool known = (inst.mode & ~(rounding_bits | ftz | sat)) == 0, nearest = (inst.mode & rounding_bits) == 0;
    if (spec.from == f32 && spec.type == f32) return known && (nearest || to_integer) ? single_to_single : nullptr;
    if (spec.from == f32 && spec.type == f64) return flushes_only && nearest ? single_to_double : nullptr;
    if (spec.from == f64 && spec.type == f32) return flushes_only && nearest ? double_to_single : nullptr;
    if (spec.from == f64 && spec.type == f64)
        return inst.mode == (inst.mode & rounding_bits) && to_integer ? double_to_double : nullptr;
    return nullptr;
}

}  // namespace gpuproj::simulate::native
