// What `--dry-run` prints: metrics and passes per chip, asked of the library that would be injected.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpuproj::cupti {

struct PlannedChip {
    std::string chip;
    std::size_t passes = 0;
    std::vector<std::string> metrics;
};

/// Every chip that CUPTI knows. Needs no GPU. Throws Error: no library in this build, no usable CUPTI.
std::vector<PlannedChip> planned_chips(const std::string& metric_set);

/// libgpuproj_cupti.so beside the program, or where it was installed. Throws Error if it is not there.
std::filesystem::path injection_library();

}  // namespace gpuproj::cupti
