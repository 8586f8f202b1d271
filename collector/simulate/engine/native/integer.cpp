// Integer arithmetic, logic and shifts of 32 bits, as handlers/integer_*.cpp have them.
#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;

template <class F>
void words(Emitter& e, const Step& s, F&& f) {
    const Ymm a = e.word(s.inst->a), b = e.word(s.inst->b), d = e.scratch();
    f(d, a, b);
    e.set_word(s.inst->d, d);
}
/// One instruction of the processor does it.
template <auto Instruction>
void words(Emitter& e, const Step& s) {
    words(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { (e.*Instruction)(d, a, b); });
}

// ---- products
void product_wide(Emitter& e, const Ymm& to, const Ymm& a, const Ymm& b, int part, bool is_signed) {
    const Ymm right = e.scratch();
    e.widen(to, a, part, is_signed);
    e.widen(right, b, part, is_signed);
    if (is_signed)
        e.vpmuldq(to, to, right);
    else
        e.vpmuludq(to, to, right);
}
void multiply_wide(Emitter& e, const Step& s) {
    const Ymm a = e.word(s.inst->a), b = e.word(s.inst->b);
    const bool is_signed = s.spec->type == ptx::Type::s32;
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        product_wide(e, d, a, b, part, is_signed);
        if (s.spec->op == Op::mad_wide) e.vpaddq(d, d, e.wide(s.inst->c, part));
        e.set_wide(s.inst->d, part, d);
    }
}
/// The upper halves of products: those of even lanes and those of odd ones.
void multiply_high(Emitter& e, const Step& s) {
    constexpr std::uint8_t odd_lanes = 0xAA, half = 32;
    const Ymm a = e.word(s.inst->a), b = e.word(s.inst->b), even = e.scratch(), odd = e.scratch(), b_odd = e.scratch();
    e.vpsrlq(odd, a, half);
    e.vpsrlq(b_odd, b, half);
    if (s.spec->type == ptx::Type::s32) {
        e.vpmuldq(even, a, b);
        e.vpmuldq(odd, odd, b_odd);
    } else {
        e.vpmuludq(even, a, b);
        e.vpmuludq(odd, odd, b_odd);
    }
    e.vpsrlq(even, even, half);
    e.vpblendd(even, even, odd, odd_lanes);
    if (s.spec->op == Op::mad_hi) e.vpaddd(even, even, e.word(s.inst->c));
    e.set_word(s.inst->d, even);
}
void multiply_add(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    e.vpmulld(d, e.word(s.inst->a), e.word(s.inst->b));
    e.vpaddd(d, d, e.word(s.inst->c));
    e.set_word(s.inst->d, d);
}
/// shf: the bits of b:a, from one end.
void funnel(Emitter& e, const Step& s) {
    const bool left = s.spec->op == Op::shf_l_wrap || s.spec->op == Op::shf_l_clamp;
    const bool wrap = s.spec->op == Op::shf_l_wrap || s.spec->op == Op::shf_r_wrap;
    const Ymm a = e.word(s.inst->a), b = e.word(s.inst->b), c = e.word(s.inst->c);
    const Ymm count = e.scratch(), rest = e.scratch(), d = e.scratch();
    if (wrap)
        e.vpand(count, c, e.all(31));
    else
        e.vpminud(count, c, e.all(32));
    e.vmovdqu(rest, e.all(32));
    e.vpsubd(rest, rest, count);
    if (left) {
        e.vpsllvd(d, b, count);
        e.vpsrlvd(rest, a, rest);
    } else {
        e.vpsrlvd(d, a, count);
        e.vpsllvd(rest, b, rest);
    }
    e.vpor(d, d, rest);
    e.set_word(s.inst->d, d);
}

// ---- quotients
/// By double precision: what is rounded there differs from the quotient by less than the next integer does.
void divide(Emitter& e, const Step& s) {
    constexpr std::uint64_t two_to_52 = 0x4330000000000000U;
    constexpr std::uint8_t toward_zero = 8 | 3;
    const bool is_signed = s.spec->type == ptx::Type::s32;
    const Ymm a = e.word(s.inst->a), b = e.word(s.inst->b), low = e.scratch(), high = e.scratch();
    for (int part = 0; part < 2; ++part) {
        const Ymm& d = part == 0 ? low : high;
        const Ymm divisor = e.scratch();
        e.to_double(d, a, part, is_signed);
        e.to_double(divisor, b, part, is_signed);
        e.vdivpd(d, d, divisor);
        if (is_signed) {
            e.vcvttpd2dq(Xbyak::Xmm(d.getIdx()), d);
        } else {
            e.vroundpd(d, d, toward_zero);
            e.vaddpd(d, d, e.all_wide(two_to_52));
        }
    }
    if (is_signed)
        e.join(low, high);
    else
        e.narrow(low, low, high);
    if (s.spec->op == Op::rem) {
        e.vpmulld(low, low, b);
        e.vpsubd(low, a, low);
    }
    e.vpcmpeqd(high, b, e.all(0));  // the machine gives all ones
    e.vpor(low, low, high);
    e.set_word(s.inst->d, low);
}

