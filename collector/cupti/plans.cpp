#include "collector/cupti/plans.hpp"

#include <dlfcn.h>

#include <nlohmann/json.hpp>

#include "model/error.hpp"

namespace gpuproj::cupti {

namespace fs = std::filesystem;

fs::path injection_library() {
    constexpr const char* name = "libgpuproj_cupti.so";
    std::error_code error;
    const auto program = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const auto& candidate : {program / "cupti" / name, program / "../lib/gpuproj" / name}) {
        if (fs::exists(candidate, error)) return fs::canonical(candidate);
    }
    throw Error((program / "cupti" / name).string() +
                ": is not there; it is built with a CUDA toolkit of 12.6 or later (cmake says what it left out)");
}

std::vector<PlannedChip> planned_chips(const std::string& metric_set) {
    const auto file = injection_library();
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error(std::string("cannot be loaded: ") + dlerror());
    using Plans = const char* (*)(const char*);
    const auto plans = reinterpret_cast<Plans>(dlsym(library, "gpuproj_cupti_plans"));
    if (plans == nullptr) throw Error(file.string() + ": is of another version of gpuproj; build it again");
    const auto json = nlohmann::json::parse(plans(metric_set.c_str()));
    if (json.contains("error")) throw Error("CUPTI: " + json["error"].get<std::string>());
    std::vector<PlannedChip> chips;
    for (const auto& chip : json.at("chips")) chips.push_back({chip.at("chip"), chip.at("passes"), chip.at("metrics")});
    return chips;
}

}  // namespace gpuproj::cupti
