#include "collector/simulate/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "collector/launch/launch.hpp"
#include "collector/records/command_line.hpp"
#include "collector/records/kernel_names.hpp"
#include "collector/records/log.hpp"
#include "collector/records/merge.hpp"
#include "collector/simulate/cuda_use.hpp"
#include "collector/simulate/progress.hpp"
#include "collector/simulate/reference_limits.hpp"
#include "collector/simulate/session.hpp"
#include "model/error.hpp"
#include "model/near_names.hpp"

namespace gpuproj::simulate {

namespace {

// One line: what failed, where, what to do.
std::string sentence(const std::string& program, const records::Failure& failure) {
    std::string text = program + ": ";
    if (failure.kernel) text += "kernel " + *failure.kernel + ": ";
    text += failure.what;
    if (!failure.advice.empty()) text += "; " + failure.advice;
    return text;
}

const records::Failure* first_of(const records::Log& log, std::string_view kind) {
    const auto found = std::find_if(log.failures.begin(), log.failures.end(),
                                    [kind](const records::Failure& failure) { return failure.kind == kind; });
    return found == log.failures.end() ? nullptr : &*found;
}

/// What was called of a library, and how often, in the order of the first calls.
struct LibraryUse {
    std::string library, functions;
};
std::vector<LibraryUse> libraries_in(const std::vector<records::HostCall>& calls) {
    std::vector<records::HostCall> sums;
    for (const auto& call : calls) {
        const auto same = [&](const auto& sum) { return sum.library == call.library && sum.function == call.function; };
        const auto found = std::ranges::find_if(sums, same);
        if (found == sums.end())
            sums.push_back(call);
        else
            found->count += call.count;
    }
    std::vector<LibraryUse> uses;
    for (const auto& sum : sums) {
        const auto text = sum.function + (sum.count > 1 ? fmt::format(" ({} times)", sum.count) : "");
        const auto found = std::ranges::find(uses, sum.library, &LibraryUse::library);
        if (found == uses.end())
            uses.push_back({sum.library, text});
        else
            found->functions += ", " + text;
    }
    return uses;
}

void note_host_calls(const std::vector<records::HostCall>& calls, Profile& profile) {
    for (const auto& use : libraries_in(calls))
        profile.notes.push_back(
            fmt::format("calculated on the host: {}; the kernels of {} exist as machine code only, so they are not "
                        "among those counted, and their time is in no total",
                        use.functions, use.library));
}

[[noreturn]] void no_kernels(const std::string& program, const CollectRequest& request, const records::Log& log) {
    if (!log.host_calls.empty() && log.passed_over.empty()) {
        std::string used;
        for (const auto& use : libraries_in(log.host_calls))
            used += fmt::format("{}{} ({})", used.empty() ? "" : ", ", use.library, use.functions);
        throw ProfilingError(
            fmt::format("{}: launched no kernel of its own; it uses {}, whose kernels exist as machine "
                        "code only and cannot be counted; profile it on a machine with a GPU "
                        "(--collector cupti)",
                        program, used));
    }
    if (log.passed_over.empty())
        throw ProfilingError(program +
                             ": launched no kernel; if it is a script or starter, name the program itself, and check "
                             "that its arguments make it use the GPU");
    std::vector<std::string> names;
    for (const auto& kernel : log.passed_over) {
        const auto name = records::base_name(kernel);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    std::string all;
    for (const auto& name : names) {
        if (!all.empty()) all += ", ";
        all += name;
    }
    const auto& wanted = request.filter.name;
    throw ProfilingError(program + ": no launch was chosen" + (wanted ? " by --kernel-name " + *wanted : "") +
                         "; launched were: " + all);
}

Profile make_profile(const CollectRequest& request, const Gpu& reference, const std::string& program,
                     const records::Log& log) {
    Profile profile;
    profile.gpu = reference.name;
    profile.provenance = records::run_provenance("simulate", "simulated", request.command, program);
    profile.kernels = request.per_launch ? log.kernels : records::sum_records(log.kernels);
    profile.transfers = records::sum_transfers(log.transfers);
    profile.peak_device_memory = log.peak_device_memory;
    profile.notes = log.notes;
    note_host_calls(log.host_calls, profile);
    for (auto& record : profile.kernels)
        for (auto& refusal : launch_refusals(reference, record)) record.notes.push_back(std::move(refusal));
    for (auto& refusal : memory_refusals(reference, profile.peak_device_memory))
        profile.notes.push_back(std::move(refusal));
    return profile;
}

// What was asked for and is not there, if the program did not simply go on without it.
const records::Failure* refusal_in(const records::Log& log, const launch::Ended& ended) {
    if (ended.interrupted || ended.timed_out) return nullptr;
    if (const auto* failure = first_of(log, records::unsupported)) return failure;
    const bool launched = !log.kernels.empty() || first_of(log, records::kernel_fault) != nullptr;
    return ended.status == 0 && launched ? nullptr : first_of(log, records::unsupported_function);
}

// Says in the profile why it is not the whole of a run; the last note says it best. `refusal`: of refusal_in;
// `results_are_wrong`: on request.
void mark_partial(Profile& profile, const std::string& program, const launch::Ended& ended, const records::Log& log,
                  const records::Failure* refusal, const std::string& running, bool results_are_wrong) {
    const auto add = [&](const std::string& note) {
        profile.partial = true;
        profile.notes.push_back(note);
    };
    const std::string during = running.empty() ? "" : " during kernel " + running;
    if (ended.timed_out)
        add(program + ": stopped at the time limit" + during);
    else if (ended.interrupted)
        add(program + ": interrupted" + during);
    else if (ended.status > 128 && ended.status - 128 <= SIGRTMAX)  // beyond are exit codes, as of exit(-1)
        add(fmt::format("{}: killed by signal {} ({}){}", program, ended.status - 128, strsignal(ended.status - 128),
                        during));
    else if (ended.status != 0 && results_are_wrong)
        profile.notes.push_back(
            fmt::format("{}: ended with exit code {}, as programs do that find their results wrong; what it would have "
                        "launched behind that is missing",
                        program, ended.status));
    else if (ended.status != 0)
        add(fmt::format("{}: ended with exit code {}", program, ended.status));
    else if (log.unwritten > 0)
        add(program + ": a process ended without closing down; its last launches may be missing");
    for (const auto& failure : log.failures) {
        if (failure.kind == records::kernel_fault) add(sentence(program, failure));
        if (failure.kind == records::unsupported_function && &failure != refusal)
            profile.notes.push_back(sentence(program, failure) + "; the program went on without it");
    }
    if (refusal != nullptr) add(sentence(program, *refusal));
}

}  // namespace

std::optional<std::string> unavailable() {
    try {
        injected_directory();
        return std::nullopt;
    } catch (const Error& error) {
        return error.what();
    }
}

CollectResult collect(const CollectRequest& request) {
    const std::string program = launch::find_program(request.command.at(0));
    (void)records::LaunchSelector(request.filter);  // a bad expression is told before the launch
    check_program(program);

    records::SessionConfig config;
    if (!request.reference) throw ProfilingError("a simulated profile needs a reference GPU: --ref GPU");
    config.reference = *request.reference;
    config.filter = request.filter;
    config.per_launch = request.per_launch;
    config.seed = request.seed;
    config.threads = request.threads;
    config.sample = request.sample;
    config.ignore_out_of_bounds = request.ignore_out_of_bounds;
    config.count_every_launch = request.count_every_launch;
    const Session session(config);

    launch::Command command;
    command.words = request.command;
    command.words.front() = program;
    command.environment = session.environment();
    command.stdout_to_stderr = request.application_stdout_to_stderr;
    command.timeout = request.timeout;
    command.grace = Seconds{10};  // a kernel that is cut off has a few seconds for its blocks
    ProgressLine progress(session.directory(), request.show_progress, request.show_progress && !request.sample);
    command.tick = [&] { progress.update(); };
    const auto ended = launch::run(command);
    progress.clear();

    const auto log = records::read_logs(session.directory());
    if (const auto* failure = first_of(log, records::internal)) throw Error(sentence(program, *failure));
    const auto* const refusal = refusal_in(log, ended);
    if (refusal != nullptr && log.kernels.empty()) throw ProfilingError(sentence(program, *refusal));
    const bool stopped = ended.interrupted || ended.timed_out;
    if (ended.status == 0 && !stopped && log.kernels.empty() && log.failures.empty()) no_kernels(program, request, log);

    CollectResult result;
    result.profile = make_profile(request, config.reference, program, log);
    result.profile.host_time = ended.wall_time;
    constexpr int could_not_be_profiled = 3;
    result.application_status = refusal != nullptr ? could_not_be_profiled : ended.status;
    const bool results_are_wrong = request.sample && request.sample->only && !log.kernels.empty();
    mark_partial(result.profile, program, ended, log, refusal, progress.running_kernel(), results_are_wrong);
    return result;
}

}  // namespace gpuproj::simulate
