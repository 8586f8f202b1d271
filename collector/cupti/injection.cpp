// What the CUDA driver calls when it loads this library ($CUDA_INJECTION64_PATH), and what gpuproj itself asks it.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "collector/cupti/activity.hpp"
#include "collector/cupti/counters.hpp"
#include "collector/cupti/environment.hpp"
#include "collector/cupti/host.hpp"
#include "collector/cupti/process_log.hpp"
#include "collector/records/session.hpp"
#include "model/error.hpp"

namespace gpuproj::cupti {

namespace {

ProcessLog* process_log = nullptr;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

void finish() {
    finish_counting();
    finish_timing();
    process_log->write({.end = true});
}

/// Nothing is done in a process that gpuproj did not start.
void start(const std::string& session) {
    process_log = new ProcessLog(session);  // outlives every callback
    process_log->write({.begin = std::string("cupti")});
    if (variable(mode_variable) == times_mode) {
        start_timing(*process_log);
    } else {
        start_counting(*process_log, metric_set(variable(metrics_variable)).value_or(MetricSet::standard),
                       static_cast<std::size_t>(std::max(0, std::atoi(variable(run_variable).c_str()))));
    }
    std::atexit(finish);
}

std::string plans_as_json(const std::string& set_name) {
    nlohmann::ordered_json json;
    try {
        const auto set = metric_set(set_name);
        if (!set) throw Error("no set of metrics '" + set_name + "'");
        json["chips"] = nlohmann::ordered_json::array();
        for (const auto& chip : supported_chips()) {
            const auto chip_plan = plan(chip, *set);
            json["chips"].push_back({{"chip", chip}, {"passes", chip_plan.passes}, {"metrics", chip_plan.metrics()}});
        }
    } catch (const std::exception& problem) {
        json = {{"error", problem.what()}};
    }
    return json.dump();
}

}  // namespace

}  // namespace gpuproj::cupti

extern "C" {

/// Called once per process by the driver's cuInit. Never fails: the application is to run as it would without us.
__attribute__((visibility("default"))) int InitializeInjection() {  // NOLINT(readability-identifier-naming)
    using namespace gpuproj;
    const auto session = cupti::variable(records::session_variable);
    if (session.empty() || cupti::process_log != nullptr) return 1;
    try {
        cupti::start(session);
    } catch (const std::exception& problem) {
        cupti::process_log->failure(problem.what(), "CUPTI cannot work with this driver; gpuproj doctor says more");
    }
    return 1;
}

/// The metrics and passes of a set on every chip, as JSON: {"chips":[{"chip","passes","metrics"}]} or {"error"}. The
/// text lives until the next call. Needs no GPU.
__attribute__((visibility("default"))) const char* gpuproj_cupti_plans(const char* set) {
    static std::string text;
    text = gpuproj::cupti::plans_as_json(set);
    return text.c_str();
}
}
