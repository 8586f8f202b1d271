// The assembler does not jump over a few instructions: it gives them the condition, and the branch is gone. Costs
// follow it; paths still part and meet where the PTX says. What was seen of ptxas 11.8, for sm_35 to sm_90 alike, with
// bodies of arithmetic, comparisons, loads and stores of 1 to 13 instructions: up to 8 machine instructions on either
// way, the jump over the other way among them, and none that waits for a load from global memory or changes it
// atomically. Where the instructions in front of the branch or those behind load from there, too, a warp waits anyway:
// then one way may wait for its loads, and be of up to 20 instructions. Not if the branch itself waits for what is
// loaded in front. A condition within one, to the same end, is calculated by all lanes together with what it follows
// from, and the rest has both as one (11.8 for sm_35 to sm_90). The outer one stays a branch if anything between them
// is wanted further on, or is an access to memory.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/branch_mode.hpp"
#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

namespace {

constexpr float longest = 8, longest_with_loads = 20;

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
        if (jump != nullptr && !leads_on(end)) return;
        const bool may_wait = waits_anyway(i, jump == nullptr ? target : target_of(end));
        if (!short_way(i + 1, end, jump == nullptr ? 0 : 1, may_wait)) return;
        if (jump != nullptr) {
            if (!short_way(target, target_of(end), 0, may_wait)) return;
            jump->cost = {};
            jump->inst.mode = branch_of_predicates;
        }
        draft_.instructions[i].cost = {};
        draft_.instructions[i].inst.mode = branch_of_predicates;
        std::uint32_t inner = end;  // the last condition within this one
        while (inner > i && !is_inner_condition(inner, end)) --inner;
        for (std::uint32_t k = i + 1; k <= inner; ++k) draft_.instructions[k].speculated = true;
    }

    /// Within a condition up to `end`: to the same end.
    bool is_inner_condition(std::uint32_t i, std::uint32_t end) const {
        const DraftInst& item = draft_.instructions[i];
        return item.inst.mode == branch_of_predicates && item.flow == Flow::branch && i < end && target_of(i) == end;
    }

    /// Whether what is in front of the branch at i, up to a barrier or where others come, or what follows from `behind`
    /// on loads from beyond the SM what the branch does not wait for.
    bool waits_anyway(std::uint32_t i, std::uint32_t behind) {
        std::uint32_t first = i;
        const auto reaches = [&](const DraftInst& item) { return item.flow == Flow::next && !is_barrier(item); };
        while (first > 0 && !labelled_[first] && reaches(draft_.instructions[first - 1])) --first;
        std::vector<Ref> wanted{draft_.instructions[i].inst.guard};  // for the branch
        for (std::uint32_t k = i; k-- > first;) {
            DraftInst& item = draft_.instructions[k];
            bool for_branch = false;
            for_refs(draft_, item, [&](Ref ref, bool, bool written) {
                for_branch |= written && std::ranges::find(wanted, ref) != wanted.end();
            });
            if (!for_branch && loads_from_afar(item)) return true;
            if (!for_branch) continue;
            for_refs(draft_, item, [&](Ref ref, bool read, bool) {
                if (read && is_virtual(ref)) wanted.push_back(ref);
            });
        }
        for (std::uint32_t k = behind; k < draft_.instructions.size(); ++k) {
            const DraftInst& item = draft_.instructions[k];
            if ((k > behind && labelled_[k]) || item.flow != Flow::next) return false;
            if (loads_from_afar(item)) return true;
        }
        return false;
    }

    /// Whether [first, end), which nobody enters or leaves in between, is short enough with `more` instructions.
    /// `may_wait`: for what is loaded there.
    bool short_way(std::uint32_t first, std::uint32_t end, float more, bool may_wait) {
        if (first > end) return false;
        float total = more;
        bool first_inner = true;
        const auto way = std::span(draft_.instructions).subspan(first, end - first);
        may_wait = may_wait && std::ranges::any_of(way, loads_from_afar);
        std::vector<Ref> loaded;
        for (std::uint32_t i = first; i < end; ++i) {
            DraftInst& item = draft_.instructions[i];
            if (i != first && labelled_[i]) return false;
            if (is_inner_condition(i, end)) {
                if (std::exchange(first_inner, false) && !for_condition_alone(first, i)) return false;
                continue;
            }
            if (item.flow != Flow::next || !can_have_condition(item)) return false;
            total += machine_instructions(item.cost);
            if (total > (may_wait ? longest_with_loads : longest)) return false;
            bool waits = false;
            const bool to_shared = root_of(item) == "st" && item.space == ptx::Space::shared;
            const bool from_memory =
                root_of(item) == "ld" && item.space != ptx::Space::shared && item.space != ptx::Space::constant;
            for_refs(draft_, item, [&](Ref ref, bool read, bool written) {
                // From global to shared memory, as programs begin, nothing waits.
                waits |= read && !to_shared && std::ranges::find(loaded, ref) != loaded.end();
                if (written && from_memory) loaded.push_back(ref);
            });
            if (waits && !may_wait) return false;
        }
        return true;
    }

    /// Whether nothing of [first, condition) is wanted behind the condition, or goes to memory.
    bool for_condition_alone(std::uint32_t first, std::uint32_t condition) {
        bool alone = true;
        for (std::uint32_t i = first; i < condition; ++i) {
            DraftInst& item = draft_.instructions[i];
            if ((item.load || item.store) && !(item.cost == Cost{})) return false;
            for_refs(draft_, item, [&](Ref ref, bool, bool written) {
                if (written && is_virtual(ref)) alone = alone && only_read_in(ref, first, condition);
            });
        }
        return alone;
    }

    bool only_read_in(Ref ref, std::uint32_t first, std::uint32_t last) {
        if (readers_.empty()) find_readers();
        return std::ranges::all_of(readers_[index_of(ref)],
                                   [&](std::uint32_t reader) { return first <= reader && reader <= last; });
    }

    void find_readers() {
        readers_.resize(draft_.width.size());
        for (std::uint32_t i = 0; i < draft_.instructions.size(); ++i)
            for_refs(draft_, draft_.instructions[i], [&](Ref ref, bool read, bool) {
                if (read && is_virtual(ref)) readers_[index_of(ref)].push_back(i);
            });
    }

    Draft& draft_;
    std::vector<bool> labelled_;
    std::vector<std::vector<std::uint32_t>> readers_;  // by register, once they are needed
};

}  // namespace

void predicate_branches(Draft& draft) {
    Predicator(draft).run();
}

}  // namespace gpuproj::simulate
