// Basic blocks and the points where diverged paths meet: immediate post-dominators (Cooper, Harvey, Kennedy: A Simple,
// Fast Dominance Algorithm, on the reversed graph).
#include <algorithm>
#include <ranges>
#include <set>
#include <span>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

namespace {

/// Whether who executes these instructions never comes to what follows: the launch ends there. Other paths then meet as
/// if nobody went this way: those of a switch with an assertion in its default, in front of the next barrier.
bool ends_launch(const Draft& draft, std::span<const DraftInst> block) {
    return std::ranges::any_of(block, [&](const DraftInst& item) {
        const bool fails = item.flow == Flow::call && draft.code.calls[item.inst.list].builtin == Builtin::assertfail;
        return item.inst.guard == no_ref && (fails || item.spec.op == Op::trap);
    });
}

/// `ends`: the blocks that no path leaves.
std::vector<std::int32_t> post_dominators(const std::vector<BasicBlock>& blocks, const std::vector<bool>& ends) {
    const auto count = static_cast<std::int32_t>(blocks.size());
    const std::int32_t exit = count;                                         // a virtual block behind every leaving one
    std::vector<std::vector<std::int32_t>> predecessors(blocks.size() + 1);  // of the reversed graph: successors
    std::vector<std::vector<std::int32_t>> forward(blocks.size() + 1);       // reversed edges: from exit backwards
    for (std::int32_t b = 0; b < count; ++b) {
        const auto& successors = blocks[static_cast<std::size_t>(b)].successors;
        if (successors.empty() && !ends[static_cast<std::size_t>(b)]) {
            predecessors[static_cast<std::size_t>(b)].push_back(exit);
            forward[static_cast<std::size_t>(exit)].push_back(b);
        }
        for (const std::uint32_t s : successors) {
            predecessors[static_cast<std::size_t>(b)].push_back(static_cast<std::int32_t>(s));
            forward[s].push_back(b);
        }
    }
    // Post-order of the reversed graph, from exit, without recursion.
    std::vector<std::int32_t> order(blocks.size() + 1, -1), sequence;
    std::vector<std::pair<std::int32_t, std::size_t>> walk{{exit, 0}};
    std::vector<bool> seen(blocks.size() + 1);
    seen[static_cast<std::size_t>(exit)] = true;
    while (!walk.empty()) {
        auto& [node, next] = walk.back();
        const auto& edges = forward[static_cast<std::size_t>(node)];
        if (next < edges.size()) {
            const std::int32_t to = edges[next++];
            if (!seen[static_cast<std::size_t>(to)]) {
                seen[static_cast<std::size_t>(to)] = true;
                walk.emplace_back(to, 0);
            }
        } else {
            order[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(sequence.size());
            sequence.push_back(node);
            walk.pop_back();
        }
    }
    std::vector<std::int32_t> dominator(blocks.size() + 1, -1);
    dominator[static_cast<std::size_t>(exit)] = exit;
    const auto meet = [&](std::int32_t a, std::int32_t b) {
        while (a != b) {
            while (order[static_cast<std::size_t>(a)] < order[static_cast<std::size_t>(b)])
                a = dominator[static_cast<std::size_t>(a)];
            while (order[static_cast<std::size_t>(b)] < order[static_cast<std::size_t>(a)])
                b = dominator[static_cast<std::size_t>(b)];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::int32_t node : std::views::reverse(sequence)) {
            if (node == exit) continue;
            std::int32_t found = -1;
            for (const std::int32_t p : predecessors[static_cast<std::size_t>(node)]) {
                if (dominator[static_cast<std::size_t>(p)] < 0) continue;
                found = found < 0 ? p : meet(p, found);
            }
            if (found != dominator[static_cast<std::size_t>(node)]) {
                dominator[static_cast<std::size_t>(node)] = found;
                changed = true;
            }
        }
    }
    // Endless loops and what ends the launch never reach the exit; exit itself is "at the end of the function".
    std::vector<std::int32_t> result(blocks.size(), -1);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (dominator[b] >= 0 && dominator[b] != exit) result[b] = dominator[b];
    }
    return result;
}

}  // namespace

