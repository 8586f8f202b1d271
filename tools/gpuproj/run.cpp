// gpuproj run APP: profile, predict, report.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "tools/gpuproj/collect_options.hpp"
#include "tools/gpuproj/evaluation_options.hpp"
#include "tools/gpuproj/html_output.hpp"
#include "tools/gpuproj/report_options.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {

int run_verb(const Words& words) {
    CollectOptions collecting;
    PredictionOptions predicting;
    CommandLine line("run", "Runs an application, and predicts the time of its kernels on other GPUs.");
    std::optional<std::string> page;
    predicting.declare(line);
    collecting.declare(line);
    line.option("--html", "FILE", page, "also write the report as one HTML page");
    auto application = line.parse_with_application(words, collecting.dry_run());
    if (collecting.dry_run()) return collecting.print_plan(), 0;

    const auto catalog = Catalog::open();
    predicting.resolve(catalog);
    if (page) {
        check_writable(*page, collecting.overwrites());
        const auto place = [](const std::string& file) { return std::filesystem::absolute(file).lexically_normal(); };
        if (const auto profile = collecting.output_file(); profile && place(*profile) == place(*page))
            throw UsageError(fmt::format("-o and --html name one file, {}: the page would replace the profile", *page));
    }
    auto request = collecting.request(catalog, std::move(application));
    const bool for_people = predicting.format() == OutputFormat::terminal;
    request.application_stdout_to_stderr = !for_people;
    const auto result = collecting.collect(request);
    if (result.profile.partial && !predicting.accepts_partial()) {
        if (!result.profile.kernels.empty())
            spdlog::info("not predicted; --partial predicts what was counted{}",
                         collecting.output_file() ? "" : ", and -o FILE keeps it");
        return result.application_status != 0 ? result.application_status : 1;
    }
    if (for_people) print_report("\n");  // sets the report apart from what the application printed
    predicting.print(result.profile, catalog);
    if (page) {
        const auto title = report_title(result.profile, "");
        std::deque<Program> programs;
        programs.push_back({title, 1, result.profile, reference_of(catalog, result.profile)});
        write_html(predicting.html(std::move(programs), title, {}, {}), *page, collecting.overwrites());
    }
    return result.application_status;
}

}  // namespace gpuproj
