// Which loops ptxas unrolls. What decides was found by asking it (tools/dev/unrolled_loops.py), for sm_35 to sm_86 with
// 11.8 and for sm_90 with 13.0, which answer alike.
//
// A loop without branches (conditions are none, predicate.cpp) that no pragma keeps as it is, which ends with the
// comparison of a number to which every round adds the same constant, becomes four rounds, then two, then one, if its
// size lets it. The size counts instructions as PTX has them, but two for what goes to memory and ten for atomic
// operations. Loops that wait for loads may be larger. Where the number of rounds is known, more of them are put behind
// each other, and nothing is left over.
//
// What the rounds share they have once: the comparison, the branch, the sum that counts, unless something else wants
// it, and sums of a constant that are only the address of accesses, which have a place for an offset.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/branch_mode.hpp"
#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

namespace {

constexpr float usual_limit = 18;     // instructions besides those that count the rounds
constexpr float per_shared = 5;       // more for each load from shared memory
constexpr float limit_with_far = 47;  // with loads from beyond the SM
constexpr float limit_of_known = 72;  // where the number of rounds is known
constexpr float all_of_known = 320;   // in all rounds that are put behind each other
constexpr std::uint32_t usual_rounds = 4;
constexpr float access_size = 2, atomic_size = 10;
constexpr float few_instructions = 5;

bool is_sum(const DraftInst& item) {
    return (item.spec.op == Op::add || item.spec.op == Op::sub) && !is_float(item.spec.type);
}
bool is_atomic(const DraftInst& item) {
    return root_of(item) == "atom" || root_of(item) == "red";
}
bool is_access(const DraftInst& item) {
    return item.load || item.store || leaves_the_sm(item);
}

/// As ptxas counts it.
float size_of_instruction(const DraftInst& item) {
    static constexpr std::array nothing{"mov", "cvta"};
    if (item.spec.op == Op::poll || std::ranges::find(nothing, root_of(item)) != nothing.end() ||
        item.opcode.starts_with("ld.param"))
        return 0;
    if (is_atomic(item)) return atomic_size;
    if (is_access(item) || is_barrier(item)) return access_size;
    if (item.flow == Flow::branch) return 1;
    // Numbers of 64 bits are still one; what is approximated by several instructions is as many.
    const float machine = machine_instructions(item.cost);
    return machine >= few_instructions ? machine : 1;
}

class UnrolledLoopFinder {
public:
    explicit UnrolledLoopFinder(Draft& draft) : draft_(draft), writers_(draft.width.size()) {}

    void run() {
        const std::vector<TextLoop> loops = loops_of(draft_);
        if (loops.empty()) return;
        for (std::uint32_t i = 0; i < draft_.instructions.size(); ++i)
            for_refs(draft_, at(i), [&](Ref ref, bool, bool written) {
                if (written && is_virtual(ref)) writers_[index_of(ref)].push_back(i);
            });
        for (const TextLoop& loop : loops) look_at(loop);
    }

private:
    /// The number that a loop counts with.
    struct Counter {
        std::uint32_t sum;   // the instruction that adds
        std::int64_t step;   // to it, in each round
        std::uint32_t test;  // the comparison
        Compare going_on;    // while the sum is so to the bound
        Ref begin;           // the register that is added to
        Ref bound;
        std::uint32_t copied;  // the instruction that copies the sum to that register; the sum, where it is the same
    };

    DraftInst& at(std::uint32_t i) { return draft_.instructions[i]; }

    std::optional<std::int64_t> constant(Ref ref, std::uint32_t bytes) const {
        if (!is_constant(ref)) return std::nullopt;
        const std::uint64_t bits = draft_.constants[index_of(ref)].first;
        return bytes == 4 ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
    }
    /// The one instruction of the loop that writes a register.
    std::optional<std::uint32_t> writer_in(const TextLoop& loop, Ref ref) const {
        std::optional<std::uint32_t> found;
        for (const std::uint32_t i : writers_[index_of(ref)]) {
            if (!loop.has(i)) continue;
            if (found) return std::nullopt;
            found = i;
        }
        return found;
    }
    bool changes_in(const TextLoop& loop, Ref ref) const {
        return is_virtual(ref) &&
               std::ranges::any_of(writers_[index_of(ref)], [&](std::uint32_t i) { return loop.has(i); });
    }
    /// What a register is in front of a loop, if that is a constant.
    std::optional<std::int64_t> known_in_front(const TextLoop& loop, Ref ref, std::uint32_t bytes) {
        if (!is_virtual(ref)) return constant(ref, bytes);
        std::optional<std::int64_t> value;
        for (const std::uint32_t i : writers_[index_of(ref)]) {
            if (loop.has(i)) continue;
            if (value || root_of(at(i)) != "mov" || at(i).inst.guard != no_ref) return std::nullopt;
            value = constant(at(i).inst.a, bytes);
            if (!value) return std::nullopt;
        }
        return value;
    }

