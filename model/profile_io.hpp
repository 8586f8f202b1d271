// Profiles as files: schema `gpuproj.profile`, version 1.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/profile.hpp"

namespace gpuproj {

inline constexpr int profile_version = 1;

/// Strict: throws Error (where, key path, what) for unknown or missing keys, wrong types, negative or non-finite
/// counters, a newer version. Older versions are migrated first.
Profile profile_from_json(nlohmann::json json, const std::string& where);
nlohmann::ordered_json profile_to_json(const Profile& profile);

Profile read_profile(const std::filesystem::path& file);

/// Written whole or not at all. Throws Error if `file` exists and `overwrite` is false, or it cannot be written.
void write_profile(const Profile& profile, const std::filesystem::path& file, bool overwrite);

}  // namespace gpuproj
