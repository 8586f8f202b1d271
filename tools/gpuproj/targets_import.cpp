// gpuproj targets import: measurements of other tools become GPU files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/plain_text.hpp"
#include "targets/catalog.hpp"
#include "targets/check.hpp"
#include "targets/gpu_file.hpp"
#include "targets/import.hpp"
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/targets_actions.hpp"

namespace gpuproj {

int targets_import(const Words& words) {
    std::string file;
    std::string directory = ".";
    bool force = false;
    CommandLine line("targets import",
                     "Makes GPU files of what gpuroofperf-bench (gpus.csv), clpeak or mixbench measured; "
                     "what they do not measure is taken from the stored GPU of that name.");
    line.word("FILE", file, true, "their output; - is stdin");
    line.option("-o,--output", "DIRECTORY", directory, "where the GPU files go; one per device");
    line.flag("-f,--force", force, "overwrite");
    line.parse(words);
    if (directory == "-")
        throw UsageError("targets import: -o -: a file per GPU cannot go to stdout; name a directory");

    const auto catalog = Catalog::open();
    std::vector<Gpu> gpus;
    std::string left_out;
    for (const auto& results : import_measurements(plain_text(read_input(file)), input_name(file))) {
        Gpu gpu = gpu_from_bench(results, catalog);
        if (std::ranges::any_of(gpus, [&](const Gpu& other) { return other.name == gpu.name; })) {
            left_out += fmt::format("{}: left out a further run, by {}\n", gpu.name, results.program);
            continue;
        }
        gpus.push_back(std::move(gpu));
        for (const auto& finding : check_values(gpus.back())) {
            throw Error(fmt::format("{}: {}: {}: {}", input_name(file), finding.gpu, finding.parameter, finding.what));
        }
    }
    const auto path_of = [&](const Gpu& gpu) { return std::filesystem::path(directory) / gpu_file_name(gpu.name); };
    for (const auto& gpu : gpus) check_writable(path_of(gpu), force);
    for (const auto& gpu : gpus) {
        write_file(path_of(gpu), gpu_file_text(gpu), true);
        print_report(fmt::format("{}: {}\n", gpu.name, path_of(gpu).string()));
    }
    print_report(left_out);
    return 0;
}

}  // namespace gpuproj
