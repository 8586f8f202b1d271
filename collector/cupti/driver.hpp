// What the driver that loaded this library is asked. Nothing here links it: where there is none, there is no answer.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>

namespace gpuproj::cupti {

/// As the driver names the device of this ordinal; empty where it does not say.
std::string device_name(std::uint32_t device);

/// Does a launch into this stream become a node of a graph, instead of running? `per_thread`: the function that is
/// called takes stream 0 as the thread's own. False where the driver does not say.
bool is_capturing(CUstream stream, bool per_thread);

/// What a kernel did wrong in the context that is current, as CUDA calls it; empty where none did.
std::string context_error();

}  // namespace gpuproj::cupti
