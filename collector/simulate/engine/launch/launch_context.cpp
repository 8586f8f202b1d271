#include "collector/simulate/engine/launch/launch_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "collector/simulate/engine/program.hpp"

namespace gpuproj::simulate {

namespace {

/// Counters for the functions that the kernel can come to, and no others: a module may have thousands.
void place_counters(LaunchContext& launch) {
    const std::vector<Code>& functions = launch.program->functions;
    launch.first_slot.assign(functions.size(), no_slot);
    std::vector<std::size_t> open;
    const auto reach = [&](std::size_t index) {
        if (launch.first_slot[index] != no_slot) return;
        launch.first_slot[index] = launch.slots;
        launch.slots += functions[index].slots;
        open.push_back(index);
    };
    reach(static_cast<std::size_t>(launch.kernel - functions.data()));
    while (!open.empty()) {
        const Code& code = functions[open.back()];
        open.pop_back();
        for (const CallSite& site : code.calls) {
            if (site.builtin != Builtin::none) continue;
            if (site.callee >= 0) {
                reach(static_cast<std::size_t>(site.callee));
            } else {
                for (std::size_t any = 0; any < functions.size(); ++any) reach(any);
            }
        }
    }
}

std::vector<WarpThreads> warps_of(const Dim3& block) {
    const std::uint32_t threads = block[0] * block[1] * block[2];
    std::vector<WarpThreads> warps((threads + lanes - 1) / lanes);
    Dim3 id{0, 0, 0};
    for (std::uint32_t thread = 0; thread < warps.size() * lanes; ++thread) {
        WarpThreads& warp = warps[thread / lanes];
        const std::uint32_t lane = thread % lanes;
        if (thread < threads) warp.present |= 1U << lane;
        for (std::size_t d = 0; d < 3; ++d) warp.tid[d][lane] = id[d];
        // Divisions would be microseconds of each launch.
        if (++id[0] < block[0]) continue;
        id[0] = 0;
        if (++id[1] < block[1]) continue;
        id[1] = 0;
        ++id[2];
    }
    return warps;
}

/// Blocks of a cluster in each direction: what the launch says, else the kernel, else 1.
Dim3 cluster_of(const LaunchRequest& request, const KernelInfo& info) {
    const Dim3& named = request.cluster[0] != 0 ? request.cluster : info.cluster;
    return {std::max(named[0], 1U), std::max(named[1], 1U), std::max(named[2], 1U)};
}

}  // namespace

std::optional<Fault> refused(const LaunchRequest& request, const KernelInfo* info) {
    if (info == nullptr)
        return Fault{FaultKind::invalid_launch, fmt::format("kernel '{}' is not in its module", request.kernel)};
    if (info->unsupported)
        return Fault{FaultKind::unsupported, fmt::format("kernel {}: {}", request.kernel, *info->unsupported)};
    const std::uint64_t threads = std::uint64_t{request.block[0]} * request.block[1] * request.block[2];
    const std::uint64_t blocks = std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
    if (threads == 0 || threads > info->max_threads || blocks == 0) {
        return Fault{FaultKind::invalid_launch,
                     fmt::format("kernel {}: a launch of {} blocks of {} threads is not possible (at most {} threads)",
                                 request.kernel, blocks, threads, info->max_threads)};
    }
    const Dim3 cluster = cluster_of(request, *info);
    for (std::size_t d = 0; d < 3; ++d) {
        if (request.grid[d] % cluster[d] != 0)
            return Fault{FaultKind::invalid_launch,
                         fmt::format("kernel {}: {} blocks are not a multiple of the {} of a cluster", request.kernel,
                                     request.grid[d], cluster[d])};
    }
    constexpr std::uint32_t most_blocks = 16;
    if (cluster[0] * cluster[1] * cluster[2] > most_blocks)
        return Fault{FaultKind::invalid_launch,
                     fmt::format("kernel {}: a cluster of more than {} blocks", request.kernel, most_blocks)};
    if (request.parameters.size() < info->parameter_bytes)
        return Fault{FaultKind::invalid_launch, fmt::format("kernel {}: parameters are missing", request.kernel)};
    return std::nullopt;
}

LaunchContext launch_context(const LaunchRequest& request, const KernelInfo& info) {
    const Program& program = request.module->program();
    LaunchContext launch;
    launch.program = &program;
    launch.kernel = &program.functions[program.function_index.find(request.kernel)->second];
    launch.parameters = request.parameters.data();
    launch.grid = request.grid;
    launch.block = request.block;
    launch.static_shared_bytes = info.static_shared_bytes;
    launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
    launch.shared_bytes = launch.kernel->dynamic_shared_offset + request.dynamic_shared_bytes;
    launch.reserved_offset = (launch.shared_bytes + 15) / 16 * 16;
    launch.cluster = cluster_of(request, info);
    launch.cluster_blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
    launch.explicit_cluster = request.cluster[0] != 0 || info.cluster[0] != 0;
    launch.questions = request.questions;
    launch.warps = warps_of(request.block);
    place_counters(launch);
    return launch;
}

void prepare(SmContext& sm, const LaunchContext& launch, const MemoryConfig& config, std::uint32_t resident) {
    sm.launch = &launch;
    sm.counters = {};
    sm.hot_words.clear();
    // Two cache lines apart from whatever another host thread writes.
    constexpr std::size_t apart = 16;
    sm.warp_counts.assign(launch.slots + apart, 0);
    sm.thread_counts.assign(launch.slots + apart, 0);
    sm.generation = ~std::uint64_t{0};
    if (sm.l1)
        sm.l1->invalidate(config);
    else
        sm.l1 = std::make_unique<L1Cache>(config);
    if (sm.other_l1)
        sm.other_l1->invalidate();
    else if (OtherL1::samples(sm.index))
        sm.other_l1 = std::make_unique<OtherL1>();
    sm.clock = sm.waited = sm.ended_warps = sm.longest_warp = 0;
    sm.patterns.forget();
    sm.touched.clear();
    sm.written.clear();
    sm.wrote_anywhere = false;
    sm.texture = nullptr;
    sm.repeatable = true;
    sm.busy_blocks = sm.alive_warps = sm.waiting_for_cluster = 0;
    sm.places.assign(resident, {});
}

}  // namespace gpuproj::simulate
