// Which tool a file is of, by its content.
#pragma once

#include <span>
#include <string_view>

#include "collector/import/importer.hpp"

namespace gpuproj::import {

/// The table.
std::span<const Importer* const> importers();

/// The importer for `text`. Throws Error through `findings` saying what the file is instead, and what to do: empty,
/// binary, a report to be exported first, a profile of gpuproj, output of a tool that failed, columns missing.
const Importer& importer_for(std::string_view bytes, std::string_view text, const Findings& findings);

}  // namespace gpuproj::import
