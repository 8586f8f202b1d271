#include "collector/simulate/engine/launch/host_wait.hpp"

#include <algorithm>

namespace gpuproj::simulate {

namespace {

constexpr std::uint32_t turns_of_polling = 4;

bool polls(const SmContext& sm) {
    return std::ranges::all_of(sm.places, [](const BlockPlace& place) {
        if (!place.busy || place.block == nullptr) return true;
        const BlockContext& block = *place.block;
        return std::all_of(block.warps.begin(), block.warps.begin() + block.warp_count, [&](const auto& warp) {
            return warp->state() != WarpState::ready || warp->polled >= turns_of_polling;
        });
    });
}

}  // namespace

std::uint64_t HostWait::look(std::span<const SmContext> sms, std::uint64_t next, Time now) {
    std::uint64_t alive = 0, instructions = 0;
    for (const SmContext& sm : sms) {
        alive += sm.alive_warps;
        instructions += sm.clock;
    }
    if (next != next_ || alive != alive_) {
        next_ = next;
        alive_ = alive;
        since_ = now;
        instructions_ = instructions;
    }
    return instructions;
}

bool HostWait::all_poll(std::span<const SmContext> sms, std::uint64_t next, Time now) {
    constexpr auto while_polling = std::chrono::milliseconds(20);
    look(sms, next, now);
    return now - since_ > while_polling && std::ranges::all_of(sms, polls);
}

bool HostWait::seems_so(std::span<const SmContext> sms, std::uint64_t next, Time now) {
    constexpr std::uint64_t in_any_case = std::uint64_t{1} << 26U;  // instructions of warps: about a second
    return look(sms, next, now) - instructions_ > in_any_case || all_poll(sms, next, now);
}

}  // namespace gpuproj::simulate
