// Loops in the text, and what ptxas takes out of them.
#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

std::vector<TextLoop> loops_of(const Draft& draft) {
    std::vector<TextLoop> loops;
    for (std::uint32_t i = 0; i < draft.instructions.size(); ++i) {
        const DraftInst& item = draft.instructions[i];
        if (item.flow == Flow::branch && item.inst.target <= i) loops.push_back({item.inst.target, i});
    }
    return loops;
}

std::vector<BlockLoop> loops_of(std::span<const BasicBlock> blocks) {
    std::vector<BlockLoop> loops;
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
        for (const std::uint32_t next : blocks[b].successors)
            if (next <= b) loops.push_back({next, b});
    return loops;
}

std::vector<std::uint32_t> blocks_in_front(std::span<const BasicBlock> blocks, const BlockLoop& loop) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        const bool inside = loop.first <= b && b <= loop.last;
        if (!inside && std::ranges::find(blocks[b].successors, loop.first) != blocks[b].successors.end())
            found.push_back(b);
    }
    return found;
}

void hoist_constants(Draft& draft) {
    const auto is_load = [](const DraftInst& item) {
        return item.space == ptx::Space::constant && item.opcode.starts_with("ld.") && is_virtual(item.inst.a);
    };
    std::map<Ref, std::vector<std::uint32_t>> written;  // registers with addresses: where
    for (const DraftInst& item : draft.instructions)
        if (is_load(item)) written.try_emplace(item.inst.a);
    if (written.empty()) return;
    for (std::uint32_t i = 0; i < draft.instructions.size(); ++i) {
        for_refs(draft, draft.instructions[i], [&](Ref ref, bool, bool writes) {
            if (const auto found = written.find(ref); writes && found != written.end()) found->second.push_back(i);
        });
    }
    const std::vector<TextLoop> loops = loops_of(draft);
    for (std::uint32_t i = 0; i < draft.instructions.size(); ++i) {
        DraftInst& load = draft.instructions[i];
        if (!is_load(load)) continue;
        const TextLoop* inner = nullptr;
        for (const TextLoop& loop : loops) {
            if (loop.has(i) && (inner == nullptr || loop.last - loop.first < inner->last - inner->first)) inner = &loop;
        }
        if (inner == nullptr) continue;
        const bool changes =
            std::ranges::any_of(written[load.inst.a], [&](std::uint32_t at) { return inner->has(at); });
        if (!changes) load.cost = {};
    }
}

}  // namespace gpuproj::simulate
