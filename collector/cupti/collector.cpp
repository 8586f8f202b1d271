#include "collector/cupti/collector.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

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

/// `number`: of the counting runs.
Run run(const CollectRequest& request, const std::string& program, const std::filesystem::path& directory,
        const char* mode, std::size_t number = 0) {
    std::filesystem::create_directory(directory);
    launch::Command command;
    command.words = request.command;
    command.words.front() = program;
    command.environment = {{"CUDA_INJECTION64_PATH", injection_library().string()},
                           {records::session_variable, directory.string()},
                           {mode_variable, mode},
                           {run_variable, std::to_string(number)},
                           {metrics_variable, request.metrics}};
    command.stdout_to_stderr = request.application_stdout_to_stderr;
    command.drop_stdout = std::string_view(mode) != times_mode;
    command.timeout = request.timeout;
    Run run;
    run.ended = launch::run(command);
    run.log = records::read_logs(directory);
    return run;
}

/// One record per launch, and the names of their GPUs.
struct Launches {
    std::vector<KernelRecord> launches;
    std::vector<std::string> gpus;
};

/// Those that were launched by themselves or, else, by graphs. Nobody counts these: their records are told from those
/// of the same kernel that was launched by itself.
Launches launched(const records::Log& log, bool by_graph) {
    Launches chosen;
    for (std::size_t i = 0; i < log.kernels.size(); ++i) {
        if ((log.graph_launches[i] != 0) != by_graph) continue;
        chosen.launches.push_back(log.kernels[i]);
        chosen.gpus.push_back(log.gpus[i]);
        if (by_graph) chosen.launches.back().kernel += " [CUDA graph]";
    }
    return chosen;
}

struct CountedLaunches : Launches {
    std::size_t alone = 0;  // that not every run counted
};

/// As many runs as the chips of the program need, which the first one tells.
std::vector<Run> run_counting(const CollectRequest& request, const std::string& program,
                              const std::filesystem::path& directory) {
    std::vector<Run> counting;
    std::size_t runs = 1;
    for (std::size_t n = 0; n < runs; ++n) {
        counting.push_back(run(request, program, directory / fmt::format("{}{}", counters_mode, n), counters_mode, n));
        runs = std::max<std::size_t>(runs, counting.back().log.counter_runs);
    }
    spdlog::debug(
        "counted in {} runs of the program, of {} passes at most", runs,
        std::ranges::max(counting, {}, [](const Run& run) { return run.log.counter_passes; }).log.counter_passes);
    return counting;
}

/// Launches that every run counted, beginning with the run that has the fewest: it may have ended early. Where a run
/// cannot count at all, what the others did is kept.
CountedLaunches counts_of(const std::vector<Run>& counting) {
    std::vector<const Run*> by_launches;
    for (const Run& run : counting) {
        if (!run.log.kernels.empty()) by_launches.push_back(&run);
    }
    std::ranges::stable_sort(by_launches, {}, [](const Run* run) { return run->log.kernels.size(); });
    CountedLaunches counts;
    for (const Run* run : by_launches) {
        if (counts.launches.empty()) {
            counts = {{run->log.kernels, run->log.gpus}};
        } else {
            counts.alone = std::max(counts.alone, add_counts(counts.launches, run->log.kernels));
        }
    }
    return counts;
}

struct Joined : JoinedRuns {
    bool other_gpus = false;  // launches on GPUs of another model were left out
};

/// Behind `launches`, those of graphs on the GPUs that are kept.
void append_launches_of_graphs(std::vector<KernelRecord>& launches, const records::Log& timed,
                               const records::ChosenGpu& gpu) {
    auto of_graphs = launched(timed, true);
    keep_one_gpu(of_graphs.launches, of_graphs.gpus, gpu);
    launches.insert(launches.end(), of_graphs.launches.begin(), of_graphs.launches.end());
}

/// What is known of a program that was timed and not counted.
Joined times_alone(const records::Log& timed, const IsReference& is_reference, const std::string& program) {
    const auto gpu = records::choose_gpu(timed.gpus, is_reference, program);
    auto kept = launched(timed, false);
    const auto elsewhere = keep_one_gpu(kept.launches, kept.gpus, gpu);
    Joined times{{std::move(kept.launches), {}}, elsewhere.has_value()};
    append_launches_of_graphs(times.launches, timed, gpu);
    if (elsewhere) times.notes.push_back(*elsewhere);
    return times;
}

