// Instructions on 64 bits: both parts of eight lanes, one after the other.
#pragma once

#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

/// f(d, a) makes each part of the result from that of the operand.
template <class F>
void wide(Emitter& e, const Step& s, F&& f) {
    for (int part = 0; part < 2; ++part) {
        const Emitter::Ymm a = e.wide(s.inst->a, part), d = e.scratch();
        f(d, a);
        e.set_wide(s.inst->d, part, d);
    }
}
/// f(d, a, b), of two operands.
template <class F>
void wides(Emitter& e, const Step& s, F&& f) {
    for (int part = 0; part < 2; ++part) {
        const Emitter::Ymm a = e.wide(s.inst->a, part), b = e.wide(s.inst->b, part), d = e.scratch();
        f(d, a, b);
        e.set_wide(s.inst->d, part, d);
    }
}
/// One instruction of the processor does it.
template <auto Instruction>
void wides(Emitter& e, const Step& s) {
    wides(e, s, [&](const auto& d, const auto& a, const auto& b) { (e.*Instruction)(d, a, b); });
}

}  // namespace gpuproj::simulate::native
