#include "collector/wrapped/wrapped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "collector/import/import.hpp"
#include "collector/launch/launch.hpp"
#include "collector/launch/work_directory.hpp"
#include "collector/machine/obstacles.hpp"
#include "collector/records/command_line.hpp"
#include "collector/records/kernel_names.hpp"
#include "collector/records/merge.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"

namespace gpuproj::wrapped {

namespace {

namespace fs = std::filesystem;

std::string tool_path(const std::string& name) {
    const auto tool = find_vendor_tool(name);
    if (!tool) throw Error(name + ": is not installed, or not in $PATH");
    return *tool;
}

launch::Ended run(const CollectRequest& request, const Command& words, bool again) {
    launch::Command command;
    command.words = words;
    command.stdout_to_stderr = request.application_stdout_to_stderr;
    command.drop_stdout = again;
    command.timeout = request.timeout;
    return launch::run(command);
}

/// Leaves out kernels that were not asked for: nvprof times all, whatever it counts. What a tool counted it chose
/// itself.
void keep_chosen(std::vector<KernelRecord>& kernels, records::LaunchSelector& selector) {
    std::erase_if(kernels, [&](const KernelRecord& record) {
        return !records::has_counters(record) && !selector.selects(record.kernel);
    });
}

/// The profile of what the tool wrote to `files`.
CollectResult result_of(const CollectRequest& request, const std::string& tool, const std::vector<fs::path>& files,
                        const launch::Ended& ended) {
    std::vector<import::InputFile> texts;
    std::string all;
    std::error_code none;
    for (const auto& file : files) {
        if (!fs::exists(file, none)) continue;
        texts.push_back({tool + "'s output", read_file(file)});
        all += texts.back().text;
    }
    const auto said = complaints(all);
    if (texts.empty() || !said.empty()) {
        throw Error(fmt::format("{} failed with exit code {}: {}", tool, ended.status,
                                said.empty() ? "it wrote nothing; run it by hand to see why" : said));
    }
    auto imported = import::import_files(
        texts,
        {.lenient = true, .per_launch = request.per_launch && texts.size() == 1, .is_reference = request.is_reference});
    CollectResult result;
    result.profile = std::move(imported.profile);
    Profile& profile = result.profile;
    if (request.reference) profile.gpu = request.reference->name;
    if (profile.gpu.empty()) profile.gpu = "unknown GPU";
    auto provenance = records::run_provenance(tool == "rocprofv3" ? "rocprof" : tool, "measured", request.command,
                                              launch::find_program(request.command.front()));
    provenance.core_clock = profile.provenance.core_clock;
    provenance.memory_clock = profile.provenance.memory_clock;
    profile.provenance = std::move(provenance);
    profile.notes.insert(profile.notes.end(), imported.warnings.begin(), imported.warnings.end());
    profile.host_time.reset();  // the tool's own time is in it
    result.application_status = ended.status;
    if (ended.status != 0 || ended.timed_out || ended.interrupted) {
        profile.partial = true;
        profile.notes.push_back(fmt::format("{} ended with exit code {}", tool, ended.status));
    }
    return result;
}

}  // namespace

CollectResult collect_ncu(const CollectRequest& request) {
    const launch::WorkDirectory directory;
    const auto log = directory.path() / "ncu.csv";
    const auto ended = run(request, ncu_command(tool_path("ncu"), request, log), false);
    return result_of(request, "ncu", {log}, ended);
}

CollectResult collect_nvprof(const CollectRequest& request) {
    const launch::WorkDirectory directory;
    const auto metrics = directory.path() / "metrics.csv", trace = directory.path() / "trace.csv";
    records::LaunchSelector selector(request.filter);  // by name only: nvprof_commands() refuses the rest
    const auto commands = nvprof_commands(tool_path("nvprof"), request, metrics, trace);
    const auto ended = run(request, commands[0], false);
    if (ended.status == 0) run(request, commands[1], true);
    auto result = result_of(request, "nvprof", {metrics, trace}, ended);
    keep_chosen(result.profile.kernels, selector);
    return result;
}

CollectResult collect_rocprof(const CollectRequest& request) {
    const launch::WorkDirectory directory;
    const auto input = directory.path() / "counters.txt", output = directory.path() / "out";
    write_file(input, rocprof_input(request.reference ? request.reference->compute_capability : ""), true);
    const auto ended = run(request, rocprof_command(tool_path("rocprofv3"), request, input, output), false);
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(output, none)) {
        if (entry.path().string().ends_with("counter_collection.csv")) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return result_of(request, "rocprofv3", files, ended);
}

}  // namespace gpuproj::wrapped
