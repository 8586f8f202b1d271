// What every fuzz target of an importer checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/import/import.hpp"
#include "model/error.hpp"
#include "model/profile_io.hpp"

namespace gpuproj::fuzz {

/// The file as a profile; none where it is refused with an Error.
inline std::optional<Profile> imported(const std::vector<import::InputFile>& files, bool lenient, bool per_launch) {
    static const auto any_gpu = [](const std::string&) {
        Gpu gpu;
        gpu.fp32_peak = {OperationsPerSecond{1e13}, Quality::datasheet, "of the test", {}};
        gpu.dram_bandwidth_peak = {BytesPerSecond{1e12}, Quality::datasheet, "of the test", {}};
        return std::optional(gpu);
    };
    try {
        auto profile =
            import::import_files(files, {.lenient = lenient, .per_launch = per_launch, .find_gpu = any_gpu}).profile;
        if (profile.gpu.empty()) profile.gpu = "GPU";
        return profile;
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// The profile as JSON, which is checked to be read back as the same.
inline nlohmann::ordered_json round_trip(const Profile& profile) {
    auto written = profile_to_json(profile);
    if (profile_to_json(profile_from_json(written, "written")) != written) std::abort();
    return written;
}

/// FNV-1a: which checks an input gets depends on nothing but the input.
inline std::uint64_t hash_of(const std::uint8_t* data, std::size_t size) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 0x100000001b3;
    return hash ^ hash >> 32;
}

/// A file is refused with an Error, or it becomes a profile that can be written and read back; lenient or not. What is
/// read strictly is read the same leniently. Under libFuzzer, where speed finds more, three quarters of the inputs are
/// only imported, half of these strictly and half leniently.
inline void import_any(const std::uint8_t* data, std::size_t size) {
    const std::vector<import::InputFile> files{{"fuzz", {reinterpret_cast<const char*>(data), size}}};
    const bool per_launch = size % 2 == 1;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    if (const auto hash = hash_of(data, size); hash % 4 != 0) {
        static_cast<void>(imported(files, hash / 4 % 2 == 0, per_launch));
        return;
    }
#endif
    const auto strict = imported(files, false, per_launch), lenient = imported(files, true, per_launch);
    if (strict && !lenient) std::abort();
    const auto written = lenient ? round_trip(*lenient) : nlohmann::ordered_json();
    if (strict && profile_to_json(*strict) != written) std::abort();
}

}  // namespace gpuproj::fuzz
