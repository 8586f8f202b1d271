// gpuproj merge p1.json p2.json -o p.json: profiles of processes, ranks or inputs into one.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "collector/records/merge_profiles.hpp"
#include "collector/records/times.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/profile_io.hpp"
#include "tools/gpuproj/command_line.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {

int merge_verb(const Words& words) {
    Words files;
    std::string output;
    std::optional<std::string> times;
    bool force = false;
    CommandLine line(
        "merge",
        "Makes one profile of several: of processes, of ranks, of inputs. Launches, counters and times are "
        "summed by kernel and launch configuration.");
    line.words("profile.json", files, true, "profiles of one GPU");
    line.option("-o,--output", "p.json", output, "where the merged profile goes");
    line.option("--times", "t.json", times, "a profile whose measured times replace those of the merged one");
    line.flag("-f,--force", force, "overwrite the output file");
    line.parse(words);
    if (output.empty()) throw UsageError("merge: where to? name the file with -o p.json");
    check_writable(output, force);

    std::vector<records::NamedProfile> profiles;
    for (const auto& file : files) profiles.push_back({file, read_profile(file)});
    auto merged = records::merge_profiles(profiles);
    if (times) {
        auto joined = records::join_times(std::move(merged), read_profile(*times));
        for (const auto& warning : joined.warnings) spdlog::warn("{}: {}", *times, warning);
        merged = std::move(joined.profile);
    }
    write_profile(merged, output, force);
    std::uint64_t launches = 0;
    for (const auto& kernel : merged.kernels) launches += kernel.launches;
    spdlog::info("{}: {} launches of {} kernels on {}, of {} profiles", output, launches, merged.kernels.size(),
                 merged.gpu, profiles.size());
    return 0;
}

}  // namespace gpuproj
