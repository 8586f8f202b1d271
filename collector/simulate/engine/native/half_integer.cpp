// Integers of 16 bits, as words that are cut afterwards.
#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;

/// An operand with its sign, if the type has one, in a register of its own.
Ymm half(Emitter& e, const Step& s, Ref ref) {
    constexpr std::uint8_t upper = 16;
    const Ymm d = e.scratch();
    if (s.spec->type != ptx::Type::s16) {
        e.vmovdqa(d, e.half(ref));
        return d;
    }
    e.vpslld(d, e.half(ref), upper);
    e.vpsrad(d, d, upper);
    return d;
}
void halves(Emitter& e, const Step& s) {
    const Ymm d = half(e, s, s.inst->a);
    const bool is_signed = s.spec->type == ptx::Type::s16;
    switch (s.spec->op) {
        case Op::not_:
            e.invert(d, d);
            return e.set_half(s.inst->d, d);
        case Op::neg:
        case Op::abs: {
            if (s.spec->op == Op::abs) {
                e.vpabsd(d, d);
                return e.set_half(s.inst->d, d);
            }
            const Ymm zero = e.scratch();
            e.vpxor(zero, zero, zero);
            e.vpsubd(d, zero, d);
            return e.set_half(s.inst->d, d);
        }
        case Op::shl:
            e.vpsllvd(d, d, e.word(s.inst->b));
            return e.set_half(s.inst->d, d);
        case Op::shr:
            if (is_signed)
                e.vpsravd(d, d, e.word(s.inst->b));
            else
                e.vpsrlvd(d, d, e.word(s.inst->b));
            return e.set_half(s.inst->d, d);
        default:
            break;
    }
    const Ymm b = half(e, s, s.inst->b);
    switch (s.spec->op) {
        case Op::add:
            e.vpaddd(d, d, b);
            break;
        case Op::sub:
            e.vpsubd(d, d, b);
            break;
        case Op::and_:
            e.vpand(d, d, b);
            break;
        case Op::or_:
            e.vpor(d, d, b);
            break;
        case Op::xor_:
            e.vpxor(d, d, b);
            break;
        case Op::min:
            e.vpminsd(d, d, b);
            break;
        case Op::max:
            e.vpmaxsd(d, d, b);
            break;
        default:
            e.vpmulld(d, d, b);
            break;
    }
    if (s.spec->op == Op::mad_lo) e.vpaddd(d, d, e.half(s.inst->c));
    if (s.spec->op == Op::mad_wide) e.vpaddd(d, d, e.word(s.inst->c));
    if (s.spec->op == Op::mul_wide || s.spec->op == Op::mad_wide) return e.set_word(s.inst->d, d);
    e.set_half(s.inst->d, d);
}
}  // namespace

Emitter::Emit find_half_integer(const Spec& spec) {
    switch (spec.op) {
        case Op::add:
        case Op::sub:
        case Op::mul_lo:
        case Op::mad_lo:
        case Op::mul_wide:
        case Op::mad_wide:
        case Op::and_:
        case Op::or_:
        case Op::xor_:
        case Op::not_:
        case Op::neg:
        case Op::abs:
        case Op::shl:
        case Op::shr:
            return halves;
        case Op::min:
        case Op::max:
            return spec.relu ? nullptr : halves;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::native
