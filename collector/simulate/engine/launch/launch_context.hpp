// What a launch is given, as its SMs see it.
#pragma once

#include <cstdint>
#include <optional>

#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Why the request cannot be launched on any GPU; `info`: of its kernel, nullptr if the module has none of that name.
std::optional<Fault> refused(const LaunchRequest& request, const KernelInfo* info);

/// Of a request that is not refused. What depends on the engine is left as it is: numbers of SMs and of the grid,
/// memory, blocks.
LaunchContext launch_context(const LaunchRequest& request, const KernelInfo& info);

/// Empties the SM for the launch; `resident`: how many blocks it has at once.
void prepare(SmContext& sm, const LaunchContext& launch, const MemoryConfig& config, std::uint32_t resident);

}  // namespace gpuproj::simulate
