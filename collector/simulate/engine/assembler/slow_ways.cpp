// Quotients, reciprocals and roots that are rounded as IEEE 754 says have a way for ordinary operands and a subroutine
// for the others: zero, infinity, what is very small or large. Whether a warp takes it only its operands tell, so an
// instruction of its own looks at them (handlers/slow_ways.cpp), whose cost is that of the subroutine.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

namespace {

/// What looks at the operands of an instruction; Op::nop where it has no slow way.
Op slow_way_of(const DraftInst& item) {
    const Spec& spec = item.spec;
    const bool rounded = (spec.type == ptx::Type::f32 || spec.type == ptx::Type::f64) && !spec.approx;
    if (!rounded || spec.rounding != Rounding::nearest || item.cost == Cost{}) return Op::nop;
    return spec.op == Op::div    ? Op::slow_div
           : spec.op == Op::rcp  ? Op::slow_rcp
           : spec.op == Op::sqrt ? Op::slow_sqrt
                                 : Op::nop;
}

}  // namespace

bool has_slow_way(const DraftInst& item) {
    return slow_way_of(item) != Op::nop;
}

void count_slow_ways(Draft& draft) {
    if (std::ranges::none_of(draft.instructions, [](const auto& item) { return slow_way_of(item) != Op::nop; })) return;
    std::vector<DraftInst> with;
    std::vector<std::uint32_t> place;  // where each instruction is then, with what looks for it
    for (DraftInst& item : draft.instructions) {
        place.push_back(static_cast<std::uint32_t>(with.size()));
        if (const Op op = slow_way_of(item); op != Op::nop) {
            DraftInst look = item;
            look.spec = {.op = op, .type = item.spec.type};
            look.cost = Cost(item.cost.key + ".slow", {});
            look.d_written = false;
            look.inst.d = no_ref;
            look.inst.handler = select_handler(look.spec);
            with.push_back(std::move(look));
        }
        with.push_back(std::move(item));
    }
    place.push_back(static_cast<std::uint32_t>(with.size()));
    for (DraftInst& item : with) {
        if (item.flow == Flow::branch) item.inst.target = place[item.inst.target];
        for (std::uint32_t& target : item.targets) target = place[target];
    }
    for (auto& [name, at] : draft.labels) at = place[at];
    draft.instructions = std::move(with);
}

}  // namespace gpuproj::simulate
