// Jumps without a condition that the assembler does without. It puts a block that is reached by one jump alone behind
// that jump, and turns the condition of a branch around that only leads over a jump (seen in ptxas 11.8's code).
#include <algorithm>
#include <array>
#include <vector>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

void drop_jumps(Draft& draft) {
    const auto& blocks = draft.code.blocks;
    std::vector<std::uint32_t> ways_in(blocks.size());
    for (const BasicBlock& block : blocks)
        for (const std::uint32_t next : block.successors) ++ways_in[next];
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        DraftInst& jump = draft.instructions[blocks[b].last - 1];
        if (jump.flow != Flow::branch || jump.inst.guard != no_ref) continue;
        const std::uint32_t target = draft.instructions[jump.inst.target].inst.target;
        const bool nothing_else = blocks[b].last - blocks[b].first == 2;  // the entry and the jump
        const bool led_over = b > 0 && nothing_else && ways_in[b] == 1 &&
                              std::ranges::equal(blocks[b - 1].successors, std::array{b, b + 1});
        if ((ways_in[target] == 1 && target != 0) || led_over) jump.cost = {};
    }
}

}  // namespace gpuproj::simulate
