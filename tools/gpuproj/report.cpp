// gpuproj report p.json: everything on one self-contained page.
#include <deque>
#include <tuple>
#include <vector>

#include "model/error.hpp"
#include "reports/format.hpp"
#include "tools/gpuproj/comparison_options.hpp"
#include "tools/gpuproj/evaluation_options.hpp"
#include "tools/gpuproj/html_output.hpp"
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/kernel_selection.hpp"
#include "tools/gpuproj/output_file.hpp"
#include "tools/gpuproj/report_options.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {
namespace {

/// "a + b + c and 3 more".
std::string names_of(const std::deque<Program>& programs) {
    std::vector<std::string> names;
    for (const auto& part : parts_of(programs)) names.push_back(part.name);
    return first_of(names, 4, " + ");
}

}  // namespace

int report_verb(const Words& words) {
    Words files;
    std::optional<std::string> output;
    std::optional<std::string> kernel_name;
    std::optional<std::string> title;
    bool overwrite = false;
    PredictionOptions options;
    ComparisonOptions compared;
    CommandLine line("report",
                     "Predicts a profile on other GPUs, and shows everything on one self-contained HTML page.");
    line.words("profile.json[:weight]", files, true,
               "profiles: gpuproj profile, run -o or import write them, - is stdin; of several, GPUs are compared for "
               "the mix, each program as often as its weight says, and the page shows one at a time in all other "
               "sections");
    line.option("-o,--output", "FILE", output, "the page, such as out.html, or - for stdout; required");
    line.flag("-f,--force", overwrite, "overwrite the page");
    line.option("-k,--kernel-name", "NAME|regex:RE", kernel_name, "only kernels of this name, of the first profile");
    line.option("--title", "TEXT", title, "what the page is about (default: the profiled command)");
    options.declare_prediction(line);
    compared.declare(line);
    line.parse(words);

    if (!output) throw UsageError("report: where to? name the page: gpuproj report " + files.front() + " -o out.html");
    compared.refuse_stdin_twice(files);
    const auto terms = compared.terms();
    check_output(*output, overwrite);
    const auto catalog = Catalog::open();
    options.resolve(catalog);
    const auto offers = compared.offers(catalog);
    std::deque<Program> programs;
    for (const auto& word : files) {
        auto& program = programs.emplace_back();
        std::tie(program.file, program.weight) = split_weight(word);
        const bool first = programs.size() == 1;
        program.profile =
            first ? read_profile_input(program.file) : read_usable_profile(program.file, options.accepts_partial());
        if (first && kernel_name) select_kernels(program.profile, *kernel_name);
        program.reference = reference_of(catalog, program.profile);
    }
    const auto& first = programs.front();
    const auto page_title = title.value_or(
        programs.size() > 1 ? names_of(programs) : report_title(first.profile, is_stdin(first.file) ? "" : first.file));
    write_html(options.html(programs, page_title, offers, terms), *output, overwrite);
    return 0;
}

}  // namespace gpuproj
