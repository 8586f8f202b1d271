// The Range Profiler of one context: one range per kernel, replayed where there is more than one pass, taken out some
// launches at a time.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/cupti/host.hpp"
#include "collector/cupti/process_log.hpp"
#include "collector/cupti/wanted.hpp"
#include "model/profile.hpp"

struct CUpti_RangeProfiler_Object;

namespace gpuproj::cupti {

/// Launches whose counters are taken out together: more need more memory, fewer more decoding.
inline constexpr std::size_t ranges_at_once = 256;

/// Counts what runs in a context, from the first launch that is announced on: what the driver runs in it by itself
/// before is none of the application's. Used by one thread at a time, one launch after the other: CUPTI numbers its
/// ranges, and the n-th is the n-th launch's. All functions throw Error naming the call that failed.
class ContextProfiler {
public:
    /// `run`: which of ChipPlan::runs.
    ContextProfiler(CUcontext context, MetricSet set, std::size_t run, ProcessLog& log);
    ~ContextProfiler();
    ContextProfiler(const ContextProfiler&) = delete;
    ContextProfiler& operator=(const ContextProfiler&) = delete;

    /// Before a launch that will run. Makes room first if there is none.
    void before_launch(KernelRecord launch);
    /// The launch that was announced last did not run.
    void launch_failed();
    /// Before what is not to be counted: takes out what was. The next launch goes on.
    void pause();
    /// Takes out what was counted, and ends.
    void finish();

private:
    void make_image();
    void initialise_image();
    void start();
    CUptiResult stop() noexcept;
    void end() noexcept;
    /// Writes the counters of the launches.
    void stop_and_write();

    ProcessLog& log_;
    std::unique_ptr<HostConfig> config_;
    std::vector<std::string> metrics_;
    CUpti_RangeProfiler_Object* profiler_ = nullptr;
    std::vector<std::uint8_t> image_;
    std::vector<KernelRecord> launches_;  // since the counters were last taken out
    std::size_t strange_ = 0;             // whose counters are of another number of warps
    double cycles_ = 0;                   // of the launches whose clock was counted,
    Seconds time_;                        // and their time
    int device_ = 0;
    bool running_ = false;
};

}  // namespace gpuproj::cupti