// ---- sums with carry: that is a predicate
void carry(Emitter& e, const Step& s) {
    constexpr unsigned reads = 1, writes = 2;
    const unsigned mode = s.inst->mode;
    const bool subtracts = s.spec->op == Op::sub_cc, multiplies = s.spec->op == Op::mad_lo_cc;
    const Ymm a = e.word(s.inst->a), b = e.word(s.inst->b), first = e.scratch(), second = e.scratch(), d = e.scratch();
    if (multiplies) {
        e.vpmulld(first, a, b);
        e.vmovdqa(second, e.word(s.inst->c));
    } else {
        e.vmovdqa(first, a);
        if (subtracts)
            e.invert(second, b);
        else
            e.vmovdqa(second, b);
    }
    e.vpaddd(d, first, second);
    // The sum is below a summand if there was a carry.
    const Ymm out = e.scratch();
    e.vpmaxud(out, first, d);
    e.vpcmpeqd(out, out, d);
    e.invert(out, out);
    const bool one_more = (mode & reads) != 0 || subtracts;
    if (one_more) {
        // All ones are -1. What is 0 with the carry was all ones before.
        if ((mode & reads) != 0)
            e.vmovdqa(second, e.predicate(s.inst->e));
        else
            e.vpcmpeqd(second, second, second);
        e.vpsubd(d, d, second);
        e.vpcmpeqd(first, d, e.all(0));
        e.vpand(first, first, second);
        e.vpor(out, out, first);
    }
    e.set_word(s.inst->d, d);
    if ((mode & writes) != 0) e.set_predicate(s.inst->e, out);
}

// ---- counts of bits
void count_ones(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    e.count_ones_of_bytes(d, e.word(s.inst->a));
    e.vpmaddubsw(d, d, e.all(0x01010101U));
    e.vpmaddwd(d, d, e.all(0x00010001U));
    e.set_word(s.inst->d, d);
}
/// By the exponent as a number of single precision; of the bits below the first, those that could round it up are gone.
void leading_zeros(Emitter& e, const Ymm& d, const Ymm& a) {
    constexpr std::uint8_t byte_bits = 8, exponent = 23;
    const Ymm most = e.scratch();
    e.vpsrld(d, a, byte_bits);
    e.vpandn(d, d, a);
    e.vcvtdq2ps(d, d);
    e.vpsrld(d, d, exponent);
    e.vmovdqu(most, e.all(158));
    e.vpsubusw(d, most, d);  // of a number with its uppermost bit, which is negative, 0
    e.vpminsw(d, d, e.all(32));
}
void count_leading_zeros(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    leading_zeros(e, d, e.word(s.inst->a));
    e.set_word(s.inst->d, d);
}
/// Where the first bit is that differs from the sign's, or how far up it would have to be shifted; ~0 if there is none.
void find_first(Emitter& e, const Step& s) {
    constexpr std::uint8_t sign_bit = 31;
    const Ymm value = e.scratch(), none = e.scratch(), zeros = e.scratch(), a = e.word(s.inst->a);
    if (s.spec->type == ptx::Type::s32) {
        e.vpsrad(value, a, sign_bit);
        e.vpxor(value, value, a);
    } else {
        e.vmovdqa(value, a);
    }
    leading_zeros(e, zeros, value);
    e.vpxor(none, none, none);
    e.vpcmpeqd(none, none, value);
    if (s.spec->op == Op::bfind) {
        e.vmovdqu(value, e.all(sign_bit));
        e.vpsubd(zeros, value, zeros);
    }
    e.vpor(zeros, zeros, none);
    e.set_word(s.inst->d, zeros);
}
/// The halves of each byte by tables, then the bytes.
void reverse(Emitter& e, const Step& s) {
    constexpr std::uint32_t lower_halves = 0x0F0F0F0FU;
    constexpr std::uint8_t half_bits = 4;
    std::array<std::uint8_t, 32> as_upper{}, as_lower{}, order{};
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        const std::uint32_t n = i % 16, turned = (n & 1U) << 3 | (n & 2U) << 1 | (n & 4U) >> 1 | n >> 3;
        as_lower.at(i) = static_cast<std::uint8_t>(turned);
        as_upper.at(i) = static_cast<std::uint8_t>(turned << half_bits);
        order.at(i) = static_cast<std::uint8_t>(n / 4 * 4 + 3 - n % 4);
    }
    const Ymm a = e.word(s.inst->a), d = e.scratch(), table = e.scratch(), upper = e.scratch();
    e.vpand(d, a, e.all(lower_halves));
    e.vmovdqu(table, e.vector(as_upper));
    e.vpshufb(d, table, d);
    e.vpsrld(upper, a, half_bits);
    e.vpand(upper, upper, e.all(lower_halves));
    e.vmovdqu(table, e.vector(as_lower));
    e.vpshufb(upper, table, upper);
    e.vpor(d, d, upper);
    e.vpshufb(d, d, e.vector(order));
    e.set_word(s.inst->d, d);
}

