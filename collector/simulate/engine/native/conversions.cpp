// Conversions between numbers of 32 and 64 bits, as handlers/convert.cpp has them.
#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;
using Xbyak::Xmm;

// Of Inst::mode.
constexpr std::uint8_t rounding_bits = 7, ftz = 8, sat = 16;

constexpr std::uint32_t one = 0x3F800000U, sign = 0x80000000U;
constexpr std::uint32_t two_to_31 = 0x4F000000U, two_to_32 = 0x4F800000U;   // of single precision
constexpr std::uint64_t two_to_52 = 0x4330000000000000U;                    // of double precision
constexpr std::uint64_t largest_word = 0x41DFFFFFFFC00000U;                 // 2^31 - 1

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
/// Two halves of four lanes each.
void join(Emitter& e, const Ymm& low, const Ymm& high) {
    e.vinsertf128(low, low, Xmm(high.getIdx()), 1);
}

// ---- integers
void same_bits(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    e.vmovaps(d, e.word(s.inst->a));
    e.set_word(s.inst->d, d);
}
void same_wide_bits(Emitter& e, const Step& s) {
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        e.vmovaps(d, e.wide(s.inst->a, part));
        e.set_wide(s.inst->d, part, d);
    }
}
void widen(Emitter& e, const Step& s) {
    const Ymm a = e.word(s.inst->a);
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        e.widen(d, a, part, s.spec->from == ptx::Type::s32);
        e.set_wide(s.inst->d, part, d);
    }
}
void narrow(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    e.narrow(d, e.wide(s.inst->a, 0), e.wide(s.inst->a, 1));
    e.set_word(s.inst->d, d);
}

// ---- integers to real numbers
void signed_to_single(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    e.vcvtdq2ps(d, e.word(s.inst->a));
    e.set_word(s.inst->d, d, {Nan::canonical, true});
}
/// Exact in double precision: 2^52 + a is a's bits below that exponent.
void unsigned_to_double(Emitter& e, const Ymm& to, const Ymm& from, int part) {
    e.widen(to, from, part, false);
    e.vpor(to, to, e.all_wide(two_to_52));
    e.vsubpd(to, to, e.all_wide(two_to_52));
}
void unsigned_to_single(Emitter& e, const Step& s) {
    const Ymm a = e.word(s.inst->a), low = e.scratch(), high = e.scratch();
    unsigned_to_double(e, low, a, 0);
    unsigned_to_double(e, high, a, 1);
    e.vcvtpd2ps(Xmm(low.getIdx()), low);
    e.vcvtpd2ps(Xmm(high.getIdx()), high);
    join(e, low, high);
    e.set_word(s.inst->d, low, {Nan::canonical, true});
}
void word_to_double(Emitter& e, const Step& s) {
    const Ymm a = e.word(s.inst->a);
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        if (s.spec->from == ptx::Type::u32) {
            unsigned_to_double(e, d, a, part);
        } else {
            Xmm half(a.getIdx());
            if (part != 0) {
                half = Xmm(d.getIdx());
                e.vextracti128(half, a, 1);
            }
            e.vcvtdq2pd(d, half);
        }
        e.set_wide(s.inst->d, part, d);
    }
}

// ---- real numbers to integers
void single_to_signed(Emitter& e, const Step& s) {
    const Ymm a = single(e, s), d = e.scratch(), mask = e.scratch();
    e.vroundps(d, a, direction(*s.inst));
    e.vcmpps(mask, d, e.all(two_to_31), 0x1D);  // too large: the smallest number comes out, the largest is wanted
    e.vcvttps2dq(d, d);
    e.vpxor(d, d, mask);
    e.vcmpps(mask, a, a, 0x07);
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
    e.vcmpps(mask, d, e.all(two_to_32), 0x1D);
    e.vpor(upper, upper, mask);
    e.vcmpps(mask, d, e.all(two_to_31), 0x1D);
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
    join(e, low, high);
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
        Xmm half(a.getIdx());
        if (part != 0) {
            half = Xmm(d.getIdx());
            e.vextractf128(half, a, 1);
        }
        e.vcvtps2pd(d, half);
        e.set_wide(s.inst->d, part, d);
    }
}
void double_to_single(Emitter& e, const Step& s) {
    const Ymm low = e.scratch(), high = e.scratch();
    e.vcvtpd2ps(Xmm(low.getIdx()), e.wide(s.inst->a, 0));
    e.vcvtpd2ps(Xmm(high.getIdx()), e.wide(s.inst->a, 1));
    join(e, low, high);
    if ((s.inst->mode & ftz) != 0) e.flush(low, low);
    e.set_word(s.inst->d, low, {Nan::any, (s.inst->mode & ftz) != 0});
}
void double_to_double(Emitter& e, const Step& s) {
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        e.vroundpd(d, e.wide(s.inst->a, part), direction(*s.inst));
        e.set_wide(s.inst->d, part, d);
    }
}

bool is_word(ptx::Type type) {
    return type == ptx::Type::u32 || type == ptx::Type::s32 || type == ptx::Type::b32;
}
bool is_wide(ptx::Type type) {
    return type == ptx::Type::u64 || type == ptx::Type::s64 || type == ptx::Type::b64;
}

}  // namespace

Emitter::Emit find_conversion(const Spec& spec, const Inst& inst) {
    using enum ptx::Type;
    if (spec.op != Op::cvt || inst.d_width != size_of(spec.type) || inst.a_width != size_of(spec.from)) return nullptr;
    const bool plain = inst.mode == 0, to_integer = rounds_to_integer(inst);
    const bool flushes_only = (inst.mode & ~(rounding_bits | ftz)) == 0;
    if (is_word(spec.type) && is_word(spec.from)) return plain ? same_bits : nullptr;
    if (is_wide(spec.type) && is_wide(spec.from)) return plain ? same_wide_bits : nullptr;
    if (is_wide(spec.type) && is_word(spec.from)) return plain ? widen : nullptr;
    if (is_word(spec.type) && is_wide(spec.from)) return plain ? narrow : nullptr;
    if (spec.type == f32 && is_word(spec.from)) {
        if (!plain) return nullptr;
        return spec.from == s32 ? signed_to_single : unsigned_to_single;
    }
    if (spec.type == f64 && is_word(spec.from)) return plain ? word_to_double : nullptr;
    if (spec.from == f32 && is_word(spec.type)) {
        if (!to_integer || !flushes_only) return nullptr;
        return spec.type == s32 ? single_to_signed : single_to_unsigned;
    }
    if (spec.from == f64 && spec.type == s32) return to_integer && flushes_only ? double_to_signed : nullptr;
    const bool known = (inst.mode & ~(rounding_bits | ftz | sat)) == 0, nearest = (inst.mode & rounding_bits) == 0;
    if (spec.from == f32 && spec.type == f32) return known && (nearest || to_integer) ? single_to_single : nullptr;
    if (spec.from == f32 && spec.type == f64) return flushes_only && nearest ? single_to_double : nullptr;
    if (spec.from == f64 && spec.type == f32) return flushes_only && nearest ? double_to_single : nullptr;
    if (spec.from == f64 && spec.type == f64) return inst.mode == (inst.mode & rounding_bits) && to_integer ? double_to_double : nullptr;
    return nullptr;
}

}  // namespace gpuproj::simulate::native
