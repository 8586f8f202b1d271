#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "collector/launch/launch.hpp"
#include "collector/machine/obstacles.hpp"
#include "model/error.hpp"

namespace gpuproj {

namespace {

namespace fs = std::filesystem;

bool exists(const char* path) {
    std::error_code none;
    return fs::exists(path, none);
}

/// The first running process of one of these names.
template <std::size_t N>
std::optional<std::string> running(const std::array<std::string_view, N>& names) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/proc", none)) {
        std::ifstream file(entry.path() / "comm");
        std::string name;
        if (!std::getline(file, name)) continue;
        for (const auto wanted : names) {
            if (name == wanted) return name + " (process " + entry.path().filename().string() + ")";
        }
    }
    return std::nullopt;
}

std::optional<std::string> other_profiler() {
    for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "COMPUTE_PROFILE"}) {
        const char* value = std::getenv(variable);
        if (value != nullptr && *value != '\0') return fmt::format("${}={}", variable, value);
    }
    return running(std::array<std::string_view, 5>{"ncu", "nsys", "nvprof", "nsys-launcher", "dcgmproftester"});
}

bool has_cupti_library() {
    std::error_code error;
    const auto program = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const auto& candidate : {program / "cupti", program / "../lib/gpuproj"}) {
        if (fs::exists(candidate / "libgpuproj_cupti.so", error)) return true;
    }
    return false;
}

}  // namespace

std::optional<std::string> find_vendor_tool(const std::string& name) {
    std::vector<std::string> candidates;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "ROCM_PATH"}) {
        if (const char* home = std::getenv(variable)) candidates.push_back(std::string(home) + "/bin/" + name);
    }
    candidates.push_back(name);
    candidates.push_back("/usr/local/cuda/bin/" + name);
    candidates.push_back("/opt/rocm/bin/" + name);
    for (const auto& candidate : candidates) {
        try {
            return launch::find_program(candidate);
        } catch (const Error&) {
            continue;
        }
    }
    return std::nullopt;
}

MachineFacts probe_machine() {
    MachineFacts facts;
    facts.gpus = machine_gpus();
    facts.nvidia_driver = nvidia_driver_version();
    facts.nvidia_devices = exists("/dev/nvidiactl");
    facts.container = exists("/.dockerenv") || exists("/run/.containerenv");
    facts.counters_admin_only = counters_admin_only();
    facts.root = geteuid() == 0;
    facts.mps = running(std::array<std::string_view, 2>{"nvidia-cuda-mps", "nvidia-cuda-mps-control"}).has_value();
    facts.other_profiler = other_profiler();
    facts.cupti_library = has_cupti_library();
    facts.cupti_major = GPUPROJ_CUPTI_CUDA_MAJOR;
    facts.ncu = find_vendor_tool("ncu");
    facts.nvprof = find_vendor_tool("nvprof");
    facts.rocprofv3 = find_vendor_tool("rocprofv3");
    return facts;
}

}  // namespace gpuproj
