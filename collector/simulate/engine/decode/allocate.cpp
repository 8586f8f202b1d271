// Virtual registers to places in the frame: liveness over the blocks, then a linear scan that reuses places.
#include <algorithm>

#include "collector/simulate/engine/decode/liveness.hpp"

namespace gpuproj::simulate {

namespace {

struct Interval {
    std::uint32_t reg = 0, begin = 0, end = 0;
};

/// Bytes of a frame slot: a predicate is one word for the whole warp.
std::uint32_t slot_bytes(std::uint8_t width) {
    return width == 0 ? 64 : width * static_cast<std::uint32_t>(lanes);
}

/// For every instruction that a warp's turn begins with, the cache lines of the registers of the straight code up to
/// where the turn ends. `offset`: of each register in the frame.
void look_ahead(Draft& draft, const std::vector<std::uint32_t>& offset) {
    constexpr std::uint32_t farthest = 32, most = 40, line = 64;
    Code& code = draft.code;
    const auto count = static_cast<std::uint32_t>(draft.instructions.size());
    code.ahead_of.assign(count, {});
    for (std::uint32_t begin = 0; begin < count; ++begin) {
        if (begin != 0 && !draft.instructions[begin - 1].may_pause) continue;
        const auto first = static_cast<std::uint32_t>(code.ahead.size());
        const auto full = [&] { return code.ahead.size() - first >= most; };
        for (std::uint32_t i = begin; i < std::min(count, begin + farthest) && !full(); ++i) {
            DraftInst& item = draft.instructions[i];
            for_refs(draft, item, [&](Ref ref, bool, bool) {
                if (!is_virtual(ref)) return;
                const std::uint32_t at = offset[index_of(ref)], bytes = slot_bytes(draft.width[index_of(ref)]);
                for (std::uint32_t place = at; place < at + bytes && !full(); place += line) {
                    if (std::find(code.ahead.begin() + first, code.ahead.end(), place) == code.ahead.end())
                        code.ahead.push_back(place);
                }
            });
            if (item.may_pause || item.flow != Flow::next) break;
        }
        code.ahead_of[begin] = {first, static_cast<std::uint32_t>(code.ahead.size()) - first};
    }
}

}  // namespace

void allocate_registers(Draft& draft) {
    const auto registers = static_cast<std::uint32_t>(draft.width.size());
    const auto& blocks = draft.code.blocks;
    const Liveness live = liveness_of(draft);
    constexpr std::uint32_t never = ~0U;
    std::vector<Interval> intervals(registers);
    for (std::uint32_t r = 0; r < registers; ++r) intervals[r] = {r, never, 0};
    const auto touch = [&](std::uint32_t r, std::uint32_t at) {
        intervals[r].begin = std::min(intervals[r].begin, at);
        intervals[r].end = std::max(intervals[r].end, at);
    };
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        live.in[b].for_each([&](std::uint32_t r) { touch(r, blocks[b].first); });
        live.out[b].for_each([&](std::uint32_t r) { touch(r, blocks[b].last); });
        for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
            for_refs(draft, draft.instructions[i], [&](Ref ref, bool, bool) {
                if (is_virtual(ref)) touch(index_of(ref), i);
            });
        }
    }
    std::erase_if(intervals, [](const Interval& interval) { return interval.begin == never; });
    std::ranges::sort(intervals, {}, [](const Interval& interval) { return interval.begin; });

    std::vector<std::uint32_t> offset(registers, 0);
    struct Active {
        std::uint32_t end, offset;
        std::uint8_t width;
    };
    std::vector<Active> active;
    std::array<std::vector<std::uint32_t>, 17> free_slots;
    std::uint32_t frame = (draft.area_bytes + 63) & ~63U;
    for (const Interval& interval : intervals) {
        // An instruction reads all its operands before it writes, but handlers write lane by lane: a result never
        // shares the place of an operand of the same instruction.
        std::erase_if(active, [&](const Active& old) {
            if (old.end >= interval.begin) return false;
            free_slots[old.width].push_back(old.offset);
            return true;
        });
        const std::uint8_t width = draft.width[interval.reg];
        auto& pool = free_slots[width];
        if (pool.empty()) {
            offset[interval.reg] = frame;
            frame += slot_bytes(width);
        } else {
            offset[interval.reg] = pool.back();
            pool.pop_back();
        }
        active.push_back({interval.end, offset[interval.reg], width});
    }
    look_ahead(draft, offset);
    draft.alive_behind.resize(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b)
        live.out[b].for_each([&](std::uint32_t r) { draft.alive_behind[b].push_back(offset[r]); });
    draft.code.frame_bytes = frame;
    if (draft.code.entry) draft.code.info.registers = wanted_registers(draft, live);

    // Constants: one broadcast per lane, 64-byte aligned pieces.
    std::vector<std::uint32_t> constant_offset(draft.constants.size());
    std::uint32_t pool_bytes = 0;
    for (std::size_t i = 0; i < draft.constants.size(); ++i) {
        constant_offset[i] = pool_bytes;
        pool_bytes += std::max<std::uint32_t>(64, draft.constants[i].second * lanes);
    }
    draft.code.constants.assign(pool_bytes, std::byte{0});
    for (std::size_t i = 0; i < draft.constants.size(); ++i) {
        const auto [bits, bytes] = draft.constants[i];
        const std::uint32_t step = std::max(bytes, 1U);
        for (std::uint32_t lane = 0; lane < (bytes == 0 ? 4 : lanes); ++lane) {
            for (std::uint32_t byte = 0; byte < std::min(step, 8U); ++byte) {
                draft.code.constants[constant_offset[i] + lane * step + byte] =
                    static_cast<std::byte>(bits >> (8 * byte));
            }
        }
    }
    const auto place = [&](Ref ref) {
        if (is_virtual(ref)) return Ref{offset[index_of(ref)]};
        if (is_constant(ref)) return constant_bit | constant_offset[index_of(ref)];
        return ref;
    };
    for (DraftInst& item : draft.instructions) {
        for (Ref* ref : {&item.inst.d, &item.inst.a, &item.inst.b, &item.inst.c, &item.inst.e, &item.inst.guard}) {
            if (*ref != no_ref) *ref = place(*ref);
        }
    }
    for (Ref& ref : draft.code.lists) {
        if (ref != no_ref) ref = place(ref);
    }
    live.in.front().for_each([&](std::uint32_t r) { draft.code.unwritten.push_back({offset[r], draft.width[r]}); });
}

}  // namespace gpuproj::simulate
