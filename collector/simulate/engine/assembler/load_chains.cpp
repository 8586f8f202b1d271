// How many loads of a warp are on their way at a time: those that need what others load go one after the other.
//
// A run is what the assembler can put in another order: up to a barrier, a call, a jump or a place that one leads to;
// conditions are no jumps (predicate.cpp). Of its loads ptxas issues first those that need none of the others; a warp
// waits once for them, and once more for those that need these. Loads do not pass stores that may be to the same place,
// as ptxas keeps them in order, too. What nobody uses before the run ends is waited for behind it.
#include <algorithm>
#include <vector>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

namespace {

/// Stores that are told apart by their place; what was stored before them may be to any, so that long runs take no
/// longer than they are.
constexpr std::size_t most_stores = 64;

bool is_store(const DraftInst& item) {
    return item.opcode.starts_with("st.") || item.opcode.starts_with("sust.") || root_of(item) == "red";
}
/// Jumps that are left when conditions are conditions.
bool jumps(const DraftInst& item) {
    return item.flow != Flow::next && item.flow != Flow::call && machine_instructions(item.cost) > 0;
}

std::vector<bool> places_led_to(const Draft& draft) {
    std::vector<bool> places(draft.instructions.size() + 1);
    for (const DraftInst& item : draft.instructions) {
        if (item.flow == Flow::branch && jumps(item)) places[item.inst.target] = true;
        for (const std::uint32_t target : item.targets) places[target] = true;
    }
    return places;
}

class LoadChainFinder {
public:
    explicit LoadChainFinder(Draft& draft) : draft_(draft), known_(draft.width.size()) {}

    void run() {
        const std::vector<bool> led_to = places_led_to(draft_);
        std::size_t first = 0;
        auto unrolled = draft_.unrolled.begin();
        for (std::size_t i = 0; i < draft_.instructions.size(); ++i) {
            if (unrolled != draft_.unrolled.end() && unrolled->first == i) {
                if (i > first) close(first);
                first = i;
                look_at_rounds(*unrolled++);
            }
            if (led_to[i] && i > first) {
                close(first);
                first = i;
            }
            DraftInst& item = draft_.instructions[i];
            take(item);
            if (jumps(item) || item.flow == Flow::call || is_barrier(item)) {
                close(first);
                first = i + 1;
            }
        }
        if (first < draft_.instructions.size()) close(first);
    }

private:
    /// Loads one after the other that a register waits for, in the run of this number.
    struct Known {
        std::uint32_t run = 0, loads = 0;
    };
    /// A store that later loads may have to wait for.
    struct Stored {
        ptx::Space space;
        Ref base;
        std::int64_t begin, end;
        std::uint32_t loads;  // that it waits for itself

        bool may_meet(const Stored& other) const {
            constexpr auto any = ptx::Space::generic;
            if (space != other.space && space != any && other.space != any) return false;
            return base != other.base || (begin < other.end && other.begin < end);
        }
    };

    /// What goes one after the other in rounds of a loop that are unrolled; nothing is begun or ended by that.
    void look_at_rounds(UnrolledDraft& loop) {
        for (std::uint32_t round = 0; round < loop.rounds; ++round)
            for (std::uint32_t i = loop.first; i <= loop.last; ++i) take(draft_.instructions[i]);
        loop.one_after_other = static_cast<float>(longest_) / static_cast<float>(loop.rounds);
        begin();
    }

    void take(DraftInst& item) {
        std::uint32_t behind = 0;
        for_refs(draft_, item, [&](Ref ref, bool read, bool) {
            if (read && is_virtual(ref) && known_[index_of(ref)].run == run_)
                behind = std::max(behind, known_[index_of(ref)].loads);
        });
        if (leaves_the_sm(item)) {
            const Inst& inst = item.inst;
            const Stored place{item.space, inst.has_base ? inst.a : no_ref, inst.imm,
                               inst.imm + std::int64_t{inst.bytes} * inst.count, behind};
            if (is_store(item)) {
                keep(place);
            } else {
                if (!inst.read_only) behind = std::max(behind, loads_before(place));
                // The parts of a wide load come together.
                if (inst.wide_bytes != 0) chains_.loads += 1;
                longest_ = std::max(longest_, ++behind);
            }
        }
        for_refs(draft_, item, [&](Ref ref, bool, bool written) {
            if (!written || !is_virtual(ref)) return;
            known_[index_of(ref)] = {run_, behind};
            // Where stores with this base were, nothing says any more.
            std::erase_if(stores_, [&](const Stored& store) {
                if (store.base == ref) anywhere_ = std::max(anywhere_, store.loads);
                return store.base == ref;
            });
        });
    }

    void keep(const Stored& store) {
        if (store.loads == 0) return;  // nothing waits for what does not wait
        if (stores_.size() == most_stores) {
            anywhere_ = std::max(anywhere_, stores_.front().loads);
            stores_.erase(stores_.begin());
        }
        stores_.push_back(store);
    }
    std::uint32_t loads_before(const Stored& load) const {
        std::uint32_t loads = anywhere_;
        for (const Stored& store : stores_)
            if (store.may_meet(load)) loads = std::max(loads, store.loads);
        return loads;
    }

    void close(std::size_t first) {
        chains_.one_after_other = chains_.loads > 0 ? static_cast<float>(longest_) : 0;
        draft_.instructions[first].load_chains = chains_;
        begin();
    }

    void begin() {
        chains_ = {};
        longest_ = anywhere_ = 0;
        stores_.clear();
        ++run_;
    }

    Draft& draft_;
    std::vector<Known> known_;
    std::vector<Stored> stores_;
    std::uint32_t run_ = 1, longest_ = 0;
    std::uint32_t anywhere_ = 0;  // loads that stores wait for which are not in stores_ any more
    LoadChains chains_;
};

}  // namespace

void find_load_chains(Draft& draft) {
    LoadChainFinder(draft).run();
}

}  // namespace gpuproj::simulate