// ---- logic
/// A function of b and c by its values for (0,0), (0,1), (1,0), (1,1), the lowest bit first.
void logic_of_two(Emitter& e, const Ymm& to, const Ymm& b, const Ymm& c, std::uint32_t table) {
    const auto inverted = [&] { e.invert(to, to); };
    switch (table) {
        case 0x0:
            return e.vpxor(to, to, to);
        case 0xF:
            return e.vpcmpeqd(to, to, to);
        case 0xC:
            return e.vmovdqa(to, b);
        case 0xA:
            return e.vmovdqa(to, c);
        case 0x3:
            return e.invert(to, b);
        case 0x5:
            return e.invert(to, c);
        case 0x8:
            return e.vpand(to, b, c);
        case 0x7:
            e.vpand(to, b, c);
            return inverted();
        case 0xE:
            return e.vpor(to, b, c);
        case 0x1:
            e.vpor(to, b, c);
            return inverted();
        case 0x6:
            return e.vpxor(to, b, c);
        case 0x9:
            e.vpxor(to, b, c);
            return inverted();
        case 0x2:
            return e.vpandn(to, b, c);
        case 0xD:
            e.vpandn(to, b, c);
            return inverted();
        case 0x4:
            return e.vpandn(to, c, b);
        default:  // 0xB
            e.vpandn(to, c, b);
            return inverted();
    }
}
/// f(a, b, c) is f(0, b, c), and where a is set what f(1, b, c) differs from it by.
void lop3(Emitter& e, const Step& s) {
    const Ymm a = e.word(s.inst->a), b = e.word(s.inst->b), c = e.word(s.inst->c), d = e.scratch();
    const std::uint32_t without = s.inst->mode & 0xFU, differing = without ^ (s.inst->mode >> 4U);
    if (differing == 0) {
        logic_of_two(e, d, b, c, without);
    } else if (without == 0) {
        logic_of_two(e, d, b, c, differing);
        e.vpand(d, d, a);
    } else {
        const Ymm other = e.scratch();
        logic_of_two(e, d, b, c, without);
        logic_of_two(e, other, b, c, differing);
        e.vpand(other, other, a);
        e.vpxor(d, d, other);
    }
    e.set_word(s.inst->d, d);
}

