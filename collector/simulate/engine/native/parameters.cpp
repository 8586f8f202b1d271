// What comes from outside: parameters of the kernel and of calls, special registers.
#include <cstddef>

#include "collector/simulate/engine/native/emitter.hpp"
#include "collector/simulate/engine/special_registers.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;

// ---- parameters of the kernel
void word_parameter(Emitter& e, const Step& s) {
    e.set_word(s.inst->d, e.word_behind(offsetof(RunningWarp, parameters), static_cast<std::size_t>(s.inst->imm)));
}
void wide_parameter(Emitter& e, const Step& s) {
    for (int part = 0; part < 2; ++part)
        e.set_wide(s.inst->d, part,
                   e.wide_behind(offsetof(RunningWarp, parameters), static_cast<std::size_t>(s.inst->imm)));
}

// ---- parameters of calls, whole registers of them: `a` is their place in the frame
void load_call_parameter(Emitter& e, const Step& s) {
    if (size_of(s.spec->type) == 4) return e.set_word(s.inst->d, e.from_frame(Kind::word, s.inst->a, 0));
    for (int part = 0; part < 2; ++part) e.set_wide(s.inst->d, part, e.from_frame(Kind::wide, s.inst->a, part));
}
void store_call_parameter(Emitter& e, const Step& s) {
    if (size_of(s.spec->type) == 4) return e.to_frame(Kind::word, s.inst->a, 0, e.word(s.inst->d));
    for (int part = 0; part < 2; ++part) e.to_frame(Kind::wide, s.inst->a, part, e.wide(s.inst->d, part));
}
bool is_whole(const Spec& spec, const Inst& inst) {
    const std::uint32_t bytes = size_of(spec.type);
    return inst.count == 1 && inst.imm == 0 && inst.target == bytes && spec.d_width == bytes &&
           (bytes == 4 || bytes == 8);
}

// ---- %tid, %ntid, %ctaid, %nctaid
void special(Emitter& e, const Step& s) {
    static_assert(static_cast<int>(SpecialRegister::nctaid_z) == 11 && sizeof(Dim3) == 3 * sizeof(std::uint32_t));
    const std::size_t number = s.inst->mode;
    const Ymm value = number < 3
                          ? e.word_behind(offsetof(RunningWarp, tid), number * sizeof(std::uint32_t) * lanes, true)
                          : e.word_behind(offsetof(RunningWarp, shape), (number - 3) * sizeof(std::uint32_t));
    if (size_of(s.spec->type) == 2) return e.set_half(s.inst->d, value);
    e.set_word(s.inst->d, value);
}

}  // namespace

Emitter::Emit find_parameter(const Spec& spec, const Inst& inst) {
    const std::uint32_t bytes = size_of(spec.type);
    switch (spec.op) {
        case Op::ld_param:
            if (inst.count != 1 || inst.d == no_ref || spec.d_width != bytes) return nullptr;
            return bytes == 4 ? word_parameter : bytes == 8 ? wide_parameter : nullptr;
        case Op::ld_frame:
            return inst.d != no_ref && is_whole(spec, inst) ? load_call_parameter : nullptr;
        case Op::st_frame:
            return inst.guard == no_ref && is_whole(spec, inst) ? store_call_parameter : nullptr;
        case Op::mov_special:
            return inst.imm == 0 && inst.mode <= static_cast<int>(SpecialRegister::nctaid_z) &&
                           (bytes == 2 || bytes == 4)
                       ? special
                       : nullptr;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::native
