// The assembler turns adjacent loads into one wide load where it can prove the alignment. Counts follow it: of such a
// group the first carries the wide access, the others cost nothing. Semantics stay with the single loads.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

namespace {

/// Known trailing zero bits of a constant.
std::uint32_t zeros_of(std::uint64_t bits) {
    return bits == 0 ? 64 : static_cast<std::uint32_t>(std::countr_zero(bits));
}

/// One round of the data flow: what an instruction proves of its destination.
std::uint32_t proven(const Draft& draft, const DraftInst& item, const std::vector<std::uint32_t>& known) {
    const auto of = [&](Ref ref) -> std::uint32_t {
        if (ref == no_ref) return 0;
        if (is_constant(ref)) return zeros_of(draft.constants[index_of(ref)].first);
        return is_virtual(ref) ? known[index_of(ref)] : 0;
    };
    const Inst& inst = item.inst;
    const std::string_view root = root_of(item);
    const bool low = item.opcode.find(".hi") == std::string_view::npos;
    if (root == "mov" || root == "cvta" || (root == "cvt" && item.opcode.find('f') == std::string_view::npos))
        return of(inst.a);
    if (root == "add" || root == "sub" || root == "or") return std::min(of(inst.a), of(inst.b));
    if (root == "and") return std::max(of(inst.a), of(inst.b));
    if (root == "shl" && is_constant(inst.b))
        return of(inst.a) + static_cast<std::uint32_t>(draft.constants[index_of(inst.b)].first & 63);
    if (root == "mul" && low) return of(inst.a) + of(inst.b);
    if (root == "mad" && low) return std::min(of(inst.a) + of(inst.b), of(inst.c));
    if (root == "selp") return std::min(of(inst.a), of(inst.b));
    return 0;
}

/// Optimistic fixpoint: a register is as aligned as the worst of its definitions.
std::vector<std::uint32_t> alignment(Draft& draft) {
    std::vector<std::uint32_t> known(draft.width.size(), 64);
    for (int round = 0; round < 64; ++round) {
        bool changed = false;
        for (DraftInst& item : draft.instructions) {
            for_refs(draft, item, [&](Ref ref, bool, bool written) {
                if (!written || !is_virtual(ref)) return;
                const bool main = ref == item.inst.d && item.inst.count <= 1;
                const std::uint32_t value =
                    std::min(known[index_of(ref)], main ? std::min(proven(draft, item, known), 64U) : 0U);
                changed |= value != known[index_of(ref)];
                known[index_of(ref)] = value;
            });
        }
        if (!changed) break;
    }
    return known;
}

using Key = std::tuple<ptx::Space, Ref, Ref, bool, std::uint32_t>;  // space, base, guard, negated, bytes

struct Member {
    std::size_t index;
    std::int64_t offset;
};

/// Groups of 2 or 4 neighbours, aligned as the wide access needs, at most 16 bytes.
void close_group(Draft& draft, std::vector<Member>& members, std::uint32_t bytes, std::uint32_t base_align) {
    std::ranges::sort(members, {}, &Member::offset);
    for (std::size_t i = 0; i < members.size();) {
        std::size_t taken = 1;
        for (const std::size_t wide : {std::size_t{16} / bytes, std::size_t{8} / bytes}) {
            if (wide < 2 || i + wide > members.size()) continue;
            const std::uint64_t size = wide * bytes;
            const bool aligned = base_align >= static_cast<std::uint32_t>(std::countr_zero(size)) &&
                                 (static_cast<std::uint64_t>(members[i].offset) & (size - 1)) == 0;
            bool adjacent = aligned;
            for (std::size_t k = 1; adjacent && k < wide; ++k)
                adjacent = members[i + k].offset == members[i].offset + static_cast<std::int64_t>(k * bytes);
            if (!adjacent) continue;
            std::size_t leader = i;
            for (std::size_t k = 1; k < wide; ++k) {
                if (members[i + k].index < members[leader].index) leader = i + k;
            }
            for (std::size_t k = 0; k < wide; ++k) {
                DraftInst& item = draft.instructions[members[i + k].index];
                item.inst.wide_bytes = i + k == leader ? static_cast<std::uint8_t>(size) : std::uint8_t{0};
                if (i + k != leader) item.cost = {};
            }
            taken = wide;
            break;
        }
        i += taken;
    }
    members.clear();
}

}  // namespace

void merge_adjacent(Draft& draft) {
    const std::vector<std::uint32_t> known = alignment(draft);
    std::map<Key, std::vector<Member>> open;
    const auto close = [&](auto chosen) {
        for (auto& [key, members] : open) {
            if (!chosen(key) || members.empty()) continue;
            const Ref base = std::get<1>(key);
            const std::uint32_t align = base == no_ref ? 64 : is_virtual(base) ? known[index_of(base)] : 0;
            close_group(draft, members, std::get<4>(key), align);
        }
        std::erase_if(open, [](const auto& entry) { return entry.second.empty(); });
    };
    const auto all = [](const Key&) { return true; };
    const std::vector<bool> labelled = labelled_places(draft);
    for (std::size_t i = 0; i < draft.instructions.size(); ++i) {
        DraftInst& item = draft.instructions[i];
        if (labelled[i] || item.flow != Flow::next) close(all);
        // Whatever may write memory ends the groups of that memory; barriers and volatile accesses are such.
        if (item.store)
            close([&](const Key& key) {
                return item.space == ptx::Space::none || item.space == ptx::Space::generic ||
                       std::get<0>(key) == item.space || std::get<0>(key) == ptx::Space::generic;
            });
        if (item.load && item.inst.count == 1 && item.inst.wide_bytes != 0) {
            const Key key{item.space, item.inst.has_base ? item.inst.a : no_ref, item.inst.guard,
                          bool{item.inst.guard_negated}, item.inst.bytes};
            open[key].push_back({i, item.inst.imm});
        }
        // A new value of the base register starts new groups.
        for_refs(draft, item, [&](Ref ref, bool, bool written) {
            if (written) close([&](const Key& key) { return std::get<1>(key) == ref || std::get<2>(key) == ref; });
        });
    }
    close(all);
}

}  // namespace gpuproj::simulate
