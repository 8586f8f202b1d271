#include "reports/html_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <variant>

#include "model/json_fields.hpp"
#include "model/quantitative_roofline.hpp"
#include "reports/comparison_report.hpp"
#include "reports/facts.hpp"
#include "reports/format.hpp"
#include "reports/gpus.hpp"
#include "reports/html_answer.hpp"
#include "reports/html_charts.hpp"
#include "reports/html_columns.hpp"
#include "reports/html_comparison.hpp"
#include "reports/html_predictions.hpp"
#include "reports/kernel_names.hpp"
#include "reports/predictions.hpp"

namespace gpuproj {
namespace {

using Json = nlohmann::ordered_json;

/// Of the longest names the beginning tells them apart; whole ones would make the page as large as they are.
constexpr std::size_t longest_name = 1000;

/// Charts of single kernels are for the longest: so many of each program, of several fewer.
constexpr std::size_t most_chart_kernels = 25, most_charts = 50, fewest_chart_kernels = 5;

std::string size_text(const std::optional<Dim3>& size) {
    if (!size) return "";
    return fmt::format("{}x{}x{}", (*size)[0], (*size)[1], (*size)[2]);
}

Cell text_or_empty(const std::string& text) {
    return text.empty() ? Cell{} : Cell{text};
}

/// The kernels with most time: measured, or predicted on one GPU where not all were timed. In the profile's order.
std::vector<std::size_t> longest_kernels(const ReportInput& report, std::size_t most) {
    const auto& kernels = report.profile.kernels;
    std::vector<std::size_t> order(kernels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (kernels.size() <= most) return order;
    auto weights = kernel_weights(report.profile);
    const bool timed =
        std::all_of(kernels.begin(), kernels.end(), [](const auto& kernel) { return kernel.duration.has_value(); });
    const Gpu* const gpu = report.reference != nullptr ? report.reference
                           : report.targets.empty()    ? nullptr
                                                       : report.targets.front();
    if (!timed && gpu != nullptr) {
        const auto one = evaluate({report.profile, std::span(&gpu, 1), report.models.first(1), report.reference});
        for (const auto& row : one.rows) {
            const auto* p = std::get_if<Prediction>(&row.outcome);
            weights[row.kernel] = p != nullptr ? p->duration.value : 0;
        }
    }
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
    });
    order.erase(end, order.end());
    std::sort(order.begin(), order.end());
    return order;
}

Profile only(const Profile& profile, const std::vector<std::size_t>& kernels) {
    Profile part;
    part.gpu = profile.gpu;
    part.provenance = profile.provenance;
    part.transfers = profile.transfers;
    part.peak_device_memory = profile.peak_device_memory;
    part.host_time = profile.host_time;
    part.gpu_idle = profile.gpu_idle;
    part.partial = profile.partial;
    part.notes = profile.notes;
    for (const auto kernel : kernels) part.kernels.push_back(profile.kernels[kernel]);
    return part;
}

Table kernels_of(const EvaluationInput& input) {
    Table table{.title = "Kernels",
                .columns = {{"kernel", "kernel"},
                            {"name", "whole name"},
                            {"grid", "grid"},
                            {"block", "block"},
                            {"launches", "launches", Unit::count},
                            {"measured_s", "measured", Unit::seconds},
                            {"k_type", "type"},
                            {"w_comp_op", "W_comp", Unit::operations},
                            {"w_traf_byte", "W_traf", Unit::bytes},
                            {"e_mix", "E_mix", Unit::fraction},
                            {"d_ops", "D_ops", Unit::fraction},
                            {"d_ldst", "D_ldst", Unit::fraction},
                            {"d_other", "D_other", Unit::fraction},
                            {"o_krn_op_per_byte", "O_krn", Unit::operations_per_byte},
                            {"notes", "notes"}}};
    std::vector<std::string> names;
    for (const auto& kernel : input.profile.kernels) names.push_back(kernel.kernel);
    const auto short_names = short_kernel_names(names);
    for (std::size_t at = 0; at < names.size(); ++at) {
        const auto& kernel = input.profile.kernels[at];
        const auto found = kernel_parameters(kernel.metrics, input.options);
        const auto* k = std::get_if<KernelParameters>(&found);
        const auto of = [&](auto get) { return k != nullptr ? Cell{get(*k)} : Cell{}; };
        const auto measured = measured_duration(kernel);
        auto notes = fmt::format("{}", fmt::join(kernel.notes, "; "));
        if (const auto share = kernel.sampled_fraction; share && *share < 1) {
            notes += fmt::format("{}counted in {} of its blocks", notes.empty() ? "" : "; ",
                                 for_people(*share, Unit::fraction));
        }
        table.rows.push_back({shortened(short_names[at], longest_name), shortened(names[at], longest_name),
                              text_or_empty(size_text(kernel.grid)), text_or_empty(size_text(kernel.block)),
                              static_cast<std::int64_t>(kernel.launches), measured ? Cell{measured->value} : Cell{},
                              of([](const auto& p) { return std::string(name_of(p.k_type)); }),
                              of([](const auto& p) { return p.w_comp.value; }),
                              of([](const auto& p) { return p.w_traf.value; }),
                              of([](const auto& p) { return p.e_mix; }), of([](const auto& p) { return p.d_ops; }),
                              of([](const auto& p) { return p.d_ldst; }), of([](const auto& p) { return p.d_other; }),
                              k != nullptr && k->o_krn ? Cell{k->o_krn->value} : Cell{}, text_or_empty(notes)});
    }
    return table;
}

template <class Q>
Cell known_cell(const MaybeKnown<Q>& known) {
    if (!known) return {};
    if constexpr (std::is_same_v<Q, int>) {
        return std::int64_t{known->value};
    } else {
        return known->value.value;
    }
}

Table targets_of(const EvaluationInput& input) {
    Table table{.title = "GPUs",
                .columns = {{"gpu", "GPU"},
                            {"vendor", "vendor"},
                            {"architecture", "architecture"},
                            {"sm_count", "SMs", Unit::count},
                            {"fp32_op_per_s", "fp32", Unit::operations_per_second},
                            {"fp64_op_per_s", "fp64", Unit::operations_per_second},
                            {"dram_bandwidth_byte_per_s", "DRAM", Unit::bytes_per_second},
                            {"memory_byte", "memory", Unit::capacity},
                            {"tdp_w", "TDP", Unit::watts},
                            {"rates", "rates are"}}};
    for (const Gpu* gpu : input.targets) {
        table.rows.push_back({gpu->name, text_or_empty(gpu->vendor), text_or_empty(gpu->architecture),
                              known_cell(gpu->sm_count), known_cell(gpu->fp32), known_cell(gpu->fp64),
                              known_cell(gpu->dram_bandwidth), known_cell(gpu->memory), known_cell(gpu->tdp),
                              text_or_empty(rates_quality(*gpu))});
    }
    return table;
}

/// Raw counters, those that any kernel has; rows as in the table of kernels.
Table counters_of(const Profile& profile) {
    Table table{.title = "Counters", .columns = {}};
    table.rows.resize(profile.kernels.size());
    const auto one = [&](const auto& field) {
        const auto& kernels = profile.kernels;
        if (std::none_of(kernels.begin(), kernels.end(),
                         [&](const auto& kernel) { return (kernel.metrics.*field.member).has_value(); }))
            return;
        using Value = typename std::decay_t<decltype(KernelMetrics{}.*field.member)>::value_type;
        constexpr bool fraction = std::is_same_v<Value, double>;
        table.columns.push_back(
            {std::string(field.key), std::string(field.meaning), fraction ? Unit::fraction : Unit::count});
        for (std::size_t at = 0; at < kernels.size(); ++at) {
            const auto& value = kernels[at].metrics.*field.member;
            if constexpr (fraction) {
                table.rows[at].push_back(value ? Cell{*value} : Cell{});
            } else {
                table.rows[at].push_back(value ? Cell{value->value} : Cell{});
            }
        }
    };
    std::apply([&](const auto&... field) { (one(field), ...); }, KernelMetrics::fields);
    return table;
}

Table parameters_of(const EvaluationInput& input) {
    Table all;
    for (const Gpu* gpu : input.targets) {
        auto table = gpu_parameter_table(*gpu, true);
        if (all.columns.empty()) {
            all.columns = table.columns;
            all.columns.insert(all.columns.begin(), {"gpu", "GPU"});
        }
        for (auto& row : table.rows) {
            row.insert(row.begin(), gpu->name);
            all.rows.push_back(std::move(row));
        }
    }
    all.title = "GPU parameters";
    return all;
}

/// The prediction for the profile's own GPU beside its measured times, by every one of `models`.
Json self_check_to_json(const ReportInput& report, const Profile& shown, std::span<const Model* const> models) {
    if (report.reference == nullptr) {
        return {{"reason", fmt::format("the parameters of the reference GPU '{}' are not known", report.profile.gpu)}};
    }
    auto options = report.options;
    options.use_reference_time = false;  // what is checked is the uncorrected model
    const EvaluationInput input{shown, std::span(&report.reference, 1), models, report.reference, options};
    auto table = self_check_table(input, evaluate(input));
    if (table.rows.empty()) return {{"reason", "the profile has no measured times"}};
    // Whole names may be long; the page names kernels by their place.
    std::vector<std::int64_t> places;
    for (std::size_t model = 0; model < models.size(); ++model) {
        for (std::size_t kernel = 0; kernel < shown.kernels.size(); ++kernel) {
            if (measured_duration(shown.kernels[kernel])) places.push_back(static_cast<std::int64_t>(kernel));
        }
    }
    for (std::size_t at = 0; at < table.rows.size(); ++at) table.rows[at].front() = places[at];
    return columns_to_json(table, true);
}

/// By measured or else predicted time on the first target, longest first.
std::vector<QuadrantChart> quadrants_of(const EvaluationInput& input, const Evaluation& evaluation, std::size_t most) {
    const auto& kernels = input.profile.kernels;
    std::vector<double> weights(kernels.size(), 0);
    for (const auto& row : evaluation.rows) {
        if (row.target != 0 || row.model != 0) continue;
        const auto measured = measured_duration(kernels[row.kernel]);
        const auto* p = std::get_if<Prediction>(&row.outcome);
        weights[row.kernel] = measured ? measured->value : p != nullptr ? p->duration.value : 0;
    }
    std::vector<std::size_t> order(kernels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    order.resize(std::min(order.size(), most));
    std::vector<QuadrantChart> charts;
    for (const auto kernel : order) charts.push_back(quadrant_chart(input, evaluation, 0, kernel));
    return charts;
}

Json transfers_to_json(const Profile& profile) {
    Table table{.title = "Transfers",
                .columns = {{"direction", "direction"},
                            {"count", "count", Unit::count},
                            {"transferred_byte", "bytes", Unit::bytes},
                            {"duration_s", "time", Unit::seconds}}};
    for (const auto& transfer : profile.transfers) {
        table.rows.push_back({transfer.direction, static_cast<std::int64_t>(transfer.count), transfer.bytes.value,
                              transfer.duration ? Cell{transfer.duration->value} : Cell{}});
    }
    return columns_to_json(table);
}

/// The mix takes the place of the first program in the answer.
void answer_for_mix(Json& answer, const Comparison& mix, std::span<const WorkloadPart> parts,
                    std::span<const Gpu* const> targets) {
    auto sentences = comparison_summary(mix);
    answer["sentence"] = sentences.front();
    sentences.erase(sentences.begin());
    sentences.push_back(fmt::format(
        "A mix of {} programs. The answer and the comparison are about all of them; kernels, charts, headroom "
        "and the rest about one at a time, which is chosen at the top of the page.",
        parts.size()));
    answer["details"] = sentences;
    answer["best"] = nullptr;
    for (std::size_t target = 0; target < targets.size() && mix.best; ++target) {
        if (targets[target]->name == mix.rows[*mix.best].gpu->name) answer["best"] = target;
    }
}

/// The mix compared, or the one program; and of every program what a comparison of it alone adds to its totals.
void add_comparisons(Json& json, const ReportInput& report) {
    const auto& model = *report.models.front();
    const WorkloadPart alone{&report.profile, report.reference, report.title};
    const auto parts = report.mix.empty() ? std::span(&alone, 1) : report.mix;
    const auto mix = compare(parts, report.targets, model, report.options, report.offers, report.terms);
    json["comparison"] = comparison_to_json(mix, parts, report.terms, report.targets);
    if (parts.size() == 1) {
        json["by_target"] = comparison_by_target(mix, report.targets);
        return;
    }
    json["own_answer"] = json["answer"];
    json["own_answer"]["title"] = parts.front().name;
    answer_for_mix(json["answer"], mix, parts, report.targets);
    for (std::size_t at = 0; at < parts.size(); ++at) {
        auto& program = at == 0 ? json : json["others"][at - 1];
        program["by_target"] = comparison_by_target(
            compare(parts.subspan(at, 1), report.targets, model, report.options, {}, {}), report.targets);
    }
}

/// The answering model's predictions, then the others asked for, then of the further ones those that answer at all.
void add_models(Json& json, const ReportInput& report, const EvaluationInput& input, const Evaluation& evaluation,
                std::span<const EvaluationTotal> totals) {
    Remarks remarks;
    std::vector<ShownModel> shown = {shown_model(input, evaluation, totals, remarks)};
    const auto show = [&](const Model* model, bool asked) {
        const EvaluationInput one{input.profile, input.targets, {&model, 1}, input.reference, input.options};
        const auto of_one = evaluate(one);
        const bool whole = input.profile.kernels.size() == report.profile.kernels.size();
        const EvaluationInput all{report.profile, input.targets, {&model, 1}, input.reference, input.options};
        auto added = shown_model(one, of_one, whole ? of_one.totals : evaluate_totals(all), remarks);
        if (asked || added.predicts) {
            shown.push_back(std::move(added));
        } else {
            json["models_left_out"].push_back({{"name", model->name}, {"reason", added.first_reason}});
        }
    };
    json["models_left_out"] = Json::array();
    for (const Model* model : report.models.subspan(1)) show(model, true);
    for (const Model* model : report.further_models) show(model, false);
    std::vector<const Model*> models;
    for (const auto& one : shown) models.push_back(one.model);
    json["self_check"] = self_check_to_json(report, input.profile, models);
    json.update(models_to_json(shown, remarks));
}

/// What the page says of one program of the mix. `most` kernels have rows, `most_charts_here` charts.
Json program_to_json(const ReportInput& report, std::size_t most, std::size_t most_charts_here) {
    const auto kernels = longest_kernels(report, most);
    const bool all_shown = kernels.size() == report.profile.kernels.size();
    const Profile part = all_shown ? Profile{} : only(report.profile, kernels);
    const Profile& shown = all_shown ? report.profile : part;
    const auto answering = report.models.first(1);
    const EvaluationInput input{shown, report.targets, answering, report.reference, report.options};
    const EvaluationInput whole{report.profile, report.targets, answering, report.reference, report.options};
    const auto evaluation = evaluate(input);
    const auto totals = all_shown ? evaluation.totals : evaluate_totals(whole);

    Json json = {{"answer", answer_to_json(whole, *answering.front(), totals, report.title)}};
    const EvaluationInput asked{report.profile, report.targets, report.models, report.reference, report.options};
    Table facts = fact_table(report_facts(asked, report.models, true));
    const auto time_fact = [&](std::string what, const std::optional<Seconds>& time) {
        if (time) facts.rows.push_back({std::move(what), for_people(time->value, Unit::seconds)});
    };
    time_fact("wall time", report.profile.host_time);
    time_fact("GPU idle between its first and last work", report.profile.gpu_idle);
    if (report.profile.peak_device_memory) {
        facts.rows.push_back(
            {std::string("device memory"), for_people(report.profile.peak_device_memory->value, Unit::capacity)});
    }
    json["facts"] = columns_to_json(facts);
    json["gpu"] = report.profile.gpu;
    json["counters_are"] = report.profile.provenance.counters;
    json["kernels_in_profile"] = report.profile.kernels.size();
    json["kernels"] = columns_to_json(kernels_of(input), true);
    json["counters"] = columns_to_json(counters_of(shown));
    json["transfers"] = transfers_to_json(shown);
    if (!kernels.empty()) {
        json["roofline"] = roofline_to_json(roofline_chart(input, evaluation, 0, most_charts_here));
        json["quadrants"] = quadrants_to_json(quadrants_of(input, evaluation, most_charts_here));
        if (!report.targets.empty()) {
            json["application"] =
                application_to_json(measured_application(report.profile), application_times(whole, totals, 0));
        }
        if (report.reference != nullptr) {
            json["headroom"] = headroom_to_json(headroom(shown, *report.reference, report.reference), most_charts_here);
        }
    }
    add_models(json, report, input, evaluation, totals);
    return json;
}

}  // namespace

std::vector<std::size_t> shares_of_rows(std::span<const std::size_t> kernels, std::size_t most) {
    std::vector<std::size_t> order(kernels.size()), shares(kernels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return kernels[a] < kernels[b]; });
    for (std::size_t at = 0; at < order.size(); ++at) {  // those that need least first
        shares[order[at]] = std::min(kernels[order[at]], most / (order.size() - at));
        most -= shares[order[at]];
    }
    return shares;
}

