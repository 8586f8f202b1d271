#include "reports/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/enum_names.hpp"

namespace gpuproj {

namespace {

constexpr std::size_t worst_cases = 10;

Cell cell(const std::optional<double>& value) {
    return value ? Cell{*value} : Cell{};
}

Cell cell(std::size_t value) {
    return static_cast<std::int64_t>(value);
}

/// Keys of the figures, in the order of `figure_cells`.
std::vector<Column> figure_columns() {
    return {{"pairs", "pairs", Unit::count},
            {"kernels", "kernels", Unit::count},
            {"mape", "MAPE", Unit::fraction},
            {"macro_mape", "macro MAPE", Unit::fraction},
            {"macro_abs_ln", "macro |ln|"},
            {"bias_ln", "bias ln"},
            {"r", "r"},
            {"median_ape", "median APE", Unit::fraction},
            {"within_25", "within 25 %", Unit::fraction},
            {"geomean_error_factor", "error factor", Unit::factor},
            {"faster_gpu_right", "faster right", Unit::fraction},
            {"interval_coverage", "in interval", Unit::fraction},
            {"interval_width_ln", "width ln"},
            {"interval_score_ln", "interval score"},
            {"best_gpu_hit_rate", "best GPU hit", Unit::fraction},
            {"regret", "regret", Unit::fraction},
            {"fp32_peak_wrong", "fp32 peak wrong", Unit::count},
            {"fp32_peak_wrong_right", "of these right", Unit::fraction}};
}

std::vector<Cell> figure_cells(const ValidationFigures& f) {
    if (f.pairs == 0) {
        std::vector<Cell> cells(figure_columns().size());
        cells[0] = cells[1] = std::int64_t{0};
        return cells;
    }
    return {cell(f.pairs),
            cell(f.kernels),
            f.mape,
            f.macro_mape,
            f.macro_abs_ln,
            f.bias_ln,
            cell(f.r),
            f.median_ape,
            f.within_25,
            f.geomean_error_factor,
            cell(f.faster_gpu_right),
            cell(f.interval_coverage),
            cell(f.interval_width),
            cell(f.interval_score),
            cell(f.best_gpu_hit_rate),
            cell(f.regret),
            cell(f.peak_wrong),
            cell(f.peak_wrong_right)};
}

Table figure_table(std::string title, const std::string& key, const std::vector<PairGroup>& groups,
                   std::span<const Observation> observations) {
    Table table{.title = std::move(title), .columns = figure_columns()};
    table.columns.insert(table.columns.begin(), {key, key});
    for (const auto& group : groups) {
        auto cells = figure_cells(figures(observations, group.pairs));
        cells.insert(cells.begin(), group.name);
        table.rows.push_back(std::move(cells));
    }
    return table;
}

double ln_error(const Validation& v, const PredictedPair& p) {
    return std::log(ratio(p.predicted, v.observations[p.pair.target].record.duration->sum));
}

std::string dimensions(const Dim3& dim) {
    return fmt::format("{}x{}x{}", dim[0], dim[1], dim[2]);
}

std::vector<Column> pair_columns() {
    return {{"kernel", "kernel"},
            {"line", "line", Unit::count},
            {"grid", "grid"},
            {"block", "block"},
            {"reference", "reference"},
            {"target", "target"},
            {"reference_measured_s", "measured there", Unit::seconds},
            {"predicted_s", "predicted", Unit::seconds},
            {"measured_s", "measured", Unit::seconds},
            {"error_ln", "error ln"},
            {"low_s", "80 % from", Unit::seconds},
            {"high_s", "to", Unit::seconds},
            {"limiter", "limited by"}};
}

std::vector<Cell> pair_cells(const Validation& v, const PredictedPair& p) {
    const Observation& reference = v.observations[p.pair.reference];
    const Observation& target = v.observations[p.pair.target];
    return {target.kernel,
            std::int64_t{reference.line},
            dimensions(*target.record.grid),
            dimensions(*target.record.block),
            reference.gpu,
            target.gpu,
            reference.record.duration->sum.value,
            p.predicted.value,
            target.record.duration->sum.value,
            ln_error(v, p),
            p.low ? Cell{p.low->value} : Cell{},
            p.high ? Cell{p.high->value} : Cell{},
            std::string(name_of(p.limiter))};
}

/// The worst pair of each kernel and pair of GPUs, worst first: ten pairs of one kernel would say the same thing ten
/// times.
Table worst_table(const Validation& v) {
    const auto groups = grouped(v.pairs, [&](const PredictedPair& p) {
        return v.observations[p.pair.reference].kernel + "|" + v.observations[p.pair.reference].gpu + "|" +
               v.observations[p.pair.target].gpu;
    });
    std::vector<PredictedPair> worst;
    const auto better = [&](const PredictedPair& a, const PredictedPair& b) {
        return std::abs(ln_error(v, a)) < std::abs(ln_error(v, b));
    };
    for (const auto& group : groups) {
        worst.push_back(*std::max_element(group.pairs.begin(), group.pairs.end(), better));
    }
    std::stable_sort(worst.begin(), worst.end(), [&](const auto& a, const auto& b) { return better(b, a); });
    worst.resize(std::min(worst.size(), worst_cases));
    Table table{.title = "Worst cases, one per kernel and pair of GPUs", .columns = pair_columns()};
    for (const auto& pair : worst) table.rows.push_back(pair_cells(v, pair));
    return table;
}

Table skipped_table(const Validation& v) {
    Table table{.title = "Not used", .columns = {{"reason", "reason"}, {"rows", "rows", Unit::count}}};
    for (const auto& skipped : v.skipped) table.rows.push_back({skipped.reason, cell(skipped.rows)});
    return table;
}

Table baseline_table(const ValidationTitle& title) {
    Table table{.title = "Against others, on the pairs that both predict: difference of macro |ln|, kernels drawn",
                .columns = {{"baseline", "baseline"},
                            {"pairs", "pairs", Unit::count},
                            {"baseline_abs_ln", "its |ln|"},
                            {"model_abs_ln", "|ln|"},
                            {"difference", "difference"},
                            {"low_95", "95 % from"},
                            {"high_95", "to"},
                            {"ahead_share", "ahead in draws", Unit::fraction}}};
    for (const Baseline& b : title.baselines) {
        table.rows.push_back({b.name, cell(b.pairs), b.theirs, b.ours, b.difference.mean, b.difference.low,
                              b.difference.high, b.difference.below_0});
    }
    return table;
}

/// The tables of groups, by the key of the JSON array.
std::vector<std::pair<std::string, Table>> group_tables(const Validation& v) {
    const auto table = [&](const std::string& title, const std::string& key, const auto& name) {
        return std::pair{"by_" + key, figure_table(title, key, grouped(v.pairs, name), v.observations)};
    };
    return {table("By kernel", "kernel", [&](const PredictedPair& p) { return v.observations[p.pair.target].kernel; }),
            table("By target GPU", "gpu", [&](const PredictedPair& p) { return v.observations[p.pair.target].gpu; }),
            table("By limiter on the target", "limiter",
                  [](const PredictedPair& p) { return std::string(name_of(p.limiter)); }),
            table("By architecture of reference and target", "architecture",
                  [](const PredictedPair& p) { return std::string(p.same_architecture ? "same" : "other"); })};
}

}  // namespace

nlohmann::ordered_json validation_to_json(const ValidationTitle& title, const Validation& v) {
    nlohmann::ordered_json json{{"schema", "gpuproj.validation"},
                                {"version", validation_version},
                                {"table", title.table},
                                {"model", title.model},
                                {"use_reference_time", title.use_reference_time},
                                {"rows", v.rows},
                                {"observations", v.observations.size()}};
    const Table all{.title = {}, .columns = figure_columns(), .rows = {figure_cells(figures(v.observations, v.pairs))}};
    json.update(to_json(all)[0]);
    if (!v.pairs.empty()) {
        const auto by_kernel = bootstrap(abs_ln_by_kernel(v.observations, v.pairs));
        json["macro_abs_ln_low_95"] = by_kernel.low;
        json["macro_abs_ln_high_95"] = by_kernel.high;
    }
    for (const auto& [key, table] : group_tables(v)) json[key] = to_json(table);
    json["baselines"] = to_json(baseline_table(title));
    json["worst"] = to_json(worst_table(v));
    json["skipped"] = to_json(skipped_table(v));
    return json;
}

std::vector<Table> validation_tables(const ValidationTitle& title, const Validation& v) {
    const auto f = figures(v.observations, v.pairs);
    Table all{.title = fmt::format("{}{} on {}", title.model,
                                   title.use_reference_time ? " with the reference time" : "", title.table),
              .columns = {{"figure", "figure"}, {"value", "value"}}};
    const auto columns = figure_columns();
    const auto cells = figure_cells(f);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto* const count = std::get_if<std::int64_t>(&cells[i]);
        all.rows.push_back({columns[i].key, count ? Cell{std::to_string(*count)} : cells[i]});
    }
    if (!v.pairs.empty()) {
        const auto by_kernel = bootstrap(abs_ln_by_kernel(v.observations, v.pairs));
        all.rows.push_back({"macro_abs_ln, 95 % over kernels, from", by_kernel.low});
        all.rows.push_back({"to", by_kernel.high});
    }
    std::vector<Table> tables{std::move(all)};
    for (auto& [key, table] : group_tables(v)) tables.push_back(std::move(table));
    if (!title.baselines.empty()) tables.push_back(baseline_table(title));
    tables.push_back(worst_table(v));
    tables.push_back(skipped_table(v));
    return tables;
}

Table pair_table(const Validation& v) {
    Table table{.title = "Pairs", .columns = pair_columns()};
    for (const auto& pair : v.pairs) table.rows.push_back(pair_cells(v, pair));
    return table;
}

}  // namespace gpuproj
