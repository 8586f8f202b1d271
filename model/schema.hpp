// Files that name their schema and version.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace gpuproj {

/// Brings a file of one version to the next, in place.
using Migration = void (*)(nlohmann::json&);

/// Checks "schema" and "version" of `json` and applies the migrations from its version on; the current version is one
/// more than there are migrations. Throws Error for another schema, a newer version, or none.
void migrate(nlohmann::json& json, std::string_view schema, std::span<const Migration> migrations,
             const std::string& where);

/// The file as JSON. Throws Error: not readable, empty, cut off, not JSON (line and column), a key twice.
nlohmann::json read_json(const std::filesystem::path& file);
nlohmann::json parse_json(std::string_view text, const std::string& where);

/// Indented, with a newline at the end.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace gpuproj
