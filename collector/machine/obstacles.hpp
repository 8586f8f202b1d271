// What keeps a collector from working on this machine, and what to do about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/collect.hpp"
#include "collector/machine/machine.hpp"

namespace gpuproj {

/// All that the checks look at; probed once, so that the checks are pure.
struct MachineFacts {
    std::vector<MachineGpu> gpus{};
    std::string nvidia_driver{};  // version of the loaded driver, empty: none
    bool nvidia_devices = false;  // /dev/nvidiactl is there
    bool container = false;
    bool counters_admin_only = false;
    bool root = false;
    bool mps = false;                                         // CUDA's multi-process service runs
    std::optional<std::string> other_profiler{};              // a running one, or a variable that loads one
    std::optional<std::string> capability{};                  // compute capability of the first GPU, where known
    bool cupti_library = false;                               // this build has the library to inject
    int cupti_major = 0;                                      // CUDA release of the CUPTI it was built with
    std::optional<std::string> ncu{}, nvprof{}, rocprofv3{};  // where they are
};

/// `capability` is left open: it needs the stored GPUs.
MachineFacts probe_machine();

struct Obstacle {
    std::string what;    // what is wrong
    std::string remedy;  // what to do
};

/// What keeps NVIDIA's counters from being read, whatever the tool: no driver, no device in the container, counters for
/// the administrator only, another profiler, MPS. Worst first.
std::vector<Obstacle> nvidia_obstacles(const MachineFacts& facts);

/// All that keeps this collector from working, worst first; empty: it can run.
std::vector<Obstacle> obstacles(CollectorKind collector, const MachineFacts& facts);

/// A number for comparing: "12.1" -> 121; 0 for none.
int capability_number(const std::optional<std::string>& capability);

/// A tool in $CUDA_HOME, $CUDA_PATH, $ROCM_PATH, $PATH, or where the vendor installs it; none if it is nowhere.
std::optional<std::string> find_vendor_tool(const std::string& name);

}  // namespace gpuproj
