// CUPTI's Host API: what a chip can count, and in how many passes. Needs neither a GPU nor a driver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collector/cupti/wanted.hpp"

struct CUpti_Profiler_Host_Object;

namespace gpuproj::cupti {

/// The chips that this CUPTI knows ("GA100"), those it lists and refuses left out. Throws Error: no usable CUPTI.
std::vector<std::string> supported_chips();

/// Metrics chosen for one chip, made ready for collection.
class HostConfig {
public:
    /// `availability`: the device's image, empty without one. Throws Error naming the call that failed.
    HostConfig(const std::string& chip, std::span<const std::string> metrics,
               std::span<const std::uint8_t> availability);
    ~HostConfig();
    HostConfig(const HostConfig&) = delete;
    HostConfig& operator=(const HostConfig&) = delete;

    std::span<const std::uint8_t> image() const { return image_; }
    std::size_t passes() const { return passes_; }
    CUpti_Profiler_Host_Object* object() const { return object_; }

private:
    CUpti_Profiler_Host_Object* object_ = nullptr;
    std::vector<std::uint8_t> image_;
    std::size_t passes_ = 0;
};

/// What is counted on one chip, in several runs of a program. To replay a kernel, for another pass, its memory is saved
/// and put back: that takes far longer than the kernel, leaves its data in the L2, and what is put back there is
/// written to DRAM by whatever runs next. So each run counts what fits in one pass; only the last may need more.
struct ChipPlan {
    std::string chip;
    // Traffic and what fits beside it; instructions by kind, which code put into the kernel counts; the rest. A run
    // with nothing to count is left out.
    std::vector<std::vector<std::string>> runs;
    std::size_t passes = 0;  // of all runs

    /// All of them, those of the first run first; a metric that is in several is there once.
    std::vector<std::string> metrics() const;
};

/// What the set means on that chip: all that is needed, and of the rest what costs no pass more. `availability` as
/// above. Throws Error.
ChipPlan plan(const std::string& chip, MetricSet set, std::span<const std::uint8_t> availability = {});

}  // namespace gpuproj::cupti
