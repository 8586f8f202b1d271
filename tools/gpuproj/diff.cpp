// gpuproj diff before.json after.json: two versions of a program.
#include <fmt/format.h>

#include "model/error.hpp"
#include "reports/comparison_report.hpp"
#include "reports/format.hpp"
#include "reports/kernel_names.hpp"
#include "reports/profile_difference.hpp"
#include "tools/gpuproj/evaluation_options.hpp"
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/report_writer.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {
namespace {

std::string sentence(const ProfileDifference& difference) {
    if (difference.refused_before + difference.refused_after > 0) {
        return fmt::format("On {}: {} before and {} after, without the {} and {} records that are not predicted.",
                           difference.gpu, for_people(difference.before.value, Unit::seconds),
                           for_people(difference.after.value, Unit::seconds), difference.refused_before,
                           difference.refused_after);
    }
    const auto said =
        fmt::format("On {}: {} before, {} after, {:.2f} times as fast", difference.gpu,
                    for_people(difference.before.value, Unit::seconds),
                    for_people(difference.after.value, Unit::seconds), ratio(difference.before, difference.after));
    const auto& interval = difference.interval;
    if (!interval || !interval->probability_faster) return said + ".";
    return fmt::format("{}, 80 % between {:.2f} and {:.2f}; with a probability of {} it is the faster one.", said,
                       *interval->speed_up_low, *interval->speed_up_high, chance_text(*interval->probability_faster));
}

}  // namespace

int diff_verb(const Words& words) {
    std::string before_file;
    std::string after_file;
    EvaluationOptions options;
    OutputOptions output;
    CommandLine line("diff", "What a change of a program means for its kernels' times on a GPU.");
    line.word("before.json", before_file, true, "the profile of the version before; - is stdin");
    line.word("after.json", after_file, true, "the profile of the version after; - is stdin");
    options.declare(line, "the GPU of before.json");
    output.declare(line);
    line.parse(words);
    refuse_stdin_twice({before_file, after_file});

    const auto catalog = Catalog::open();
    auto targets = options.targets(catalog);
    const auto before = read_usable_profile(before_file, options.accepts_partial());
    const auto after = read_usable_profile(after_file, options.accepts_partial());
    const auto from = reference_of(catalog, before), to = reference_of(catalog, after);
    if (targets.empty()) targets = {catalog.get(before.gpu)};
    if (targets.size() > 1)
        throw UsageError(fmt::format("diff compares on one GPU; --target names {}", targets.size()));
    const auto result = difference(before, from ? &*from : nullptr, after, to ? &*to : nullptr, targets.front(),
                                   options.model(), options.model_options());
    ReportDocument document;
    document.schema = "gpuproj.difference";
    document.facts = {
        {"before",
         fmt::format("{}, {} counters of {}", input_name(before_file), before.provenance.counters, before.gpu)},
        {"after", fmt::format("{}, {} counters of {}", input_name(after_file), after.provenance.counters, after.gpu)}};
    document.summary = {sentence(result)};
    auto table = difference_table(result);
    if (output.format() == OutputFormat::terminal) {
        for (auto& row : table.rows) row.front() = short_kernel_name(std::get<std::string>(row.front()));
    }
    document.parts = {{"kernels", std::move(table)}};
    if (result.interval) {
        document.notes.emplace_back(
            "Intervals take the errors of kernels that changed for independent of those before: two versions that the "
            "model misses alike are surer. Kernels that did not change add nothing.");
    }
    if (before.gpu != after.gpu)
        document.notes.emplace_back("The two profiles come from different GPUs: part of the difference may be theirs.");
    print_document(document, output.format());
    return 0;
}

}  // namespace gpuproj
