// Where lanes may part, instructions of their own say where they meet again: SSY until Pascal, BSSY and BSYNC since.
// ptxas gives all branches that meet in one place one pair of them, in front of the first, and those that leave a loop
// one in front of the loop (seen in what 11.8's makes for sm_35 to sm_90). Branches in which no lanes differ have none.
// The pair of a loop that has other ways out than its end is only counted if others meet there.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

void mark_meetings(Draft& draft) {
    const std::vector<TextLoop> loops = loops_of(draft);
    std::optional<std::vector<bool>> registers;  // once they are needed
    const auto differs = [&](Ref guard) {
        if (!registers) registers = differing_registers(draft);
        return is_virtual(guard) && (*registers)[index_of(guard)];
    };
    std::set<std::uint32_t> marked;
    for (std::uint32_t i = 0; i < draft.instructions.size(); ++i) {
        DraftInst& branch = draft.instructions[i];
        if (branch.flow != Flow::branch || branch.inst.guard == no_ref || branch.cost == Cost{} ||
            branch.inst.target <= i || branch.inst.imm < 0)
            continue;
        const auto meeting = static_cast<std::uint32_t>(branch.inst.imm);
        // A way out of the kernel is EXIT, with a condition.
        if (only_leaves(draft, meeting) || marked.contains(meeting)) continue;
        const bool leaves_loop =
            std::ranges::any_of(loops, [&](const TextLoop& loop) { return loop.has(i) && loop.last < meeting; });
        if (leaves_loop) continue;
        if (!differs(branch.inst.guard)) continue;
        branch.cost = Cost("branch.meet", branch.cost.otherwise);
        marked.insert(meeting);
    }
    const auto& blocks = draft.code.blocks;
    for (const BlockLoop& loop : loops_of(blocks)) {
        const DraftInst& branch = draft.instructions[blocks[loop.last].last - 1];
        if (branch.flow != Flow::branch || branch.inst.guard == no_ref || branch.inst.imm < 0) continue;
        const auto meeting = static_cast<std::uint32_t>(branch.inst.imm);
        // The four rounds and what is left of them, two and one, of an unrolled loop have a place each.
        const float places = branch.shared ? 2.0F : marked.contains(meeting) ? 0.0F : 1.0F;
        if (places == 0 || only_leaves(draft, meeting) || !differs(branch.inst.guard)) continue;
        const Cost alone = branch.cost;
        for (const std::uint32_t block : blocks_in_front(blocks, loop)) {
            draft.block_costs.push_back({block, Cost("branch.meet", alone.otherwise), places});
            draft.block_costs.push_back({block, alone, -places});
        }
        marked.insert(meeting);
    }
    // Who comes to a place from in front of it says so, too (SYNC of Maxwell and Pascal; a jump is one itself).
    for (std::uint32_t b = 0; b + 1 < blocks.size(); ++b) {
        const DraftInst& last = draft.instructions[blocks[b].last - 1];
        const bool falls = last.flow == Flow::next || last.flow == Flow::call || last.inst.guard != no_ref;
        if (falls && marked.contains(blocks[b + 1].first) && last.inst.target != blocks[b + 1].first)
            draft.block_costs.push_back({b, Cost("branch.through", {}), 1});
    }
}

}  // namespace gpuproj::simulate
