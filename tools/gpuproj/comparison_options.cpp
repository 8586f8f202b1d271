#include "tools/gpuproj/comparison_options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "model/error.hpp"
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/price_file.hpp"

namespace gpuproj {

namespace fs = std::filesystem;

std::pair<std::string, double> split_weight(const std::string& word) {
    const auto colon = word.rfind(':');
    std::error_code ignored;
    if (colon == std::string::npos || fs::exists(word, ignored)) return {word, 1};
    return {word.substr(0, colon),
            positive_number(word.substr(colon + 1), fmt::format("the weight of {}:", word.substr(0, colon)))};
}

std::optional<double> ComparisonOptions::Amount::value(double scale) const {
    return text ? std::optional(scale * positive_number(*text, option)) : std::nullopt;
}

void ComparisonOptions::amount(CommandLine& line, const std::string& name, const std::string& unit, Amount& amount,
                               const std::string& help) {
    amount.option = name;
    line.option(name, unit, amount.text, help);
}

void ComparisonOptions::declare(CommandLine& line) {
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
    amount(line, "--max-nodes", "N", most_nodes_, "rule out what needs more nodes for the throughput or the deadline");
    amount(line, "--min-memory", "GIB", least_memory_, "rule out GPUs with less (default: what the profiles need)");
    amount(line, "--min-fp64", "GFLOPS", least_fp64_, "rule out GPUs with less fp64");
    amount(line, "--min-link", "GBPS", least_link_, "rule out GPUs with a slower or unknown host link");
    line.flag("--ecc", ecc_, "rule out GPUs not known to have ECC memory");
}

ComparisonTerms ComparisonOptions::terms() const {
    constexpr double year = 365.25 * 86400;
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    ComparisonTerms terms;
    terms.weights_are_hours = weights_ == "hours";
    if (mixes_per_hour_.text && deadline_.text) throw UsageError("--mixes-per-hour and --deadline: give one of them");
    terms.mixes_per_s = mixes_per_hour_.value(1 / 3600.0);
    if (const auto value = deadline_.value()) terms.deadline = Seconds{*value};
    if (const auto value = lifetime_.value(year)) terms.lifetime = Seconds{*value};
    terms.utilisation = utilisation_.value().value_or(1);
    if (terms.utilisation > 1) throw UsageError("--utilisation: is a share of the lifetime, at most 1");
    terms.per_kwh = tariff_.value();
    terms.pue = pue_.value().value_or(1);
    if (terms.pue < 1) throw UsageError("--pue: is at least 1");
    if (const auto value = most_power_.value()) terms.most_power = Watts{*value};
    terms.most_nodes = most_nodes_.value();
    if (terms.most_nodes && !terms.mixes_per_s && !terms.deadline)
        throw UsageError("--max-nodes: needs --mixes-per-hour or --deadline, which say how many GPUs it takes");
    if (const auto value = least_memory_.value(gib)) terms.least_memory = Bytes{*value};
    if (const auto value = least_fp64_.value(1e9)) terms.least_fp64 = OperationsPerSecond{*value};
    if (const auto value = least_link_.value(1e9)) terms.least_link = BytesPerSecond{*value};
    terms.needs_ecc = ecc_;
    return terms;
}

void ComparisonOptions::refuse_stdin_twice(const Words& mix) const {
    Words files;
    for (const auto& word : mix) files.push_back(split_weight(word).first);
    if (prices_) files.push_back(*prices_);
    gpuproj::refuse_stdin_twice(files);
}

std::vector<Offer> ComparisonOptions::offers(const Catalog& catalog) const {
    return prices_ ? read_offers(*prices_, catalog) : std::vector<Offer>{};
}

std::vector<WorkloadPart> parts_of(const std::deque<Program>& programs) {
    std::vector<WorkloadPart> parts;
    std::set<std::string> stems;
    for (const auto& program : programs) stems.insert(fs::path(input_name(program.file)).stem().string());
    for (const auto& program : programs) {
        const fs::path file(input_name(program.file));
        // Files of one name in several folders go by their whole names.
        const auto name = stems.size() == programs.size() ? file.stem() : fs::path(file).replace_extension();
        parts.push_back(
            {&program.profile, program.reference ? &*program.reference : nullptr, name.string(), program.weight});
    }
    return parts;
}

}  // namespace gpuproj
