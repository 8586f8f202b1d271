// Everything the HTML page shows, as data: schema `gpuproj.report`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "model/evaluate.hpp"

namespace gpuproj {

inline constexpr int report_version = 1;

/// What the report is about. The first of `models` gives the answer; `reference` is the GPU of the profile, null where
/// its parameters are not known.
struct ReportInput {
    const Profile& profile;
    std::span<const Gpu* const> targets;
    std::span<const Model* const> models;
    const Gpu* reference = nullptr;
    ModelOptions options = {};
    std::string title;         // of the application
    std::string tool_version;  // gpuproj's
};

/// Kernels with rows of their own; of more, those with the most time, and the rest are summed.
inline constexpr std::size_t most_report_kernels = 1000;

/// {"schema":"gpuproj.report","version":1,"answer","facts","kernels","targets","models",...}: predictions by model,
/// then target, then kernel, in seconds, with the digits of brief_number. Profiles without kernels are reported too:
/// their answer says so.
nlohmann::ordered_json report_to_json(const ReportInput& input);

}  // namespace gpuproj
