// Integer arithmetic, logic and shifts of 64 bits, as handlers/integer.cpp has them.
#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;

template <class F>
void wides(Emitter& e, const Step& s, F&& f) {
    for (int part = 0; part < 2; ++part) {
        const Ymm a = e.wide(s.inst->a, part), b = e.wide(s.inst->b, part), d = e.scratch();
        f(d, a, b);
        e.set_wide(s.inst->d, part, d);
    }
}

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
            return [](Emitter& e, const Step& s) {
                wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vpaddq(d, a, b); });
            };
        case Op::sub:
            return [](Emitter& e, const Step& s) {
                wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vpsubq(d, a, b); });
            };
        case Op::mul_lo:
        case Op::mad_lo:
            return multiply_low_wide;
        case Op::and_:
            return [](Emitter& e, const Step& s) {
                wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vpand(d, a, b); });
            };
        case Op::or_:
            return [](Emitter& e, const Step& s) {
                wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vpor(d, a, b); });
            };
        case Op::xor_:
            return [](Emitter& e, const Step& s) {
                wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vpxor(d, a, b); });
            };
        case Op::not_:
        case Op::neg:
            return [](Emitter& e, const Step& s) {
                for (int part = 0; part < 2; ++part) {
                    const Ymm a = e.wide(s.inst->a, part), d = e.scratch();
                    if (s.spec->op == Op::not_) {
                        e.invert(d, a);
                    } else {
                        e.vpxor(d, d, d);
                        e.vpsubq(d, d, a);
                    }
                    e.set_wide(s.inst->d, part, d);
                }
            };
        case Op::min:
        case Op::max:
            return spec.relu ? nullptr : least_wide;
        case Op::shl:
            return [](Emitter& e, const Step& s) {
                shift_wide(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& n) { e.vpsllvq(d, a, n); });
            };
        case Op::shr:
            if (is_signed) return shift_wide_signed;
            return [](Emitter& e, const Step& s) {
                shift_wide(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& n) { e.vpsrlvq(d, a, n); });
            };
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::native
