#include "collector/machine/machine.hpp"

#include <filesystem>
#include <fstream>
#include <regex>

namespace gpuproj {
namespace {

namespace fs = std::filesystem;

/// What stands in the brackets of `pattern` in the file; empty if it is missing or does not match.
std::string part_of(const fs::path& file, const char* pattern) {
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::smatch match;
    return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

}  // namespace

std::vector<MachineGpu> machine_gpus() {
    std::vector<MachineGpu> gpus;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", none)) {
        gpus.push_back({part_of(entry.path() / "information", R"(Model:\s*(.*\S))"), "NVIDIA"});
    }
    // The nodes of AMD's kernel driver; processors among them have no name in their properties' SIMD count.
    for (const auto& entry : fs::directory_iterator("/sys/class/kfd/kfd/topology/nodes", none)) {
        const auto simds = part_of(entry.path() / "properties", R"(simd_count (\d+))");
        if (!simds.empty() && simds != "0") gpus.push_back({part_of(entry.path() / "name", R"((.*\S))"), "AMD"});
    }
    return gpus;
}

std::string nvidia_driver_version() {
    return part_of("/proc/driver/nvidia/version", R"(Kernel Module.*?\s(\d+\.\d+(?:\.\d+)?)\s)");
}

bool counters_admin_only() {
    return part_of("/proc/driver/nvidia/params", R"(RmProfilingAdminOnly:\s*(\d))") == "1";
}

}  // namespace gpuproj
