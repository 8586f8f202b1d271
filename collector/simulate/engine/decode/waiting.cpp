// Which functions may wait for other threads, themselves or in what they call, and which kernels for what the host does
// while they run: those that look for it in a loop.
#include <algorithm>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

void find_looking(Draft& draft) {
    const auto& instructions = draft.instructions;
    // The last instruction that goes back to instruction i, or before it.
    std::vector<std::uint32_t> last_back(instructions.size(), 0);
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
        const DraftInst& item = instructions[i];
        const auto goes_to = [&](std::uint32_t target) {
            if (target <= i) last_back[target] = std::max(last_back[target], i + 1);
        };
        const auto label = draft.labels.find(item.label);
        if (item.flow == Flow::branch && label != draft.labels.end()) goes_to(label->second);
        if (item.flow == Flow::indexed) std::ranges::for_each(item.targets, goes_to);
    }
    std::uint32_t loop_end = 0;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
        loop_end = std::max(loop_end, last_back[i]);
        draft.code.looks |= instructions[i].looks;
        draft.code.may_wait |= instructions[i].looks && i < loop_end;
        draft.code.calls_in_loop |= instructions[i].flow == Flow::call && i < loop_end;
    }
}

void find_waiting(Program& program) {
    const auto learn = [&](Code& code, const CallSite& site) {
        if (site.builtin != Builtin::none) return false;
        bool spins = true, looks = true, waits = true;  // whoever is called by its address may be anyone
        if (site.callee >= 0) {
            const Code& callee = program.functions[static_cast<std::size_t>(site.callee)];
            spins = callee.may_spin;
            looks = callee.looks;
            waits = callee.may_wait || (callee.looks && code.calls_in_loop);
        }
        const bool news = (spins && !code.may_spin) || (looks && !code.looks) || (waits && !code.may_wait);
        code.may_spin |= spins;
        code.looks |= looks;
        code.may_wait |= waits;
        return news;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (Code& code : program.functions)
            for (const CallSite& site : code.calls) changed |= learn(code, site);
    }
    for (Code& code : program.functions) code.info.may_wait = code.may_wait;
}

}  // namespace gpuproj::simulate
