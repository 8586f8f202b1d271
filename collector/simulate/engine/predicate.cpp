// The assembler does not jump over a few instructions: it gives them the condition, and the branch is gone. Costs
// follow it; paths still part and meet where the PTX says. What was seen of ptxas 11.8, for sm_35 to sm_90 alike, with
// bodies of arithmetic, comparisons, loads and stores of 1 to 13 instructions: up to 8 machine instructions on either
// way, the jump over the other way among them, and none that waits for a load from global memory or changes it
// atomically.
#include <algorithm>
#include <array>
#include <string_view>

#include "collector/simulate/engine/branch_mode.hpp"
#include "collector/simulate/engine/draft.hpp"
#include "collector/simulate/engine/expansions.hpp"

namespace gpuproj::simulate {

namespace {

constexpr float longest = 8;

/// What was seen with a condition, and its like.
bool can_have_condition(const DraftInst& item) {
    static constexpr std::array roots{"abs", "add",  "addc",  "and", "bfe",  "bfi",  "brev", "clz",  "copysign",
                                      "cvt", "cvta", "div",   "ex2", "fma",  "ld",   "lg2",  "lop3", "mad",
                                      "max", "min",  "mov",   "mul", "neg",  "not",  "or",   "popc", "prmt",
                                      "rcp", "rem",  "rsqrt", "sad", "selp", "set",  "setp", "shf",  "shl",
                                      "shr", "slct", "sqrt",  "st",  "sub",  "subc", "xor"};
    return std::ranges::find(roots, root_of(item)) != roots.end();
}

class Predicator {
public:
    explicit Predicator(Draft& draft) : draft_(draft), labelled_(labelled_places(draft)) {}

    void run() {
        // Backwards, so that of conditions within each other the inner ones come first.
        for (auto i = static_cast<std::uint32_t>(draft_.instructions.size()); i-- > 0;) {
            const DraftInst& branch = draft_.instructions[i];
            if (branch.flow == Flow::branch && branch.inst.guard != no_ref && leads_on(i)) make_conditions(i);
        }
    }

private:
    std::uint32_t target_of(std::uint32_t i) const { return draft_.instructions[i].inst.target; }

    /// Whether the branch at i goes forward, and not out of the kernel: that is EXIT, with a condition.
    bool leads_on(std::uint32_t i) const {
        const std::uint32_t target = target_of(i);
        return target > i && target < draft_.instructions.size() && draft_.instructions[target].flow != Flow::leave;
    }

    /// Of the branch at i, which leads on, if it can be.
    void make_conditions(std::uint32_t i) {
        const std::uint32_t target = target_of(i);
        std::uint32_t end = target;
        DraftInst* jump = nullptr;  // over the other way
        if (end > i + 1 && draft_.instructions[end - 1].flow == Flow::branch &&
            draft_.instructions[end - 1].inst.guard == no_ref)
            jump = &draft_.instructions[--end];
        if (!short_way(i + 1, end, jump == nullptr ? 0 : 1)) return;
        if (jump != nullptr) {
            if (!leads_on(end) || !short_way(target, target_of(end), 0)) return;
            jump->cost = {};
            jump->inst.mode = branch_of_predicates;
        }
        draft_.instructions[i].cost = {};
        draft_.instructions[i].inst.mode = branch_of_predicates;
    }

    /// Whether [first, end), which nobody enters or leaves in between, is short enough with `more` instructions.
    bool short_way(std::uint32_t first, std::uint32_t end, float more) {
        if (first > end) return false;
        float total = more;
        std::vector<Ref> loaded;
        for (std::uint32_t i = first; i < end; ++i) {
            DraftInst& item = draft_.instructions[i];
            if (i != first && labelled_[i]) return false;
            // A condition within this one, to the same end: both become one.
            if (item.inst.mode == branch_of_predicates && item.flow == Flow::branch && target_of(i) == end) continue;
            if (item.flow != Flow::next || !can_have_condition(item)) return false;
            total += machine_instructions(item.cost);
            if (total > longest) return false;
            bool waits = false;
            const bool to_shared = root_of(item) == "st" && item.space == ptx::Space::shared;
            const bool from_memory =
                root_of(item) == "ld" && item.space != ptx::Space::shared && item.space != ptx::Space::constant;
            for_refs(draft_, item, [&](Ref ref, bool read, bool written) {
                // From global to shared memory, as programs begin, nothing waits.
                waits |= read && !to_shared && std::ranges::find(loaded, ref) != loaded.end();
                if (written && from_memory) loaded.push_back(ref);
            });
            if (waits) return false;
        }
        return true;
    }

    Draft& draft_;
    std::vector<bool> labelled_;
};

}  // namespace

void predicate_branches(Draft& draft) {
    Predicator(draft).run();
}

}  // namespace gpuproj::simulate
