// What gpuproj tells the library it injects: <session>/config.json; the session's directory is in $GPUPROJ_SESSION.
#pragma once

#include <filesystem>
#include <optional>

#include "collector/collect.hpp"
#include "model/gpu.hpp"

namespace gpuproj::records {

inline constexpr const char* session_variable = "GPUPROJ_SESSION";
inline constexpr const char* config_name = "config.json";
inline constexpr const char* progress_name = "progress";

struct SessionConfig {
    Gpu reference;
    KernelFilter filter;
    bool per_launch = false;
    std::uint64_t seed = 0;
    int threads = 0;
    std::optional<BlockSample> sample{};
    bool ignore_out_of_bounds = false;
    bool count_every_launch = false;
};

/// Both throw Error.
void write_config(const SessionConfig& config, const std::filesystem::path& session);
SessionConfig read_config(const std::filesystem::path& session);

}  // namespace gpuproj::records
