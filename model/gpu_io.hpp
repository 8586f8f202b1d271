// GPU files: schema `gpuproj.gpu`, version 1.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/gpu.hpp"

namespace gpuproj {

inline constexpr int gpu_version = 1;

/// {"schema","version","name","aliases","vendor","architecture","compute_capability",
///  "parameters":{"<key>":{"value","quality","source","uncertainty"?}}}. Strict: throws Error for unknown keys, rates
/// that are not positive and finite, a newer version.
Gpu gpu_from_json(nlohmann::json json, const std::string& where);
nlohmann::ordered_json gpu_to_json(const Gpu& gpu);
Gpu read_gpu(const std::filesystem::path& file);

}  // namespace gpuproj
