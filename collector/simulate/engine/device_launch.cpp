#include "collector/simulate/engine/device_launch.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "collector/simulate/engine/launch_limits.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

namespace {

constexpr std::uint32_t chunk_bytes = 65536, buffer_align = 64;
constexpr std::uint64_t tail_stream = 3;  // cudaStreamTailLaunch

}  // namespace

void DeviceLaunches::reserve(DeviceMemory& memory) {
    if (auto* chunk = static_cast<std::byte*>(memory.allocate(chunk_bytes))) chunks_.push_back(chunk);
    used_ = 0;
}

std::byte* DeviceLaunches::buffer(DeviceMemory& memory, std::uint32_t bytes) {
    bytes = (bytes + buffer_align - 1) / buffer_align * buffer_align;
    if (bytes > chunk_bytes) return nullptr;
    if (chunks_.empty() || used_ + bytes > chunk_bytes) {
        const std::size_t before = chunks_.size();
        reserve(memory);
        if (chunks_.size() == before) return nullptr;
    }
    std::byte* place = chunks_.back() + used_;
    used_ += bytes;
    return place;
}

void DeviceLaunches::release(DeviceMemory& memory) {
    for (std::byte* chunk : chunks_) memory.release(chunk);
    chunks_.clear();
    entries_.clear();
    errors_.clear();
    refused_.clear();
}

const Code* kernel_at(const Program& program, std::uint64_t address) {
    const std::uint64_t index = address & ~window_mask;
    const bool known = (address & window_mask) == function_window && index < program.functions.size() &&
                       program.functions[index].entry;
    return known ? &program.functions[index] : nullptr;
}

namespace {

const Code& kernel_of(const Warp& warp, const Inst& inst, std::uint32_t lane, const DeviceLaunch& wanted) {
    const Code* kernel = kernel_at(*warp.sm->launch->program, wanted.function);
    if (kernel == nullptr)
        fault(warp, inst, FaultKind::illegal_address, "launch of something that is no kernel", static_cast<int>(lane));
    return *kernel;
}

/// What was begun with this buffer.
DeviceLaunches::Entry& entry_of(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t buffer) {
    auto& entries = warp.sm->launches.entries();
    const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const DeviceLaunches::Entry& entry) {
        return reinterpret_cast<std::uint64_t>(entry.parameters) == buffer;
    });
    if (found == entries.rend())
        fault(warp, inst, FaultKind::illegal_address, "launch without a parameter buffer", static_cast<int>(lane));
    return *found;
}
LaunchRefusal refusal_of(const Code& kernel, const DeviceLaunch& wanted) {
    constexpr std::uint64_t most_threads = 1024;
    const auto& cluster = kernel.info.cluster;
    return refusal_of_shape(wanted.grid, wanted.block, {cluster[0], cluster[1], cluster[2]}, most_threads,
                            kernel.info.max_threads);
}

void launch(DeviceLaunches::Entry& entry, std::uint64_t stream) {
    entry.launched = true;
    entry.last = stream == tail_stream;
}

std::pair<std::uint64_t, std::uint32_t> thread_of(const Warp& warp, std::uint32_t lane) {
    return {warp.block->linear, warp.index * lanes + lane};
}

/// What keeps a kernel from being launched so, by the limits that all GPUs have; the error code.
std::uint64_t check(Warp& warp, const Code& kernel, const DeviceLaunch& wanted) {
    const LaunchRefusal refusal = refusal_of(kernel, wanted);
    if (refusal.code != 0) warp.sm->launches.refused().try_emplace({&kernel, refusal.code}, wanted);
    return static_cast<std::uint64_t>(refusal.code);
}

}  // namespace

std::uint64_t remember_error(Warp& warp, std::uint32_t lane, std::uint64_t code) {
    if (code != 0) warp.sm->launches.errors()[thread_of(warp, lane)] = code;
    return code;
}

std::uint64_t last_error(Warp& warp, std::uint32_t lane, bool forget) {
    auto& errors = warp.sm->launches.errors();
    const auto found = errors.find(thread_of(warp, lane));
    if (found == errors.end()) return 0;
    const std::uint64_t code = found->second;
    if (forget) errors.erase(found);
    return code;
}

