#include "reports/facts.hpp"

#include <fmt/format.h>

#include "reports/format.hpp"

namespace gpuproj {
namespace {

std::string clock(const std::optional<Hertz>& clock) {
    return clock ? for_people(clock->value, Unit::hertz) : "";
}

}  // namespace

std::vector<Fact> report_facts(const EvaluationInput& input, std::span<const Model* const> models, bool provenance) {
    const auto& profile = input.profile;
    const auto& from = profile.provenance;
    std::vector<Fact> facts;
    const auto add = [&](std::string what, std::string value) {
        if (!value.empty()) facts.push_back({std::move(what), std::move(value)});
    };
    add("application", from.command.value_or(""));
    add("source", from.source.value_or(""));
    add("reference GPU", profile.gpu);
    add("counters", from.collector.empty() ? from.counters : fmt::format("{} ({})", from.counters, from.collector));
    if (provenance) {
        add("program sha256", from.program_sha256.value_or(""));
        add("gpuproj", from.tool_version.value_or(""));
        add("toolkit", from.toolkit_version.value_or(""));
        add("driver", from.driver_version.value_or(""));
        add("core clock", clock(from.core_clock));
        add("memory clock", clock(from.memory_clock));
        add("ECC", from.ecc ? (*from.ecc ? "on" : "off") : "");
        add("date", from.date.value_or(""));
    }
    std::vector<std::string_view> names;
    for (const Model* model : models) names.push_back(model->name);
    add(names.size() == 1 ? "model" : "models", fmt::format("{}", fmt::join(names, ", ")));
    const auto& options = input.options;
    if (options.k_type) add("counted as", fmt::format("{} operations, as asked for", name_of(*options.k_type)));
    if (options.integer_as_additions) add("integer work", "at the rate of additions");
    if (options.use_reference_time) {
        add("corrected", "by measured / predicted time on the reference GPU (E_util); no longer a lower bound on time");
    }
    if (profile.partial) add("PARTIAL", "the application ended early; kernels are missing");
    for (const auto& note : profile.notes) add("note", note);
    return facts;
}

Table fact_table(std::span<const Fact> facts) {
    Table table{.title = "Report", .columns = {{"what", "what"}, {"value", "value"}}};
    for (const auto& fact : facts) table.rows.push_back({fact.what, fact.value});
    return table;
}

}  // namespace gpuproj