/// Counts, times and, of kernels of graphs, times alone; on GPUs of the model that is asked for. Throws Error if which
/// that is cannot be told.
Joined join_with_times(CountedLaunches counts, const records::Log& timed, const IsReference& is_reference,
                       const std::string& program) {
    const auto gpu = records::choose_gpu(timed.gpus, is_reference, program);
    const auto elsewhere = keep_one_gpu(counts.launches, counts.gpus, gpu);
    Joined joined{join_runs(std::move(counts.launches), launched(timed, false).launches), elsewhere.has_value()};
    append_launches_of_graphs(joined.launches, timed, gpu);
    if (elsewhere) joined.notes.push_back(*elsewhere);
    if (counts.alone > 0) {
        joined.notes.push_back(fmt::format(
            "{} launches were not in every run that counted: they lack some of the counters", counts.alone));
    }
    return joined;
}

/// Each once: the runs of a program mostly say the same.
void add_notes(Profile& profile, const std::vector<Run>& counting, const std::vector<std::string>& more) {
    const auto add = [&](const std::string& note) {
        if (std::ranges::find(profile.notes, note) == profile.notes.end()) profile.notes.push_back(note);
    };
    for (const Run& run : counting) std::ranges::for_each(run.log.notes, add);
    std::ranges::for_each(more, add);
}

/// How a counting run ended, if not as the run that timed.
std::optional<std::string> ended_otherwise(const Run& run, const Run& timed) {
    if (run.ended.status == timed.ended.status && !run.ended.timed_out && !run.ended.interrupted) return std::nullopt;
    return fmt::format("ended with exit code {} while it was counted", run.ended.status);
}

std::optional<Hertz> mean(const std::vector<Hertz>& clocks) {
    if (clocks.empty()) return std::nullopt;
    Hertz sum;
    for (const auto clock : clocks) sum += clock;
    return sum / static_cast<double>(clocks.size());
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

    const auto without_others = [&](const Joined& joined) {
        if (!joined.other_gpus) return;
        // What the others did is not the host's time, and their pauses are not this one's.
        profile.host_time.reset();
        profile.gpu_idle.reset();
    };
    const auto records_of = [&](const std::vector<KernelRecord>& launches) {
        return request.per_launch ? launches : records::sum_records(launches);
    };

    if (timed.ended.status != 0 || timed.ended.timed_out || timed.ended.interrupted) {
        const auto times = times_alone(timed.log, request.is_reference, program);
        without_others(times);
        profile.kernels = records_of(selected(request.filter, times.launches));
        profile.notes.insert(profile.notes.end(), times.notes.begin(), times.notes.end());
        partial(fmt::format("ended with exit code {} before anything was counted: times only", timed.ended.status));
        return result;
    }
    if (timed.log.kernels.empty()) {
        throw ProfilingError(program + ": launched no kernel; check that its arguments make it use the GPU" +
                             (timed.log.begun == 0 ? " (the CUDA driver was never initialised)" : ""));
    }
    const auto counting = run_counting(request, program, directory.path());
    auto counts = counts_of(counting);
    if (counts.launches.empty()) refuse_failures(program, counting.front().log);
    auto joined = join_with_times(std::move(counts), timed.log, request.is_reference, program);
    without_others(joined);
    const auto launches = selected(request.filter, joined.launches);
    if (launches.empty() && counting.back().ended.status == 0) {
        throw ProfilingError(program + ": no launch has the name that was asked for");
    }
    profile.kernels = records_of(launches);
    profile.provenance.core_clock = mean(counting.front().log.core_clocks);
    add_notes(profile, counting, joined.notes);
    for (const Run& run : counting) {
        for (const auto& failure : run.log.failures) partial(failure.what);
        if (const auto how = ended_otherwise(run, timed)) {
            partial(*how);
            result.application_status = run.ended.status;
        } else if (run.log.unwritten > 0) {
            partial("a process ended without closing down; its last launches may be missing");
        }
    }
    return result;
}

}  // namespace gpuproj::cupti
