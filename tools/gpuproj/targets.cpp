// gpuproj targets ACTION: the stored GPUs. list, show and check are here.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/gpu_io.hpp"
#include "model/near_names.hpp"
#include "model/schema.hpp"
#include "reports/gpus.hpp"
#include "reports/gpus_page.hpp"
#include "targets/catalog.hpp"
#include "targets/check.hpp"
#include "tools/gpuproj/build_info.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/targets_actions.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {
namespace {

int list(const Words& words) {
    OutputOptions output;
    std::optional<std::string> html;
    bool force = false;
    CommandLine line("targets list", "The GPUs that --ref and --target know: those of gpuproj and your own.");
    line.option("--html", "FILE", html,
                "write a page to sort, filter and compare them, with all that is known of each");
    line.flag("-f,--force", force, "overwrite FILE");
    output.declare(line);
    line.footer(
        "Your own GPU files are read from $GPUPROJ_TARGETS (directories, colon-separated) and "
        "~/.config/gpuproj/targets.");
    line.parse(words);

    if (html) check_writable(*html, force);
    std::vector<Gpu> gpus;
    const auto catalog = Catalog::open();
    for (const auto& stored : catalog.gpus()) gpus.push_back(Catalog::load(stored));
    if (html) {
        write_file(*html, gpus_page(gpus, version), force);
        spdlog::info("page written to {}", *html);
        return 0;
    }
    const auto table = gpu_table(gpus);
    print_tables({&table, 1}, output.format());
    return 0;
}

int show(const Words& words) {
    OutputOptions output;
    Words names;
    bool provenance = false;
    bool differences = false;
    CommandLine line("targets show", "All that is known of GPUs.");
    line.words("GPU", names, true, "names or GPU files");
    line.flag("--provenance", provenance, "with the source and uncertainty of every value");
    line.flag("--differences", differences, "of two GPUs and more only what differs, side by side");
    output.declare(line);
    line.parse(words);

    const auto catalog = Catalog::open();
    std::vector<Gpu> gpus;
    for (const auto& name : names) {
        for (auto& gpu : catalog.select(name)) gpus.push_back(std::move(gpu));
    }
    const auto format = output.format();
    if (differences) {
        if (gpus.size() < 2) throw UsageError("targets show: --differences needs two GPUs or more");
        const auto table = format == OutputFormat::terminal ? gpu_differences_for_people(gpus) : gpu_differences(gpus);
        print_tables({&table, 1}, format);
        return 0;
    }
    if (format == OutputFormat::json) {
        auto json = nlohmann::ordered_json::array();
        for (const auto& gpu : gpus) json.push_back(gpu_to_json(gpu));
        print_report(json_text(json.size() == 1 ? json.front() : json));
        return 0;
    }
    if (format == OutputFormat::csv) {
        // One table with the GPU's name in front, whatever their number.
        Table all;
        for (const auto& gpu : gpus) {
            auto table = gpu_parameter_table(gpu, true);
            if (all.columns.empty()) {
                all.columns = table.columns;
                all.columns.insert(all.columns.begin(), Column{"gpu", "GPU", Unit::none});
            }
            for (auto& row : table.rows) {
                row.insert(row.begin(), gpu.name);
                all.rows.push_back(std::move(row));
            }
        }
        print_tables({&all, 1}, format);
        return 0;
    }
    std::string text;
    const auto screen = stdout_screen();
    for (const auto& gpu : gpus) {
        if (!text.empty()) text += "\n";
        text += format == OutputFormat::markdown ? to_markdown(gpu_parameter_table(gpu, provenance))
                                                 : gpu_to_terminal(gpu, provenance, screen);
    }
    print_report(text);
    return 0;
}

int check(const Words& words) {
    OutputOptions output;
    Words names;
    CommandLine line("targets check",
                     "Looks for gaps, impossible values and contradictions. Exit code 1 if there are any.");
    line.words("GPU", names, false, "names or GPU files; none: all stored GPUs");
    output.declare(line);
    line.parse(words);

    const auto catalog = Catalog::open();
    std::vector<Finding> findings;
    if (names.empty()) {
        findings = check_catalog(catalog);
    } else {
        for (const auto& name : names) {
            for (const auto& gpu : catalog.select(name)) {
                for (auto* const part : {&check_values, &check_completeness}) {
                    for (auto& finding : part(gpu)) findings.push_back(std::move(finding));
                }
            }
        }
    }
    Table table{.title = {}, .columns = {{"gpu", "GPU"}, {"parameter", "parameter"}, {"finding", "finding"}}};
    for (const auto& finding : findings) {
        table.rows.push_back({finding.gpu, finding.parameter.empty() ? Cell{} : Cell{finding.parameter}, finding.what});
    }
    const auto format = output.format();
    if (format == OutputFormat::terminal && findings.empty()) {
        print_report("nothing found\n");
    } else {
        print_tables({&table, 1}, format);
    }
    return findings.empty() ? 0 : 1;
}

struct Action {
    std::string_view name;
    std::string_view does;
    int (*run)(const Words& words);
};
constexpr std::array actions = {
    Action{"list", "the GPUs that --ref and --target know", list},
    Action{"show", "all that is known of one", show},
    Action{"check", "gaps, impossible values, contradictions", check},
    Action{"derive", "a description from a datasheet; --validate: how well that works", targets_derive},
    Action{"bench", "measures a device of this machine", targets_bench},
    Action{"import", "GPU files of what other tools measured", targets_import},
    Action{"add", "store GPU files among your own", targets_add},
};

}  // namespace

int targets_verb(const Words& words) {
    Words names;
    std::string overview = "Usage: gpuproj targets ACTION\n\nActions (gpuproj targets ACTION --help says more):\n";
    for (const auto& action : actions) {
        names.emplace_back(action.name);
        overview += fmt::format("  {:<8} {}\n", action.name, action.does);
    }
    std::size_t at = 0;  // options in front of the action are the action's
    while (at < words.size() && words[at].starts_with('-') && words[at] != "-h" && words[at] != "--help") {
        at += words[at] == "--log-level" ? 2 : 1;
    }
    if (at >= words.size()) throw UsageError(fmt::format("targets: which action? {}", fmt::join(names, ", ")));
    if (words[at].starts_with('-')) throw HelpAsked{overview};
    for (const auto& action : actions) {
        if (action.name != words[at]) continue;
        Words rest = words;
        rest.erase(rest.begin() + std::ptrdiff_t(at));
        return action.run(rest);
    }
    const auto near = did_you_mean(words[at], names);
    throw UsageError(fmt::format("targets: unknown action '{}'{}", words[at],
                                 near.empty() ? fmt::format("; actions: {}", fmt::join(names, ", ")) : near));
}

}  // namespace gpuproj
