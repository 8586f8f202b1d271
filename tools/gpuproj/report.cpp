// gpuproj report p.json: everything on one self-contained page.
#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/profile_io.hpp"
#include "tools/gpuproj/html_output.hpp"
#include "tools/gpuproj/kernel_selection.hpp"
#include "tools/gpuproj/report_options.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {

int report_verb(const Words& words) {
    std::string file;
    std::optional<std::string> output;
    std::optional<std::string> kernel_name;
    std::optional<std::string> title;
    bool overwrite = false;
    PredictionOptions options;
    CommandLine line("report",
                     "Predicts a profile on other GPUs, and shows everything on one self-contained HTML page.");
    line.word("profile.json", file, true, "a profile: gpuproj profile, run -o or import write them");
    line.option("-o,--output", "FILE", output, "the page, a file that ends in .html; required");
    line.flag("-f,--force", overwrite, "overwrite the page");
    line.option("-k,--kernel-name", "NAME|regex:RE", kernel_name, "only kernels of this name");
    line.option("--title", "TEXT", title, "what the page is about (default: the profiled command)");
    options.declare_prediction(line);
    line.parse(words);

    if (!output) throw UsageError("report: where to? name the page: gpuproj report " + file + " -o out.html");
    check_writable(*output, overwrite);
    const auto catalog = Catalog::open();
    options.resolve(catalog);
    auto profile = read_profile(file);
    if (kernel_name) select_kernels(profile, *kernel_name);
    const auto page = options.html(profile, catalog, title.value_or(report_title(profile, file)));
    write_html(page, *output, overwrite);
    return 0;
}

}  // namespace gpuproj
