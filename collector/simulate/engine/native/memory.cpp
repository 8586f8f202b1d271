// Loads and stores of device and shared memory, as handlers/loads_stores.hpp has them. Lanes in a row, or (loads) in
// one place, are found at run time; what is none of these is gathered, or stored lane by lane. What may be at fault, or
// is not known to be alive, goes the slow way (accesses.cpp).
#include "collector/simulate/engine/native/octet_access.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;
using Xbyak::util::rax;

/// A constant at a fixed address is the same for all lanes, always there, and not counted.
void load_constant(Emitter& e, const Step& s) {
    const Inst& inst = *s.inst;
    e.mov(rax, static_cast<std::uint64_t>(inst.imm));
    for (int part = 0; part < inst.bytes / static_cast<int>(word_bytes); ++part) {
        const Ymm d = e.scratch();
        if (inst.bytes == word_bytes) {
            e.vpbroadcastd(d, e.ptr[rax]);
            e.set_word(inst.d, d);
        } else {
            e.vpbroadcastq(d, e.ptr[rax]);
            e.set_wide(inst.d, part, d);
        }
    }
}

bool is_number_of(const Spec& spec, const Inst& inst) {
    const std::uint32_t bytes = inst.bytes, width = spec.d_width, all = bytes * inst.count;
    if (inst.count == 1 && inst.d == no_ref) return false;
    if (inst.count == 1)
        return bytes < word_bytes ? width == 2 || width == 4 : (bytes == 4 || bytes == 8) && width == bytes;
    return (bytes == 4 || bytes == 8) && width == bytes && (all == 8 || all == 16);
}

}  // namespace

Accesses accesses_of(const Spec& spec, const Inst& inst) {
    const bool device = spec.op == Op::ld_global || spec.op == Op::st_global;
    const bool shared = spec.op == Op::ld_shared || spec.op == Op::st_shared;
    if ((!device && !shared) || !is_number_of(spec, inst)) return {};
    if (device && inst.imm != static_cast<std::int32_t>(inst.imm) && inst.has_base) return {};
    if (inst.has_base && inst.a_width != (device ? sizeof(std::uint64_t) : word_bytes)) return {};
    return {true, shared, spec.op == Op::st_global || spec.op == Op::st_shared};
}

Emitter::Emit find_memory(const Spec& spec, const Inst& inst) {
    if (spec.op == Op::ld_constant) {
        const std::uint32_t bytes = inst.bytes;
        const bool plain = inst.count == 1 && inst.d != no_ref && !inst.has_base && spec.d_width == bytes;
        return plain && (bytes == 4 || bytes == 8) ? load_constant : nullptr;
    }
    const Accesses accesses = accesses_of(spec, inst);
    if (!accesses.any) return nullptr;
    return accesses.store ? store : load;
}

}  // namespace gpuproj::simulate::native
