// Loops in the text, and what ptxas takes out of them.
#include <algorithm>

#include "collector/simulate/engine/draft.hpp"

namespace gpuproj::simulate {

std::vector<TextLoop> loops_of(const Draft& draft) {
    std::vector<TextLoop> loops;
    for (std::uint32_t i = 0; i < draft.instructions.size(); ++i) {
        const DraftInst& item = draft.instructions[i];
        if (item.flow == Flow::branch && item.inst.target <= i) loops.push_back({item.inst.target, i});
    }
    return loops;
}

void hoist_constants(Draft& draft) {
    const std::vector<TextLoop> loops = loops_of(draft);
    for (std::uint32_t i = 0; i < draft.instructions.size(); ++i) {
        DraftInst& load = draft.instructions[i];
        if (load.space != ptx::Space::constant || !load.opcode.starts_with("ld.") || !is_virtual(load.inst.a)) continue;
        const TextLoop* inner = nullptr;
        for (const TextLoop& loop : loops) {
            const bool around = loop.first <= i && i <= loop.last;
            if (around && (inner == nullptr || loop.last - loop.first < inner->last - inner->first)) inner = &loop;
        }
        if (inner == nullptr) continue;
        bool changes = false;
        for (std::uint32_t k = inner->first; k <= inner->last; ++k) {
            for_refs(draft, draft.instructions[k],
                     [&](Ref ref, bool, bool written) { changes |= written && ref == load.inst.a; });
        }
        if (!changes) load.cost = {};
    }
}

}  // namespace gpuproj::simulate