    // Of eq, ne, lt, le, gt and ge, which is what integers are compared by.
    static Compare opposite(Compare compare) {
        using enum Compare;
        return std::array{ne, eq, ge, gt, le, lt}.at(static_cast<std::size_t>(compare));
    }
    static Compare turned(Compare compare) {
        using enum Compare;
        return std::array{eq, ne, gt, ge, lt, le}.at(static_cast<std::size_t>(compare));
    }

    /// No way out but the end, and nothing that keeps ptxas from it.
    bool is_straight(const TextLoop& loop) {
        for (std::uint32_t i = loop.first; i <= loop.last; ++i) {
            const DraftInst& item = at(i);
            if (item.not_unrolled || item.flow == Flow::indexed || item.flow == Flow::leave || item.flow == Flow::call)
                return false;
            const bool condition = item.flow == Flow::branch && item.inst.mode == branch_of_predicates &&
                                   i < item.inst.target && item.inst.target <= loop.last;
            if (i < loop.last && item.flow == Flow::branch && !condition) return false;
            if (has_slow_way(item)) return false;
        }
        return true;
    }

    std::optional<Counter> counter_of(const TextLoop& loop) {
        const DraftInst& branch = at(loop.last);
        if (branch.inst.guard == no_ref) return std::nullopt;
        const auto test = writer_in(loop, branch.inst.guard);
        if (!test || at(*test).spec.op != Op::setp || (at(*test).inst.mode & 3U) != 0 ||
            at(*test).inst.guard != no_ref || is_float(at(*test).spec.from))
            return std::nullopt;
        const Inst& compared = at(*test).inst;
        for (const bool second : {false, true}) {
            const Ref counted = second ? compared.b : compared.a, bound = second ? compared.a : compared.b;
            if (!is_virtual(counted) || changes_in(loop, bound)) continue;
            const auto sum = writer_in(loop, counted);
            if (!sum || *sum > *test || !is_sum(at(*sum)) || at(*sum).inst.guard != no_ref) continue;
            const Inst& added = at(*sum).inst;
            auto step = constant(added.b, size_of(at(*sum).spec.type));
            if (!step || *step == 0 || !is_virtual(added.a)) continue;
            if (at(*sum).spec.op == Op::sub) step = -*step;
            std::uint32_t copied = *sum;
            if (added.a != counted) {
                const auto copy = writer_in(loop, added.a);
                if (!copy || root_of(at(*copy)) != "mov" || at(*copy).inst.a != counted || *copy < *sum) continue;
                copied = *copy;
            }
            Compare going_on = at(*test).spec.compare;
            if (second) going_on = turned(going_on);
            if (branch.inst.guard_negated) going_on = opposite(going_on);
            return Counter{*sum, *step, *test, going_on, added.a, bound, copied};
        }
        return std::nullopt;
    }

    /// How often a loop runs whose first and last number are known; absent if that is no sensible loop.
    static std::optional<double> trips_of(const Counter& counter, std::int64_t begin, std::int64_t bound) {
        const double trips =
            (static_cast<double>(bound) - static_cast<double>(begin)) / static_cast<double>(counter.step);
        if (trips <= 0 || counter.going_on == Compare::eq) return std::nullopt;
        if (counter.going_on == Compare::ne) return trips == std::floor(trips) ? std::optional(trips) : std::nullopt;
        const bool up = counter.going_on == Compare::lt || counter.going_on == Compare::le;
        if (up != (counter.step > 0)) return std::nullopt;
        const bool with_bound = counter.going_on == Compare::le || counter.going_on == Compare::ge;
        return with_bound ? std::floor(trips) + 1 : std::ceil(trips);
    }

