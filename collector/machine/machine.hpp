// The GPUs of this machine, without any vendor library.
#pragma once

#include <string>
#include <vector>

namespace gpuproj {

struct MachineGpu {
    std::string name;    // as the driver prints it; empty where it does not say
    std::string vendor;  // NVIDIA or AMD
};

/// Those with a loaded driver.
std::vector<MachineGpu> machine_gpus();

/// The loaded NVIDIA driver's version; empty: none.
std::string nvidia_driver_version();

/// NVIDIA's driver lets only the administrator read performance counters, unless told otherwise.
bool counters_admin_only();

}  // namespace gpuproj
