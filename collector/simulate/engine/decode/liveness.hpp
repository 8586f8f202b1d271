// Which virtual registers are read later, by block.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

/// A bit for each register of a Draft.
class RegisterSet {
public:
    explicit RegisterSet(std::size_t registers) : words_((registers + 63) / 64) {}
    bool has(std::uint32_t reg) const { return ((words_[reg / 64] >> (reg % 64)) & 1U) != 0; }
    void add(std::uint32_t reg) { words_[reg / 64] |= std::uint64_t{1} << (reg % 64); }
    void remove(std::uint32_t reg) { words_[reg / 64] &= ~(std::uint64_t{1} << (reg % 64)); }
    template <class F>
    void for_each(F&& f) const {
        for (std::uint32_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
                f(64 * w + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
    std::vector<std::uint64_t>& words() { return words_; }

private:
    std::vector<std::uint64_t> words_;
};

/// Of each block of the draft: what it finds there that is read, and what it leaves that is read behind it.
struct Liveness {
    std::vector<RegisterSet> in, out;
};
Liveness liveness_of(Draft& draft);

/// Registers per thread that ptxas would take for the draft where nothing keeps it from it (register_wish).
std::uint32_t wanted_registers(Draft& draft, const Liveness& liveness);

}  // namespace gpuproj::simulate
