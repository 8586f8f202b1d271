// Conversions of halves from and to single precision, as handlers/convert.cpp has them. Arithmetic on halves is no
// faster as code: its steps depend on each other, and handlers take 32 lanes through each.
#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;
using Xbyak::Xmm;

constexpr std::uint32_t machine_nans = 0x7FFF7FFFU;  // two

Xmm low_half(const Ymm& value) {
    return Xmm(value.getIdx());
}

/// Eight numbers of single precision to halves side by side, NaN to the machine's.
void round_to_halves(Emitter& e, const Ymm& to, const Ymm& value) {
    const Ymm nans = e.scratch(), upper = e.scratch();
    e.vcmpunordps(nans, value, value);
    e.vextracti128(low_half(upper), nans, 1);
    e.vpackssdw(low_half(nans), low_half(nans), low_half(upper));
    e.vcvtps2ph(low_half(to), value, 0);
    e.vpblendvb(low_half(to), low_half(to), e.all(machine_nans), low_half(nans));
}

void half_to_single(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    e.pack_halves(d, e.half(s.inst->a));
    e.vcvtph2ps(d, low_half(d));
    e.set_word(s.inst->d, d, {Nan::any, true});
}
/// In each lane's lower half.
Ymm rounded(Emitter& e, Ref ref) {
    const Ymm d = e.scratch();
    round_to_halves(e, d, e.word(ref, Nan::any));
    e.vpmovzxwd(d, low_half(d));
    return d;
}
void single_to_half(Emitter& e, const Step& s) {
    e.set_half(s.inst->d, rounded(e, s.inst->a));
}
/// a into the upper, b into the lower half.
void singles_to_pair(Emitter& e, const Step& s) {
    constexpr std::uint8_t half_bits = 16;
    const Ymm upper = rounded(e, s.inst->a), lower = rounded(e, s.inst->b);
    e.vpslld(upper, upper, half_bits);
    e.vpor(upper, upper, lower);
    e.set_word(s.inst->d, upper);
}

}  // namespace

Emitter::Emit find_half_conversion(const Spec& spec, const Inst& inst) {
    using enum ptx::Type;
    if (spec.op != Op::cvt || inst.mode != 0) return nullptr;  // rounding, saturation, subnormal numbers flushed
    if (spec.type == f32 && spec.from == f16) return inst.a_width == 2 && inst.d_width == 4 ? half_to_single : nullptr;
    if (spec.type == f16 && spec.from == f32) return inst.a_width == 4 && inst.d_width == 2 ? single_to_half : nullptr;
    if (spec.type == f16x2 && spec.from == f32)
        return inst.b != no_ref && inst.d_width == 4 ? singles_to_pair : nullptr;
    return nullptr;
}

}  // namespace gpuproj::simulate::native
