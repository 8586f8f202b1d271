#include "tools/gpuproj/report_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <variant>

#include "model/error.hpp"
#include "model/evaluate.hpp"
#include "model/schema.hpp"
#include "reports/application.hpp"
#include "reports/facts.hpp"
#include "reports/html.hpp"
#include "reports/html_data.hpp"
#include "reports/prediction_stream.hpp"
#include "reports/predictions.hpp"
#include "reports/predictions_page.hpp"
#include "tools/gpuproj/build_info.hpp"
#include "tools/gpuproj/evaluation_options.hpp"
#include "tools/gpuproj/partial.hpp"

namespace gpuproj {
namespace {

/// The model whose parameters every report carries, whatever else was asked for.
constexpr std::string_view always_evaluated = "quantitative-roofline";

/// Parameters of GPUs that tables and page look at, besides models: times of transfers, capacity, power.
constexpr std::array<std::string_view, 1> read_by_tables{"link_bandwidth_byte_per_s"};
constexpr std::array<std::string_view, 3> read_by_page{"link_bandwidth_byte_per_s", "memory_byte", "tdp_w"};

/// Remembers whether any of the first `asked_models` models answers for any kernel on any GPU.
class Answers {
public:
    explicit Answers(std::size_t asked_models) : asked_models_(asked_models) {}

    /// Returns whether there is an answer by now.
    bool see(const Evaluation& evaluation) {
        for (const auto& row : evaluation.rows) {
            if (found_) break;
            if (row.model >= asked_models_) continue;
            const auto* const refusal = std::get_if<Inapplicable>(&row.outcome);
            found_ = refusal == nullptr;
            if (!found_ && !first_) first_ = *refusal;
        }
        return found_;
    }

