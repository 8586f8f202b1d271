#include "reports/html_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model/comparison_probability.hpp"
#include "model/warnings.hpp"
#include "reports/comparison_report.hpp"
#include "reports/format.hpp"
#include "reports/html_columns.hpp"

namespace gpuproj {
namespace {

using Json = nlohmann::ordered_json;

/// A lead that holds in fewer than 80 of 100 cases is none, as with the intervals.
constexpr double clear_lead = 0.8;

/// Of all launches; absent unless every kernel was timed.
std::optional<Seconds> measured_total(const Profile& profile) {
    Seconds sum;
    for (const auto& kernel : profile.kernels) {
        const auto measured = measured_duration(kernel);
        if (!measured) return std::nullopt;
        sum += *measured;
    }
    return profile.kernels.empty() ? std::nullopt : std::optional(sum);
}

/// Three digits are more than anyone can promise; the number and its unit stay on one line.
std::string time_text(Seconds duration) {
    struct Prefix {
        double scale;
        std::string_view unit;
    };
    static constexpr std::array prefixes = {Prefix{1, "s"}, Prefix{1e-3, "ms"}, Prefix{1e-6, "\u00b5s"},
                                            Prefix{1e-9, "ns"}};
    const auto* const found = std::find_if(prefixes.begin(), prefixes.end() - 1, [&](const Prefix& prefix) {
        return duration.value >= prefix.scale * 0.9995;
    });
    const double value = duration.value / found->scale;
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}\u00a0{}", value, decimals, found->unit);
}

std::string interval_text(const EvaluationTotal& total) {
    if (!total.low || !total.high) return "";
    return fmt::format(", with 80\u00a0% confidence between {} and {}", time_text(*total.low), time_text(*total.high));
}

/// "A", "A and B", "A, B and 3 more".
std::string list_text(const std::vector<std::string>& names) {
    constexpr std::size_t most = 3;
    if (names.size() == 1) return names.front();
    if (names.size() <= most) {
        const std::vector<std::string> first(names.begin(), names.end() - 1);
        return fmt::format("{} and {}", fmt::join(first, ", "), names.back());
    }
    const std::vector<std::string> first(names.begin(), names.begin() + most);
    return fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - most);
}

std::string sentence_of(const EvaluationInput& input, const EvaluationTotal& best) {
    const auto& name = input.targets[best.target]->name;
    const auto time = time_text(*best.duration);
    if (input.targets.size() == 1) {
        return fmt::format("On a {} this workload's kernels take about {}{}.", name, time, interval_text(best));
    }
    return fmt::format("Of the {} GPUs compared, {} is predicted to be the fastest for this workload: about {}{}.",
                       input.targets.size(), name, time, interval_text(best));
}

/// How clear the lead of the best is.
std::string lead_text(const EvaluationInput& input, std::span<const EvaluationTotal> totals,
                      const std::vector<std::size_t>& order, const std::vector<std::optional<double>>& chances) {
    if (order.size() < 2 || !totals[order[1]].duration) return "";
    const auto& best = totals[order[0]];
    const auto& next = totals[order[1]];
    const auto behind =
        fmt::format("{}, {:.2f} times as long", time_text(*next.duration), ratio(*next.duration, *best.duration));
    std::vector<std::pair<double, std::string>> rivals;
    for (const auto target : order) {
        if (target != order[0] && chances[target] && *chances[target] < clear_lead)
            rivals.emplace_back(*chances[target], input.targets[target]->name);
    }
    std::stable_sort(rivals.begin(), rivals.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (!rivals.empty()) {
        std::vector<std::string> names;
        for (const auto& rival : rivals) names.push_back(rival.second);
        return fmt::format(
            "Too close to call against {}: the chance that {} is really the faster one is only {:.0f} %.",
            list_text(names), input.targets[order[0]]->name, 100 * rivals.front().first);
    }
    const auto chance = chances[order[1]];
    return fmt::format("Next is {} with {}{}.", input.targets[order[1]]->name, behind,
                       chance ? fmt::format("; the chance that {} is really the faster one is {}",
                                            input.targets[order[0]]->name, chance_text(*chance))
                              : "");
}

}  // namespace

std::vector<std::size_t> fastest_first(std::span<const EvaluationTotal> totals) {
    std::vector<std::size_t> order(totals.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        // A sum that lacks kernels is no smaller than one that has them.
        if (totals[a].kernels_refused != totals[b].kernels_refused)
            return totals[a].kernels_refused < totals[b].kernels_refused;
        return totals[a].duration && totals[b].duration && *totals[a].duration < *totals[b].duration;
    });
    return order;
}

std::vector<std::optional<double>> chance_best_is_faster(const EvaluationInput& input, const Model& model,
                                                         std::span<const EvaluationTotal> totals, std::size_t best) {
    std::vector<std::optional<double>> chances(totals.size());
    const auto usable = [](const EvaluationTotal& total) { return total.duration && total.duration->value > 0; };
    if (model.name != "calibrated" || input.reference == nullptr || !usable(totals[best])) return chances;
    for (std::size_t target = 0; target < totals.size(); ++target) {
        if (!usable(totals[target]) || totals[target].kernels_refused != totals[best].kernels_refused) continue;
        chances[target] = target == best ? 0.5
                                         : probability_faster({*input.targets[best], *totals[best].duration},
                                                              {*input.targets[target], *totals[target].duration},
                                                              *input.reference, input.options.use_reference_time);
    }
    return chances;
}

Json answer_to_json(const EvaluationInput& input, const Model& model, std::span<const EvaluationTotal> totals,
                    const std::string& title) {
    Json json = {{"title", title}, {"sentence", ""}, {"details", Json::array()}, {"best", nullptr}};
    const auto& kernels = input.profile.kernels;
    const auto detail = [&](const std::string& text) {
        if (!text.empty()) json["details"].push_back(text);
    };
    if (kernels.empty()) {
        json["sentence"] = "The profile has no kernels: there is nothing to predict.";
        return json;
    }
    const auto order = fastest_first(totals);
    if (order.empty() || !totals[order.front()].duration) {
        json["sentence"] = "None of the kernels could be predicted; the reasons are below.";
        return json;
    }
    const auto& best = totals[order.front()];
    const auto chances = chance_best_is_faster(input, model, totals, best.target);
    json["best"] = best.target;
    json["sentence"] = sentence_of(input, best);
    const auto measured = measured_total(input.profile);
    json["measured_s"] = brief_number(measured ? std::optional(measured->value) : std::nullopt);
    json["chance"] = Json::array();
    for (const auto& chance : chances) json["chance"].push_back(brief_number(chance));
    detail(lead_text(input, totals, order, chances));
    if (measured && input.targets[best.target]->name != input.profile.gpu) {
        const double gain = ratio(*measured, *best.duration);
        detail(fmt::format("The {} that was measured took {}: {}.", input.profile.gpu, time_text(*measured),
                           gain >= 1 ? fmt::format("{:.2f} times as long", gain)
                                     : fmt::format("the predicted time is {:.2f} times as long", 1 / gain)));
    }
    if (best.kernels_refused > 0) {
        detail(fmt::format("{} of {} kernels could not be predicted; the predicted ones are {} of the workload.",
                           best.kernels_refused, kernels.size(), for_people(best.covered_share, Unit::fraction)));
    }
    if (input.profile.partial) detail("The profile is partial: the application ended early, and kernels are missing.");
    if (input.profile.provenance.counters == "simulated") {
        detail(fmt::format("Counted without a GPU, by simulating a {}.", input.profile.gpu));
    }
    return json;
}

}  // namespace gpuproj
