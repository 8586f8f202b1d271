#include "collector/simulate/engine/decode/liveness.hpp"

namespace gpuproj::simulate {

Liveness liveness_of(Draft& draft) {
    const std::size_t registers = draft.width.size();
    const auto& blocks = draft.code.blocks;
    const std::vector<RegisterSet> none(blocks.size(), RegisterSet(registers));
    std::vector<RegisterSet> read = none, written = none;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
            auto& item = draft.instructions[i];
            for_refs(draft, item, [&](Ref ref, bool is_read, bool) {
                if (is_virtual(ref) && is_read && !written[b].has(index_of(ref))) read[b].add(index_of(ref));
            });
            for_refs(draft, item, [&](Ref ref, bool, bool is_written) {
                if (is_virtual(ref) && is_written) written[b].add(index_of(ref));
            });
        }
    }
    Liveness live{none, none};
    const std::size_t words = (registers + 63) / 64;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = blocks.size(); b-- > 0;) {
            for (std::size_t w = 0; w < words; ++w) {
                std::uint64_t out = 0;
                for (const std::uint32_t s : blocks[b].successors) out |= live.in[s].words()[w];
                const std::uint64_t in = read[b].words()[w] | (out & ~written[b].words()[w]);
                changed |= out != live.out[b].words()[w] || in != live.in[b].words()[w];
                live.out[b].words()[w] = out;
                live.in[b].words()[w] = in;
            }
        }
    }
    return live;
}

}  // namespace gpuproj::simulate
