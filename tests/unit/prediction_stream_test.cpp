#include "reports/prediction_stream.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "model/profile_io.hpp"
#include "model/schema.hpp"
#include "reports/predictions.hpp"
#include "targets/catalog.hpp"
#include "tests/support/directories.hpp"

using namespace gpuproj;

namespace {

/// Rodinia's kernels on four GPUs by two models, of which one refuses some.
struct Case {
    Profile profile = read_profile(test::source_directory() + "/examples/profiles/rodinia.json");
    std::vector<Gpu> gpus = Catalog({}).select("K20c,GTX660,GTX1060,H200SXM");
    Gpu own = Catalog({}).get(profile.gpu);
    std::vector<const Gpu*> targets{&gpus[0], &gpus[1], &gpus[2], &gpus[3]};
    std::array<const Model*, 2> models{&find_model("calibrated"), &find_model("quantitative-roofline")};

    EvaluationInput input() const { return {profile, targets, models, &own, {}}; }
};

std::string text_of(void (*write)(const EvaluationInput&, std::size_t, const TakeText&), const EvaluationInput& input,
                    std::size_t rows) {
    std::string text;
    write(input, rows, [&](std::string_view part) { text += part; });
    return text;
}

}  // namespace

TEST_CASE("Predictions written some GPUs at a time are those of all at once") {
    const Case all;
    const auto input = all.input();
    const auto whole = evaluate(input);
    const std::size_t rows_of_two_gpus = 2 * all.models.size() * all.profile.kernels.size();

    CHECK(text_of(write_predictions_csv, input, 1) == to_csv(prediction_table(input, whole.rows, true)));
    CHECK(text_of(write_predictions_csv, input, rows_of_two_gpus) == to_csv(prediction_table(input, whole.rows, true)));
    const auto json = text_of(write_predictions_json, input, 1'000'000);
    CHECK(text_of(write_predictions_json, input, 1) == json);
    CHECK(text_of(write_predictions_json, input, rows_of_two_gpus + 1) == json);

    // As it is written, nlohmann writes what it reads of it.
    const auto read = nlohmann::ordered_json::parse(json);
    CHECK(json_text(read) == json);
    CHECK(read["predictions"].size() == whole.rows.size());
    REQUIRE(read["totals"].size() == whole.totals.size());
    for (std::size_t at = 0; at < whole.totals.size(); ++at) {
        CHECK(read["totals"][at]["gpu"] == input.targets[whole.totals[at].target]->name);
        CHECK(read["totals"][at]["duration_s"] == whole.totals[at].duration->value);
        CHECK(read["totals"][at]["low_s"].is_null() == !whole.totals[at].low);
    }
    const auto last = read["predictions"].back();
    CHECK(last["gpu"] == all.gpus.back().name);
    CHECK(last["kernel"] == all.profile.kernels.back().kernel);
}

TEST_CASE("Without kernels there are no predictions, and lists are empty") {
    Case none;
    none.profile.kernels.clear();
    const auto text = text_of(write_predictions_json, none.input(), 1);
    CHECK(text.find("\"predictions\": [],") != std::string::npos);
    CHECK(json_text(nlohmann::ordered_json::parse(text)) == text);
}

TEST_CASE("An evaluation in blocks ends where its user has seen enough") {
    const Case all;
    std::vector<std::string> seen;
    const auto totals = evaluate_in_blocks(all.input(), 1, [&](const EvaluationInput& block, const Evaluation&) {
        seen.push_back(block.targets.front()->name);
        return seen.size() < 2;
    });
    CHECK(seen == std::vector<std::string>{all.gpus[0].name, all.gpus[1].name});
    REQUIRE(totals.size() == 4);
    CHECK(totals.back().target == 1);
    CHECK(totals.back().model == 1);
}