    void look_at(const TextLoop& loop) {
        if (!is_straight(loop)) return;
        const auto counter = counter_of(loop);
        if (!counter) return;
        float size = 0;
        int near = 0, far = 0;  // loads
        for (std::uint32_t i = loop.first; i < loop.last; ++i) {
            if (i != counter->sum && i != counter->test) size += size_of_instruction(at(i));
            const DraftInst& item = at(i);
            if (root_of(item) != "ld") continue;  // textures were not seen to make room
            if (loads_from_afar(item)) ++far;
            if (item.space == ptx::Space::shared) ++near;
        }
        const std::uint32_t bytes = size_of(at(counter->sum).spec.type);
        const auto begin = known_in_front(loop, counter->begin, bytes);
        const auto bound = known_in_front(loop, counter->bound, bytes);
        if (begin && bound) {
            const auto trips = trips_of(*counter, *begin, *bound);
            if (!trips || size > limit_of_known) return;
            const double rounds = std::max<double>(usual_rounds, std::floor(all_of_known / std::max(size, 1.0F)));
            unroll(loop, *counter, static_cast<std::uint32_t>(std::min(rounds, *trips)), true);
            return;
        }
        if (counter->going_on == Compare::eq) return;
        const float limit = far > 0 ? limit_with_far : usual_limit + per_shared * static_cast<float>(near);
        if (size > limit) return;
        unroll(loop, *counter, usual_rounds, false);
    }

    void unroll(const TextLoop& loop, const Counter& counter, std::uint32_t rounds, bool known_trips) {
        if (rounds < 2) return;
        const auto index = static_cast<std::uint32_t>(draft_.unrolled.size());
        draft_.unrolled.push_back({loop.first, loop.last, rounds, known_trips});
        at(counter.test).shared = at(loop.last).shared = index;
        for (std::uint32_t i = loop.first; i < loop.last; ++i) {
            const DraftInst& item = at(i);
            const bool moves_on = is_sum(item) && item.inst.guard == no_ref && is_constant(item.inst.b) &&
                                  (item.inst.a == item.inst.d || i == counter.sum);
            if (moves_on && writer_in(loop, item.inst.d) == i && only_addresses(loop, i, counter)) at(i).shared = index;
        }
    }

    /// Whether the loop wants the sum at `sum` for the addresses of accesses, for itself and for its end alone.
    bool only_addresses(const TextLoop& loop, std::uint32_t sum, const Counter& counter) {
        const std::array registers{at(sum).inst.d, sum == counter.sum ? counter.begin : at(sum).inst.d};
        for (std::uint32_t i = loop.first; i < loop.last; ++i) {
            if (i == sum || i == counter.test || (sum == counter.sum && i == counter.copied)) continue;
            DraftInst& item = at(i);
            int reads = 0;
            for_refs(draft_, item, [&](Ref ref, bool read, bool) {
                reads += read && std::ranges::find(registers, ref) != registers.end() ? 1 : 0;
            });
            if (reads == 0) continue;
            const bool address = is_access(item) && item.inst.has_base && reads == 1 &&
                                 std::ranges::find(registers, item.inst.a) != registers.end();
            if (!address) return false;
        }
        return true;
    }

    Draft& draft_;
    std::vector<std::vector<std::uint32_t>> writers_;  // of each virtual register
};

}  // namespace

void find_unrolled_loops(Draft& draft) {
    UnrolledLoopFinder(draft).run();
}

void enter_unrolled_loops(Draft& draft) {
    const auto& blocks = draft.code.blocks;
    for (const BlockLoop& loop : loops_of(blocks)) {
        const DraftInst& branch = draft.instructions[blocks[loop.last].last - 1];
        if (!branch.shared) continue;
        UnrolledDraft& unrolled = draft.unrolled[*branch.shared];
        unrolled.block = loop.first;
        unrolled.from = blocks_in_front(blocks, loop);
        if (unrolled.known_trips) continue;
        const auto of_loop = std::span(draft.instructions)
                                 .subspan(blocks[loop.first].first, blocks[loop.last].last - blocks[loop.first].first);
        const auto test = std::ranges::find_if(
            of_loop, [](const DraftInst& item) { return item.spec.op == Op::setp && item.shared; });
        // How many rounds are left is asked in front of four of them, of two and of one, and whether any are.
        for (const std::uint32_t from : unrolled.from) {
            draft.block_costs.push_back({from, test->cost, 4});
            draft.block_costs.push_back({from, branch.cost, 4});
            draft.block_costs.push_back({from, Cost(one({Class::misc})), 2});
        }
    }
}

}  // namespace gpuproj::simulate
