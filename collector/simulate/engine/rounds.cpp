#include "collector/simulate/engine/rounds.hpp"

#include <algorithm>
#include <chrono>

#include "collector/simulate/engine/interpreter.hpp"

namespace gpuproj::simulate {

namespace {

using Clock = std::chrono::steady_clock;

/// To wake a thread and to wait for it takes some microseconds: rounds that are shorter are not worth it.
constexpr double worth_sharing_s = 30e-6;

/// Gives free places to blocks: the hardware deals them round robin over the SMs first, then to whichever has room.
std::uint64_t fill(std::span<SmContext> sms, std::uint64_t next, std::uint64_t end, std::uint32_t resident) {
    if (next == end || std::ranges::all_of(sms, [&](const SmContext& sm) { return sm.busy_blocks == resident; }))
        return next;
    // The blocks of a cluster come together.
    const std::uint32_t together = sms.front().launch->cluster_blocks;
    for (std::uint32_t slot = 0; slot + together <= resident; slot += together) {
        for (SmContext& sm : sms) {
            if (next == end) return next;
            if (sm.busy_blocks == resident) continue;
            const auto first = sm.places.begin() + slot;
            if (std::any_of(first, first + together, [](const BlockPlace& place) { return place.busy; })) continue;
            for (std::uint32_t i = 0; i < together; ++i) place_block(sm, slot + i, next++);
        }
    }
    return next;
}

}  // namespace

Presence Rounds::run(std::span<SmContext> sms, std::uint64_t first, std::uint64_t end, std::uint32_t resident,
                     const std::function<void(std::uint64_t next)>& after_round) {
    filling_.resize(std::max(filling_.size(), sms.size()));
    waiting_.resize(filling_.size());
    const bool count = sms.front().launch->count;
    for (SmContext& sm : sms) sm.presence = {};
    try {
        for (std::uint64_t next = first;;) {
            next = fill(sms, next, end, resident);
            std::uint64_t alive = 0;
            for (const SmContext& sm : sms) alive += sm.alive_warps;
            if (alive == 0) break;
            round(sms, alive, count);
            after_round(next);
        }
    } catch (...) {
        for (Queues* queues : {&filling_, &waiting_})
            for (auto& queue : *queues) queue.clear();
        throw;
    }
    if (count) l2_.process(waiting_);
    Presence presence;
    for (const SmContext& sm : sms) presence += sm.presence;
    return presence;
}

void Rounds::round(std::span<SmContext> sms, std::uint64_t alive_warps, bool count) {
    for (std::size_t i = 0; i < sms.size(); ++i) sms[i].to_l2 = &filling_[i];
    const auto warps = static_cast<double>(alive_warps);
    const bool shared = pool_.threads() > 1 && warps * warp_s_ > worth_sharing_s;
    const Clock::time_point begin = Clock::now();
    // L2 has the whole round, and half of the threads are enough for it.
    const std::size_t parts = count ? l2_.parts(waiting_, std::max<std::size_t>(pool_.threads() / 2, 1)) : 0;
    const auto job = [&](std::size_t i) {
        if (i < parts)
            l2_.serve(waiting_, i, parts);
        else
            step_sm(sms[i - parts]);
    };
    pool_.run(parts + sms.size(), job, !shared);
    if (parts > 0) l2_.end_round();
    const double round_s = std::chrono::duration<double>(Clock::now() - begin).count();
    warp_s_ = round_s * (shared ? static_cast<double>(pool_.threads()) : 1) / std::max(warps, 1.0);
    for (auto& queue : waiting_) queue.clear();
    if (count) std::swap(filling_, waiting_);
}

}  // namespace gpuproj::simulate
