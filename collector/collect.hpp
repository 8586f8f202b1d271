// The door to all live collectors: run an application, get a Profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/records/choose_gpu.hpp"
#include "model/gpu.hpp"
#include "model/profile.hpp"

namespace gpuproj {

enum class CollectorKind { cupti, ncu, nvprof, rocprof, simulate };

/// Which launches are counted, as ncu selects them; the others run uncounted.
struct KernelFilter {
    std::optional<std::string> name{};  // exact demangled base name, or "regex:RE" searched in the full name
    std::uint64_t launch_skip = 0;      // matching launches passed over first
    std::optional<std::uint64_t> launch_count{};
};

/// Simulated launches of many blocks: how many are counted, and what becomes of the rest.
struct BlockSample {
    std::uint64_t blocks = 0;  // per launch, at least; 0: a share that suits the grid
    bool only = false;         // the others are not executed; the application's results are wrong then
};

struct CollectRequest {
    std::vector<std::string> command;  // path and words, at least one
    CollectorKind collector = CollectorKind::simulate;
    std::optional<Gpu> reference;  // required by simulate
    IsReference is_reference{};    // for programs that use several GPUs
    KernelFilter filter;
    bool per_launch = false;          // one record per launch instead of aggregation
    std::string metrics = "default";  // thesis, default, full or tensor; what a hardware collector counts
    bool application_stdout_to_stderr = false;
    std::optional<Seconds> timeout;
    std::uint64_t seed = 0;             // of the simulated schedule
    int threads = 0;                    // host threads of the engine; 0: all
    std::optional<BlockSample> sample;  // simulate: which blocks are counted; none: all
    bool ignore_out_of_bounds = false;  // simulate: accesses that a GPU does not notice go on
    bool count_every_launch = false;    // simulate: also those that are known from earlier ones
    bool show_progress = false;         // a line on stderr, kept up to date
};

struct CollectResult {
    Profile profile;
    int application_status = 0;  // its exit code, or 128 + signal
};

/// Runs the application to its end. Problems found before the launch, an application without kernels and unsupported
/// features throw Error / ProfilingError (exit code 3); an application that fails by itself does not throw: what was
/// collected comes back marked partial, with its status.
CollectResult collect(const CollectRequest& request);

/// Empty if the collector can run here, else why not and what to do.
std::optional<std::string> unavailable(CollectorKind collector);

}  // namespace gpuproj
