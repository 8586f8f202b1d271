// Which registers may differ between the lanes of a warp, and where not all of its lanes may be.
#include <algorithm>
#include <vector>

#include "collector/simulate/engine/decode/draft.hpp"
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

std::vector<bool> parted_blocks(Draft& draft, const std::vector<bool>& differs) {
    const auto& blocks = draft.code.blocks;
    // Functions may be called from anywhere.
    std::vector<bool> parted(blocks.size(), !draft.code.entry);
    for (const BasicBlock& block : blocks) {
        const DraftInst& branch = draft.instructions[block.last - 1];
        const Ref decides = branch.flow == Flow::indexed ? branch.inst.a : branch.inst.guard;
        if (block.successors.size() < 2 || !is_virtual(decides) || !differs[index_of(decides)]) continue;
        // Who has left the kernel is not missed.
        const auto ends = [&](std::uint32_t next) { return only_leaves(draft, blocks[next].first); };
        if (std::ranges::any_of(block.successors, ends)) continue;
        std::vector<std::uint32_t> ahead = block.successors;
        std::vector<bool> seen(blocks.size());
        while (!ahead.empty()) {
            const std::uint32_t next = ahead.back();
            ahead.pop_back();
            if (seen[next] || static_cast<std::int32_t>(next) == block.post_dominator) continue;
            seen[next] = parted[next] = true;
            ahead.insert(ahead.end(), blocks[next].successors.begin(), blocks[next].successors.end());
        }
    }
    return parted;
}

}  // namespace gpuproj::simulate