// ---- bit fields and bytes at places that are known
void extract_field(Emitter& e, const Step& s) {
    const auto position = static_cast<std::uint8_t>(e.constant(s.inst->b).value_or(0) & 0xFFU),
               length = static_cast<std::uint8_t>(e.constant(s.inst->c).value_or(0) & 0xFFU);
    const auto above = static_cast<std::uint8_t>(32U - position - length),
               below = static_cast<std::uint8_t>(32U - length);
    const Ymm d = e.scratch();
    e.vpslld(d, e.word(s.inst->a), above);
    if (s.spec->type == ptx::Type::s32)
        e.vpsrad(d, d, below);
    else
        e.vpsrld(d, d, below);
    e.set_word(s.inst->d, d);
}
void insert_field(Emitter& e, const Step& s) {
    const std::uint32_t position = e.constant(s.inst->c).value_or(0) & 0xFFU,
                        length = e.constant(s.inst->e).value_or(0) & 0xFFU;
    const std::uint32_t field = (length == 32 ? ~0U : (1U << length) - 1) << position;
    const Ymm d = e.scratch(), other = e.scratch();
    e.vpslld(d, e.word(s.inst->a), static_cast<std::uint8_t>(position));
    e.vpand(d, d, e.all(field));
    e.vpand(other, e.word(s.inst->b), e.all(~field));
    e.vpor(d, d, other);
    e.set_word(s.inst->d, d);
}
void multiply_24(Emitter& e, const Step& s) {
    constexpr std::uint8_t above = 8;
    const bool is_signed = s.spec->type == ptx::Type::s32;
    const Ymm d = e.scratch(), other = e.scratch();
    const auto cut = [&](const Ymm& to, const Ymm& from) {
        e.vpslld(to, from, above);
        if (is_signed)
            e.vpsrad(to, to, above);
        else
            e.vpsrld(to, to, above);
    };
    cut(d, e.word(s.inst->a));
    cut(other, e.word(s.inst->b));
    e.vpmulld(d, d, other);
    if (s.spec->op == Op::mad24) e.vpaddd(d, d, e.word(s.inst->c));
    e.set_word(s.inst->d, d);
}
/// At places that are not known: a length of 32 or more takes all that is left.
void extract_any_field(Emitter& e, const Step& s) {
    constexpr std::uint32_t counted = 0xFF;
    const Ymm d = e.scratch(), beyond = e.scratch(), count = e.scratch();
    e.vpand(count, e.word(s.inst->b), e.all(counted));
    e.vpsrlvd(d, e.word(s.inst->a), count);
    e.vpand(count, e.word(s.inst->c), e.all(counted));
    e.vpcmpeqd(beyond, beyond, beyond);
    e.vpsllvd(beyond, beyond, count);
    e.vpandn(d, beyond, d);
    e.set_word(s.inst->d, d);
}
void permute(Emitter& e, const Step& s) {
    constexpr std::uint8_t nothing = 0x80;
    const std::uint32_t control = e.constant(s.inst->c).value_or(0);
    std::array<std::uint8_t, 32> from_a{}, from_b{};
    bool any_a = false, any_b = false;
    for (std::uint32_t i = 0; i < from_a.size(); ++i) {
        const std::uint32_t pick = control >> (4 * (i % 4)) & 7U, in_half = i / 4 % 4 * 4;
        from_a.at(i) = pick < 4 ? static_cast<std::uint8_t>(in_half + pick) : nothing;
        from_b.at(i) = pick < 4 ? nothing : static_cast<std::uint8_t>(in_half + pick - 4);
        any_a |= pick < 4;
        any_b |= pick >= 4;
    }
    const Ymm d = e.scratch();
    if (any_a) e.vpshufb(d, e.word(s.inst->a), e.vector(from_a));
    if (any_b) {
        const Ymm other = any_a ? e.scratch() : d;
        e.vpshufb(other, e.word(s.inst->b), e.vector(from_b));
        if (any_a) e.vpor(d, d, other);
    }
    e.set_word(s.inst->d, d);
}
/// By a control that is not known, or that has signs in place of bytes: of its four lowest groups of four bits each
/// picks a byte.
void permute_any(Emitter& e, const Step& s) {
    std::array<std::uint8_t, 32> of_word{};  // where in the half of the register the word of a byte begins
    for (std::uint32_t i = 0; i < of_word.size(); ++i) of_word.at(i) = static_cast<std::uint8_t>(i % 16 / 4 * 4);
    const Ymm control = e.scratch(), d = e.scratch(), from_b = e.scratch(), pick = e.scratch();
    e.vpand(control, e.word(s.inst->c), e.all(0xFFFFU));  // a byte for each group
    e.vpslld(pick, control, 8);
    e.vpor(control, control, pick);
    e.vpand(control, control, e.all(0x00FF00FFU));
    e.vpslld(pick, control, 4);
    e.vpor(control, control, pick);
    e.vpand(control, control, e.all(0x0F0F0F0FU));
    e.vpand(pick, control, e.all(0x03030303U));
    e.vpor(pick, pick, e.vector(of_word));
    e.vpshufb(d, e.word(s.inst->a), pick);
    e.vpshufb(from_b, e.word(s.inst->b), pick);
    e.vpslld(pick, control, 5);  // the third bit of a group says which operand it is
    e.vpblendvb(d, d, from_b, pick);
    e.vpslld(pick, control, 4);  // the fourth, that all bits are the byte's uppermost
    e.vpxor(from_b, from_b, from_b);
    e.vpcmpgtb(from_b, from_b, d);
    e.vpblendvb(d, d, from_b, pick);
    e.set_word(s.inst->d, d);
}

