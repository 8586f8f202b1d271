// ptxas makes one atomic operation of those of a warp where it can see that all lanes have the same address: a vote and
// a count for constants, redux or shuffles for values. It does so for 32-bit integers, for additions in any case and
// for the other sums where nobody wants the old value; not for floating point, 64 bits, inc, dec, exch and cas (seen in
// what CUDA 11.8's makes for sm_35 to sm_90).
#include "collector/simulate/engine/draft.hpp"
#include "collector/simulate/engine/special_registers.hpp"

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

/// Whether the lanes of a warp may get different values from it even if what it reads is the same for all.
bool differs_by_lane(const DraftInst& item) {
    if (item.flow == Flow::call) return true;
    switch (item.spec.op) {
        case Op::mov_special:
            return !is_uniform(static_cast<SpecialRegister>(item.inst.mode));
        case Op::ld_local:
        case Op::ld_frame:
        case Op::atom_global:
        case Op::atom_shared:
        case Op::atom_generic:
        case Op::atom_cluster:
        case Op::atom_vector:
        case Op::shfl:
        case Op::elect:
            return true;
        default:
            return false;
    }
}

}  // namespace

void find_joined_atomics(Draft& draft) {
    bool any = false;
    for (const DraftInst& item : draft.instructions) any = any || may_join(item);
    if (!any) return;
    // What is the same for all lanes follows from kernel parameters, constants and the block. Variables of loops that
    // lanes leave at different times are taken for the same, too, which ptxas knows better.
    std::vector<bool> differs(draft.width.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (DraftInst& item : draft.instructions) {
            bool by_lane = differs_by_lane(item);
            for_refs(draft, item, [&](Ref ref, bool read, bool) {
                by_lane = by_lane || (read && is_virtual(ref) && differs[index_of(ref)]);
            });
            if (!by_lane) continue;
            for_refs(draft, item, [&](Ref ref, bool, bool written) {
                if (!written || !is_virtual(ref) || differs[index_of(ref)]) return;
                differs[index_of(ref)] = changed = true;
            });
        }
    }
    for (DraftInst& item : draft.instructions) {
        const Ref address = item.inst.has_base ? item.inst.a : no_ref;
        item.inst.joined = may_join(item) && !(is_virtual(address) && differs[index_of(address)]);
    }
}

}  // namespace gpuproj::simulate
