#include "collector/machine/obstacles.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>

namespace gpuproj {

namespace {

constexpr int least_cupti_capability = 75;  // CUPTI 13, release notes
constexpr int least_ncu_capability = 70;    // and of releases from 2024.1 on 7.5: ncu says so itself
constexpr int most_nvprof_capability = 72;  // its metrics end there

/// The least driver of each CUDA major release (CUDA release notes, "CUDA Toolkit and Minimum Required Driver
/// Versions").
struct LeastDriver {
    int cuda_major, driver;
};
constexpr std::array least_drivers{LeastDriver{11, 450}, LeastDriver{12, 525}, LeastDriver{13, 580}};

int leading_number(std::string_view text) {
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::optional<Obstacle> old_driver(const MachineFacts& facts) {
    for (const auto& least : least_drivers) {
        if (least.cuda_major != facts.cupti_major || facts.nvidia_driver.empty()) continue;
        if (leading_number(facts.nvidia_driver) >= least.driver) continue;
        return Obstacle{fmt::format("the driver, {}, is older than the CUPTI of CUDA {} needs ({})",
                                    facts.nvidia_driver, facts.cupti_major, least.driver),
                        "update the driver, or build gpuproj with the toolkit that came with it"};
    }
    return std::nullopt;
}

std::optional<Obstacle> missing_tool(const std::optional<std::string>& tool, std::string_view name,
                                     std::string_view where) {
    if (tool) return std::nullopt;
    return Obstacle{fmt::format("no {} in $PATH or where its vendor installs it", name), std::string(where)};
}

}  // namespace

int capability_number(const std::optional<std::string>& capability) {
    if (!capability) return 0;
    const auto point = capability->find('.');
    if (point == std::string::npos) return 0;
    return 10 * leading_number(*capability) + leading_number(std::string_view(*capability).substr(point + 1));
}

std::vector<Obstacle> nvidia_obstacles(const MachineFacts& facts) {
    std::vector<Obstacle> found;
    if (facts.nvidia_driver.empty()) {
        found.push_back({"no NVIDIA driver is loaded",
                         facts.container
                             ? "run it where the host has one, with the GPUs given to the container (docker "
                               "run --gpus all); or simulate: --collector simulate --ref GPU"
                             : "install NVIDIA's driver and a GPU; or simulate: --collector simulate --ref "
                               "GPU"});
        return found;
    }
    if (!facts.nvidia_devices) {
        found.push_back({facts.container ? "this container has no GPU, though the host's driver is loaded"
                                         : "the driver is loaded, but /dev/nvidiactl is missing",
                         facts.container ? "start it with its GPUs: docker run --gpus all, podman run --device "
                                           "nvidia.com/gpu=all"
                                         : "nvidia-modprobe -c 0 -u makes the device files"});
    }
    if (facts.counters_admin_only && !facts.root) {
        found.push_back({"only the administrator may read performance counters (ERR_NVGPUCTRPERM)",
                         facts.container
                             ? "start the container with --cap-add SYS_ADMIN, or allow it on the host: options nvidia "
                               "NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, then reboot"
                             : "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee "
                               "/etc/modprobe.d/nvidia-profiling.conf, then reboot; or run as root"});
    }
    if (facts.other_profiler) {
        found.push_back({fmt::format("another profiler is active: {}", *facts.other_profiler),
                         "one at a time can read the counters: end it, or unset the variable"});
    }
    if (facts.mps) {
        found.push_back({"CUDA's multi-process service (MPS) runs: counters of one process cannot be told from others'",
                         "echo quit | nvidia-cuda-mps-control ends it"});
    }
    return found;
}

std::vector<Obstacle> obstacles(CollectorKind collector, const MachineFacts& facts) {
    std::vector<Obstacle> found;
    const auto add = [&](std::optional<Obstacle> obstacle) {
        if (obstacle) found.push_back(std::move(*obstacle));
    };
    const int capability = capability_number(facts.capability);
    switch (collector) {
        case CollectorKind::cupti:
            if (!facts.cupti_library) {
                add(Obstacle{"this build has no CUPTI library",
                             "install CUDA 12.6 or later, run cmake again and build; or use --collector ncu"});
            }
            for (auto& obstacle : nvidia_obstacles(facts)) found.push_back(std::move(obstacle));
            add(old_driver(facts));
            if (capability != 0 && capability < least_cupti_capability) {
                add(Obstacle{fmt::format("CUPTI needs compute capability 7.5, the GPU has {}", *facts.capability),
                             capability <= most_nvprof_capability ? "use --collector nvprof" : "use --collector ncu"});
            }
            return found;
        case CollectorKind::ncu:
        case CollectorKind::nvprof: {
            const bool is_ncu = collector == CollectorKind::ncu;
            found = nvidia_obstacles(facts);
            add(is_ncu
                    ? missing_tool(facts.ncu, "ncu", "it is NVIDIA's Nsight Compute, and comes with the CUDA toolkit")
                    : missing_tool(facts.nvprof, "nvprof", "CUDA 12 was the last to have it"));
            if (is_ncu && capability != 0 && capability < least_ncu_capability) {
                add(Obstacle{fmt::format("ncu needs compute capability 7.0, the GPU has {}", *facts.capability),
                             "use --collector nvprof"});
            }
            if (!is_ncu && capability > most_nvprof_capability) {
                add(Obstacle{
                    fmt::format("nvprof's metrics end at compute capability 7.2, the GPU has {}", *facts.capability),
                    "use --collector cupti or ncu"});
            }
            return found;
        }
        case CollectorKind::rocprof: {
            bool amd = false;
            for (const auto& gpu : facts.gpus) amd = amd || gpu.vendor == "AMD";
            if (!amd)
                add(Obstacle{"no AMD GPU with a loaded driver (amdgpu)",
                             "install ROCm, or give the container /dev/kfd"});
            add(missing_tool(facts.rocprofv3, "rocprofv3", "it comes with ROCm 6.2 and later"));
            return found;
        }
        case CollectorKind::simulate:
            return found;
    }
    return found;
}

}  // namespace gpuproj
