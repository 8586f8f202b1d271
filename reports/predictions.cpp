#include "reports/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/misprediction.hpp"
#include "model/warnings.hpp"
#include "reports/prediction_numbers.hpp"

namespace gpuproj {
namespace {

std::optional<double> number(const std::optional<Seconds>& duration) {
    return duration ? std::optional(duration->value) : std::nullopt;
}

Cell cell_number(std::optional<double> value) {
    return value && std::isfinite(*value) ? Cell{*value} : Cell{};
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

}  // namespace

Table prediction_table(const EvaluationInput& input, std::span<const EvaluationRow> rows, bool with_intermediates) {
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
    const auto add_columns = [&](const auto& numbers) {
        for (const auto& n : numbers) table.columns.push_back({std::string(n.key), std::string(n.heading), n.unit});
    };
    if (with_intermediates) {
        table.columns.push_back({"k_type", "type"});
        add_columns(numbers_of(static_cast<const KernelParameters*>(nullptr)));
        add_columns(numbers_of(static_cast<const Intermediates*>(nullptr)));
    }
    table.rows.reserve(rows.size());
    for (const auto& row : rows) {
        const auto& kernel = input.profile.kernels[row.kernel];
        const auto* p = std::get_if<Prediction>(&row.outcome);
        auto& cells = table.rows.emplace_back();
        cells.reserve(table.columns.size());
        cells.emplace_back(kernel.kernel);
        cells.push_back(text_or_empty(dimensions(kernel.grid)));
        cells.push_back(text_or_empty(dimensions(kernel.block)));
        cells.emplace_back(static_cast<std::int64_t>(kernel.launches));
        cells.emplace_back(input.targets[row.target]->name);
        cells.emplace_back(std::string(input.models[row.model]->name));
        cells.push_back(p != nullptr ? cell_number(p->duration.value) : Cell{});
        cells.push_back(p != nullptr ? cell_number(number(p->low)) : Cell{});
        cells.push_back(p != nullptr ? cell_number(number(p->high)) : Cell{});
        cells.push_back(p != nullptr ? Cell{std::string(name_of(p->limiter))} : Cell{});
        cells.push_back(p != nullptr ? Cell{} : Cell{std::get<Inapplicable>(row.outcome).reason});
        cells.push_back(p != nullptr ? text_or_empty(warning_list(*p)) : Cell{});
        if (with_intermediates) {
            const auto* parameters = p != nullptr && p->kernel ? &*p->kernel : nullptr;
            const auto* intermediates = p != nullptr && p->intermediates ? &*p->intermediates : nullptr;
            cells.push_back(parameters != nullptr ? Cell{std::string(name_of(parameters->k_type))} : Cell{});
            for (const auto& n : numbers_of(parameters)) cells.push_back(cell_number(n.value));
            for (const auto& n : numbers_of(intermediates)) cells.push_back(cell_number(n.value));
        }
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
