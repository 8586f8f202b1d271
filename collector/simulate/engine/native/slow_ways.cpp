// Which lanes take the slow way of a quotient, reciprocal or root, as handlers/slow_ways.cpp has it: of doubles the
// upper words tell.
#include <cstdint>

#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;

/// Sign, exponent and what comes first of the fraction, in a word of each lane.
Ymm leading_word(Emitter& e, const Step& s, Ref ref) {
    if (s.spec->type == ptx::Type::f32) return e.word(ref, Nan::any);
    const Ymm low = e.wide(ref, 0), high = e.wide(ref, 1), word = e.scratch();
    e.narrow_upper(word, low, high);
    return word;
}

/// Ones in `to` where low <= x <= high, of numbers without a sign; x is lost.
void within(Emitter& e, const Ymm& to, const Ymm& x, std::uint32_t low, std::uint32_t high) {
    e.vpsubd(x, x, e.all(low));
    e.vpminud(to, x, e.all(high - low));
    e.vpcmpeqd(to, to, x);
}

Ymm exponent(Emitter& e, const Step& s, Ref ref) {
    const bool single = s.spec->type == ptx::Type::f32;
    const Ymm word = leading_word(e, s, ref), to = e.scratch();
    e.vpsrld(to, word, single ? 23 : 20);
    e.vpand(to, to, e.all(single ? 0xFF : 0x7FF));
    return to;
}

void quotient(Emitter& e, const Step& s) {
    const bool single = s.spec->type == ptx::Type::f32;
    const Ymm p = exponent(e, s, s.inst->a), q = exponent(e, s, s.inst->b), difference = e.scratch(), ok = e.scratch();
    e.vpsubd(difference, p, q);
    within(e, ok, p, single ? 24 : 54, single ? 254 : 2046);
    within(e, p, q, 1, single ? 252 : 2044);
    e.vpand(ok, ok, p);
    within(e, p, difference, single ? -125U : -1021U, single ? 126 : 1016);
    e.vpand(ok, ok, p);
    e.count_slow(s, ok);
}

void reciprocal(Emitter& e, const Step& s) {
    const Ymm p = exponent(e, s, s.inst->a), ok = e.scratch();
    within(e, ok, p, 1, s.spec->type == ptx::Type::f32 ? 252 : 2044);
    e.count_slow(s, ok);
}

void root(Emitter& e, const Step& s) {
    const bool single = s.spec->type == ptx::Type::f32;
    const Ymm word = leading_word(e, s, s.inst->a), own = e.scratch(), ok = e.scratch();
    e.vmovups(own, word);
    within(e, ok, own, single ? 0x0D000000U : 0x03500000U, single ? 0x7F7FFFFFU : 0x7FEFFFFFU);
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
