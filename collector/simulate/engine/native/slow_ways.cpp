// Which lanes take the slow way of a quotient, reciprocal or root, as handlers/slow_ways.cpp has it.
#include "collector/simulate/engine/handlers/ordinary_operands.hpp"
#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;

const OrdinaryOperands& limits(const Step& s) {
    return s.spec->type == ptx::Type::f32 ? ordinary_floats : ordinary_doubles;
}

Ymm leading_word(Emitter& e, const Step& s, Ref ref) {
    if (s.spec->type == ptx::Type::f32) return e.word(ref, Nan::any);
    const Ymm low = e.wide(ref, 0), high = e.wide(ref, 1), word = e.scratch();
    e.narrow_upper(word, low, high);
    return word;
}

/// Ones in `to` where x is within the range; x is lost.
void within(Emitter& e, const Ymm& to, const Ymm& x, WordRange range) {
    e.vpsubd(x, x, e.all(range.low));
    e.vpminud(to, x, e.all(range.high - range.low));
    e.vpcmpeqd(to, to, x);
}

Ymm exponent(Emitter& e, const Step& s, Ref ref) {
    const Ymm word = leading_word(e, s, ref), to = e.scratch();
    e.vpsrld(to, word, static_cast<std::uint8_t>(limits(s).exponent_shift));
    e.vpand(to, to, e.all(limits(s).exponent_mask));
    return to;
}

void quotient(Emitter& e, const Step& s) {
    const Ymm p = exponent(e, s, s.inst->a), q = exponent(e, s, s.inst->b), difference = e.scratch(), ok = e.scratch();
    e.vpsubd(difference, p, q);
    within(e, ok, p, limits(s).dividend);
    within(e, p, q, limits(s).divisor);
    e.vpand(ok, ok, p);
    within(e, p, difference, limits(s).difference);
    e.vpand(ok, ok, p);
    e.count_slow(s, ok);
}

void reciprocal(Emitter& e, const Step& s) {
    const Ymm p = exponent(e, s, s.inst->a), ok = e.scratch();
    within(e, ok, p, limits(s).divisor);
    e.count_slow(s, ok);
}

void root(Emitter& e, const Step& s) {
    const Ymm word = leading_word(e, s, s.inst->a), own = e.scratch(), ok = e.scratch();
    e.vmovups(own, word);
    within(e, ok, own, limits(s).root);
    e.count_slow(s, ok);
}

}  // namespace

Emitter::Emit find_slow_way(const Spec& spec) {
    switch (spec.op) {
        case Op::slow_div:
            return quotient;
        case Op::slow_rcp:
            return reciprocal;
        case Op::slow_sqrt:
            return root;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::native
