// The stored GPUs: those compiled in and the user's own.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu.hpp"

namespace gpuproj {

/// A stored GPU by its names; its values are read by Catalog::load.
struct StoredGpu {
    std::string name;
    std::vector<std::string> aliases;
    std::filesystem::path file;  // where a GPU of the user's own lies; empty: compiled in
    std::string_view json;       // of one compiled in
};

/// Directories of the user's own GPU files, first wins: $GPUPROJ_TARGETS (colon-separated), then
/// $XDG_CONFIG_HOME/gpuproj/targets or ~/.config/gpuproj/targets. Throws Error if $GPUPROJ_TARGETS names a directory
/// that is not there.
std::vector<std::filesystem::path> user_target_directories();

/// The GPUs that can be named. A GPU of the user's own hides a compiled-in one of the same name.
class Catalog {
public:
    /// Reads the names only. A file that cannot be read stands under its file name, and load throws.
    explicit Catalog(std::span<const std::filesystem::path> directories);
    static Catalog open() { return Catalog(user_target_directories()); }

    /// Sorted by name as people count: GTX 660 before GTX 1060.
    const std::vector<StoredGpu>& gpus() const { return gpus_; }

    /// The GPU of that name or alias. Case, spaces, '-', '_' do not matter; maker and brand may be left out, and so may
    /// memory size and form factor where that leaves one; PCI ids ("10de:13c2", with AMD's revision "1002:744c:c8") and
    /// lspci's lines are names too. Throws UsageError: ambiguous (candidates), unknown (near names).
    const StoredGpu& find(std::string_view name) const;

    /// Throws Error for a file that is not a GPU's or holds impossible values (check_values).
    static Gpu load(const StoredGpu& stored);

    /// `name` is a name or the path of a GPU file (it has a '/' or ends in .json).
    Gpu get(std::string_view name) const;

    /// Comma-separated names and files, or `all`. Each GPU once, in the order given. Throws UsageError for two
    /// different GPUs of one name.
    std::vector<Gpu> select(std::string_view names) const;

private:
    std::vector<StoredGpu> gpus_;
};

}  // namespace gpuproj
