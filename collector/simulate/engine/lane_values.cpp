// Which registers may differ between the lanes of a warp.
#include "collector/simulate/engine/draft.hpp"
#include "collector/simulate/engine/special_registers.hpp"

namespace gpuproj::simulate {

namespace {

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

std::vector<bool> differing_registers(Draft& draft) {
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
    return differs;
}

}  // namespace gpuproj::simulate
