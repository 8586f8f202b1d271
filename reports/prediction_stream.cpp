#include "reports/prediction_stream.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/json_fields.hpp"
#include "model/parallel.hpp"
#include "model/warnings.hpp"
#include "reports/application.hpp"
#include "reports/csv_text.hpp"
#include "reports/json_writer.hpp"
#include "reports/prediction_numbers.hpp"
#include "reports/predictions.hpp"

namespace gpuproj {
namespace {

std::optional<double> number(const std::optional<Seconds>& duration) {
    return duration ? std::optional(duration->value) : std::nullopt;
}

void write_dimensions(JsonWriter& json, std::string_view name, const std::optional<Dim3>& size) {
    json.key(name);
    if (!size) return json.null();
    json.open_list();
    for (const auto along : *size) json.count(along);
    json.close_list();
}

/// Null for no numbers at all; `type` stands before them.
template <class Numbers>
void write_numbers(JsonWriter& json, std::string_view name, const Numbers* numbers,
                   std::optional<std::string_view> type) {
    json.key(name);
    if (numbers == nullptr) return json.null();
    json.open_object();
    if (type) json.text("k_type", *type);
    for (const auto& named : numbers_of(numbers)) json.amount(named.key, named.value);
    json.close_object();
}

template <class T>
const T* pointer_to(const std::optional<T>& value) {
    return value ? &*value : nullptr;
}

void write_prediction(JsonWriter& json, const EvaluationInput& input, const EvaluationRow& row) {
    const auto& kernel = input.profile.kernels[row.kernel];
    json.open_object();
    json.text("kernel", kernel.kernel);
    write_dimensions(json, "grid", kernel.grid);
    write_dimensions(json, "block", kernel.block);
    json.key("launches"), json.count(kernel.launches);
    json.text("gpu", input.targets[row.target]->name);
    json.text("model", input.models[row.model]->name);
    static const Prediction none;
    const auto* const p = std::get_if<Prediction>(&row.outcome);
    const auto& known = p != nullptr ? *p : none;
    json.amount("duration_s", p != nullptr ? std::optional(p->duration.value) : std::nullopt);
    json.amount("low_s", number(known.low));
    json.amount("high_s", number(known.high));
    json.key("limiter");
    if (p != nullptr) {
        json.text(name_of(p->limiter));
    } else {
        json.null();
    }
    json.key("bounds"), json.open_list();
    for (const auto& bound : known.bounds) {
        json.open_object();
        json.text("limiter", name_of(bound.limiter));
        json.amount("duration_s", bound.duration.value);
        json.close_object();
    }
    json.close_list();
    json.key("reason");
    if (p != nullptr) {
        json.null();
    } else {
        json.text(std::get<Inapplicable>(row.outcome).reason);
    }
    json.key("warnings"), json.open_list();
    for (const Warning warning : known.warnings) json.text(name_of(warning));
    json.close_list();
    const auto* const parameters = pointer_to(known.kernel);
    write_numbers(json, "kernel_parameters", parameters,
                  parameters != nullptr ? std::optional(name_of(parameters->k_type)) : std::nullopt);
    write_numbers(json, "intermediates", pointer_to(known.intermediates), std::nullopt);
    json.close_object();
}

void write_total(JsonWriter& json, const EvaluationInput& input, const EvaluationTotal& total) {
    json.open_object();
    json.text("gpu", input.targets[total.target]->name);
    json.text("model", input.models[total.model]->name);
    json.amount("duration_s", number(total.duration));
    json.amount("low_s", number(total.low));
    json.amount("high_s", number(total.high));
    json.amount("covered_share", total.covered_share);
    json.close_object();
}

using Rows = std::span<const EvaluationRow>;

/// Gives `take` the texts of all rows in their order; they are made on all cores, not all of them at once.
template <class TextOf>
void write_rows(Rows rows, const TextOf& text_of, const TakeText& take) {
    constexpr std::size_t rows_each = 256, texts_held = 64;
    for (std::size_t begin = 0; begin < rows.size(); begin += rows_each * texts_held) {
        const auto held = rows.subspan(begin, std::min(rows_each * texts_held, rows.size() - begin));
        std::vector<std::string> texts((held.size() + rows_each - 1) / rows_each);
        for_each_in_parallel(texts.size(), [&](std::size_t at) {
            const std::size_t first = at * rows_each;
            texts[at] = text_of(held.subspan(first, std::min(rows_each, held.size() - first)));
        });
        for (const auto& text : texts) take(text);
    }
}

}  // namespace

void write_predictions_json(const EvaluationInput& input, std::size_t rows, const TakeText& take) {
    std::string text;
    JsonWriter json(text);
    const auto take_text = [&] {
        take(text);
        text.clear();
    };
    json.open_object();
    json.text("schema", "gpuproj.predictions");
    json.key("version"), json.count(predictions_version);
    auto provenance = nlohmann::ordered_json::object({{"gpu", input.profile.gpu}});
    write_table(provenance, input.profile.provenance, Provenance::fields);
    json.key("provenance"), json.value(provenance);
    json.key("predictions"), json.open_list();
    take_text();
    const std::size_t depth = json.depth();
    const auto totals =
        evaluate_in_blocks(input, rows, [&](const EvaluationInput& block, const Evaluation& evaluation) {
            const auto* const first = evaluation.rows.data();
            const auto text_of = [&](Rows some) {
                std::string part;
                JsonWriter list(part, depth, some.data() == first && block.targets.data() == input.targets.data());
                for (const auto& row : some) write_prediction(list, block, row);
                return part;
            };
            write_rows(evaluation.rows, text_of, take);
            return true;
        });
    json.wrote_more(input.targets.size() * input.models.size() * input.profile.kernels.size());
    json.close_list();
    json.key("totals"), json.open_list();
    for (const auto& total : totals) write_total(json, input, total);
    json.close_list();
    json.key("applications"), json.value(to_json(application_projection_table(input, totals)));
    json.close_object();
    text += '\n';
    take_text();
}

void write_predictions_csv(const EvaluationInput& input, std::size_t rows, const TakeText& take) {
    take(csv_header(prediction_table(input, {}, true)));
    evaluate_in_blocks(input, rows, [&](const EvaluationInput& block, const Evaluation& evaluation) {
        write_rows(
            evaluation.rows, [&](Rows some) { return csv_rows(prediction_table(block, some, true)); }, take);
        return true;
    });
}

}  // namespace gpuproj
