// Single and double precision, rounded to nearest, as handlers/floating.cpp has them.
//
// A NaN of single precision is made the machine's one only where somebody could tell: arithmetic and comparisons take
// any for the same.
#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;

constexpr std::uint32_t one = 0x3F800000U, sign = 0x80000000U;
constexpr std::uint64_t wide_one = 0x3FF0000000000000U, wide_sign = std::uint64_t{1} << 63,
                        wide_nan = 0x7FF8000000000000U;

/// An operand, as arithmetic takes it.
Ymm real(Emitter& e, const Step& s, Ref ref) {
    return s.spec->ftz ? e.flushed(ref) : e.word(ref, Nan::any);
}
void set_real(Emitter& e, const Step& s, const Ymm& d) {
    if (s.spec->ftz) e.flush(d, d);
    if (s.spec->sat) {
        e.vmaxps(d, d, e.all(0));  // the second where the first is NaN
        e.vminps(d, d, e.all(one));
    }
    e.set_word(s.inst->d, d, {s.spec->sat ? Nan::canonical : Nan::any, s.spec->ftz});
}

template <class F>
void words(Emitter& e, const Step& s, F&& f) {
    const Ymm a = real(e, s, s.inst->a), b = real(e, s, s.inst->b), d = e.scratch();
    f(d, a, b);
    set_real(e, s, d);
}
template <class F>
void word(Emitter& e, const Step& s, F&& f) {
    const Ymm a = real(e, s, s.inst->a), d = e.scratch();
    f(d, a);
    set_real(e, s, d);
}
template <class F>
void wides(Emitter& e, const Step& s, F&& f) {
    for (int part = 0; part < 2; ++part) {
        const Ymm a = e.wide(s.inst->a, part), b = e.wide(s.inst->b, part), d = e.scratch();
        f(d, a, b);
        e.set_wide(s.inst->d, part, d);
    }
}
template <class F>
void wide(Emitter& e, const Step& s, F&& f) {
    for (int part = 0; part < 2; ++part) {
        const Ymm a = e.wide(s.inst->a, part), d = e.scratch();
        f(d, a);
        e.set_wide(s.inst->d, part, d);
    }
}

void multiply_add(Emitter& e, const Step& s) {
    const Ymm a = real(e, s, s.inst->a), b = real(e, s, s.inst->b);
    if (s.spec->ftz) {
        const Ymm c = e.flushed(s.inst->c), d = e.scratch();
        e.vmovaps(d, c);
        e.vfmadd231ps(d, a, b);
        return set_real(e, s, d);
    }
    const Ymm d = e.own_word(s, s.inst->c);
    e.vfmadd231ps(d, a, b);
    set_real(e, s, d);
}
void multiply_add_wide(Emitter& e, const Step& s) {
    for (int part = 0; part < 2; ++part) {
        const Ymm a = e.wide(s.inst->a, part), b = e.wide(s.inst->b, part);
        const Ymm d = e.own_wide(s, s.inst->c, part);
        e.vfmadd231pd(d, a, b);
        e.set_wide(s.inst->d, part, d);
    }
}

/// -0 is below +0: of equal numbers that are not the same only the sign differs. A NaN gives the other operand.
void least(Emitter& e, const Step& s) {
    words(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) {
        const Ymm same = e.scratch(), merged = e.scratch();
        e.vcmpeqps(same, a, b);
        if (s.spec->op == Op::min) {
            e.vminps(d, a, b);
            e.vorps(merged, a, b);
        } else {
            e.vmaxps(d, a, b);
            e.vandps(merged, a, b);
        }
        e.vblendvps(d, d, merged, same);
        e.vcmpunordps(same, b, b);
        e.vblendvps(d, d, a, same);
    });
}
void least_wide(Emitter& e, const Step& s) {
    wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) {
        const Ymm same = e.scratch(), merged = e.scratch();
        e.vcmpeqpd(same, a, b);
        if (s.spec->op == Op::min) {
            e.vminpd(d, a, b);
            e.vorpd(merged, a, b);
        } else {
            e.vmaxpd(d, a, b);
            e.vandpd(merged, a, b);
        }
        e.vblendvpd(d, d, merged, same);
        e.vcmpunordpd(same, b, b);
        e.vblendvpd(d, d, a, same);
        e.vcmpunordpd(same, d, d);
        e.vblendvpd(d, d, e.all_wide(wide_nan), same);
    });
}

