// Files of other profilers become a profile.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/records/choose_gpu.hpp"
#include "model/gpu.hpp"
#include "model/profile.hpp"

namespace gpuproj::import {

struct InputFile {
    std::string name;  // as the user wrote it
    std::string text;  // its bytes
};

/// A GPU by the name that a file has for it, empty where it has none; none where it is not known.
using FindGpu = std::function<std::optional<Gpu>(const std::string& name)>;

struct ImportOptions {
    bool lenient = false;        // leave out what cannot be read, instead of refusing the file
    bool per_launch = false;     // one record per launch, where the file has them
    IsReference is_reference{};  // one of unknown name is taken where no other can be meant
    FindGpu find_gpu{};          // whose peak rates DCGM's samples are shares of
    Seconds sample_interval{1};  // between DCGM's samples
};

struct ImportResult {
    Profile profile;                                  // `gpu` is what the files call it, empty where they do not say
    std::optional<std::string> compute_capability{};  // where they say that much
    std::vector<std::string> warnings{};
};

/// All files are of the same run: counters in one and times in another are joined by kernel, and by launch
/// configuration where both know it, as are the sections of one file. The content decides which tool a file is of.
/// Throws Error: nothing readable, several GPUs and none chosen, and, unless lenient, anything in a file that cannot be
/// read (with line and column).
ImportResult import_files(std::span<const InputFile> files, const ImportOptions& options);

/// Names of the formats, for help texts.
std::vector<std::string_view> format_names();

}  // namespace gpuproj::import
