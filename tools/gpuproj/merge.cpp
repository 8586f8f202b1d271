// gpuproj merge p1.json p2.json -o p.json: profiles of processes, ranks or inputs into one; with --vary, what the
// counters would be at another size of the input.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <charconv>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "collector/records/merge_profiles.hpp"
#include "collector/records/times.hpp"
#include "model/error.hpp"
#include "model/size_fit.hpp"
#include "tools/gpuproj/command_line.hpp"
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/output_file.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {

namespace {

double size_in(const std::string& text, const std::string& option) {
    double size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc{} || end != text.data() + text.size() || !(size > 0) || !std::isfinite(size)) {
        throw UsageError(fmt::format("{}: '{}' is not a size above 0", option, text));
    }
    return size;
}

/// The sizes in "n=256,512,1024", one per profile.
std::vector<double> sizes_in(const std::string& vary, std::size_t profiles) {
    const auto equals = vary.find('=');
    if (equals == std::string::npos) {
        throw UsageError(
            fmt::format("--vary {}: give the size of every profile, in their order, such as n=256,512", vary));
    }
    std::vector<double> sizes;
    for (const auto& text : split_commas({vary.substr(equals + 1)})) sizes.push_back(size_in(text, "--vary"));
    if (sizes.size() != profiles) {
        throw UsageError(fmt::format("--vary {}: {} sizes for {} profiles", vary, sizes.size(), profiles));
    }
    return sizes;
}

Profile at_another_size(std::span<const records::NamedProfile> profiles, const std::string& vary, double size) {
    const auto sizes = sizes_in(vary, profiles.size());
    std::vector<SizedProfile> runs;
    for (std::size_t i = 0; i < sizes.size(); ++i) runs.push_back({sizes[i], &profiles[i].profile});
    auto outcome = profile_at_size(runs, size);
    if (const auto* no = std::get_if<Inapplicable>(&outcome)) throw Error(fmt::format("merge --vary: {}", no->reason));
    auto& fitted = std::get<ProfileAtSize>(outcome).profile;
    for (const auto& note : fitted.notes) spdlog::info("{}", note);
    return std::move(fitted);
}

}  // namespace

int merge_verb(const Words& words) {
    Words files;
    std::string output;
    std::optional<std::string> times, vary, at;
    bool force = false;
    CommandLine line(
        "merge",
        "Makes one profile of several: of processes, of ranks, of inputs. Launches, counters and times are "
        "summed by kernel and launch configuration.");
    line.words("profile.json", files, true, "profiles of one GPU; - is stdin");
    line.option("-o,--output", "p.json", output, "where the merged profile goes; - is stdout");
    line.option("--times", "t.json", times, "a profile whose measured times replace those of the merged one");
    line.option("--vary", "n=N1,N2,...", vary,
                "the profiles are runs of these input sizes, in this order: fit every counter against the size");
    line.option("--at", "N", at, "with --vary: the size that the counters are wanted for");
    line.flag("-f,--force", force, "overwrite the output file");
    line.parse(words);
    if (output.empty()) throw UsageError("merge: where to? name the file with -o p.json");
    if (vary.has_value() != at.has_value()) {
        throw UsageError("merge: --vary (the sizes of the profiles) and --at (the size wanted) go together");
    }
    if (vary && times) throw UsageError("merge: --times joins times of what was run; it does not go with --vary");
    auto inputs = files;
    if (times) inputs.push_back(*times);
    refuse_stdin_twice(inputs);
    check_output(output, force);

    std::vector<records::NamedProfile> profiles;
    for (const auto& file : files) profiles.push_back({input_name(file), read_profile_input(file)});
    auto merged = vary ? at_another_size(profiles, *vary, size_in(*at, "--at")) : records::merge_profiles(profiles);
    if (times) {
        auto joined = records::join_times(std::move(merged), read_profile_input(*times));
        for (const auto& warning : joined.warnings) spdlog::warn("{}: {}", input_name(*times), warning);
        merged = std::move(joined.profile);
    }
    write_profile_output(merged, output, force);
    std::uint64_t launches = 0;
    for (const auto& kernel : merged.kernels) launches += kernel.launches;
    spdlog::info("{}: {} launches of {} kernels on {}, of {} profiles", output_name(output), launches,
                 merged.kernels.size(), merged.gpu, profiles.size());
    return 0;
}

}  // namespace gpuproj