void build_blocks(Draft& draft) {
    auto& instructions = draft.instructions;
    Code& code = draft.code;
    const auto count = static_cast<std::uint32_t>(instructions.size());
    std::set<std::uint32_t> leaders{0};
    for (std::uint32_t i = 0; i < count; ++i) {
        const DraftInst& item = instructions[i];
        if (item.flow == Flow::next) continue;
        leaders.insert(i + 1);
        if (item.flow == Flow::branch) leaders.insert(item.inst.target);
        for (const std::uint32_t t : item.targets) leaders.insert(t);
    }
    leaders.erase(count);
    std::vector<std::uint32_t> block_of(count + 1, 0);
    std::vector<std::uint32_t> first(leaders.begin(), leaders.end());
    for (std::uint32_t b = 0; b < first.size(); ++b) {
        const std::uint32_t end = b + 1 < first.size() ? first[b + 1] : count;
        for (std::uint32_t i = first[b]; i < end; ++i) block_of[i] = b;
    }
    code.blocks.resize(first.size());
    std::vector<bool> ends(first.size());
    for (std::uint32_t b = 0; b < first.size(); ++b) {
        const std::uint32_t end = b + 1 < first.size() ? first[b + 1] : count;
        const DraftInst& last = instructions[end - 1];
        ends[b] = ends_launch(draft, std::span(instructions).subspan(first[b], end - first[b]));
        if (ends[b]) continue;
        auto& successors = code.blocks[b].successors;
        const bool guarded = last.inst.guard != no_ref;
        if (last.flow == Flow::branch) successors.push_back(block_of[last.inst.target]);
        for (const std::uint32_t t : last.targets) successors.push_back(block_of[t]);
        const bool falls = last.flow == Flow::next || last.flow == Flow::call || guarded;
        if (falls && end < count) successors.push_back(block_of[end]);
        std::ranges::sort(successors);
        const auto repeated = std::ranges::unique(successors);
        successors.erase(repeated.begin(), repeated.end());
    }
    const std::vector<std::int32_t> meeting = post_dominators(code.blocks, ends);

    // Every block gets an entry pseudo-instruction; indices move.
    std::vector<DraftInst> with_entries;
    with_entries.reserve(instructions.size() + first.size());
    std::vector<std::uint32_t> entry_of(first.size());
    for (std::uint32_t b = 0; b < first.size(); ++b) {
        const std::uint32_t end = b + 1 < first.size() ? first[b + 1] : count;
        entry_of[b] = static_cast<std::uint32_t>(with_entries.size());
        DraftInst entry;
        entry.d_written = false;
        entry.inst.target = b;
        entry.inst.imm = end - first[b];
        entry.inst.line = instructions[first[b]].inst.line;
        code.blocks[b].first = entry_of[b];
        code.blocks[b].post_dominator = meeting[b];
        with_entries.push_back(std::move(entry));
        for (std::uint32_t i = first[b]; i < end; ++i) {
            code.blocks[b].load_chains.loads += instructions[i].load_chains.loads;
            code.blocks[b].load_chains.one_after_other += instructions[i].load_chains.one_after_other;
            with_entries.push_back(std::move(instructions[i]));
        }
        code.blocks[b].last = static_cast<std::uint32_t>(with_entries.size());
    }
    for (std::uint32_t b = 0; b < first.size(); ++b) {
        DraftInst& last = with_entries[code.blocks[b].last - 1];
        // Lanes that call different functions meet behind the call.
        if (last.flow == Flow::call && b + 1 < first.size()) with_entries[entry_of[b + 1]].inst.mode = 1;
        if (last.flow != Flow::branch && last.flow != Flow::indexed) continue;
        if (meeting[b] >= 0) with_entries[entry_of[static_cast<std::size_t>(meeting[b])]].inst.mode = 1;
        last.inst.imm = meeting[b] < 0 ? -1 : static_cast<std::int64_t>(entry_of[static_cast<std::size_t>(meeting[b])]);
        if (last.flow == Flow::branch) last.inst.target = entry_of[block_of[last.inst.target]];
        if (last.flow == Flow::indexed) {
            std::vector<std::uint32_t> table;
            table.reserve(last.targets.size());
            for (const std::uint32_t t : last.targets) table.push_back(entry_of[block_of[t]]);
            last.inst.list = static_cast<std::uint32_t>(code.jump_tables.size());
            code.jump_tables.push_back(std::move(table));
        }
    }
    instructions = std::move(with_entries);
}

}  // namespace gpuproj::simulate