std::uint64_t parameter_buffer(Warp& warp, std::uint32_t lane, std::uint64_t bytes) {
    DeviceLaunches& launches = warp.sm->launches;
    DeviceLaunches::Entry entry;
    entry.block = warp.block->linear;
    entry.thread = warp.index * lanes + lane;
    entry.parameter_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, chunk_bytes + 1));
    entry.parameters = launches.buffer(*warp.sm->launch->memory, std::max(entry.parameter_bytes, 1U));
    if (entry.parameters == nullptr) return 0;
    launches.entries().push_back(entry);
    return reinterpret_cast<std::uint64_t>(entry.parameters);
}

std::uint64_t parameter_buffer(Warp& warp, const Inst& inst, std::uint32_t lane, const DeviceLaunch& wanted) {
    const Code& kernel = kernel_of(warp, inst, lane, wanted);
    if (remember_error(warp, lane, check(warp, kernel, wanted)) != 0) return 0;
    const std::uint64_t buffer = parameter_buffer(warp, lane, kernel.info.parameter_bytes);
    if (buffer != 0) warp.sm->launches.entries().back().call = wanted;
    return buffer;
}

void launch_from_device(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t buffer, std::uint64_t stream) {
    launch(entry_of(warp, inst, lane, buffer), stream);
}

std::uint64_t launch_from_device(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t buffer,
                                 std::uint64_t stream, const DeviceLaunch& wanted) {
    const Code& kernel = kernel_of(warp, inst, lane, wanted);
    if (const std::uint64_t code = check(warp, kernel, wanted); code != 0) return remember_error(warp, lane, code);
    const std::uint32_t bytes = kernel.info.parameter_bytes;
    if (buffer == 0 && bytes == 0) buffer = parameter_buffer(warp, lane, 0);
    DeviceLaunches::Entry& entry = entry_of(warp, inst, lane, buffer);
    if (entry.parameter_bytes < bytes)
        fault(warp, inst, FaultKind::illegal_address, "launch of a kernel that has more parameters than its buffer",
              static_cast<int>(lane));
    entry.call = wanted;
    entry.parameter_bytes = bytes;
    launch(entry, stream);
    return 0;
}

void transfer_from_device(Warp& warp, std::uint32_t lane, const DeviceLaunches::Entry& wanted, std::uint64_t stream) {
    DeviceLaunches::Entry entry = wanted;
    entry.block = warp.block->linear;
    entry.thread = warp.index * lanes + lane;
    entry.launched = true;
    entry.last = stream == tail_stream;
    warp.sm->launches.entries().push_back(entry);
}

std::vector<RefusedChild> collect_refused(std::span<SmContext> sms) {
    std::map<std::pair<std::string, int>, RefusedChild> first;
    for (SmContext& sm : sms)
        for (const auto& [what, wanted] : sm.launches.refused()) {
            const auto& [kernel, code] = what;
            first.try_emplace({kernel->name, code}, kernel->name, code, refusal_of(*kernel, wanted).why);
        }
    std::vector<RefusedChild> refused;
    refused.reserve(first.size());
    for (auto& [what, child] : first) refused.push_back(std::move(child));
    return refused;
}

std::vector<ChildLaunch> collect_launches(std::span<SmContext> sms, DeviceMemory& memory) {
    std::vector<DeviceLaunches::Entry> all;
    const Program* program = nullptr;
    for (SmContext& sm : sms) {
        program = sm.launch->program;
        std::ranges::copy_if(sm.launches.entries(), std::back_inserter(all), &DeviceLaunches::Entry::launched);
    }
    // Each thread's own are in order already.
    std::ranges::stable_sort(all, {},
                             [](const DeviceLaunches::Entry& e) { return std::tuple(e.last, e.block, e.thread); });
    std::vector<ChildLaunch> children;
    for (const DeviceLaunches::Entry& entry : all) {
        if (entry.parameters == nullptr) {
            ChildLaunch transfer;
            transfer.to = reinterpret_cast<void*>(entry.to);            // NOLINT
            transfer.from = reinterpret_cast<const void*>(entry.from);  // NOLINT
            transfer.bytes = entry.bytes;
            transfer.value = entry.value;
            children.push_back(transfer);
            continue;
        }
        const Code& kernel = program->functions[entry.call.function & ~window_mask];
        ChildLaunch child;
        child.kernel = kernel.name;
        child.grid = entry.call.grid;
        child.block = entry.call.block;
        child.dynamic_shared_bytes = entry.call.dynamic_shared_bytes;
        child.parameters.assign(entry.parameters, entry.parameters + entry.parameter_bytes);
        children.push_back(std::move(child));
    }
    for (SmContext& sm : sms) sm.launches.release(memory);
    return children;
}

}  // namespace gpuproj::simulate
