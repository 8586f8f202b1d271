#include "reports/html_predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

namespace gpuproj {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> number(const std::optional<Seconds>& duration) {
    return duration ? std::optional(duration->value) : std::nullopt;
}

Table totals_table(std::span<const EvaluationTotal> totals, std::size_t kernels, const std::vector<Seconds>& sums) {
    Table table{.title = "Totals",
                .columns = {{"duration_s", "time", Unit::seconds},
                            {"low_s", "80 % from", Unit::seconds},
                            {"high_s", "to", Unit::seconds},
                            {"covered_share", "covered", Unit::fraction},
                            {"kernels_refused", "not predicted", Unit::count},
                            {"rest_s", "other kernels", Unit::seconds}}};
    for (const auto& total : totals) {
        const auto cell = [](const auto& value) { return value ? Cell{value->value} : Cell{}; };
        const bool all_shown = total.kernels_predicted + total.kernels_refused == kernels;
        Cell rest;
        if (!all_shown && total.duration) rest = std::max(0.0, total.duration->value - sums[total.target].value);
        auto& row = table.rows.emplace_back();
        row = {cell(total.duration), cell(total.low), cell(total.high), total.covered_share};
        row.emplace_back(static_cast<std::int64_t>(total.kernels_refused));
        row.push_back(std::move(rest));
    }
    return table;
}

/// Bytes that a place among `count` takes.
std::size_t width_of_places(std::size_t count) {
    return count <= 0x100 ? 1 : count <= 0x10000 ? 2 : 4;
}

double nine_digits(double value) {
    return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr);
}

void add_intervals(Json& predictions, const ShownModel& shown) {
    predictions["intervals"] = Json::array();
    predictions["interval_at"] = nullptr;
    predictions["interval_width"] = 1;
    if (shown.low.empty()) return;
    std::map<std::pair<double, double>, std::uint32_t> known;  // no interval is [0, 0]
    std::vector<std::uint32_t> places;
    for (std::size_t at = 0; at < shown.duration.size(); ++at) {
        const auto& duration = shown.duration[at];
        const bool bounded = duration && *duration > 0 && shown.low[at] && shown.high[at];
        const auto interval =
            bounded ? std::pair(nine_digits(*shown.low[at] / *duration), nine_digits(*shown.high[at] / *duration))
                    : std::pair(0.0, 0.0);
        const auto [entry, is_new] = known.try_emplace(interval, static_cast<std::uint32_t>(known.size()));
        if (is_new)
            predictions["intervals"].push_back(bounded ? Json{interval.first, interval.second}
                                                       : Json{nullptr, nullptr});
        places.push_back(entry->second);
    }
    const auto width = width_of_places(known.size());
    predictions["interval_at"] = packed(places, width);
    predictions["interval_width"] = width;
}

}  // namespace

std::uint32_t Remarks::place(std::optional<Limiter> limiter, std::span<const std::string> texts) {
    Remark remark{.limiter = limiter, .texts = {}};
    for (const auto& text : texts) remark.texts.push_back(texts_.place(text));
    const auto [entry, is_new] = places_.try_emplace(remark, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(std::move(remark));
    return entry->second;
}

ShownModel shown_model(const EvaluationInput& shown, const Evaluation& evaluation,
                       std::span<const EvaluationTotal> totals, Remarks& remarks) {
    ShownModel result;
    result.model = shown.models.front();
    std::vector<Seconds> sums(shown.targets.size());
    std::vector<std::string> texts;
    bool bounded = false;
    for (const auto& row : evaluation.rows) {  // by target, then kernel
        texts.clear();
        if (const auto* no = std::get_if<Inapplicable>(&row.outcome)) {
            if (result.first_reason.empty()) result.first_reason = no->reason;
            texts.push_back(no->reason);
            result.duration.emplace_back(), result.low.emplace_back(), result.high.emplace_back();
            result.remarks.push_back(remarks.place(std::nullopt, texts));
        } else {
            const auto& p = std::get<Prediction>(row.outcome);
            for (const Warning warning : p.warnings) texts.emplace_back(explanation(warning));
            result.duration.emplace_back(p.duration.value);
            result.low.push_back(number(p.low)), result.high.push_back(number(p.high));
            result.remarks.push_back(remarks.place(p.limiter, texts));
            result.predicts = true;
            bounded = bounded || p.low;
            sums[row.target] += p.duration;
        }
    }
    if (!bounded) result.low.clear(), result.high.clear();
    result.totals = totals_table(totals, shown.profile.kernels.size(), sums);
    return result;
}

Json models_to_json(std::span<const ShownModel> models, const Remarks& remarks) {
    const std::size_t width = width_of_places(remarks.all().size());
    Json json = {
        {"models", Json::array()}, {"remarks", Json::array()}, {"remark_width", width}, {"texts", remarks.texts()}};
    for (const auto& remark : remarks.all())
        json["remarks"].push_back({remark.limiter ? Json(name_of(*remark.limiter)) : Json(nullptr), remark.texts});
    for (const auto& shown : models) {
        Json predictions = {{"duration_s", packed(shown.duration)}};
        add_intervals(predictions, shown);
        predictions["remarks"] = packed(shown.remarks, width);
        json["models"].push_back({{"name", shown.model->name},
                                  {"title", shown.model->title},
                                  {"source", shown.model->source},
                                  {"predictions", std::move(predictions)},
                                  {"totals", columns_to_json(shown.totals, true)}});
    }
    return json;
}

}  // namespace gpuproj