Json report_to_json(const ReportInput& report) {
    const auto programs = std::max<std::size_t>(report.mix.size(), 1);
    std::vector<std::size_t> kernels = {report.profile.kernels.size()};
    for (const auto& part : report.mix.subspan(std::min<std::size_t>(1, report.mix.size())))
        kernels.push_back(part.profile->kernels.size());
    const auto rows = shares_of_rows(kernels, most_report_kernels);
    const auto charts = std::clamp(most_charts / programs, fewest_chart_kernels, most_chart_kernels);

    Json json = {{"schema", "gpuproj.report"}, {"version", report_version}, {"tool_version", report.tool_version}};
    json.update(program_to_json(report, rows.front(), charts));
    const EvaluationInput input{report.profile, report.targets, report.models, report.reference, report.options};
    json["targets"] = columns_to_json(targets_of(input));
    json["gpu_parameters"] = columns_to_json(parameters_of(input));
    json["others"] = Json::array();
    for (std::size_t at = 1; at < programs; ++at) {
        const auto& part = report.mix[at];
        const ReportInput other{*part.profile,  report.targets, report.models,       part.reference,
                                report.options, part.name,      report.tool_version, report.further_models};
        json["others"].push_back(program_to_json(other, rows[at], charts));
    }
    if (!report.profile.kernels.empty() && !report.targets.empty()) add_comparisons(json, report);
    return json;
}

}  // namespace gpuproj
