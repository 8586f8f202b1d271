// gpuproj validate TABLE: a model's error on measured data.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/schema.hpp"
#include "reports/validation.hpp"
#include "reports/validation_charts.hpp"
#include "targets/catalog.hpp"
#include "tools/gpuproj/gnuplot_program.hpp"
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/output_file.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {

namespace {

/// Loads each GPU once; null for names that no GPU has.
class GpuCache {
public:
    const Gpu* operator()(const std::string& name) {
        const auto [found, is_new] = gpus_.try_emplace(name);
        if (is_new) {
            try {
                found->second = std::make_unique<Gpu>(Catalog::load(catalog_.find(name)));
            } catch (const UsageError&) {
                return nullptr;  // counted by validate()
            }
        }
        return found->second.get();
    }

private:
    Catalog catalog_ = Catalog::open();
    std::map<std::string, std::unique_ptr<Gpu>> gpus_;
};

/// What --plot draws.
struct Plots {
    std::filesystem::path folder, scatter = folder / "scatter.svg", errors = folder / "errors.svg";
};

/// Throws Error if the drawings could not be written: before long work.
void check(const Plots& plots, bool force) {
    if (plots.folder.empty() || is_stdout(plots.folder))
        throw UsageError("validate: --plot: two drawings go to a folder; name one (./- is one of that name)");
    std::error_code ignored;
    if (!std::filesystem::exists(plots.folder, ignored)) return;
    for (const auto& file : {plots.scatter, plots.errors}) check_writable(file, force);
}

/// Throws Error if gnuplot is missing or a file is there already.
void draw(const Plots& plots, bool force, const ValidationTitle& title, const Validation& validation) {
    make_folder(plots.folder);
    check(plots, force);
    const auto keep = [&](const std::filesystem::path& file, const auto& chart) {
        write_file(file, drawn(Canvas{}, [&](const Canvas& on) { return chart(title, validation, on); }), force);
    };
    keep(plots.scatter, gnuplot_scatter);
    keep(plots.errors, gnuplot_errors);
    spdlog::info("drawn: {} and {}", plots.scatter.string(), plots.errors.string());
}

}  // namespace

int validate_verb(const Words& words) {
    std::string table;
    std::string model_name{default_model};
    ModelOptions options;
    std::uint64_t shortest_us = 100;
    std::optional<std::string> plot_folder;
    bool force = false;
    OutputOptions output;
    CommandLine line("validate",
                     "A model's error on measured data: every ordered pair of GPUs on which a kernel was measured, "
                     "predicted from the first, compared with the second.");
    line.word("TABLE", table, true,
              "observation table (CSV): kernel, gpu, grid, block, time_us and counters; - is stdin");
    line.option("--model", "MODEL", model_name, fmt::format("model (default: {})", default_model));
    line.flag("--use-reference-time", options.use_reference_time,
              "correct every prediction by measured / predicted time on the reference GPU");
    line.number("--shortest-us", shortest_us, "leave out shorter times, in microseconds (default: 100)");
    line.option("--plot", "DIR", plot_folder, "draw DIR/scatter.svg (predicted and measured) and DIR/errors.svg");
    line.flag("-f,--force", force, "overwrite these");
    output.declare(line);
    line.footer(
        "--csv prints one row per pair, --json and --md all figures. calibrated was fitted on such data: what "
        "it reaches on kernels and GPUs that it was not fitted on is in docs/calibrated.md.");
    line.parse(words);

    const Model& model = find_model(model_name);
    std::optional<Plots> plots;
    if (plot_folder) check(plots.emplace(Plots{*plot_folder}), force);
    GpuCache gpus;
    const Seconds shortest{static_cast<double>(shortest_us) / 1e6};
    const auto validation =
        validate(observations_from_csv(read_input(table), input_name(table), shortest, std::ref(gpus)), std::ref(gpus),
                 model, options);
    ValidationTitle title{std::filesystem::path(input_name(table)).filename().string(),
                          std::string(model.name),
                          options.use_reference_time,
                          {}};
    if (output.format() != OutputFormat::csv) title.baselines = baselines(validation, std::ref(gpus), model.name);
    switch (output.format()) {
        case OutputFormat::json:
            print_report(json_text(validation_to_json(title, validation)));
            break;
        case OutputFormat::csv:
            print_report(to_csv(pair_table(validation)));
            break;
        case OutputFormat::terminal:
        case OutputFormat::markdown:
            print_tables(validation_tables(title, validation), output.format());
            break;
    }
    if (validation.pairs.empty()) {
        throw Error(fmt::format("{}: no pair of GPUs could be predicted; the report says why", input_name(table)));
    }
    if (plots) draw(*plots, force, title, validation);
    return 0;
}

}  // namespace gpuproj
