#include "collector/simulate/engine/device_launch.hpp"

#include <algorithm>
#include <tuple>

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
}

const Code* kernel_at(const Program& program, std::uint64_t address) {
    const std::uint64_t index = address & ~window_mask;
    const bool known = (address & window_mask) == function_window && index < program.functions.size() &&
                       program.functions[index].entry;
    return known ? &program.functions[index] : nullptr;
}

std::uint64_t parameter_buffer(Warp& warp, const Inst& inst, std::uint32_t lane, const DeviceLaunch& wanted) {
    const LaunchContext& launch = *warp.sm->launch;
    const Code* kernel = kernel_at(*launch.program, wanted.function);
    if (kernel == nullptr)
        fault(warp, inst, FaultKind::illegal_address, "launch of something that is no kernel", static_cast<int>(lane));
    DeviceLaunches& launches = warp.sm->launches;
    DeviceLaunches::Entry entry;
    entry.call = wanted;
    entry.block = warp.block->linear;
    entry.thread = warp.index * lanes + lane;
    entry.parameter_bytes = kernel->info.parameter_bytes;
    entry.parameters = launches.buffer(*launch.memory, std::max(entry.parameter_bytes, 1U));
    if (entry.parameters == nullptr) return 0;
    launches.entries().push_back(entry);
    return reinterpret_cast<std::uint64_t>(entry.parameters);
}

void launch_from_device(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t buffer, std::uint64_t stream) {
    auto& entries = warp.sm->launches.entries();
    const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const DeviceLaunches::Entry& entry) {
        return reinterpret_cast<std::uint64_t>(entry.parameters) == buffer;
    });
    if (found == entries.rend())
        fault(warp, inst, FaultKind::illegal_address, "launch without a parameter buffer", static_cast<int>(lane));
    found->launched = true;
    found->last = stream == tail_stream;
}

void transfer_from_device(Warp& warp, std::uint32_t lane, const DeviceLaunches::Entry& wanted, std::uint64_t stream) {
    DeviceLaunches::Entry entry = wanted;
    entry.block = warp.block->linear;
    entry.thread = warp.index * lanes + lane;
    entry.launched = true;
    entry.last = stream == tail_stream;
    warp.sm->launches.entries().push_back(entry);
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
