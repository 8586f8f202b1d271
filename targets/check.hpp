// What is wrong with a GPU description: gaps, impossible values, contradictions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/gpu.hpp"
#include "targets/catalog.hpp"

namespace gpuproj {

/// One thing to put right. `parameter` is the key in the file, or empty where it is about the whole GPU.
struct Finding {
    std::string gpu;
    std::string parameter;
    std::string what;
};

/// Values that no GPU can have (most often a wrong unit) and measured rates above the peak at the card's own clock.
std::vector<Finding> check_values(const Gpu& gpu);

/// What a stored GPU has to have beyond what a prediction strictly needs: the parameters of all models, occupancy
/// limits, a source for every value and an uncertainty for every rate.
std::vector<Finding> check_completeness(const Gpu& gpu);

/// A GPU that comes with gpuproj goes by its PCI id; one inside a Tegra chip has none.
std::vector<Finding> check_pci_id(const StoredGpu& gpu, std::string_view compute_capability);

/// Names and aliases that two GPUs claim; PCI ids only where one of them is the user's own, because boards share those.
std::vector<Finding> check_names(const std::vector<StoredGpu>& gpus);

/// All of the above for every stored GPU; a file that cannot be read is a finding.
std::vector<Finding> check_catalog(const Catalog& catalog);

}  // namespace gpuproj
