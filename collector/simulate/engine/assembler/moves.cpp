// From 7.0 on a move is made by the pipe of additions, comparisons and logic, MOV, or by that which multiplies,
// IMAD.MOV: ptxas gives it to whichever has less to do in the text of the kernel, its subroutines among it. The
// profilers count the latter as an integer instruction. Sums and left shifts it may give to either, too, and they are
// integer instructions in both; as no opcode of PTX tells which ones, all are taken to be where they would be by
// themselves.
#include "collector/simulate/engine/assembler/moves.hpp"

#include <algorithm>
#include <cstddef>

#include "collector/simulate/engine/assembler/expansions.hpp"

namespace gpuproj::simulate {

namespace {

template <class Counts>
double of(const Counts& counts, Class c) {
    return counts[static_cast<std::size_t>(c)];
}

/// What other integer instructions are of another class besides.
template <class Counts>
double moves_in(const Counts& counts) {
    const double others = of(counts, Class::integer_add) + of(counts, Class::integer_multiply) +
                          of(counts, Class::integer_shift) + of(counts, Class::integer_logic) +
                          of(counts, Class::integer_compare);
    return 2 * (of(counts, Class::integer) - others);
}

/// Else the instruction has the counter of its block.
bool is_slow_way(const Code& code, std::size_t i) {
    return code.slot_of[i] >= code.blocks.size();
}

}  // namespace

void add_text(const Code& code, std::span<double> by_cost) {
    for (std::size_t i = 0; i < code.cost.size(); ++i) {
        double& times = by_cost[code.cost[i]];
        times = is_slow_way(code, i) ? 1 : times + 1;  // a subroutine is there once
    }
    for (const BlockCost& more : code.block_costs) by_cost[more.cost] += static_cast<double>(more.times);
    for (const UnrolledLoop& loop : code.unrolled) {
        const double again = loop.rounds - 1;
        for (std::size_t i = code.blocks[loop.slot].first; i <= loop.shared.back(); ++i)
            if (!is_slow_way(code, i)) by_cost[code.cost[i]] += again;
        for (const std::uint32_t i : loop.shared) by_cost[code.cost[i]] -= again;
    }
}

const Mix& text_of(const Cost& cost, const Mix& resolved, int capability) {
    const Mix* const subroutine =
        cost.key.ends_with(".slow") ? find_expansion(cost.key + ".text", capability) : nullptr;
    return subroutine != nullptr ? *subroutine : resolved;
}

double moves_to_multiplier(std::span<const double, class_count> text) {
    const double moves = moves_in(text);
    if (moves <= 0) return 0.5;
    const double adds = of(text, Class::integer_add) + of(text, Class::integer_shift) + of(text, Class::integer_logic) +
                        of(text, Class::integer_compare);
    const double multiplies =
        std::max(of(text, Class::fp32) - of(text, Class::special), 0.0) + of(text, Class::integer_multiply);
    return std::clamp((adds + moves - multiplies) / 2 / moves, 0.0, 1.0);
}

void spread_moves(CountsByClass counts, double to_multiplier) {
    const double more = (to_multiplier - 0.5) * moves_in(counts);
    counts[static_cast<std::size_t>(Class::integer)] += more;
    counts[static_cast<std::size_t>(Class::misc)] -= more;
}

}  // namespace gpuproj::simulate
