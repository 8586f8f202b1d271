// The state behind the stand-in for the CUDA runtime: one per process.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collector/records/kernel_names.hpp"
#include "collector/records/session.hpp"
#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/runtime/abi.hpp"
#include "collector/simulate/runtime/allocations.hpp"
#include "collector/simulate/runtime/cut_off.hpp"
#include "collector/simulate/runtime/device_description.hpp"
#include "collector/simulate/runtime/device_queue.hpp"
#include "collector/simulate/runtime/handles.hpp"
#include "collector/simulate/runtime/recorder.hpp"
#include "collector/simulate/runtime/registry.hpp"

namespace gpuproj::simulate {

/// The device as this process is told of it: for what its program was compiled for, with this machine's memory.
DeviceDescription describe_for_process(const Gpu& reference);

/// Thread-safe. Made by the first call that needs the device, and never destroyed, because applications call the
/// runtime until the very end of their process.
class Runtime {
public:
    /// Throws Refused: not started by gpuproj, or this is a forked child of a process that has used CUDA.
    static Runtime& instance();
    /// nullptr if no call has needed the device yet, or this is a forked child.
    static Runtime* existing() noexcept;

    Recorder& recorder() { return recorder_; }
    DeviceMemory& memory() { return memory_; }
    Allocations& allocations() { return allocations_; }
    Streams& streams() { return streams_; }
    Events& events() { return events_; }
    DeviceQueue& queue() { return queue_; }
    const DeviceDescription& device() const { return device_; }
    const Gpu& reference() const { return config_.reference; }

    /// Runs a grid and records it, one at a time. The fault, if there was one, is the sticky error from then on. A
    /// kernel that waits for the host is let go (device_queue.hpp): it is running still when this returns.
    void launch(const Module& module, const KernelInfo& info, LaunchRequest request, const StreamOrder& stream);
    /// Calls a function of the host, `task`, which `function` tells from others, on a thread for such. It is over when
    /// this returns, unless it waits for the host: then it is let go, and at once where it has been before.
    void call_host(const void* function, std::function<void()> task, const StreamOrder& stream);
    /// What the engine must know of device memory outside of launches: that the host has written there; that the device
    /// itself has read or written it, in a copy, a fill or a library's kernel; that it is about to be released.
    void host_wrote(const void* begin, std::size_t bytes);
    void device_access(const void* begin, std::size_t bytes, bool written);
    void released(const void* begin, std::size_t bytes);
    /// Of the memory from cudaMalloc that holds these bytes: another number whenever something may have been written
    /// there. 0: not known now, or other memory.
    std::uint64_t version_of(const void* begin, std::size_t bytes);
    /// DeviceMemory::share(), while no kernel runs.
    std::optional<int> share(const void* begin);
    /// What was done later than asked for has failed: the sticky error, if there is none yet.
    void fail(cuda::CudaError code);
    /// When the process ends, what was let go and runs still is stopped.
    static void stop_at_exit();

    /// The error that every call gives since a kernel failed; success if none has.
    cuda::CudaError sticky_error() const { return sticky_error_; }

private:
    Runtime(const std::filesystem::path& session, const records::SessionConfig& config);
    static Runtime* create();

    /// Calls what(), which tells the engine something, now or behind the kernel that runs.
    void tell_engine(std::function<void()> what);

    void stop() noexcept;
    Engine& engine();
    void run(const LaunchRequest& request);  // and tell the engine what it was not told meanwhile
    void show_progress(double share);        // of the launch that is running
    void clear_progress();
    /// Behind a launch. Ends the process if it was to end meanwhile.
    void launch_is_over();
    /// Writes down what a launch reported; false after a fault.
    bool record_launch(KernelRecord& record, const LaunchRequest& request, const LaunchReport& report);
    /// Blocks that were not counted, accesses that were ignored.
    void note_what_was_left_out(KernelRecord& record, const Dim3& grid, const LaunchReport& report);
    /// Runs a grid and all that it launches, each recorded; false after a fault.
    bool launch_with_children(LaunchRequest request);
    /// A copy or fill that a kernel has asked for; false if it leaves the device's memory.
    bool transfer(const ChildLaunch& transfer);

    pid_t process_;
    std::filesystem::path session_;
    records::SessionConfig config_;
    Recorder recorder_;
    DeviceDescription device_;
    DeviceMemory memory_;
    Allocations allocations_;
    Streams streams_;
    Events events_;
    DeviceQueue queue_;
    std::atomic<bool> stop_{false};
    std::mutex untold_mutex_;
    std::vector<std::function<void()>> untold_;  // what the engine must know behind the kernel that runs
    std::mutex waiting_mutex_;
    std::set<std::string, std::less<>> waiting_;  // kernels that have waited for the host before
    std::set<const void*> waiting_functions_;     // and functions of the host
    const DeviceQuestions questions_;
    std::mutex engine_mutex_;  // of the seven below
    std::unique_ptr<Engine> engine_;
    records::LaunchSelector selector_;
    std::string running_;
    std::chrono::steady_clock::time_point last_progress_{};
    bool progress_shown_ = false;
    std::optional<CutOff> cut_off_;  // of a launch that takes long
    std::atomic<cuda::CudaError> sticky_error_{cuda::success};
};

}  // namespace gpuproj::simulate
