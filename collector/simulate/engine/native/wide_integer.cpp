// Integer arithmetic, logic and shifts of 64 bits, as handlers/integer_*.cpp have them.
#include "collector/simulate/engine/native/by_part.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;

/// Of the lower halves, and what the upper ones add above.
void multiply_low_wide(Emitter& e, const Step& s) {
    constexpr std::uint8_t half = 32;
    for (int part = 0; part < 2; ++part) {
        const Ymm a = e.wide(s.inst->a, part), b = e.wide(s.inst->b, part), d = e.scratch(), cross = e.scratch();
        e.vpsrlq(cross, a, half);
        e.vpmuludq(cross, cross, b);
        e.vpsrlq(d, b, half);
        e.vpmuludq(d, d, a);
        e.vpaddq(cross, cross, d);
        e.vpsllq(cross, cross, half);
        e.vpmuludq(d, a, b);
        e.vpaddq(d, d, cross);
        if (s.spec->op == Op::mad_lo) e.vpaddq(d, d, e.wide(s.inst->c, part));
        e.set_wide(s.inst->d, part, d);
    }
}

/// The upper half of a product of 128 bits, from four products of halves; of numbers with a sign, less what a negative
/// one is too large by.
void multiply_high_wide(Emitter& e, const Step& s) {
    constexpr std::uint8_t half = 32;
    constexpr std::uint64_t low_word = 0xFFFFFFFFU;
    for (int part = 0; part < 2; ++part) {
        const Ymm a = e.wide(s.inst->a, part), b = e.wide(s.inst->b, part);
        const Ymm a_high = e.scratch(), b_high = e.scratch(), d = e.scratch(), sum = e.scratch();
        e.vpsrlq(a_high, a, half);
        e.vpsrlq(b_high, b, half);
        e.vpmuludq(sum, a, b);
        e.vpsrlq(sum, sum, half);
        e.vpmuludq(d, a, b_high);
        e.vpaddq(sum, sum, d);
        e.vpmuludq(d, a_high, b_high);
        e.vpmuludq(a_high, a_high, b);
        e.vpsrlq(b_high, sum, half);
        e.vpaddq(d, d, b_high);
        e.vpand(sum, sum, e.all_wide(low_word));
        e.vpaddq(sum, sum, a_high);
        e.vpsrlq(sum, sum, half);
        e.vpaddq(d, d, sum);
        if (s.spec->type == ptx::Type::s64) {
            e.vpxor(sum, sum, sum);
            e.vpcmpgtq(a_high, sum, a);
            e.vpand(a_high, a_high, b);
            e.vpsubq(d, d, a_high);
            e.vpcmpgtq(b_high, sum, b);
            e.vpand(b_high, b_high, a);
            e.vpsubq(d, d, b_high);
        }
        if (s.spec->op == Op::mad_hi) e.vpaddq(d, d, e.wide(s.inst->c, part));
        e.set_wide(s.inst->d, part, d);
    }
}

void count_ones(Emitter& e, const Step& s) {
    const Ymm low = e.scratch(), high = e.scratch(), zero = e.scratch();
    e.vpxor(zero, zero, zero);
    for (int part = 0; part < 2; ++part) {
        const Ymm& d = part == 0 ? low : high;
        e.count_ones_of_bytes(d, e.wide(s.inst->a, part));
        e.vpsadbw(d, d, zero);
    }
    e.narrow(low, low, high);
    e.set_word(s.inst->d, low);
}

// ---- shifts: by as many bits as there are or more, vector units give 0 or the sign, too
template <class F>
void shift_wide(Emitter& e, const Step& s, F&& f) {
    for (int part = 0; part < 2; ++part) {
        const Ymm a = e.wide(s.inst->a, part), count = e.scratch(), d = e.scratch();
        e.widen(count, e.word(s.inst->b), part, false);
        f(d, a, count);
        e.set_wide(s.inst->d, part, d);
    }
}
template <auto Instruction>
void shift_wide(Emitter& e, const Step& s) {
    shift_wide(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& count) { (e.*Instruction)(d, a, count); });
}
void shift_wide_signed(Emitter& e, const Step& s) {
    shift_wide(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& count) {
        // There is no such shift of 64 bits before AVX-512: the sign, shifted along, is taken away again.
        const Ymm sign = e.scratch(), most = e.scratch();
        e.vmovdqu(most, e.all_wide(63));
        e.vpminud(count, count, most);
        e.vmovdqu(sign, e.all_wide(std::uint64_t{1} << 63));
        e.vpsrlvq(sign, sign, count);
        e.vpsrlvq(d, a, count);
        e.vpxor(d, d, sign);
        e.vpsubq(d, d, sign);
    });
}
void least_wide(Emitter& e, const Step& s) {
    wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) {
        const Ymm greater = e.scratch();  // a > b
        if (s.spec->type == ptx::Type::s64) {
            e.vpcmpgtq(greater, a, b);
        } else {
            e.vmovdqu(d, e.all_wide(std::uint64_t{1} << 63));
            e.vpxor(greater, a, d);
            e.vpxor(d, b, d);
            e.vpcmpgtq(greater, greater, d);
        }
        if (s.spec->op == Op::min)
            e.vblendvpd(d, a, b, greater);
        else
            e.vblendvpd(d, b, a, greater);
    });
}

}  // namespace

Emitter::Emit find_wide_integer(const Spec& spec) {
    const bool is_signed = spec.type == ptx::Type::s64;
    switch (spec.op) {
        case Op::add:
            return wides<&Emitter::vpaddq>;
        case Op::sub:
            return wides<&Emitter::vpsubq>;
        case Op::mul_lo:
        case Op::mad_lo:
            return multiply_low_wide;
        case Op::mul_hi:
        case Op::mad_hi:
            return multiply_high_wide;
        case Op::popc:
            return count_ones;
        case Op::and_:
            return wides<&Emitter::vpand>;
        case Op::or_:
            return wides<&Emitter::vpor>;
        case Op::xor_:
            return wides<&Emitter::vpxor>;
        case Op::not_:
            return [](Emitter& e, const Step& s) { wide(e, s, [&](const Ymm& d, const Ymm& a) { e.invert(d, a); }); };
        case Op::neg:
            return [](Emitter& e, const Step& s) {
                wide(e, s, [&](const Ymm& d, const Ymm& a) {
                    e.vpxor(d, d, d);
                    e.vpsubq(d, d, a);
                });
            };
        case Op::min:
        case Op::max:
            return spec.relu ? nullptr : least_wide;
        case Op::shl:
            return shift_wide<&Emitter::vpsllvq>;
        case Op::shr:
            if (is_signed) return shift_wide_signed;
            return shift_wide<&Emitter::vpsrlvq>;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::native
