// A test that cannot run here says so and is counted as skipped, never as passed.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>

#include "tests/support/directories.hpp"

namespace gpuproj::test {

/// The folder of published measurements: $GPUPROJ_DATA, else ../shared/datasets beside the checkout, if it is there.
inline std::optional<std::filesystem::path> data_folder() {
    const char* named = std::getenv("GPUPROJ_DATA");
    const std::filesystem::path folder = named != nullptr
                                             ? std::filesystem::path(named)
                                             : std::filesystem::path(source_directory()) / "../shared/datasets";
    if (std::filesystem::is_directory(folder)) return folder;
    return std::nullopt;
}

}  // namespace gpuproj::test

/// In a test case, before its first assertion: skips the rest. CTest knows the line (SKIP_REGULAR_EXPRESSION).
#define GPUPROJ_SKIP(reason)                               \
    do {                                                   \
        std::cout << "SKIPPED: " << (reason) << std::endl; \
        return;                                            \
    } while (false)
