// Whether a kernel waits for what nobody in it does.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Finds it out from how a launch goes on; one object for each launch.
class HostWait {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Whether it seems to wait for the host. `next`: the first block that has not begun. True when no warp has ended
    /// and no block begun for a while: a short one if all poll. In any case after many instructions: of a time, a long
    /// kernel would have more or less for itself as the machine has other work.
    bool seems_so(std::span<const SmContext> sms, std::uint64_t next, Time now);
    /// Whether for a short while no warp has ended, no block begun, and all warps that could run poll, which a GPU's
    /// own threads would have answered.
    bool all_poll(std::span<const SmContext> sms, std::uint64_t next, Time now);

private:
    /// Notes how far it is; how many instructions warps have executed.
    std::uint64_t look(std::span<const SmContext> sms, std::uint64_t next, Time now);

    std::uint64_t next_ = 0, alive_ = 0;
    std::chrono::steady_clock::time_point since_{};
    std::uint64_t instructions_ = 0;  // there were then
};

}  // namespace gpuproj::simulate
