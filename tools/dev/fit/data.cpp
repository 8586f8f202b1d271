#include "tools/dev/fit/data.hpp"

#include <cmath>
#include <set>

#include "model/error.hpp"
#include "targets/catalog.hpp"

namespace gpuproj::fit {

std::string family_of(const std::string& kernel) {
    return kernel.starts_with("matMul") ? "matMul" : kernel;
}

Data read_data(const std::filesystem::path& table) {
    Data data;
    data.observations = read_observations(table, Seconds{100e-6}).observations;
    const Catalog catalog({});
    for (const auto& observation : data.observations) {
        const auto [gpu, is_new] = data.gpus.try_emplace(observation.gpu);
        if (!is_new) continue;
        gpu->second = Catalog::load(catalog.find(observation.gpu));
        const auto chip = calibrated::chip_of(gpu->second);
        if (const auto* const no = std::get_if<Inapplicable>(&chip)) throw Error(no->reason);
        data.chips.emplace(observation.gpu, std::get<calibrated::Chip>(chip));
    }
    for (const auto& observation : data.observations) {
        const auto& chip = data.chips.at(observation.gpu);
        const auto work = calibrated::work_of(observation.record, chip);
        Row row{observation.kernel,
                family_of(observation.kernel),
                observation.gpu,
                data.gpus.at(observation.gpu).architecture,
                {},
                &chip,
                std::log(observation.record.duration->sum.value)};
        if (const auto* const known = std::get_if<calibrated::Work>(&work)) row.work = *known;
        data.rows.push_back(std::move(row));
    }
    std::vector<Skipped> skipped;
    for (const ObservedPair& pair : pairs_of(data.observations, skipped)) {
        const Row& reference = data.rows[pair.reference];
        const Row& target = data.rows[pair.target];
        if (reference.work.blocks == 0) continue;  // the model does not apply
        data.pairs.push_back({&reference, &target, data.observed_pairs.size(),
                              calibrated::same_architecture(*reference.chip, *target.chip)});
        data.observed_pairs.push_back(pair);
    }
    return data;
}

std::vector<Pair> thinned(const std::vector<Pair>& pairs, std::size_t each) {
    std::map<std::string, std::vector<const Pair*>> groups;
    for (const Pair& pair : pairs) {
        groups[pair.reference->kernel + "|" + pair.reference->gpu + "|" + pair.target->gpu].push_back(&pair);
    }
    std::vector<Pair> kept;
    for (const auto& [key, group] : groups) {
        const std::size_t n = std::min(each, group.size());
        for (std::size_t i = 0; i < n; ++i) kept.push_back(*group[(2 * i + 1) * group.size() / (2 * n)]);
    }
    return kept;
}

std::vector<Pair> selected(const std::vector<Pair>& pairs, const Selection& selection) {
    std::vector<Pair> kept;
    std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(kept), selection);
    return kept;
}

}  // namespace gpuproj::fit
