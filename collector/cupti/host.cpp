#include "collector/cupti/host.hpp"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <utility>

#include "collector/cupti/check.hpp"
#include "collector/cupti/launches.hpp"

namespace gpuproj::cupti {

namespace {

// CUPTI opens libnvperf_host.so by its bare name, and the loader may have another toolkit's in front: with CUDA 11's,
// CUDA 13's CUPTI says CUPTI_ERROR_UNKNOWN to everything. The one that lies beside this CUPTI is loaded first; a
// library that is loaded already answers to its name. Where none lies there, CUPTI finds its own as it always did.
void load_own_perf_library() {
    static std::once_flag once;
    std::call_once(once, [] {
        Dl_info cupti{};
        if (dladdr(reinterpret_cast<const void*>(&cuptiProfilerHostInitialize), &cupti) == 0) return;
        const auto beside = std::filesystem::path(cupti.dli_fname).parent_path() / "libnvperf_host.so";
        dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
    });
}

CUpti_Profiler_Host_Object* initialised(const std::string& chip, std::span<const std::uint8_t> availability) {
    load_own_perf_library();
    // NOLINTNEXTLINE(bugprone-sizeof-expression): CUPTI's macro
    auto host = sized<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    host.pChipName = chip.c_str();
    host.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    check(cuptiProfilerHostInitialize(&host), "cuptiProfilerHostInitialize");
    return host.pHostObject;
}

void deinitialise(CUpti_Profiler_Host_Object* object) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): CUPTI's macro
    auto end = sized<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    end.pHostObject = object;
    cuptiProfilerHostDeinitialize(&end);
}

CUptiResult add_metrics(CUpti_Profiler_Host_Object* object, std::span<const char*> names) {
    auto add =
        sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
    add.pHostObject = object;
    add.ppMetricNames = names.data();
    add.numMetrics = names.size();
    return cuptiProfilerHostConfigAddMetrics(&add);
}

/// Counted by code that is put into the kernel: in a pass of its own, with nothing else.
bool is_instrumented(std::string_view metric) {
    return metric.find("__sass_") != std::string_view::npos;
}

/// What depends on what the caches hold, and the time and clock beside it.
bool is_traffic(const MetricGroup& group) {
    constexpr auto units = std::to_array<std::string_view>({"gpu__time", "dram__", "fbpa__", "lts__"});
    return std::ranges::any_of(units, [&](auto unit) { return group.front().starts_with(unit); });
}

}  // namespace

std::vector<std::string> ChipPlan::metrics() const {
    std::vector<std::string> all;
    for (const auto& run : runs) {
        for (const auto& metric : run) {
            if (std::ranges::find(all, metric) == all.end()) all.push_back(metric);
        }
    }
    return all;
}

std::vector<std::string> supported_chips() {
    load_own_perf_library();
    auto list =
        sized<CUpti_Profiler_Host_GetSupportedChips_Params>(CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
    check(cuptiProfilerHostGetSupportedChips(&list), "cuptiProfilerHostGetSupportedChips");
    std::vector<std::string> chips;
    for (std::size_t i = 0; i < list.numChips; ++i) {
        const std::string chip = list.ppChipNames[i];
        try {
            deinitialise(initialised(chip, {}));
            chips.push_back(chip);
        } catch (const Error&) {
            continue;  // GV11B is listed and refused
        }
    }
    return chips;
}

HostConfig::HostConfig(const std::string& chip, std::span<const std::string> metrics,
                       std::span<const std::uint8_t> availability)
    : object_(initialised(chip, availability)) {
    try {
        auto names = c_strings(metrics);
        check(add_metrics(object_, names), "cuptiProfilerHostConfigAddMetrics");
        auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(
            CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
        size.pHostObject = object_;
        check(cuptiProfilerHostGetConfigImageSize(&size), "cuptiProfilerHostGetConfigImageSize");
        image_.resize(size.configImageSize);
        auto get =
            sized<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
        get.pHostObject = object_;
        get.configImageSize = image_.size();
        get.pConfigImage = image_.data();
        check(cuptiProfilerHostGetConfigImage(&get), "cuptiProfilerHostGetConfigImage");
        auto passes =
            sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
        passes.configImageSize = image_.size();
        passes.pConfigImage = image_.data();
        check(cuptiProfilerHostGetNumOfPasses(&passes), "cuptiProfilerHostGetNumOfPasses");
        passes_ = passes.numOfPasses;
    } catch (...) {
        deinitialise(object_);
        throw;
    }
}

HostConfig::~HostConfig() {
    deinitialise(object_);
}

ChipPlan plan(const std::string& chip, MetricSet set, std::span<const std::uint8_t> availability) {
    // Only a fresh object tells whether there is such a metric: one that refused a name is not to be used again.
    const auto has = [&](const std::string& metric) {
        auto* object = initialised(chip, availability);
        const char* name = metric.c_str();
        const bool there = add_metrics(object, {&name, 1}) == CUPTI_SUCCESS;
        deinitialise(object);
        return there;
    };
    const auto passes = [&](const std::vector<std::string>& metrics) {
        return metrics.empty() ? 0 : HostConfig(chip, metrics, availability).passes();
    };
    struct Runs {
        std::vector<std::string> traffic, instrumented, rest;
        std::size_t rest_passes = 0;
    };
    const auto with = [](std::vector<std::string> metrics, const MetricGroup& group) {
        for (const auto& metric : group) {
            if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
        }
        return metrics;
    };
    const auto add_if = [&](std::vector<std::string>& to, const MetricGroup& group, std::size_t most_passes) {
        auto metrics = with(to, group);
        if (passes(metrics) > most_passes) return false;
        to = std::move(metrics);
        return true;
    };
    auto wanted = wanted_metrics(set, has);
    const auto others = std::ranges::stable_partition(wanted.needed, is_traffic);
    Runs runs;
    // What is left over fits in more or fewer passes with the one order or the other.
    for (const bool turned : {false, true}) {
        if (turned) std::ranges::reverse(others);
        Runs these;
        for (const auto& group : wanted.needed) {
            if (std::ranges::any_of(group, is_instrumented)) {
                these.instrumented = with(these.instrumented, group);
            } else if (!add_if(these.traffic, group, 1)) {
                these.rest = with(these.rest, group);
            }
        }
        these.rest_passes = passes(these.rest);
        if (!turned || these.rest_passes < runs.rest_passes) runs = std::move(these);
    }
    const auto instrumented_passes = passes(runs.instrumented);
    for (const auto& group : wanted.if_free) {
        // Of how many warps counters are is worth knowing in every run.
        const bool everywhere = group.front() == warps_metric;
        const bool instruments = std::ranges::any_of(group, is_instrumented);
        if (!instruments && add_if(runs.traffic, group, 1) && !everywhere) continue;
        if ((instruments || everywhere) && !runs.instrumented.empty()) {
            add_if(runs.instrumented, group, instrumented_passes);
        }
        if (!instruments && !runs.rest.empty()) add_if(runs.rest, group, runs.rest_passes);
    }
    ChipPlan plan{chip, {}, passes(runs.traffic) + instrumented_passes + runs.rest_passes};
    for (auto* run : {&runs.traffic, &runs.instrumented, &runs.rest}) {
        if (!run->empty()) plan.runs.push_back(std::move(*run));
    }
    return plan;
}

}  // namespace gpuproj::cupti
