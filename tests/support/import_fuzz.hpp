// What every fuzz target of an importer checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "collector/import/import.hpp"
#include "model/error.hpp"
#include "model/profile_io.hpp"

namespace gpuproj::fuzz {

/// A file is refused with an Error, or it becomes a profile that can be written and read back; lenient or not. What is
/// read strictly is read the same leniently.
inline void import_any(const std::uint8_t* data, std::size_t size) {
    const std::vector<import::InputFile> files{{"fuzz", {reinterpret_cast<const char*>(data), size}}};
    nlohmann::ordered_json strict;
    for (const bool lenient : {false, true}) {
        try {
            auto profile = import::import_files(files, {.lenient = lenient, .per_launch = size % 2 == 1}).profile;
            if (profile.gpu.empty()) profile.gpu = "GPU";
            const auto written = profile_to_json(profile);
            if (profile_to_json(profile_from_json(written, "written")) != written) std::abort();
            if (lenient && !strict.is_null() && strict != written) std::abort();
            strict = written;
        } catch (const Error&) {
            if (lenient && !strict.is_null()) std::abort();
        }
    }
}

}  // namespace gpuproj::fuzz
