// ptxas makes one atomic operation of those of a warp where it can see that all lanes have the same address: a vote and
// a count for constants, redux or shuffles for values. It does so for 32-bit integers, for additions in any case and
// for the other sums where nobody wants the old value; not for floating point, 64 bits, inc, dec, exch and cas (seen in
// what CUDA 11.8's makes for sm_35 to sm_90).
#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

namespace {

bool may_join(const DraftInst& item) {
    const Spec& spec = item.spec;
    if (spec.op != Op::atom_global && spec.op != Op::atom_shared && spec.op != Op::atom_generic) return false;
    if (spec.type != ptx::Type::u32 && spec.type != ptx::Type::s32 && spec.type != ptx::Type::b32) return false;
    switch (spec.atomic) {
        case Atomic::add:
            return true;
        case Atomic::min:
        case Atomic::max:
        case Atomic::and_:
        case Atomic::or_:
        case Atomic::xor_:
            return item.inst.d == no_ref;
        default:
            return false;
    }
}

}  // namespace

void find_joined_atomics(Draft& draft) {
    bool any = false;
    for (const DraftInst& item : draft.instructions) any = any || may_join(item);
    if (!any) return;
    const std::vector<bool> differs = differing_registers(draft);
    for (DraftInst& item : draft.instructions) {
        const Ref address = item.inst.has_base ? item.inst.a : no_ref;
        item.inst.joined = may_join(item) && !(is_virtual(address) && differs[index_of(address)]);
    }
}

}  // namespace gpuproj::simulate
