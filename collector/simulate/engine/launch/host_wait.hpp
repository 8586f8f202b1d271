// Whether a kernel waits for the host.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Finds it out from how a launch goes on; one object for each launch.
class HostWait {
public:
    /// `next`: the first block that has not begun. True when no warp has ended and no block begun for a while: a short
    /// one if all warps that could run poll, which a GPU's own threads would have answered. In any case after many
    /// instructions: of a time, a long kernel would have more or less for itself as the machine has other work.
    bool seems_so(std::span<const SmContext> sms, std::uint64_t next, std::chrono::steady_clock::time_point now);

private:
    std::uint64_t next_ = 0, alive_ = 0;
    std::chrono::steady_clock::time_point since_{};
    std::uint64_t instructions_ = 0;  // there were then
};

}  // namespace gpuproj::simulate
