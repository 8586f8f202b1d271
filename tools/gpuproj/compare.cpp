// gpuproj compare p.json[:weight]...: which GPU for a mix of programs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "collector/records/sha256.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"
#include "reports/application.hpp"
#include "reports/comparison_report.hpp"
#include "targets/gpu_file.hpp"
#include "tools/gpuproj/build_info.hpp"
#include "tools/gpuproj/evaluation_options.hpp"
#include "tools/gpuproj/price_file.hpp"
#include "tools/gpuproj/report_writer.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_rows_on_screen = 40;

/// "p.json:3" -> p.json and 3. A file whose name has a colon is taken as it is, if it is there.
std::pair<std::string, double> split_weight(const std::string& word) {
    const auto colon = word.rfind(':');
    std::error_code ignored;
    if (colon == std::string::npos || fs::exists(word, ignored)) return {word, 1};
    return {word.substr(0, colon),
            positive_number(word.substr(colon + 1), fmt::format("the weight of {}:", word.substr(0, colon)))};
}

struct Amount {
    std::optional<std::string> text;
    std::string option;
    std::optional<double> value(double scale = 1) const {
        return text ? std::optional(scale * positive_number(*text, option)) : std::nullopt;
    }
};

/// The options about what is asked for and what things cost.
class TermOptions {
public:
    void declare(CommandLine& line) {
        line.option("--prices", "FILE", prices_,
                    "the buyer's CSV: gpu, price, currency, date[, power_w, node_price, node_power_w, gpus_per_node]");
        line.choice("--weights", {"jobs", "hours"}, weights_,
                    "what a profile's weight counts: jobs (default), or GPU-hours on its own GPU");
        amount(line, "--mixes-per-hour", "N", mixes_per_hour_, "throughput to reach: how many GPUs that needs");
        amount(line, "--deadline", "SECONDS", deadline_, "time for one mix: how many GPUs that needs");
        amount(line, "--lifetime", "YEARS", lifetime_, "in which the price is written off: gives the cost of a mix");
        amount(line, "--utilisation", "SHARE", utilisation_, "of the lifetime at work, 0 to 1 (default: 1)");
        amount(line, "--tariff", "PRICE", tariff_, "of a kWh");
        amount(line, "--pue", "FACTOR", pue_, "power of the building / power of the computers (default: 1)");
        amount(line, "--max-power", "WATTS", most_power_, "rule out what draws more, for all GPUs needed");
        amount(line, "--min-memory", "GIB", least_memory_, "rule out GPUs with less (default: what the profiles need)");
        amount(line, "--min-fp64", "GFLOPS", least_fp64_, "rule out GPUs with less fp64");
        amount(line, "--min-link", "GBPS", least_link_, "rule out GPUs with a slower or unknown host link");
        line.flag("--ecc", ecc_, "rule out GPUs not known to have ECC memory");
    }

    const std::optional<std::string>& prices() const { return prices_; }

    ComparisonTerms terms() const {
        constexpr double year = 365.25 * 86400;
        constexpr double gib = 1024.0 * 1024.0 * 1024.0;
        ComparisonTerms terms;
        terms.weights_are_hours = weights_ == "hours";
        if (mixes_per_hour_.text && deadline_.text)
            throw UsageError("--mixes-per-hour and --deadline: give one of them");
        terms.mixes_per_s = mixes_per_hour_.value(1 / 3600.0);
        if (const auto value = deadline_.value()) terms.deadline = Seconds{*value};
        if (const auto value = lifetime_.value(year)) terms.lifetime = Seconds{*value};
        terms.utilisation = utilisation_.value().value_or(1);
        if (terms.utilisation > 1) throw UsageError("--utilisation: is a share of the lifetime, at most 1");
        terms.per_kwh = tariff_.value();
        terms.pue = pue_.value().value_or(1);
        if (terms.pue < 1) throw UsageError("--pue: is at least 1");
        if (const auto value = most_power_.value()) terms.most_power = Watts{*value};
        if (const auto value = least_memory_.value(gib)) terms.least_memory = Bytes{*value};
        if (const auto value = least_fp64_.value(1e9)) terms.least_fp64 = OperationsPerSecond{*value};
        if (const auto value = least_link_.value(1e9)) terms.least_link = BytesPerSecond{*value};
        terms.needs_ecc = ecc_;
        return terms;
    }

private:
    static void amount(CommandLine& line, const std::string& name, const std::string& unit, Amount& amount,
                       const std::string& help) {
        amount.option = name;
        line.option(name, unit, amount.text, help);
    }

    std::optional<std::string> prices_;
    std::string weights_ = "jobs";
    Amount mixes_per_hour_, deadline_, lifetime_, utilisation_, tariff_, pue_, most_power_, least_memory_, least_fp64_,
        least_link_;
    bool ecc_ = false;
};

/// A profile of the mix with its GPU, in one place so that a WorkloadPart can point to them.
struct Program {
    std::string file;
    double weight = 1;
    Profile profile;
    std::optional<Gpu> reference;
};

