// Where a warp turns from computing to memory: the tasks that Luo & Suda (2011) see a warp's program as.
//
// Their definition, "continuous memory access instructions", is of machine code, where the assembler has put the loads
// that do not need each other side by side. PTX computes each address just before its load. So a task goes on here
// until an instruction needs what it loads: there the machine waits whatever the order of the rest.
#include <algorithm>
#include <array>
#include <set>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

// Shared and constant memory compute, as section 3 has them.
bool leaves_the_sm(const DraftInst& item) {
    static constexpr std::array anywhere{"tex", "tld4", "suld", "sust"};
    static constexpr std::array by_space{"ld", "ldu", "st", "atom", "red"};
    const std::string_view root = root_of(item);
    if (std::ranges::find(anywhere, root) != anywhere.end()) return true;
    if (root == "cp") return item.inst.wide_bytes != 0;
    return std::ranges::find(by_space, root) != by_space.end() &&
           (item.space == ptx::Space::global || item.space == ptx::Space::local || item.space == ptx::Space::generic);
}

bool loads_from_afar(const DraftInst& item) {
    static constexpr std::array loads{"ld", "ldu", "tex", "tld4", "suld"};
    return leaves_the_sm(item) && std::ranges::find(loads, root_of(item)) != loads.end();
}

void mark_memory_tasks(Draft& draft) {
    const std::vector<bool> labelled = labelled_places(draft);
    std::set<Ref> awaited;  // what the task that is open loads
    bool open = false;
    for (std::size_t i = 0; i < draft.instructions.size(); ++i) {
        DraftInst& item = draft.instructions[i];
        // A path that comes in has computed at least its branch.
        if (labelled[i]) open = false;
        const bool memory = leaves_the_sm(item);
        const bool stores = item.opcode.starts_with("st.") || item.opcode.starts_with("sust.");
        bool needs = false;
        for_refs(draft, item, [&](Ref ref, bool read, bool) { needs |= read && awaited.contains(ref); });
        // A store waits for its value, but nobody waits for the store: it ends the task of the load it copies.
        if (needs && !(memory && stores)) open = false;
        if (!open) awaited.clear();
        if (memory && item.inst.wide_bytes != 0 && !open) {
            item.cost.otherwise[static_cast<std::size_t>(Class::memory_task)] = 1;
            open = true;
        }
        for_refs(draft, item, [&](Ref ref, bool, bool written) {
            if (memory && written) awaited.insert(ref);
        });
        if (item.flow != Flow::next) open = false;
    }
}

}  // namespace gpuproj::simulate
