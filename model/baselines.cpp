// Predictions that a model has to be better than (validation.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/validation.hpp"

namespace gpuproj {

namespace {

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double ln_time(const Observation& observation) {
    return std::log(measured_time(observation).value);
}

/// The table again, as it was read.
ObservationTable table_of(const Validation& validation) {
    return {validation.observations, {}, validation.rows};
}

}  // namespace

std::vector<PredictedPair> one_ratio_per_gpus(std::span<const Observation> observations,
                                              std::span<const ObservedPair> pairs) {
    const auto gpus = [&](const ObservedPair& pair) {
        return std::pair(observations[pair.reference].gpu, observations[pair.target].gpu);
    };
    using Ratios = std::map<std::string, std::vector<double>>;  // by kernel
    std::map<std::pair<std::string, std::string>, Ratios> ratios;
    for (const auto& pair : pairs) {
        const Observation& reference = observations[pair.reference];
        const Observation& target = observations[pair.target];
        ratios[gpus(pair)][reference.kernel].push_back(ln_time(target) - ln_time(reference));
    }
    std::map<std::pair<std::string, std::string>, std::map<std::string, double>> without;
    for (const auto& [names, kernels] : ratios) {
        std::map<std::string, double> medians;
        for (const auto& [kernel, all] : kernels) medians[kernel] = median(all);
        for (const auto& [kernel, own] : medians) {
            std::vector<double> others;
            for (const auto& [other, value] : medians) {
                if (other != kernel) others.push_back(value);
            }
            if (!others.empty()) without[names][kernel] = median(std::move(others));
        }
    }
    std::vector<PredictedPair> predicted;
    for (const auto& pair : pairs) {
        const auto& of_gpus = without[gpus(pair)];
        const auto found = of_gpus.find(observations[pair.reference].kernel);
        if (found == of_gpus.end()) continue;
        PredictedPair p;
        p.pair = pair;
        p.predicted = std::exp(found->second) * measured_time(observations[pair.reference]);
        predicted.push_back(p);
    }
    return predicted;
}

Baseline compare_errors(std::string name, std::span<const Observation> observations,
                        std::span<const PredictedPair> ours, std::span<const PredictedPair> theirs) {
    const auto key = [](const PredictedPair& p) { return std::pair(p.pair.reference, p.pair.target); };
    std::map<std::pair<std::size_t, std::size_t>, const PredictedPair*> their_pairs;
    for (const auto& p : theirs) their_pairs[key(p)] = &p;
    std::vector<PredictedPair> our_common, their_common;
    for (const auto& p : ours) {
        const auto found = their_pairs.find(key(p));
        if (found == their_pairs.end()) continue;
        our_common.push_back(p);
        their_common.push_back(*found->second);
    }
    Baseline result;
    result.name = std::move(name);
    result.pairs = our_common.size();
    if (our_common.empty()) return result;
    auto difference = abs_ln_by_kernel(observations, our_common);
    const auto other = abs_ln_by_kernel(observations, their_common);
    const auto kernels = static_cast<double>(difference.size());
    for (std::size_t i = 0; i < difference.size(); ++i) {
        result.ours += difference[i] / kernels;
        result.theirs += other[i] / kernels;
        difference[i] -= other[i];
    }
    result.difference = bootstrap(difference);
    return result;
}

std::vector<Baseline> baselines(const Validation& validation, const GpuByName& gpu_by_name, std::string_view model) {
    std::vector<Baseline> all;
    const auto add = [&](std::string name, std::span<const PredictedPair> pairs) {
        auto baseline = compare_errors(std::move(name), validation.observations, validation.pairs, pairs);
        if (baseline.pairs > 0) all.push_back(std::move(baseline));
    };
    for (const Model& other : models()) {
        if (other.name == model) continue;
        for (const bool time : {false, true}) {
            ModelOptions options;
            options.use_reference_time = time;
            const auto predicted = validate(table_of(validation), gpu_by_name, other, options);
            add(fmt::format("{}{}", other.name, time ? " with the reference time" : ""), predicted.pairs);
        }
    }
    std::vector<Skipped> alone;
    add("one ratio per pair of GPUs, kernel left out",
        one_ratio_per_gpus(validation.observations, pairs_of(validation.observations, alone)));
    std::stable_sort(all.begin(), all.end(),
                     [](const Baseline& a, const Baseline& b) { return a.theirs - a.ours < b.theirs - b.ours; });
    return all;
}

}  // namespace gpuproj
