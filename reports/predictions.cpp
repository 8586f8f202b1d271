#include "reports/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/json_fields.hpp"
#include "model/misprediction.hpp"
#include "model/warnings.hpp"
#include "reports/application.hpp"

namespace gpuproj {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
std::optional<double> number(const std::optional<T>& quantity) {
    if constexpr (std::is_same_v<T, double>) {
        return quantity;
    } else {
        return quantity ? std::optional(quantity->value) : std::nullopt;
    }
}

Json json_number(std::optional<double> value) {
    return value && std::isfinite(*value) ? amount_to_json(*value) : Json(nullptr);
}

Cell cell_number(std::optional<double> value) {
    return value && std::isfinite(*value) ? Cell{*value} : Cell{};
}

/// The values of a row that are numbers, by their key; absent ones too, so that every row has the same keys.
struct NamedNumber {
    std::string_view key;
    std::string_view heading;
    Unit unit;
    std::optional<double> value;
};

std::vector<NamedNumber> numbers_of(const KernelParameters* k) {
    const auto of = [&](auto get) { return k != nullptr ? std::optional<double>(get(*k)) : std::nullopt; };
    return {
        {"w_comp", "W_comp", Unit::operations, of([](const auto& p) { return p.w_comp.value; })},
        {"w_traf_byte", "W_traf", Unit::bytes, of([](const auto& p) { return p.w_traf.value; })},
        {"e_mix", "E_mix", Unit::fraction, of([](const auto& p) { return p.e_mix; })},
        {"d_ops", "D_ops", Unit::fraction, of([](const auto& p) { return p.d_ops; })},
        {"d_ldst", "D_ldst", Unit::fraction, of([](const auto& p) { return p.d_ldst; })},
        {"d_other", "D_other", Unit::fraction, of([](const auto& p) { return p.d_other; })},
        {"o_krn", "O_krn", Unit::operations_per_byte, k != nullptr ? number(k->o_krn) : std::nullopt},
    };
}

std::vector<NamedNumber> numbers_of(const Intermediates* i) {
    const auto of = [&](auto get) { return i != nullptr ? std::optional<double>(get(*i)) : std::nullopt; };
    return {
        {"w_op", "W_op", Unit::number, of([](const auto& p) { return p.w_op; })},
        {"w_ldst", "W_ldst", Unit::number, of([](const auto& p) { return p.w_ldst; })},
        {"w_other", "W_other", Unit::number, of([](const auto& p) { return p.w_other; })},
        {"c_op", "C_op", Unit::number, of([](const auto& p) { return p.c_op; })},
        {"c_ldst", "C_ldst", Unit::number, of([](const auto& p) { return p.c_ldst; })},
        {"c_other", "C_other", Unit::number, of([](const auto& p) { return p.c_other; })},
        {"e_instr", "E_instr", Unit::fraction, of([](const auto& p) { return p.e_instr; })},
        {"t_op_adjusted_per_s", "T'_op", Unit::operations_per_second,
         of([](const auto& p) { return p.t_op_adjusted.value; })},
        {"o_dev", "O_dev", Unit::operations_per_byte, i != nullptr ? number(i->o_dev) : std::nullopt},
        {"e_util", "E_util", Unit::number, i != nullptr ? i->e_util : std::nullopt},
    };
}

Json object_of(const std::vector<NamedNumber>& numbers) {
    auto object = Json::object();
    for (const auto& named : numbers) object[std::string(named.key)] = json_number(named.value);
    return object;
}

std::string warning_list(const Prediction& prediction) {
    std::string text;
    for (const Warning warning : prediction.warnings)
        text += fmt::format("{}{}", text.empty() ? "" : ";", name_of(warning));
    return text;
}

std::string dimensions(const std::optional<Dim3>& size) {
    return size ? fmt::format("{}x{}x{}", (*size)[0], (*size)[1], (*size)[2]) : std::string{};
}

Cell text_or_empty(const std::string& text) {
    return text.empty() ? Cell{} : Cell{text};
}

Json prediction_to_json(const EvaluationInput& input, const EvaluationRow& row) {
    const auto& kernel = input.profile.kernels[row.kernel];
    const auto* p = std::get_if<Prediction>(&row.outcome);
    const auto of = [&](auto get) { return json_number(p != nullptr ? get(*p) : std::nullopt); };
    Json json;
    json["kernel"] = kernel.kernel;
    json["grid"] = kernel.grid ? Json(*kernel.grid) : Json(nullptr);
    json["block"] = kernel.block ? Json(*kernel.block) : Json(nullptr);
    json["launches"] = kernel.launches;
    json["gpu"] = input.targets[row.target]->name;
    json["model"] = input.models[row.model]->name;
    json["duration_s"] = of([](const Prediction& q) { return std::optional(q.duration.value); });
    json["low_s"] = of([](const Prediction& q) { return number(q.low); });
    json["high_s"] = of([](const Prediction& q) { return number(q.high); });
    json["limiter"] = p != nullptr ? Json(name_of(p->limiter)) : Json(nullptr);
    json["bounds"] = Json::array();
    json["reason"] = nullptr;
    json["warnings"] = Json::array();
    json["kernel_parameters"] = nullptr;
    json["intermediates"] = nullptr;
    if (p == nullptr) {
        json["reason"] = std::get<Inapplicable>(row.outcome).reason;
        return json;
    }
    for (const auto& bound : p->bounds) {
        json["bounds"].push_back(
            {{"limiter", name_of(bound.limiter)}, {"duration_s", json_number(bound.duration.value)}});
    }
    for (const Warning warning : p->warnings) json["warnings"].push_back(name_of(warning));
    if (p->kernel) {
        auto parameters = Json::object({{"k_type", name_of(p->kernel->k_type)}});
        parameters.update(object_of(numbers_of(&*p->kernel)));
        json["kernel_parameters"] = std::move(parameters);
    }
    if (p->intermediates) json["intermediates"] = object_of(numbers_of(&*p->intermediates));
    return json;
}

Json total_to_json(const EvaluationInput& input, const EvaluationTotal& total) {
    return {{"gpu", input.targets[total.target]->name},          {"model", input.models[total.model]->name},
            {"duration_s", json_number(number(total.duration))}, {"low_s", json_number(number(total.low))},
            {"high_s", json_number(number(total.high))},         {"covered_share", json_number(total.covered_share)}};
}

}  // namespace