/// neg and abs are of the bits: the NaN has to be the right one before.
template <class F>
void signs(Emitter& e, const Step& s, F&& f) {
    const Ymm a = e.word(s.inst->a), d = e.scratch();
    f(d, a);
    if (s.spec->ftz) e.flush(d, d);
    e.set_word(s.inst->d, d, {Nan::canonical, s.spec->ftz});
}

Emitter::Emit find_word(const Spec& spec) {
    switch (spec.op) {
        case Op::add:
            return [](Emitter& e, const Step& s) {
                words(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vaddps(d, a, b); });
            };
        case Op::sub:
            return [](Emitter& e, const Step& s) {
                words(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vsubps(d, a, b); });
            };
        case Op::mul_lo:
            return [](Emitter& e, const Step& s) {
                words(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vmulps(d, a, b); });
            };
        case Op::fma:
            return multiply_add;
        case Op::div:
            return [](Emitter& e, const Step& s) {
                words(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vdivps(d, a, b); });
            };
        case Op::rcp:
            return [](Emitter& e, const Step& s) {
                word(e, s, [&](const Ymm& d, const Ymm& a) {
                    e.vmovups(d, e.all(one));
                    e.vdivps(d, d, a);
                });
            };
        case Op::sqrt:
            return [](Emitter& e, const Step& s) {
                word(e, s, [&](const Ymm& d, const Ymm& a) { e.vsqrtps(d, a); });
            };
        case Op::rsqrt:
            return [](Emitter& e, const Step& s) {
                word(e, s, [&](const Ymm& d, const Ymm& a) {
                    const Ymm root = e.scratch();
                    e.vsqrtps(root, a);
                    e.vmovups(d, e.all(one));
                    e.vdivps(d, d, root);
                });
            };
        case Op::neg:
            return [](Emitter& e, const Step& s) {
                signs(e, s, [&](const Ymm& d, const Ymm& a) { e.vxorps(d, a, e.all(sign)); });
            };
        case Op::abs:
            return [](Emitter& e, const Step& s) {
                signs(e, s, [&](const Ymm& d, const Ymm& a) { e.vandps(d, a, e.all(~sign)); });
            };
        case Op::min:
        case Op::max:
            return spec.nan || spec.three || spec.magnitudes ? nullptr : least;
        default:
            return nullptr;
    }
}

Emitter::Emit find_wide(const Spec& spec) {
    if (spec.ftz || spec.sat || spec.approx) return nullptr;
    switch (spec.op) {
        case Op::add:
            return [](Emitter& e, const Step& s) {
                wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vaddpd(d, a, b); });
            };
        case Op::sub:
            return [](Emitter& e, const Step& s) {
                wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vsubpd(d, a, b); });
            };
        case Op::mul_lo:
            return [](Emitter& e, const Step& s) {
                wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vmulpd(d, a, b); });
            };
        case Op::fma:
            return multiply_add_wide;
        case Op::div:
            return [](Emitter& e, const Step& s) {
                wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vdivpd(d, a, b); });
            };
        case Op::rcp:
            return [](Emitter& e, const Step& s) {
                wide(e, s, [&](const Ymm& d, const Ymm& a) {
                    e.vmovupd(d, e.all_wide(wide_one));
                    e.vdivpd(d, d, a);
                });
            };
        case Op::sqrt:
            return [](Emitter& e, const Step& s) {
                wide(e, s, [&](const Ymm& d, const Ymm& a) { e.vsqrtpd(d, a); });
            };
        case Op::neg:
            return [](Emitter& e, const Step& s) {
                wide(e, s, [&](const Ymm& d, const Ymm& a) { e.vxorpd(d, a, e.all_wide(wide_sign)); });
            };
        case Op::abs:
            return [](Emitter& e, const Step& s) {
                wide(e, s, [&](const Ymm& d, const Ymm& a) { e.vandpd(d, a, e.all_wide(~wide_sign)); });
            };
        case Op::min:
        case Op::max:
            return spec.nan ? nullptr : least_wide;
        default:
            return nullptr;
    }
}

}  // namespace

Emitter::Emit find_floating(const Spec& spec, const Inst& /*inst*/) {
    if (spec.rounding != Rounding::nearest) return nullptr;
    if (spec.type == ptx::Type::f32) return find_word(spec);
    if (spec.type == ptx::Type::f64) return find_wide(spec);
    return nullptr;
}

}  // namespace gpuproj::simulate::native