    /// Throws Error with the first reason if there is none.
    void refuse_if_none(const EvaluationInput& input) const {
        if (found_ || !first_) return;
        const auto remedy = input.reference != nullptr
                                ? std::string("profile again with what is missing")
                                : fmt::format(
                                      "'{}' is not among the GPUs of gpuproj targets list: add it (targets "
                                      "derive, then targets add)",
                                      input.profile.gpu);
        throw Error(
            fmt::format("nothing can be predicted: {}; {}, or choose another --model (gpuproj models says "
                        "what each needs)",
                        first_->reason, remedy));
    }

private:
    std::size_t asked_models_;
    bool found_ = false;
    std::optional<Inapplicable> first_;
};

/// JSON or CSV, of which not even the text is ever held as a whole.
void print_long(const EvaluationInput& input, std::size_t asked_models, OutputFormat format) {
    Answers answers(asked_models);
    // One GPU at a time: mostly the first has an answer, and no other is evaluated twice.
    evaluate_in_blocks(input, 1, [&](const EvaluationInput&, const Evaluation& gpu) { return !answers.see(gpu); });
    answers.refuse_if_none(input);
    const auto write = format == OutputFormat::json ? write_predictions_json : write_predictions_csv;
    write(input, rows_held, print_report);
}

}  // namespace

void PredictionOptions::declare(CommandLine& line) {
    declare_prediction(line);
    line.flag("--explain", explain_, "print every intermediate value, with the equations");
    line.flag("--full-names", full_names_, "whole kernel names");
    output_.declare(line);
}

void PredictionOptions::declare_prediction(CommandLine& line) {
    line.list("-t,--target", "GPU", target_names_,
              "GPUs to predict for: names and GPU files, comma-separated (default: all)");
    line.list("--model", "MODEL", model_names_,
              fmt::format("models (default: {}); gpuproj models lists them", default_model));
    line.choice("--k-type", {"fp32", "fp64", "int"}, k_type_, "the operations that count, instead of the model's rule");
    line.flag("--use-reference-time", use_reference_time_,
              "correct every prediction by measured / predicted time on the reference GPU");
    line.flag("--integer-as-additions", integer_as_additions_,
              "integer work at the rate of additions, not of multiply-adds");
    what_if_.declare(line);
    line.flag("--partial", partial_, "predict a partial profile too");
}

void PredictionOptions::resolve(const Catalog& catalog) {
    std::string names;
    for (const auto& name : target_names_) names += fmt::format("{}{}", names.empty() ? "" : ",", name);
    what_if_.resolve();
    targets_ = what_if_.changed(catalog.select(names.empty() ? "all" : names), names_all(target_names_));
    const auto add_model = [&](std::string_view name) {
        const Model* model = &find_model(name);
        if (std::find(models_.begin(), models_.end(), model) == models_.end()) models_.push_back(model);
    };
    for (const auto& name : model_names_) add_model(name);
    if (models_.empty()) add_model(default_model);
    asked_models_ = models_.size();
    add_model(always_evaluated);
    for (const KType type : {KType::fp32, KType::fp64, KType::integer}) {
        if (name_of(type) == k_type_) model_options_.k_type = type;
    }
    model_options_.use_reference_time = use_reference_time_;
    model_options_.integer_as_additions = integer_as_additions_;
}

void PredictionOptions::refuse_partial(const Profile& profile) const {
    if (profile.partial && !partial_) {
        throw Error(fmt::format("the profile is partial ({}); --partial predicts the kernels that are there",
                                partial_reason(profile)));
    }
}

std::string PredictionOptions::html(std::deque<Program> programs, const std::string& title,
                                    const std::vector<Offer>& offers, const ComparisonTerms& terms) const {
    what_if_.warn_of_unread({models_.data(), asked_models_}, targets_, read_by_page);
    for (auto& program : programs) {
        program.profile = what_if_.changed(program.profile, model_options_);
        refuse_partial(program.profile);
    }
    std::vector<const Gpu*> targets;
    targets.reserve(targets_.size());
    for (const auto& gpu : targets_) targets.push_back(&gpu);
    const std::span<const Model* const> asked(models_.data(), asked_models_);
    std::vector<const Model*> further;
    for (const auto& model : gpuproj::models()) {
        if (std::find(asked.begin(), asked.end(), &model) == asked.end()) further.push_back(&model);
    }
    const auto mix = parts_of(programs);
    return html_page(report_to_json({programs.front().profile, targets, asked, mix.front().reference, model_options_,
                                     title, std::string(version), further, mix, offers, terms}));
}

void PredictionOptions::print(const Profile& measured, const Catalog& catalog) const {
    const Profile profile = what_if_.changed(measured, model_options_);
    refuse_partial(profile);
    what_if_.warn_of_unread({models_.data(), asked_models_}, targets_, read_by_tables);
    if (profile.kernels.empty()) throw Error("the profile has no kernels: there is nothing to predict");
    std::vector<const Gpu*> targets;
    targets.reserve(targets_.size());
    for (const auto& gpu : targets_) targets.push_back(&gpu);
    const auto reference = reference_of(catalog, profile);
    const Gpu* const own = reference ? &*reference : nullptr;
    const EvaluationInput input{profile, targets, models_, own, model_options_};
    if (format() == OutputFormat::json || format() == OutputFormat::csv)
        return print_long(input, asked_models_, format());
    const auto evaluation = evaluate(input);
    Answers answers(asked_models_);
    answers.see(evaluation);
    answers.refuse_if_none(input);

    // What the self-check checks is the uncorrected model.
    auto self_options = model_options_;
    self_options.use_reference_time = false;
    const std::span<const Model* const> asked(models_.data(), asked_models_);
    const EvaluationInput self_input{profile, std::span(&own, own != nullptr ? 1 : 0), asked, own, self_options};
    const auto self = evaluate(self_input);
    if (format() == OutputFormat::markdown) {
        const auto facts = report_facts(input, models_, true);
        std::vector<Table> tables = {fact_table(facts), self_check_table(self_input, self),
                                     kernel_table(input, evaluation), prediction_table(input, evaluation.rows, false),
                                     total_table(input, evaluation)};
        if (const auto whole = application_projection_table(input, evaluation.totals); !whole.rows.empty())
            tables.push_back(without_empty_columns(whole));
        print_tables(tables, OutputFormat::markdown);
        return;
    }
    PageOptions page;
    page.models.resize(asked_models_);
    std::iota(page.models.begin(), page.models.end(), std::size_t{0});
    page.full_names = full_names_;
    page.explain = explain_;
    if (own != nullptr) page.self_check_input = &self_input, page.self_check = &self;
    print_report(predictions_page(input, evaluation, page, stdout_screen()));
}

}  // namespace gpuproj
