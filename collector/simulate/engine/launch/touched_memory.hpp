// What memory a launch has touched, once it is over.
#pragma once

#include <cstdint>
#include <span>

#include "collector/simulate/engine/launch/repeats.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// `workspace`: where memory of the launch alone, which is gone, began; 0: there was none.
LaunchTrace trace_of(std::span<const SmContext> sms, std::uint64_t workspace);

/// Tells the memory which of it was written.
void note_written(std::span<const SmContext> sms, DeviceMemory& memory);

}  // namespace gpuproj::simulate
