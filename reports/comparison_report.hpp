// A comparison of GPUs as tables and sentences.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reports/comparison.hpp"
#include "reports/table.hpp"

namespace gpuproj {

/// One row per GPU, fastest first, those ruled out last: time of the mix with its interval, speed-up, probability of
/// being the fastest, power, price, cost, memory, how well its rates are known, why it is ruled out.
Table ranking_table(const Comparison& comparison);

/// One row per GPU and program of the mix.
Table part_table(const Comparison& comparison, std::span<const WorkloadPart> parts);

/// By how much prices and weights may move before another GPU is the better one.
Table price_sensitivity_table(const Comparison& comparison);
Table weight_sensitivity_table(const Comparison& comparison, std::span<const WorkloadPart> parts);
/// By which factor all weights, or all weights and prices, may be off at once.
Table joint_sensitivity_table(const Comparison& comparison);

/// For a tender: the time that each kernel takes at most with a probability of 90 % (the upper end of the 80 %
/// interval), on each of the GPUs, with the hashes of what the figure was computed from. `hash` gives the SHA-256 of a
/// part's profile (by its place) and of a GPU's parameters.
struct AcceptanceHashes {
    std::vector<std::string> profiles;
    std::function<std::string(const Gpu&)> gpu;
    std::string tool;
};
Table acceptance_table(std::span<const WorkloadPart> parts, std::span<const Gpu* const> gpus, const Model& model,
                       const ModelOptions& options, const AcceptanceHashes& hashes);

/// All of them but the acceptance table, by their keys in JSON; the ranking first.
std::vector<std::pair<std::string, Table>> comparison_tables(const Comparison& comparison,
                                                             std::span<const WorkloadPart> parts);

/// A probability in words: "85 %"; nothing predicted is certain, so at most "over 99 %".
std::string chance_text(double chance);

/// The answer in a sentence or two.
std::vector<std::string> comparison_summary(const Comparison& comparison);

/// What a reader must know of the figures.
std::vector<std::string> comparison_notes(const Comparison& comparison, std::span<const WorkloadPart> parts,
                                          const ComparisonTerms& terms);

}  // namespace gpuproj