/// The whole application of every program on every GPU; empty where no profile knows transfers or host time.
Table applications(std::span<const WorkloadPart> parts, std::span<const Gpu* const> gpus, const Model& model,
                   const ModelOptions& options) {
    Table all = application_projection_table("", {});
    const Model* const models = &model;
    for (const auto& part : parts) {
        const EvaluationInput input{*part.profile, gpus, {&models, 1}, part.reference, options};
        const auto times = application_times(input, evaluate_totals(input), 0);
        const auto known = [](const ApplicationTime& time) { return time.transfers || time.host; };
        if (std::none_of(times.begin(), times.end(), known)) continue;
        auto table = application_projection_table(part.name, times);
        all.rows.insert(all.rows.end(), table.rows.begin(), table.rows.end());
    }
    return all;
}

std::vector<Fact> facts_of(const std::vector<Program>& programs, const Model& model, const ModelOptions& options) {
    std::vector<Fact> facts;
    for (const auto& program : programs) {
        facts.push_back({"program", fmt::format("{} x {}, {} counters of {}", program.weight, program.file,
                                                program.profile.provenance.counters, program.profile.gpu)});
    }
    facts.push_back({"model", fmt::format("{}{}", model.name,
                                          options.use_reference_time ? ", corrected by the reference time" : "")});
    return facts;
}

}  // namespace

int compare_verb(const Words& words) {
    Words files;
    TermOptions wanted;
    EvaluationOptions options;
    OutputOptions output;
    bool acceptance = false;
    bool all_rows = false;
    CommandLine line("compare", "Which GPU for a mix of programs: by time, per watt, per price, and how sure that is.");
    line.words("profile.json[:weight]", files, true,
               "the programs of the mix, each with how often it runs (default: 1)");
    options.declare(line, "all");
    wanted.declare(line);
    line.flag("--acceptance", acceptance,
              "instead: for a tender, the time each kernel takes at most on each GPU, with hashes");
    line.flag("--all-rows", all_rows, "on the screen too, every GPU");
    output.declare(line);
    line.footer("A mix is every program run as often as its weight says. Single GPU; scaling is not modelled.");
    line.parse(words);

    const auto terms = wanted.terms();
    const auto catalog = Catalog::open();
    const auto& model = options.model();
    auto targets = options.targets(catalog);
    if (targets.empty()) targets = catalog.select("all");
    const auto offers = wanted.prices() ? read_offers(*wanted.prices(), catalog) : std::vector<Offer>{};

    std::vector<Program> programs;
    for (const auto& word : files) {
        auto& program = programs.emplace_back();
        std::tie(program.file, program.weight) = split_weight(word);
        program.profile = read_usable_profile(program.file, options.accepts_partial());
        program.reference = known_gpu(catalog, program.profile.gpu);
    }
    std::vector<WorkloadPart> parts;
    for (const auto& program : programs) {
        parts.push_back({&program.profile, program.reference ? &*program.reference : nullptr,
                         fs::path(program.file).stem().string(), program.weight});
    }
    std::vector<const Gpu*> gpus;
    for (const auto& gpu : targets) gpus.push_back(&gpu);

    ReportDocument document;
    document.schema = "gpuproj.comparison";
    document.facts = facts_of(programs, model, options.model_options());
    if (acceptance) {
        AcceptanceHashes hashes;
        for (const auto& program : programs) hashes.profiles.push_back(records::sha256(read_file(program.file)));
        hashes.gpu = [](const Gpu& gpu) { return records::sha256(gpu_file_text(gpu)); };
        hashes.tool = version;
        document.parts = {{"acceptance", acceptance_table(parts, gpus, model, options.model_options(), hashes)}};
        document.notes = {"With a probability of 90 % by the model's own interval; single GPU; scaling not modelled."};
        print_document(document, output.format());
        return 0;
    }
    const auto comparison = compare(parts, gpus, model, options.model_options(), offers, terms);
    const bool on_screen = output.format() == OutputFormat::terminal;
    auto ranking = ranking_table(comparison);
    document.summary = comparison_summary(comparison);
    document.notes = comparison_notes(comparison, parts, terms);
    if (on_screen && !all_rows && ranking.rows.size() > most_rows_on_screen) {
        document.notes.push_back(fmt::format("{} more GPUs; --all-rows, --csv, --json and --md show them.",
                                             ranking.rows.size() - most_rows_on_screen));
        ranking.rows.resize(most_rows_on_screen);
    }
    const bool several = programs.size() > 1;
    document.parts = {{"ranking", std::move(ranking)},
                      {"programs", part_table(comparison, parts), several && targets.size() <= 8},
                      {"price_sensitivity", price_sensitivity_table(comparison)},
                      {"weight_sensitivity", weight_sensitivity_table(comparison, parts)},
                      {"applications", applications(parts, gpus, model, options.model_options()), gpus.size() <= 8}};
    print_document(document, output.format());
    if (!comparison.best) throw Error("no GPU is left; the report says why each is ruled out");
    return 0;
}

}  // namespace gpuproj
