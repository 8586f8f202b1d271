#include "collector/cupti/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "collector/cupti/environment.hpp"
#include "collector/cupti/launches.hpp"
#include "collector/cupti/plans.hpp"
#include "collector/launch/launch.hpp"
#include "collector/launch/work_directory.hpp"
#include "collector/machine/machine.hpp"
#include "collector/records/command_line.hpp"
#include "collector/records/kernel_names.hpp"
#include "collector/records/log.hpp"
#include "collector/records/merge.hpp"
#include "collector/records/session.hpp"
#include "model/error.hpp"

namespace gpuproj::cupti {

namespace {

struct Run {
    records::Log log;
    launch::Ended ended;
};

Run run(const CollectRequest& request, const std::string& program, const std::filesystem::path& directory,
        const char* mode) {
    std::filesystem::create_directory(directory);
    launch::Command command;
    command.words = request.command;
    command.words.front() = program;
    command.environment = {{"CUDA_INJECTION64_PATH", injection_library().string()},
                           {records::session_variable, directory.string()},
                           {mode_variable, mode},
                           {metrics_variable, request.metrics}};
    command.stdout_to_stderr = request.application_stdout_to_stderr;
    command.drop_stdout = std::string_view(mode) == counters_mode;
    command.timeout = request.timeout;
    Run run;
    run.ended = launch::run(command);
    run.log = records::read_logs(directory);
    return run;
}

void refuse_failures(const std::string& program, const records::Log& log) {
    if (log.failures.empty()) return;
    const auto& failure = log.failures.front();
    throw Error(fmt::format("{}: {}{}{}", program, failure.what, failure.advice.empty() ? "" : "; ", failure.advice));
}

std::vector<KernelRecord> selected(const KernelFilter& filter, const std::vector<KernelRecord>& launches) {
    records::LaunchSelector selector(filter);
    std::vector<KernelRecord> chosen;
    for (const auto& launch : launches) {
        if (selector.selects(launch.kernel)) chosen.push_back(launch);
    }
    return chosen;
}

}  // namespace

CollectResult collect(const CollectRequest& request) {
    const std::string program = launch::find_program(request.command.at(0));
    (void)records::LaunchSelector(request.filter);  // a bad expression is told before the launch
    const launch::WorkDirectory directory;

    const Run timed = run(request, program, directory.path() / times_mode, times_mode);
    refuse_failures(program, timed.log);
    CollectResult result;
    result.application_status = timed.ended.status;
    Profile& profile = result.profile;
    profile.gpu = request.reference ? request.reference->name : "unknown GPU";
    profile.provenance = records::run_provenance("cupti", "measured", request.command, program);
    profile.host_time = timed.ended.wall_time;
    if (const auto driver = nvidia_driver_version(); !driver.empty()) profile.provenance.driver_version = driver;
    profile.peak_device_memory = timed.log.peak_device_memory;
    // Of several processes that share the GPU, each one's pauses are filled by others.
    if (timed.log.gpu_idle_times.size() == 1) profile.gpu_idle = timed.log.gpu_idle_times.front();
    if (request.filter.name || request.filter.launch_skip > 0 || request.filter.launch_count) {
        // Without the kernels that are left out, the rest of the time is not the host's.
        profile.host_time.reset();
        profile.gpu_idle.reset();
    }
    profile.transfers = records::sum_transfers(timed.log.transfers);
    profile.notes = timed.log.notes;
    const auto partial = [&](const std::string& why) {
        profile.partial = true;
        profile.notes.push_back(fmt::format("{}: {}", program, why));
    };

    if (timed.ended.status != 0 || timed.ended.timed_out || timed.ended.interrupted) {
        profile.kernels = records::sum_records(selected(request.filter, timed.log.kernels));
        partial(fmt::format("ended with exit code {} before anything was counted: times only", timed.ended.status));
        return result;
    }
    if (timed.log.kernels.empty()) {
        throw ProfilingError(program + ": launched no kernel; check that its arguments make it use the GPU" +
                             (timed.log.begun == 0 ? " (the CUDA driver was never initialised)" : ""));
    }
    const Run counted = run(request, program, directory.path() / counters_mode, counters_mode);
    if (counted.log.kernels.empty()) refuse_failures(program, counted.log);
    auto counted_launches = counted.log.kernels;
    const auto nameless =
        name_graph_kernels(counted_launches, counted.log.graph_launches, {timed.log.kernels, timed.log.graph_launches});
    const auto elsewhere = keep_one_gpu(counted_launches, counted.log.gpus, request.is_reference);
    auto joined = join_runs(std::move(counted_launches), timed.log.kernels);
    if (elsewhere) {
        joined.notes.push_back(*elsewhere);
        // What the others did is not the host's time, and their pauses are not this one's.
        profile.host_time.reset();
        profile.gpu_idle.reset();
    }
    if (nameless > 0) {
        joined.notes.push_back(
            fmt::format("{} kernels of graphs have no names: their graphs had other numbers of kernels in the run "
                        "that was timed",
                        nameless));
    }
    const auto launches = selected(request.filter, joined.launches);
    if (launches.empty() && counted.ended.status == 0) {
        throw ProfilingError(program + ": no launch has the name that was asked for");
    }
    profile.kernels = request.per_launch ? launches : records::sum_records(launches);
    for (const auto& notes : {counted.log.notes, joined.notes}) {
        profile.notes.insert(profile.notes.end(), notes.begin(), notes.end());
    }
    for (const auto& failure : counted.log.failures) partial(failure.what);
    if (counted.ended.status != timed.ended.status || counted.ended.timed_out || counted.ended.interrupted) {
        partial(fmt::format("ended with exit code {} while it was counted", counted.ended.status));
        result.application_status = counted.ended.status;
    } else if (counted.log.unwritten > 0) {
        partial("a process ended without closing down; its last launches may be missing");
    }
    return result;
}

}  // namespace gpuproj::cupti
