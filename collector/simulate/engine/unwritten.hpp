// Registers of a function that may be read where nothing was written yet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collector/simulate/engine/program.hpp"

namespace gpuproj::simulate {

struct UnwrittenRegister {
    Ref ref = no_ref;
    std::uint8_t width = 0;  // bytes per lane; 0: a predicate
};

/// They are what the first instruction of a function, the entry of its first block, has in Code::lists: how many there
/// are, mostly none, and the place and width of each.
inline void set_unwritten(Inst& first, std::vector<Ref>& lists, std::span<const UnwrittenRegister> registers) {
    first.list = static_cast<std::uint32_t>(lists.size());
    lists.push_back(static_cast<std::uint32_t>(registers.size()));
    for (const UnwrittenRegister& reg : registers) lists.insert(lists.end(), {reg.ref, reg.width});
}

/// f(register) for each.
template <class F>
void for_unwritten(const Code& code, F&& f) {
    const Ref* at = code.lists.data() + code.instructions.front().list;
    for (Ref left = *at++; left > 0; --left, at += 2) f(UnwrittenRegister{at[0], static_cast<std::uint8_t>(at[1])});
}

}  // namespace gpuproj::simulate
