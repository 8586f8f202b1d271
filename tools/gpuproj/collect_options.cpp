#include "tools/gpuproj/collect_options.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <charconv>

#include "collector/cupti/plans.hpp"
#include "collector/launch/launch.hpp"
#include "collector/machine/machine.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"
#include "tools/gpuproj/choose_collector.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/output_file.hpp"
#include "tools/gpuproj/partial.hpp"
#include "tools/gpuproj/placeholders.hpp"

namespace gpuproj {

void CollectOptions::declare(CommandLine& line) {
    line.option("--ref", "GPU", reference_, "the reference GPU: one of this machine, or one to simulate");
    Words collectors(collector_names().begin(), collector_names().end());
    collectors.insert(collectors.begin(), "auto");
    line.choice("--collector", collectors, collector_, "how to profile (default: auto)");
    line.choice("--metrics", {"thesis", "default", "full", "tensor"}, metrics_,
                "how much a GPU's own profiler counts (default: default)");
    line.flag("--dry-run", dry_run_, "print the metrics and passes of --collector cupti on each chip, and run nothing");
    line.option("-o,--output", "FILE", output_,
                "keep the profile here; %p, %h and %q{VAR} stand for process, host and a variable");
    line.flag("-f,--force", overwrite_, "overwrite output files");
    line.option("-k,--kernel-name", "NAME|regex:RE", kernel_name_, "profile only kernels of this name");
    line.number("--launch-skip", launch_skip_, "pass over this many matching launches first");
    line.number("--launch-count", launch_count_, "profile at most this many matching launches");
    line.flag("--per-launch", per_launch_, "one record per launch, instead of one per kernel and launch configuration");
    line.number("--timeout", timeout_s_, "stop the application after this many seconds");
    line.number("--seed", seed_, "of the simulated schedule");
    line.option("--sample-blocks", "N|auto", sample_blocks_,
                "simulated: count this many blocks of each launch, and scale; the others run uncounted");
    line.flag("--sample-only", sample_only_,
              "do not even run the others (--sample-blocks auto unless given), nor launches like many before: quick, "
              "and the application's results are wrong");
    line.choice("--out-of-bounds", {"error", "ignore"}, out_of_bounds_,
                "simulated: accesses outside allocations that a GPU, which protects whole pages, would not notice");
    line.flag("--count-every-launch", count_every_launch_,
              "simulated: also execute and count launches known from earlier ones, and all of long launches");
    line.number("--threads", threads_, "host threads that simulate (default: all)");
    line.footer(
        "Options go before APP; behind it, long options are gpuproj's too and all other words APP's. The first -- is\n"
        "dropped and everything behind it is APP's: gpuproj run --target K20c -- ./app -n 10 --ref x");
}

std::optional<std::string> CollectOptions::output_file() const {
    return output_ ? std::optional(fill_placeholders(*output_)) : std::nullopt;
}

namespace {

BlockSample block_sample(const std::string& blocks, bool only) {
    if (blocks == "auto") return {0, only};
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(blocks.data(), blocks.data() + blocks.size(), count);
    if (error != std::errc{} || end != blocks.data() + blocks.size() || count == 0)
        throw UsageError("--sample-blocks " + blocks + ": give a number of blocks, or auto");
    return {count, only};
}

}  // namespace

CollectRequest CollectOptions::request(const Catalog& catalog, Words application, bool stdout_is_free) const {
    if (timeout_s_ == 0U) throw UsageError("--timeout 0: leaves no time; give seconds from 1 on");
    if (launch_count_ == 0) throw UsageError("--launch-count 0: leaves nothing to profile; give a number from 1 on");
    constexpr std::uint64_t most_threads = 1024;
    if (threads_ > most_threads) throw UsageError(fmt::format("--threads {}: at most {}", threads_, most_threads));
    application.front() = launch::find_program(application.front());
    const auto file = output_file();
    const bool prints_profile = file && stdout_is_free && is_stdout(*file);
    if (file && !prints_profile) check_writable(*file, overwrite_);
    auto choice = choose_collector(collector_, reference_, machine_gpus(), catalog, unavailable);
    if (!choice.message.empty()) spdlog::info("{}", choice.message);
    CollectRequest request;
    request.command = std::move(application);
    request.collector = choice.collector;
    request.reference = std::move(choice.reference);
    if (request.reference) request.is_reference = is_named(catalog, request.reference->name);
    request.filter = {kernel_name_, launch_skip_, launch_count_};
    request.per_launch = per_launch_;
    request.metrics = metrics_;
    if (timeout_s_) request.timeout = Seconds{static_cast<double>(*timeout_s_)};
    request.seed = seed_;
    request.threads = static_cast<int>(threads_);
    if (sample_blocks_ || sample_only_) request.sample = block_sample(sample_blocks_.value_or("auto"), sample_only_);
    request.ignore_out_of_bounds = out_of_bounds_ == "ignore";
    request.count_every_launch = count_every_launch_;
    if (choice.collector != CollectorKind::simulate && (request.sample || request.ignore_out_of_bounds))
        throw UsageError("--sample-blocks and --out-of-bounds are for simulated GPUs, and a real one is profiled here");
    request.application_stdout_to_stderr = prints_profile;
    request.show_progress = isatty(STDERR_FILENO) == 1 && spdlog::should_log(spdlog::level::info);
    return request;
}

void CollectOptions::print_plan() const {
    Table table{.title = fmt::format("What CUPTI counts with --metrics {}", metrics_),
                .columns = {{"chip", "chip"}, {"passes", "passes"}, {"metrics", "metrics"}, {"names", "names"}}};
    for (const auto& chip : cupti::planned_chips(metrics_)) {
        table.rows.push_back({chip.chip, static_cast<double>(chip.passes), static_cast<double>(chip.metrics.size()),
                              fmt::format("{}", fmt::join(chip.metrics, " "))});
    }
    print_tables({&table, 1}, OutputFormat::csv);
}

CollectResult CollectOptions::collect(const CollectRequest& request) const {
    auto result = gpuproj::collect(request);
    if (result.profile.partial) {
        spdlog::error("{}; kernels counted until then: {}", partial_reason(result.profile),
                      result.profile.kernels.size());
    }
    if (const auto file = output_file()) {
        write_profile_output(result.profile, *file, overwrite_);
        spdlog::info("{}profile written to {}", result.profile.partial ? "partial " : "", output_name(*file));
    }
    return result;
}

}  // namespace gpuproj
