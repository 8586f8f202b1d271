// gpuproj targets add: a GPU file becomes one of the user's own.
#include <fmt/format.h>

#include <filesystem>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/gpu_io.hpp"
#include "targets/catalog.hpp"
#include "targets/check.hpp"
#include "targets/gpu_file.hpp"
#include "targets/names.hpp"
#include "tools/gpuproj/messages.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/output_file.hpp"
#include "tools/gpuproj/targets_actions.hpp"

namespace gpuproj {

int targets_add(const Words& words) {
    Words files;
    bool force = false;
    CommandLine line("targets add", "Stores GPU files among your own, under the names they give.");
    line.words("FILE", files, true, "GPU files (.json), as targets derive, bench and import write them");
    line.flag("-f,--force", force, "overwrite files of the same name");
    line.footer("They go to the first directory of $GPUPROJ_TARGETS, else to ~/.config/gpuproj/targets.");
    line.parse(words);

    const auto directories = user_target_directories();
    if (directories.empty())
        throw Error("targets add: neither $GPUPROJ_TARGETS nor $HOME says where your GPUs are stored");
    const auto catalog = Catalog::open();
    std::vector<Gpu> gpus;
    for (const auto& file : files) {
        gpus.push_back(catalog.get(std::filesystem::absolute(file).string()));
        // A name that another GPU answers to would make both ambiguous; the same name replaces a stored GPU on purpose.
        auto names = catalog.gpus();
        std::erase_if(
            names, [&](const auto& stored) { return canonical_name(stored.name) == canonical_name(gpus.back().name); });
        names.push_back({gpus.back().name, gpus.back().aliases, file, {}});
        for (const auto& finding : check_names(names)) throw Error(fmt::format("{}: {}", file, finding.what));
    }
    make_folder(directories.front());
    for (const auto& gpu : gpus) check_writable(directories.front() / gpu_file_name(gpu.name), force);
    for (const auto& gpu : gpus) {
        const auto path = directories.front() / gpu_file_name(gpu.name);
        write_file(path, gpu_file_text(gpu), force);
        print_report(fmt::format("{}: {}\n", gpu.name, path.string()));
    }
    return 0;
}

}  // namespace gpuproj
