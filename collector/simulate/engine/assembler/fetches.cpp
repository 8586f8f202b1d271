// What fetches of textures need besides (tools/dev/expansions.py asks ptxas how much of it). Coordinates are in
// registers behind each other: one that stands in several of those has to be copied, but until Pascal since Maxwell,
// whose fetches name two registers. And of fetches that are under way at a time not all can be waited for one by one:
// from the fourth on (third on Maxwell and Pascal, first on Kepler) there are instructions that wait for so many of
// them.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

namespace {

/// Fetches of a block of which none needs what another one gets.
class FetchGroup {
public:
    FetchGroup(Draft& draft, std::uint32_t block) : draft_(draft), block_(block) {}

    void add(DraftInst& item) {
        bool needs_others = false;
        for_refs(draft_, item, [&](Ref ref, bool read, bool) { needs_others |= read && results_.contains(ref); });
        const bool fetch = fetches_texture(item);
        if (fetch && needs_others) {
            close();
            needs_others = false;
        }
        if (fetch) {
            const TexturePlan& plan = draft_.code.textures[item.inst.list];
            const auto first = draft_.code.lists.begin() + plan.coordinates;
            coordinates_.insert(std::vector<Ref>(first, first + plan.coordinate_count));
            ++fetches_;
        }
        if (!fetch && !needs_others) return;
        for_refs(draft_, item, [&](Ref ref, bool, bool written) {
            if (written && is_virtual(ref)) results_.insert(ref);
        });
    }

    void close() {
        charge("texture.copy", copies());
        charge("texture.wait.1", fetches_);
        if (fetches_ > 0)
            for (const std::uint32_t each : {2U, 3U})
                charge("texture.wait." + std::to_string(each), (fetches_ - 1) / each);
        results_.clear();
        coordinates_.clear();
        fetches_ = 0;
    }

private:
    void charge(std::string key, std::uint32_t times) {
        if (times > 0) draft_.block_costs.push_back({block_, Cost(std::move(key), {}), static_cast<float>(times)});
    }

    /// Registers of coordinates that have what another one has.
    std::uint32_t copies() const {
        std::uint32_t places = 0;
        std::set<Ref> values;
        for (const std::vector<Ref>& of_fetch : coordinates_) {
            if (of_fetch.size() < 2) continue;
            for (const Ref ref : of_fetch) {
                if (!is_virtual(ref)) continue;
                ++places;
                values.insert(ref);
            }
        }
        return places - static_cast<std::uint32_t>(values.size());
    }

    Draft& draft_;
    std::uint32_t block_;
    std::set<Ref> results_;                   // and what is calculated from them
    std::set<std::vector<Ref>> coordinates_;  // each once
    std::uint32_t fetches_ = 0;
};

}  // namespace

void find_fetch_costs(Draft& draft) {
    if (!std::ranges::any_of(draft.instructions, fetches_texture)) return;
    for (std::uint32_t b = 0; b < draft.code.blocks.size(); ++b) {
        FetchGroup group(draft, b);
        for (std::uint32_t i = draft.code.blocks[b].first; i < draft.code.blocks[b].last; ++i)
            group.add(draft.instructions[i]);
        group.close();
    }
}

}  // namespace gpuproj::simulate
