// What kernels may ask about the GPU that they run on, by the device runtime.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace gpuproj::simulate {

struct KernelInfo;

/// The answers, which are the host runtime's; called by several threads at once, and they must not throw.
struct DeviceQuestions {
    /// As cudaDeviceGetAttribute; nullopt: no such attribute.
    std::function<std::optional<int>(int attribute)> attribute;
    /// Blocks of a kernel that an SM holds at once; nullopt: not known.
    std::function<std::optional<int>(const KernelInfo&, int threads, std::size_t dynamic_shared_bytes)> resident_blocks;
};

}  // namespace gpuproj::simulate
