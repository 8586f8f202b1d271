// What follows from parameters, sizes of the launch and numbers alone is calculated once for all lanes from 7.5 on, by
// instructions that are of no class. Seen of ptxas 11.8 for 7.5 to 9.0 and of 13.0 for 9.0, with sums, products, shifts
// and logic of 32 and 64 bits, also behind branches in which lanes part; comparisons and quotients stay with the lanes,
// and so does what is calculated with a constant that each lane has anyway.
#include "collector/simulate/engine/assembler/uniform_arithmetic.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collector/simulate/engine/assembler/constant_uses.hpp"
#include "collector/simulate/engine/assembler/expansions.hpp"

namespace gpuproj::simulate {

namespace {

constexpr const char* prefix = "uniform.";
constexpr int newest = 1000;  // any capability: it only matters whether the table has a key

class UniformArithmetic {
public:
    explicit UniformArithmetic(Draft& draft)
        : draft_(draft), of_lanes_(draft.width.size()), written_(draft.width.size()), constant_(draft.width.size()) {
        for (DraftInst& item : draft.instructions)
            for_refs(draft, item, [&](Ref ref, bool, bool written) {
                if (written && is_virtual(ref)) ++written_[index_of(ref)];
            });
    }

    void mark() {
        mark_all();
        // What others than these want in each lane is only known now.
        of_lanes_ = constants_of_lanes(draft_);
        for (const auto& [item, cost] : marked_) item->cost = cost;
        constant_.assign(constant_.size(), false);
        mark_all();
    }

private:
    void mark_all() {
        for (DraftInst& item : draft_.instructions)
            if (makes_constant(item)) keep(item);
    }

    /// Whether a register of all lanes has its result; its cost is then what that takes.
    bool makes_constant(DraftInst& item) {
        if (is_constant_load(item)) return true;
        const bool calculates = item.flow == Flow::next && item.inst.guard == no_ref && item.space == ptx::Space::none;
        if (!calculates || !from_constants(item)) return false;
        if (item.cost == Cost{}) return true;  // a copy, or part of what follows
        const std::string key = prefix + item.cost.key;
        if (find_expansion(key, newest) == nullptr) return false;
        marked_.emplace_back(&item, item.cost);
        item.cost = Cost(key, item.cost.otherwise);
        return true;
    }

    bool from_constants(DraftInst& item) {
        bool any = false, all = true;
        for_refs(draft_, item, [&](Ref ref, bool read, bool) {
            if (!read) return;
            any = true;
            all = all && (is_constant(ref) || (is_virtual(ref) && constant_[index_of(ref)]));
        });
        return any && all;
    }

    void keep(DraftInst& item) {
        for_refs(draft_, item, [&](Ref ref, bool, bool written) {
            if (written && is_virtual(ref))
                constant_[index_of(ref)] = written_[index_of(ref)] == 1 && !of_lanes_[index_of(ref)];
        });
    }

    Draft& draft_;
    std::vector<bool> of_lanes_;          // by register: others want the constant in it in one of each lane
    std::vector<std::uint32_t> written_;  // by register: how many instructions do
    std::vector<bool> constant_;          // by register: follows from constants, for all lanes
    std::vector<std::pair<DraftInst*, Cost>> marked_;  // what it was before
};

}  // namespace

bool is_uniform_arithmetic(const DraftInst& item) {
    return item.cost.key.starts_with(prefix);
}

void mark_uniform_arithmetic(Draft& draft) {
    UniformArithmetic(draft).mark();
}

}  // namespace gpuproj::simulate