Json predictions_to_json(const EvaluationInput& input, const Evaluation& evaluation) {
    Json json;
    json["schema"] = "gpuproj.predictions";
    json["version"] = predictions_version;
    json["provenance"] = Json::object({{"gpu", input.profile.gpu}});
    write_table(json["provenance"], input.profile.provenance, Provenance::fields);
    json["predictions"] = Json::array();
    for (const auto& row : evaluation.rows) json["predictions"].push_back(prediction_to_json(input, row));
    json["totals"] = Json::array();
    for (const auto& total : evaluation.totals) json["totals"].push_back(total_to_json(input, total));
    json["applications"] = to_json(application_projection_table(input, evaluation.totals));
    return json;
}

Table prediction_table(const EvaluationInput& input, const Evaluation& evaluation, bool with_intermediates) {
    Table table{.title = "Predictions",
                .columns = {{"kernel", "kernel"},
                            {"grid", "grid"},
                            {"block", "block"},
                            {"launches", "launches", Unit::count},
                            {"gpu", "GPU"},
                            {"model", "model"},
                            {"duration_s", "time", Unit::seconds},
                            {"low_s", "low", Unit::seconds},
                            {"high_s", "high", Unit::seconds},
                            {"limiter", "limited by"},
                            {"reason", "reason"},
                            {"warnings", "warnings"}}};
    const auto add_columns = [&](const std::vector<NamedNumber>& numbers) {
        for (const auto& n : numbers) table.columns.push_back({std::string(n.key), std::string(n.heading), n.unit});
    };
    if (with_intermediates) {
        table.columns.push_back({"k_type", "type"});
        add_columns(numbers_of(static_cast<const KernelParameters*>(nullptr)));
        add_columns(numbers_of(static_cast<const Intermediates*>(nullptr)));
    }
    for (const auto& row : evaluation.rows) {
        const auto& kernel = input.profile.kernels[row.kernel];
        const auto* p = std::get_if<Prediction>(&row.outcome);
        std::vector<Cell> cells = {kernel.kernel,
                                   text_or_empty(dimensions(kernel.grid)),
                                   text_or_empty(dimensions(kernel.block)),
                                   static_cast<std::int64_t>(kernel.launches),
                                   input.targets[row.target]->name,
                                   std::string(input.models[row.model]->name),
                                   p != nullptr ? cell_number(p->duration.value) : Cell{},
                                   p != nullptr ? cell_number(number(p->low)) : Cell{},
                                   p != nullptr ? cell_number(number(p->high)) : Cell{},
                                   p != nullptr ? Cell{std::string(name_of(p->limiter))} : Cell{},
                                   p != nullptr ? Cell{} : Cell{std::get<Inapplicable>(row.outcome).reason},
                                   p != nullptr ? text_or_empty(warning_list(*p)) : Cell{}};
        if (with_intermediates) {
            const auto* parameters = p != nullptr && p->kernel ? &*p->kernel : nullptr;
            const auto* intermediates = p != nullptr && p->intermediates ? &*p->intermediates : nullptr;
            cells.push_back(parameters != nullptr ? Cell{std::string(name_of(parameters->k_type))} : Cell{});
            for (const auto& n : numbers_of(parameters)) cells.push_back(cell_number(n.value));
            for (const auto& n : numbers_of(intermediates)) cells.push_back(cell_number(n.value));
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

std::vector<const KernelParameters*> known_parameters(const EvaluationInput& input, const Evaluation& evaluation) {
    std::vector<const KernelParameters*> known(input.profile.kernels.size(), nullptr);
    for (const auto& row : evaluation.rows) {
        const auto* p = std::get_if<Prediction>(&row.outcome);
        if (p != nullptr && p->kernel) known[row.kernel] = &*p->kernel;
    }
    return known;
}

Table kernel_table(const EvaluationInput& input, const Evaluation& evaluation) {
    Table table{.title = "Kernels",
                .columns = {{"kernel", "kernel"},
                            {"grid", "grid"},
                            {"block", "block"},
                            {"launches", "launches", Unit::count},
                            {"k_type", "type"}}};
    for (const auto& n : numbers_of(static_cast<const KernelParameters*>(nullptr))) {
        table.columns.push_back({std::string(n.key), std::string(n.heading), n.unit});
    }
    const auto known = known_parameters(input, evaluation);
    for (std::size_t at = 0; at < known.size(); ++at) {
        const auto& kernel = input.profile.kernels[at];
        std::vector<Cell> cells = {kernel.kernel, text_or_empty(dimensions(kernel.grid)),
                                   text_or_empty(dimensions(kernel.block)), static_cast<std::int64_t>(kernel.launches),
                                   known[at] != nullptr ? Cell{std::string(name_of(known[at]->k_type))} : Cell{}};
        for (const auto& n : numbers_of(known[at])) cells.push_back(cell_number(n.value));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table total_table(const EvaluationInput& input, const Evaluation& evaluation) {
    Table table{.title = "Totals",
                .columns = {{"gpu", "GPU"},
                            {"model", "model"},
                            {"duration_s", "time", Unit::seconds},
                            {"low_s", "low", Unit::seconds},
                            {"high_s", "high", Unit::seconds},
                            {"covered_share", "covered", Unit::fraction}}};
    for (const auto& total : evaluation.totals) {
        table.rows.push_back({input.targets[total.target]->name, std::string(input.models[total.model]->name),
                              cell_number(number(total.duration)), cell_number(number(total.low)),
                              cell_number(number(total.high)), total.covered_share});
    }
    return table;
}

Table self_check_table(const EvaluationInput& input, const Evaluation& evaluation) {
    Table table{.title = "Self-check",
                .columns = {{"kernel", "kernel"},
                            {"model", "model"},
                            {"measured_s", "measured", Unit::seconds},
                            {"predicted_s", "predicted", Unit::seconds},
                            {"error", "error", Unit::fraction},
                            {"limiter", "limited by"},
                            {"likely_reason", "more than 2 x off"},
                            {"reason", "reason"}}};
    for (const auto& row : evaluation.rows) {
        const auto& kernel = input.profile.kernels[row.kernel];
        const auto measured = measured_duration(kernel);
        if (!measured) continue;
        const auto* p = std::get_if<Prediction>(&row.outcome);
        table.rows.push_back(
            {kernel.kernel, std::string(input.models[row.model]->name), cell_number(measured->value),
             p != nullptr ? cell_number(p->duration.value) : Cell{},
             p != nullptr ? cell_number(ratio(p->duration, *measured) - 1) : Cell{},
             p != nullptr ? Cell{std::string(name_of(p->limiter))} : Cell{},
             p != nullptr ? text_or_empty(misprediction(kernel, *input.targets[row.target], *p, *measured)) : Cell{},
             p != nullptr ? Cell{} : Cell{std::get<Inapplicable>(row.outcome).reason}});
    }
    return table;
}

}  // namespace gpuproj
