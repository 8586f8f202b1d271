// gpuproj import FILE... -o p.json: what other profilers wrote becomes a profile.
#include "collector/import/import.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "model/error.hpp"
#include "targets/catalog.hpp"
#include "tools/gpuproj/build_info.hpp"
#include "tools/gpuproj/choose_collector.hpp"
#include "tools/gpuproj/command_line.hpp"
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/output_file.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {

namespace {

/// A few GPUs of that compute capability, to choose from.
std::string gpus_of(const Catalog& catalog, const std::string& capability) {
    Words names;
    for (const auto& entry : catalog.gpus()) {
        const auto gpu = Catalog::load(entry);
        if (gpu.vendor == "NVIDIA" && gpu.compute_capability == capability) names.push_back(gpu.name);
        if (names.size() == 6) break;
    }
    return names.empty() ? "" : fmt::format("; of compute capability {} are {}", capability, fmt::join(names, ", "));
}

std::string reference_gpu(const import::ImportResult& result, const std::string& asked, const Catalog& catalog) {
    const std::string files = result.profile.provenance.source.value_or("");
    if (!asked.empty()) {
        const auto gpu = catalog.get(asked);
        if (result.compute_capability && gpu.vendor == "NVIDIA" &&
            *result.compute_capability != gpu.compute_capability) {
            spdlog::warn("{}: counted on a GPU of compute capability {}, and {} has {}: is --ref right?", files,
                         *result.compute_capability, gpu.name, gpu.compute_capability);
        }
        return gpu.name;
    }
    if (result.profile.gpu.empty()) {
        throw UsageError(fmt::format("{}: does not say which GPU it is of; name it with --ref{}", files,
                                     result.compute_capability
                                         ? gpus_of(catalog, *result.compute_capability)
                                         : " GPU, as gpuproj targets list calls it, such as --ref K20c"));
    }
    const auto known = stored(catalog, result.profile.gpu);
    if (!known) {
        spdlog::warn("{}: not among the stored GPUs: nothing can be checked on it; --ref names another",
                     result.profile.gpu);
    }
    return known ? known->name : result.profile.gpu;
}

}  // namespace

int import_verb(const Words& words) {
    Words names;
    std::string output, reference;
    bool force = false;
    std::uint64_t interval_ms = 1000;
    import::ImportOptions options;
    CommandLine line("import",
                     fmt::format("Makes a profile of files that other profilers wrote: {}. The content decides which "
                                 "a file is. Several files are of one run: counters and times are joined.",
                                 fmt::join(import::format_names(), ", ")));
    line.words("FILE", names, true, "their output; - is stdin");
    line.option("-o,--output", "p.json", output, "where the profile goes; - is stdout");
    line.flag("-f,--force", force, "overwrite the output file");
    line.option("--ref", "GPU", reference, "the GPU they are of, where they do not say, or hold several");
    line.flag("--lenient", options.lenient, "leave out what cannot be read, instead of refusing the file");
    line.flag("--per-launch", options.per_launch, "one record per launch, instead of one per launch configuration");
    line.number("--interval-ms", interval_ms, "milliseconds between samples of DCGM, as dcgmi dmon -d; by itself 1000");
    line.parse(words);
    if (interval_ms == 0) throw UsageError("--interval-ms 0: no time passes between samples; give 1 or more");
    if (output.empty()) throw UsageError("import: where to? name the file with -o p.json");
    if (options.per_launch && names.size() > 1) {
        throw UsageError("--per-launch: launches of several files cannot be told apart; import one file");
    }
    refuse_stdin_twice(names);
    check_output(output, force);

    const auto catalog = Catalog::open();
    if (!reference.empty()) options.is_reference = is_named(catalog, catalog.get(reference).name);
    options.find_gpu = [&](const std::string& name) -> std::optional<Gpu> {
        if (!reference.empty()) return catalog.get(reference);
        return name.empty() ? std::nullopt : stored(catalog, name);
    };
    constexpr double milli = 1e-3;
    options.sample_interval = milli * Seconds{static_cast<double>(interval_ms)};
    std::vector<import::InputFile> files;
    for (const auto& name : names) files.push_back({input_name(name), read_input(name)});
    auto result = import::import_files(files, options);
    result.profile.gpu = reference_gpu(result, reference, catalog);
    result.profile.provenance.tool_version = version;
    for (const auto& warning : result.warnings) spdlog::warn("{}", warning);
    write_profile_output(result.profile, output, force);
    std::uint64_t launches = 0;
    for (const auto& kernel : result.profile.kernels) launches += kernel.launches;
    spdlog::info("{}: {} launches of {} kernels on {}", output_name(output), launches, result.profile.kernels.size(),
                 result.profile.gpu);
    return 0;
}

}  // namespace gpuproj
