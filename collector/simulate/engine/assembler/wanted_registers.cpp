// How many registers ptxas takes for a kernel, from what is alive at once in its PTX.
#include <algorithm>

#include "collector/simulate/engine/decode/liveness.hpp"

namespace gpuproj::simulate {

namespace {

// In the median of 389 kernels ptxas 11.8 for sm_75, which hardly ever has to spare any, takes six registers more than
// are alive at once, four where that is few: where loads are waited for, others are alive longer.
constexpr std::uint32_t few = 7, beside_few = 4, beside = 6;
constexpr std::uint32_t least = 8, most = 255;

/// Registers of 4 bytes that each virtual one takes. What instructions that cost nothing make of no register
/// (parameters, numbers) takes none: it is an operand where it is wanted.
std::vector<std::uint32_t> words_of(Draft& draft) {
    const std::size_t registers = draft.width.size();
    std::vector<bool> computed(registers, false);
    for (DraftInst& item : draft.instructions) {
        bool from_registers = item.inst.guard != no_ref;
        for_refs(draft, item, [&](Ref ref, bool read, bool) { from_registers |= is_virtual(ref) && read; });
        const bool is_operand = item.cost == Cost{} && !from_registers;
        for_refs(draft, item, [&](Ref ref, bool, bool written) {
            if (is_virtual(ref) && written && !is_operand) computed[index_of(ref)] = true;
        });
    }
    std::vector<std::uint32_t> words(registers, 0);
    for (std::size_t r = 0; r < registers; ++r)
        if (computed[r] && draft.width[r] > 0) words[r] = std::max(1U, draft.width[r] / 4U);
    return words;
}

/// The most that is alive at once.
std::uint32_t alive_at_once(Draft& draft, const Liveness& liveness) {
    const std::vector<std::uint32_t> words = words_of(draft);
    std::uint32_t at_once = 0;
    for (std::size_t b = 0; b < draft.code.blocks.size(); ++b) {
        RegisterSet live = liveness.out[b];
        std::uint32_t alive = 0;
        live.for_each([&](std::uint32_t r) { alive += words[r]; });
        at_once = std::max(at_once, alive);
        for (std::uint32_t i = draft.code.blocks[b].last; i-- > draft.code.blocks[b].first;) {
            DraftInst& item = draft.instructions[i];
            std::uint32_t unused = 0;  // what it makes and nobody reads
            for_refs(draft, item, [&](Ref ref, bool read, bool written) {
                if (!is_virtual(ref) || !written || read) return;
                const std::uint32_t r = index_of(ref);
                if (!live.has(r)) {
                    unused += words[r];
                    return;
                }
                live.remove(r);
                alive -= words[r];
            });
            at_once = std::max(at_once, alive + unused);
            for_refs(draft, item, [&](Ref ref, bool read, bool) {
                if (!is_virtual(ref) || !read || live.has(index_of(ref))) return;
                live.add(index_of(ref));
                alive += words[index_of(ref)];
            });
            at_once = std::max(at_once, alive);
        }
    }
    return at_once;
}

}  // namespace

std::uint32_t wanted_registers(Draft& draft, const Liveness& liveness) {
    const std::uint32_t alive = alive_at_once(draft, liveness);
    return std::clamp(alive + (alive < few ? beside_few : beside), least, most);
}

}  // namespace gpuproj::simulate
