// Everything the HTML page shows, as data: schema `gpuproj.report`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "model/evaluate.hpp"
#include "reports/comparison.hpp"

namespace gpuproj {

inline constexpr int report_version = 3;

/// What the report is about. The first of `models` gives the answer, `further_models` are shown where they answer for
/// anything; `reference` is the GPU of the profile, null where its parameters are not known. Of a `mix` of several
/// programs the first is `profile`; none: the profile alone.
struct ReportInput {
    const Profile& profile;
    std::span<const Gpu* const> targets;
    std::span<const Model* const> models;
    const Gpu* reference = nullptr;
    ModelOptions options = {};
    std::string title;         // of the application
    std::string tool_version;  // gpuproj's
    std::span<const Model* const> further_models = {};
    std::span<const WorkloadPart> mix = {};
    std::span<const Offer> offers = {};
    ComparisonTerms terms = {};
};

/// Kernels with rows of their own, of all programs together; of more, those with the most time, and the rest are
/// summed.
inline constexpr std::size_t most_report_kernels = 1000;

/// How many of `most` rows each program gets: all programs alike, and what some do not need goes to the others.
std::vector<std::size_t> shares_of_rows(std::span<const std::size_t> kernels, std::size_t most);

/// {"schema":"gpuproj.report","version":3,"answer","facts","kernels","targets","models",...,"others":[...]}:
/// predictions by model, then target, then kernel, in seconds, with the digits of brief_number. What is about one
/// program stands there for the first of the mix, and in "others" for each further one. Profiles without kernels are
/// reported too: their answer says so.
nlohmann::ordered_json report_to_json(const ReportInput& input);

}  // namespace gpuproj
