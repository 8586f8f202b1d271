#include "reports/html_comparison.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/comparison_report.hpp"
#include "reports/html_columns.hpp"

namespace gpuproj {
namespace {

using Json = nlohmann::ordered_json;

/// Cells are made apart: GCC 12 sees uninitialised texts in lists of conditional ones.
Cell cell(const std::optional<double>& value) {
    if (!value) return {};
    return *value;
}
Cell cell(const std::optional<Seconds>& value) {
    if (!value) return {};
    return value->value;
}

Json number(const std::optional<Seconds>& value) {
    return brief_number(value ? std::optional(value->value) : std::nullopt);
}

std::optional<std::size_t> place_of(const std::string& gpu, std::span<const Gpu* const> targets) {
    const auto found = std::find_if(targets.begin(), targets.end(), [&](const Gpu* t) { return t->name == gpu; });
    if (found == targets.end()) return std::nullopt;
    return static_cast<std::size_t>(found - targets.begin());
}

}  // namespace

Json comparison_by_target(const Comparison& comparison, std::span<const Gpu* const> targets) {
    Table table{.title = "Comparison",
                .columns = {{"speed_up", "speed-up", Unit::factor},
                            {"speed_up_low", "80 % from", Unit::factor},
                            {"speed_up_high", "to", Unit::factor},
                            {"probability_fastest", "chance to be the fastest", Unit::fraction}}};
    table.rows.resize(targets.size(), std::vector<Cell>(table.columns.size()));
    for (const auto& row : comparison.rows) {
        if (const auto target = place_of(row.gpu->name, targets)) {
            table.rows[*target] = {cell(row.speed_up), cell(row.speed_up_low), cell(row.speed_up_high),
                                   cell(row.probability_fastest)};
        }
    }
    return columns_to_json(table, true);
}

Json comparison_to_json(const Comparison& comparison, std::span<const WorkloadPart> parts, const ComparisonTerms& terms,
                        std::span<const Gpu* const> targets) {
    Json json = {{"summary", comparison_summary(comparison)},
                 {"notes", comparison_notes(comparison, parts, terms)},
                 {"model", comparison.model},
                 {"currency", comparison.currency},
                 {"weights_are_hours", terms.weights_are_hours},
                 {"names", Json::array()},
                 {"weights", Json::array()},
                 {"jobs", comparison.jobs},
                 {"owned", nullptr},
                 {"target", Json::array()},
                 {"gpus_per_node", Json::array()},
                 {"candidate", Json::array()}};
    for (const auto& part : parts) {
        json["names"].push_back(part.name);
        json["weights"].push_back(part.weight);
    }
    for (std::size_t at = 0; at < comparison.rows.size(); ++at) {
        const auto& row = comparison.rows[at];
        if (row.owned) json["owned"] = at;
        const auto target = place_of(row.gpu->name, targets);
        json["target"].push_back(target ? Json(*target) : Json(nullptr));
        json["gpus_per_node"].push_back(row.gpus_per_node);
        json["candidate"].push_back(comparison.best && is_candidate(row, comparison.rows[*comparison.best]));
    }
    json["terms"] = {{"mixes_per_s", brief_number(terms.mixes_per_s)},
                     {"deadline_s", number(terms.deadline)},
                     {"per_kwh", brief_number(terms.per_kwh)},
                     {"lifetime_s", number(terms.lifetime)},
                     {"utilisation", terms.utilisation}};
    for (const auto& [key, table] : comparison_tables(comparison, parts)) json[key] = columns_to_json(table);
    return json;
}

Json application_to_json(const MeasuredApplication& measured, std::span<const ApplicationTime> times) {
    Table table{.title = "Application",
                .columns = {{"transfers_s", "transfers", Unit::seconds},
                            {"transfers_are", "transfers are"},
                            {"gpu_idle_s", "GPU idle", Unit::seconds},
                            {"host_s", "host", Unit::seconds},
                            {"not_modelled_s", "not modelled", Unit::seconds}}};
    for (const auto& time : times) {
        auto& row = table.rows.emplace_back(table.columns.size());
        row[0] = cell(time.transfers);
        if (!time.transfers_are.empty()) row[1] = std::string(time.transfers_are);
        row[2] = cell(time.idle);
        row[3] = cell(time.host);
        row[4] = time.not_modelled.value;
    }
    return {{"measured",
             {{"kernels_s", number(measured.kernels)},
              {"transfers_s", number(measured.transfers)},
              {"gpu_idle_s", number(measured.idle)},
              {"host_s", number(measured.host)}}},
            {"notes", application_notes(measured)},
            {"targets", columns_to_json(table, true)}};
}

}  // namespace gpuproj
