// When constants come to registers: ptxas brings them there in front of their first use on each way through the kernel,
// in front of a loop if each round of it has one, and keeps them from there on.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/simulate/engine/assembler/constant_uses.hpp"
#include "collector/simulate/engine/assembler/uniform_arithmetic.hpp"

namespace gpuproj::simulate {

namespace {

/// Of global memory, and what may be: has a descriptor from 8.0 on.
bool goes_to_global(const DraftInst& item) {
    const bool by_space = item.space == ptx::Space::global || item.space == ptx::Space::generic;
    return leaves_the_sm(item) && (by_space || root_of(item) == "cp") && !item.opcode.starts_with("ld.param");
}

class ConstantLoads {
public:
    explicit ConstantLoads(Draft& draft) : draft_(draft), uses_(constant_uses(draft)), in_front_(uses_.size()) {}

    void run() {
        const auto& blocks = draft_.code.blocks;
        hoist();
        std::vector<std::optional<Places>> at_entry(blocks.size());  // absent: nobody is known to come there
        at_entry.front().emplace();
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t b = 0; b < blocks.size(); ++b) {
                if (!at_entry[b]) continue;
                Places here = *at_entry[b];
                walk(b, here, [](const ConstantUse&) {});
                for (const std::uint32_t next : blocks[b].successors) changed |= meet(at_entry[next], here);
            }
        }
        for (std::uint32_t b = 0; b < blocks.size(); ++b) {
            Places here = at_entry[b].value_or(Places{});
            std::map<std::string, float> times;
            walk(b, here, [&](const ConstantUse& use) { times[use.key] += 1; });
            for (const auto& [key, count] : times) draft_.block_costs.push_back({b, Cost(key, {}), count});
        }
    }

private:
    using Places = std::set<ConstantPlace>;

    /// Numbers and handles of textures are brought again in each round.
    static bool stays_in_register(const ConstantUse& use) {
        return !use.forgets && !use.by_condition && use.place.first != ConstantBank::numbers &&
               use.place.first != ConstantBank::handles;
    }

    /// What every round of a loop uses is wanted in front of it; inner loops first, for outer ones to take it further.
    void hoist() {
        const auto& blocks = draft_.code.blocks;
        std::vector<BlockLoop> loops = loops_of(blocks);
        std::ranges::sort(loops, {}, [](const BlockLoop& loop) { return loop.last - loop.first; });
        for (const BlockLoop& loop : loops) {
            std::vector<ConstantUse> always;
            // What follows the first block on all ways, as long as it is of the loop; -1 is no block.
            for (std::uint32_t b = loop.first; b >= loop.first && b <= loop.last;
                 b = static_cast<std::uint32_t>(blocks[b].post_dominator)) {
                for (const auto* uses : {&uses_[b], &in_front_[b]})
                    std::ranges::copy_if(*uses, std::back_inserter(always), stays_in_register);
            }
            for (const std::uint32_t b : blocks_in_front(blocks, loop))
                for (const ConstantUse& use : always) want_in_front(b, use);
        }
    }

    void want_in_front(std::uint32_t b, const ConstantUse& use) {
        if (std::ranges::find(in_front_[b], use.place, &ConstantUse::place) == in_front_[b].end())
            in_front_[b].push_back(use);
    }

    /// Whether the other half of 64 bits is loaded with it, because the same block wants it, too.
    static bool comes_with_neighbour(const ConstantUse& use, const std::vector<ConstantUse>& uses) {
        // The sizes of a launch were seen to come one by one.
        if (use.bytes != 4 || use.place.first == ConstantBank::launch) return false;
        return std::ranges::any_of(uses, [&](const ConstantUse& other) {
            return other.place == neighbour_of(use) && other.bytes == 4 && same_registers(other.key, use.key);
        });
    }
    static bool same_registers(std::string_view a, std::string_view b) {
        constexpr std::string_view datapath = "constant.datapath";
        return a == b || (a.starts_with(datapath) && b.starts_with(datapath));
    }
    static ConstantPlace neighbour_of(const ConstantUse& use) { return {use.place.first, use.place.second ^ 4}; }

    /// Calls loads(use) where a constant has to be brought to a register.
    template <class Loads>
    void walk(std::uint32_t b, Places& here, Loads&& loads) const {
        for (const auto* uses : {&uses_[b], &in_front_[b]}) {
            for (const ConstantUse& use : *uses) {
                if (use.forgets) here.clear();
                if (use.forgets || here.contains(use.place)) continue;
                if (!use.by_condition) here.insert(use.place);
                if (comes_with_neighbour(use, *uses)) here.insert(neighbour_of(use));
                loads(use);
            }
        }
    }

    /// Keeps what both ways have. True: something is no longer there.
    static bool meet(std::optional<Places>& known, const Places& more) {
        if (!known) {
            known = more;
            return true;
        }
        return std::erase_if(*known, [&](const auto& place) { return !more.contains(place); }) > 0;
    }

    Draft& draft_;
    std::vector<std::vector<ConstantUse>> uses_;      // by block
    std::vector<std::vector<ConstantUse>> in_front_;  // by block: behind it, for a loop that follows
};

}  // namespace

void find_constant_loads(Draft& draft) {
    mark_uniform_arithmetic(draft);  // which wants its constants elsewhere
    ConstantLoads(draft).run();
    if (!draft.code.entry) return;
    draft.block_costs.push_back({0, Cost("kernel.begin", {}), 1});
    if (std::ranges::any_of(draft.instructions, goes_to_global))
        draft.block_costs.push_back({0, Cost("kernel.global", {}), 1});
}

}  // namespace gpuproj::simulate