Emitter::Emit find_word(const Spec& spec, const Inst& inst, const Emitter& emitter) {
    using ptx::Type;
    const bool is_signed = spec.type == Type::s32;
    switch (spec.op) {
        case Op::add:
            return words<&Emitter::vpaddd>;
        case Op::sub:
            return words<&Emitter::vpsubd>;
        case Op::mul_lo:
            return words<&Emitter::vpmulld>;
        case Op::mad_lo:
            return multiply_add;
        case Op::mul_hi:
        case Op::mad_hi:
            return multiply_high;
        case Op::mul_wide:
        case Op::mad_wide:
            return multiply_wide;
        case Op::and_:
            return words<&Emitter::vpand>;
        case Op::or_:
            return words<&Emitter::vpor>;
        case Op::xor_:
            return words<&Emitter::vpxor>;
        case Op::not_:
            return [](Emitter& e, const Step& s) {
                const Ymm d = e.scratch();
                e.invert(d, e.word(s.inst->a));
                e.set_word(s.inst->d, d);
            };
        case Op::neg:
            return [](Emitter& e, const Step& s) {
                const Ymm a = e.word(s.inst->a), d = e.scratch();
                e.vpxor(d, d, d);
                e.vpsubd(d, d, a);
                e.set_word(s.inst->d, d);
            };
        case Op::abs:
            return [](Emitter& e, const Step& s) {
                const Ymm d = e.scratch();
                e.vpabsd(d, e.word(s.inst->a));
                e.set_word(s.inst->d, d);
            };
        case Op::min:
            if (spec.relu) return nullptr;
            if (is_signed) return words<&Emitter::vpminsd>;
            return words<&Emitter::vpminud>;
        case Op::max:
            if (spec.relu) return nullptr;
            if (is_signed) return words<&Emitter::vpmaxsd>;
            return words<&Emitter::vpmaxud>;
        case Op::shl:
            return words<&Emitter::vpsllvd>;
        case Op::shr:
            if (is_signed) return words<&Emitter::vpsravd>;
            return words<&Emitter::vpsrlvd>;
        case Op::shf_l_wrap:
        case Op::shf_l_clamp:
        case Op::shf_r_wrap:
        case Op::shf_r_clamp:
            return funnel;
        case Op::lop3:
            return lop3;
        case Op::div:
        case Op::rem:
            return spec.type == Type::b32 ? nullptr : divide;
        case Op::add_cc:
        case Op::sub_cc:
        case Op::mad_lo_cc:
            return carry;
        case Op::popc:
            return count_ones;
        case Op::clz:
            return count_leading_zeros;
        case Op::bfind:
        case Op::bfind_shift:
            return find_first;
        case Op::brev:
            return reverse;
        case Op::mul24:
        case Op::mad24:
            return spec.high ? nullptr : multiply_24;
        case Op::bfi: {
            const auto position = emitter.constant(inst.c), length = emitter.constant(inst.e);
            if (!position || !length) return nullptr;
            const std::uint32_t first = *position & 0xFFU, count = *length & 0xFFU;
            return count == 0 || first + count > 32 ? nullptr : insert_field;
        }
        case Op::bfe: {
            const auto position = emitter.constant(inst.b), length = emitter.constant(inst.c);
            if (!position || !length) return is_signed ? nullptr : extract_any_field;
            const std::uint32_t first = *position & 0xFFU, count = *length & 0xFFU;
            return count == 0 || first + count > 32 ? nullptr : extract_field;
        }
        case Op::prmt: {
            const auto control = emitter.constant(inst.c);
            constexpr std::uint32_t signs = 0x8888;
            if (inst.mode != 0) return nullptr;
            return !control || (*control & signs) != 0 ? permute_any : permute;
        }
        default:
            return nullptr;
    }
}

}  // namespace

Emitter::Emit find_integer(const Spec& spec, const Inst& inst, const Emitter& emitter) {
    using enum ptx::Type;
    if (spec.sat) return nullptr;
    if (spec.type == b16 || spec.type == u16 || spec.type == s16) return find_half_integer(spec);
    if (spec.type == b32 || spec.type == u32 || spec.type == s32) return find_word(spec, inst, emitter);
    if (spec.type == b64 || spec.type == u64 || spec.type == s64) return find_wide_integer(spec);
    return nullptr;
}

}  // namespace gpuproj::simulate::native
