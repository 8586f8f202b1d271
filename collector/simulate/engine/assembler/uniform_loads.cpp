// A constant at an address that is the same for all lanes, loaded where all of them are: from 7.5 on by ULDC to a
// register of all, which is of no class. Where some lanes are elsewhere, or the address differs, LDC to one of each.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

namespace {

bool loads_constant_by_register(const DraftInst& item) {
    return item.space == ptx::Space::constant && item.opcode.starts_with("ld.") && item.inst.has_base &&
           item.inst.guard == no_ref && !(item.cost == Cost{});
}

}  // namespace

void mark_uniform_loads(Draft& draft) {
    if (!std::ranges::any_of(draft.instructions, loads_constant_by_register)) return;
    const std::vector<bool> differs = differing_registers(draft);
    const std::vector<bool> parted = parted_blocks(draft, differs);
    for (std::size_t b = 0; b < parted.size(); ++b) {
        if (parted[b]) continue;
        const BasicBlock& block = draft.code.blocks[b];
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            DraftInst& item = draft.instructions[i];
            if (loads_constant_by_register(item) && !differs[index_of(item.inst.a)])
                item.cost = Cost("constant.indexed", item.cost.otherwise);
        }
    }
}

}  // namespace gpuproj::simulate
