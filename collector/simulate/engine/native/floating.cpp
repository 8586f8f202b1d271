// Single and double precision, as handlers/floating.cpp has them.
//
// A NaN of single precision is made the machine's one only where somebody could tell: arithmetic and comparisons take
// any for the same.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "collector/simulate/engine/handlers/special_series.hpp"
#include "collector/simulate/engine/native/by_part.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;

constexpr std::uint32_t one = 0x3F800000U, sign = 0x80000000U;
constexpr std::uint64_t wide_one = 0x3FF0000000000000U, wide_sign = std::uint64_t{1} << 63,
                        wide_nan = 0x7FF8000000000000U;

/// f() while the processor rounds as the instruction says.
template <class F>
void rounded(Emitter& e, const Step& s, F&& f) {
    constexpr std::uint32_t usual = 0x1F80;  // MXCSR: nothing traps
    const auto direction = [&]() -> std::uint32_t {
        switch (s.spec->rounding) {
            case Rounding::down:
                return 0x2000;
            case Rounding::up:
                return 0x4000;
            case Rounding::zero:
                return 0x6000;
            default:
                return 0;
        }
    }();
    if (direction != 0) e.vldmxcsr(e.all(usual | direction));
    f();
    if (direction != 0) e.vldmxcsr(e.all(usual));
}

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
/// One instruction of the processor does it.
template <auto Instruction>
void words(Emitter& e, const Step& s) {
    words(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { rounded(e, s, [&] { (e.*Instruction)(d, a, b); }); });
}
template <auto Instruction>
void rounded_wides(Emitter& e, const Step& s) {
    wides(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) { rounded(e, s, [&] { (e.*Instruction)(d, a, b); }); });
}
template <class F>
void word(Emitter& e, const Step& s, F&& f) {
    const Ymm a = real(e, s, s.inst->a), d = e.scratch();
    f(d, a);
    set_real(e, s, d);
}
void multiply_add(Emitter& e, const Step& s) {
    const Ymm a = real(e, s, s.inst->a), b = real(e, s, s.inst->b);
    if (s.spec->ftz) {
        const Ymm c = e.flushed(s.inst->c), d = e.scratch();
        e.vmovaps(d, c);
        rounded(e, s, [&] { e.vfmadd231ps(d, a, b); });
        return set_real(e, s, d);
    }
    const Ymm d = e.own_word(s, s.inst->c);
    rounded(e, s, [&] { e.vfmadd231ps(d, a, b); });
    set_real(e, s, d);
}
void multiply_add_wide(Emitter& e, const Step& s) {
    for (int part = 0; part < 2; ++part) {
        const Ymm a = e.wide(s.inst->a, part), b = e.wide(s.inst->b, part);
        const Ymm d = e.own_wide(s, s.inst->c, part);
        rounded(e, s, [&] { e.vfmadd231pd(d, a, b); });
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

// ---- special functions, operation by operation as handlers/special_functions.hpp has them
std::uint64_t bits_of(double value) {
    return std::bit_cast<std::uint64_t>(value);
}
/// to = c[0] + c[1] x + c[2] x^2 + ...
template <std::size_t Count>
void polynomial(Emitter& e, const Ymm& to, const Ymm& x, const std::array<double, Count>& c) {
    e.vmovupd(to, e.all_wide(bits_of(c.back())));
    for (std::size_t i = Count - 1; i-- > 0;) {
        e.vmulpd(to, to, x);
        e.vaddpd(to, to, e.all_wide(bits_of(c.at(i))));
    }
}
/// Single precision to double, part by part, and back.
template <class F>
Ymm in_double(Emitter& e, const Ymm& from, F&& f) {
    const Ymm low = e.scratch(), high = e.scratch();
    for (int part = 0; part < 2; ++part) {
        const Ymm& d = part == 0 ? low : high;
        e.vcvtps2pd(d, e.four_lanes(d, from, part));
        f(d, part);
        e.vcvtpd2ps(Xbyak::Xmm(d.getIdx()), d);
    }
    e.join(low, high);
    return low;
}
void exponential(Emitter& e, const Step& s) {
    constexpr std::uint8_t exponent = 52;
    const Ymm a = real(e, s, s.inst->a), sum = e.scratch(), found = e.scratch();
    const Ymm d = in_double(e, a, [&](const Ymm& x, int /*part*/) {
        e.vmovupd(sum, e.all_wide(bits_of(special::most_power)));
        e.vminpd(x, sum, x);  // the second where one is NaN
        e.vmovupd(sum, e.all_wide(bits_of(-special::most_power)));
        e.vmaxpd(x, sum, x);
        e.vaddpd(sum, x, e.all_wide(bits_of(special::to_integer)));
        e.vsubpd(found, sum, e.all_wide(bits_of(special::to_integer)));
        e.vsubpd(x, x, found);
        polynomial(e, found, x, special::exp2_series);
        e.vpsllq(sum, sum, exponent);
        e.vpaddq(sum, sum, e.all_wide(bits_of(1.0)));
        e.vmulpd(x, found, sum);
    });
    set_real(e, s, d);
}
void logarithm(Emitter& e, const Step& s) {
    constexpr std::uint32_t least = 0x00800000U, larger = 0x4B800000U, infinite = 0x7F800000U,
                            not_a_number = 0x7FC00000U;
    constexpr std::uint8_t exponent = 23;
    const Ymm a = real(e, s, s.inst->a), scaled = e.scratch(), power = e.scratch(), mask = e.scratch();
    e.vmulps(scaled, a, e.all(larger));
    e.vcmpps(mask, a, e.all(least), condition(Compare::lt));
    e.vblendvps(scaled, a, scaled, mask);
    e.vpsubd(power, scaled, e.all(special::root_of_half));
    e.vpsrad(power, power, exponent);
    const Ymm shifted = e.scratch();
    e.vpslld(shifted, power, exponent);
    e.vpsubd(scaled, scaled, shifted);
    e.vpand(mask, mask, e.all(static_cast<std::uint32_t>(-24)));
    e.vpaddd(power, power, mask);
    const Ymm square = e.scratch(), sum = e.scratch();
    const Ymm d = in_double(e, scaled, [&](const Ymm& rest, int part) {
        e.vaddpd(sum, rest, e.all_wide(bits_of(1.0)));
        e.vsubpd(rest, rest, e.all_wide(bits_of(1.0)));
        e.vdivpd(rest, rest, sum);
        e.vmulpd(square, rest, rest);
        polynomial(e, sum, square, special::log2_series);
        e.vmulpd(rest, rest, sum);
        e.to_double(sum, power, part, true);
        e.vaddpd(rest, sum, rest);
    });
    e.vcmpps(mask, a, e.all(infinite), condition(Compare::eq));
    e.vblendvps(d, d, e.all(infinite), mask);
    e.vcmpps(mask, a, e.all(0), condition(Compare::leu));  // not greater
    e.vblendvps(d, d, e.all(not_a_number), mask);
    e.vcmpps(mask, a, e.all(0), condition(Compare::eq));
    e.vblendvps(d, d, e.all(infinite | sign), mask);
    set_real(e, s, d);
}

/// div.approx: the reciprocal of a divisor above 2^126 is zero.
void divide_by_reciprocal(Emitter& e, const Step& s) {
    constexpr std::uint32_t largest = 0x7E800000;
    words(e, s, [&](const Ymm& d, const Ymm& a, const Ymm& b) {
        const Ymm above = e.scratch(), zero = e.scratch();
        e.vandps(above, b, e.all(~sign));
        e.vcmpps(above, above, e.all(largest), condition(Compare::gt));
        e.vandps(zero, b, e.all(sign));
        e.vmulps(zero, a, zero);
        e.vdivps(d, a, b);
        e.vblendvps(d, d, zero, above);
    });
}

/// neg and abs: of the bits, but for NaN.
template <class F>
void signs(Emitter& e, const Step& s, F&& f) {
    const Ymm a = e.word(s.inst->a, Nan::any), d = e.scratch();
    f(d, a);
    if (s.spec->ftz) e.flush(d, d);
    e.set_word(s.inst->d, d, {Nan::any, s.spec->ftz});
}

Emitter::Emit find_word(const Spec& spec) {
    switch (spec.op) {
        case Op::add:
            return words<&Emitter::vaddps>;
        case Op::sub:
            return words<&Emitter::vsubps>;
        case Op::mul_lo:
            return words<&Emitter::vmulps>;
        case Op::fma:
            return multiply_add;
        case Op::div:
            return spec.approx && !spec.full ? divide_by_reciprocal : words<&Emitter::vdivps>;
        case Op::rcp:
            return [](Emitter& e, const Step& s) {
                word(e, s, [&](const Ymm& d, const Ymm& a) {
                    e.vmovups(d, e.all(one));
                    rounded(e, s, [&] { e.vdivps(d, d, a); });
                });
            };
        case Op::sqrt:
            return [](Emitter& e, const Step& s) {
                word(e, s, [&](const Ymm& d, const Ymm& a) { rounded(e, s, [&] { e.vsqrtps(d, a); }); });
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
        case Op::ex2:
            return exponential;
        case Op::lg2:
            return logarithm;
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
            return rounded_wides<&Emitter::vaddpd>;
        case Op::sub:
            return rounded_wides<&Emitter::vsubpd>;
        case Op::mul_lo:
            return rounded_wides<&Emitter::vmulpd>;
        case Op::fma:
            return multiply_add_wide;
        case Op::div:
            return rounded_wides<&Emitter::vdivpd>;
        case Op::rcp:
            return [](Emitter& e, const Step& s) {
                wide(e, s, [&](const Ymm& d, const Ymm& a) {
                    e.vmovupd(d, e.all_wide(wide_one));
                    rounded(e, s, [&] { e.vdivpd(d, d, a); });
                });
            };
        case Op::sqrt:
            return [](Emitter& e, const Step& s) {
                wide(e, s, [&](const Ymm& d, const Ymm& a) { rounded(e, s, [&] { e.vsqrtpd(d, a); }); });
            };
        case Op::neg:
            return [](Emitter& e, const Step& s) {
                wide(e, s, [&](const Ymm& d, const Ymm& a) {
                    const Ymm nans = e.scratch();
                    e.vcmpunordpd(nans, a, a);
                    e.vxorpd(d, a, e.all_wide(wide_sign));
                    e.vblendvpd(d, d, a, nans);
                });
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
    if (spec.rounding > Rounding::up) return nullptr;  // to integers
    if (spec.type == ptx::Type::f32) return find_word(spec);
    if (spec.type == ptx::Type::f64) return find_wide(spec);
    return nullptr;
}

}  // namespace gpuproj::simulate::native
