// gpuproj compare p.json[:weight]...: which GPU for a mix of programs.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <deque>

#include "collector/records/sha256.hpp"
#include "model/error.hpp"
#include "reports/application.hpp"
#include "reports/comparison_report.hpp"
#include "targets/gpu_file.hpp"
#include "tools/gpuproj/build_info.hpp"
#include "tools/gpuproj/comparison_options.hpp"
#include "tools/gpuproj/evaluation_options.hpp"
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/report_writer.hpp"
#include "tools/gpuproj/verbs.hpp"
#include "tools/gpuproj/what_if.hpp"

namespace gpuproj {
namespace {

constexpr std::size_t most_rows_on_screen = 40;

/// The whole application of every program on every GPU, and what must be known of it; empty where no profile knows
/// transfers, idle or host time.
Table applications(std::span<const WorkloadPart> parts, std::span<const Gpu* const> gpus, const Model& model,
                   const ModelOptions& options, std::vector<std::string>& notes) {
    Table all = application_projection_table({"program", "program"}, "", {});
    const Model* const models = &model;
    for (const auto& part : parts) {
        const EvaluationInput input{*part.profile, gpus, {&models, 1}, part.reference, options};
        const auto times = application_times(input, evaluate_totals(input), 0);
        if (!knows_more_than_kernels(times)) continue;
        const auto table = application_projection_table(all.columns.front(), part.name, times);
        all.rows.insert(all.rows.end(), table.rows.begin(), table.rows.end());
        for (const auto& note : application_notes(measured_application(*part.profile)))
            notes.push_back(parts.size() > 1 ? fmt::format("{}: {}", part.name, note) : note);
    }
    return all;
}

std::vector<Fact> facts_of(const std::deque<Program>& programs, const Model& model, const ModelOptions& options) {
    std::vector<Fact> facts;
    facts.reserve(programs.size());
    for (const auto& program : programs) {
        facts.push_back({"program", fmt::format("{} x {}, {} counters of {}", program.weight, input_name(program.file),
                                                program.profile.provenance.counters, program.profile.gpu)});
    }
    facts.push_back({"model", fmt::format("{}{}", model.name,
                                          options.use_reference_time ? ", corrected by the reference time" : "")});
    return facts;
}

}  // namespace

int compare_verb(const Words& words) {
    Words files;
    ComparisonOptions wanted;
    EvaluationOptions options;
    WhatIf what_if;
    OutputOptions output;
    bool acceptance = false;
    bool all_rows = false;
    CommandLine line("compare", "Which GPU for a mix of programs: by time, per watt, per price, and how sure that is.");
    line.words("profile.json[:weight]", files, true,
               "the programs of the mix, each with how often it runs (default: 1); - is stdin");
    options.declare(line, "all");
    what_if.declare(line);
    wanted.declare(line);
    line.flag("--acceptance", acceptance,
              "instead: for a tender, the time each kernel takes at most on each GPU, with hashes");
    line.flag("--all-rows", all_rows, "on the screen too, every GPU");
    output.declare(line);
    line.footer("A mix is every program run as often as its weight says. Single GPU; scaling is not modelled.");
    line.parse(words);

    wanted.refuse_stdin_twice(files);
    what_if.resolve();
    const auto terms = wanted.terms();
    const auto catalog = Catalog::open();
    const auto& model = options.model();
    auto targets = options.targets(catalog);
    if (targets.empty() && what_if.changes_gpus()) {
        throw UsageError("--core-clock, --mem-clock and --set gpu.... change the GPUs of --target: name them");
    }
    if (targets.empty()) targets = catalog.select("all");
    targets = what_if.changed(std::move(targets), options.targets_are_all());
    const Model* const asked = &model;
    constexpr std::array<std::string_view, 3> read_by_comparison{"link_bandwidth_byte_per_s", "memory_byte", "tdp_w"};
    what_if.warn_of_unread({&asked, 1}, targets, read_by_comparison);
    const auto offers = wanted.offers(catalog);

    std::deque<Program> programs;
    for (const auto& word : files) {
        auto& program = programs.emplace_back();
        std::tie(program.file, program.weight) = split_weight(word);
        program.profile =
            what_if.changed(read_usable_profile(program.file, options.accepts_partial()), options.model_options());
        program.reference = reference_of(catalog, program.profile);
        if (!program.reference) {
            spdlog::warn(
                "{}: its GPU '{}' is not among those of gpuproj targets list, and most models need its parameters: add "
                "it (targets derive, then targets add)",
                input_name(program.file), program.profile.gpu);
        }
    }
    const auto parts = parts_of(programs);
    std::vector<const Gpu*> gpus;
    gpus.reserve(targets.size());
    for (const auto& gpu : targets) gpus.push_back(&gpu);

    ReportDocument document;
    document.schema = "gpuproj.comparison";
    document.facts = facts_of(programs, model, options.model_options());
    if (acceptance) {
        AcceptanceHashes hashes;
        for (const auto& program : programs) hashes.profiles.push_back(records::sha256(read_input(program.file)));
        hashes.gpu = [](const Gpu& gpu) { return records::sha256(gpu_file_text(gpu)); };
        hashes.tool = version;
        document.parts = {{"acceptance", acceptance_table(parts, gpus, model, options.model_options(), hashes)}};
        document.notes = {"With a probability of 90 % by the model's own interval; single GPU; scaling not modelled."};
        print_document(document, output.format());
        return 0;
    }
    const auto comparison = compare(parts, gpus, model, options.model_options(), offers, terms);
    const bool on_screen = output.format() == OutputFormat::terminal;
    document.summary = comparison_summary(comparison);
    document.notes = comparison_notes(comparison, parts, terms);
    const bool several = programs.size() > 1;
    for (auto& [key, table] : comparison_tables(comparison, parts)) {
        const bool on_screen_too = key != "programs" || (several && targets.size() <= 8);
        document.parts.push_back({key, std::move(table), on_screen_too});
    }
    auto whole = applications(parts, gpus, model, options.model_options(), document.notes);
    document.parts.push_back({"applications", std::move(whole), gpus.size() <= 8});
    auto& ranking = document.parts.front().table;
    if (on_screen && !all_rows && ranking.rows.size() > most_rows_on_screen) {
        document.notes.push_back(fmt::format("{} more GPUs; --all-rows, --csv, --json and --md show them.",
                                             ranking.rows.size() - most_rows_on_screen));
        ranking.rows.resize(most_rows_on_screen);
    }
    print_document(document, output.format());
    if (!comparison.best) throw Error("no GPU is left; the report says why each is ruled out");
    return 0;
}

}  // namespace gpuproj
