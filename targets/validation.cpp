#include "targets/validation.hpp"

#include <algorithm>
#include <cmath>

#include "targets/calibration.hpp"
#include "targets/derive.hpp"
#include "targets/parameters.hpp"

namespace gpuproj {
namespace {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double error(double predicted, double measured) {
    return std::abs(predicted / measured - 1);
}

}  // namespace

std::vector<DerivationError> validate_derivation(std::span<const Card> cards, std::span<const CardValue> values) {
    const Calibration calibration = calibrate(cards, values);
    std::vector<DerivationError> rows;
    for (const Card& card : cards) {
        const auto clock = measured_clock(card, values);
        for (const CardValue& value : values) {
            const bool rate = value.parameter.ends_with("_per_s") || value.parameter == "launch_overhead_s";
            if (value.gpu != card.name || value.quality != Quality::measured || !rate) continue;
            Card reported = card;
            reported.boost = value.clock.value_or(card.boost);
            const auto blind =
                parameter(derive(reported, calibration, {.leave_out = card.name, .core_clock = {}}), value.parameter);
            if (!blind) continue;
            DerivationError row{card.name, value.parameter, value.value, blind->value, 0};
            if (clock) {
                row.at_measured_clock =
                    parameter(derive(card, calibration, {.leave_out = card.name, .core_clock = clock}), value.parameter)
                        ->value;
            }
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::vector<DerivationSummary> summarize(std::span<const DerivationError> rows) {
    std::vector<DerivationSummary> summaries;
    const Gpu every;
    for_each_parameter(every, [&](std::string_view key, const auto&) {
        std::vector<double> reported;
        std::vector<double> at_clock;
        for (const DerivationError& row : rows) {
            if (row.parameter != key) continue;
            reported.push_back(error(row.from_reported_clock, row.measured));
            if (row.at_measured_clock > 0) at_clock.push_back(error(row.at_measured_clock, row.measured));
        }
        if (reported.empty()) return;
        summaries.push_back({std::string(key), reported.size(), median(reported), *std::ranges::max_element(reported),
                             median(at_clock)});
    });
    return summaries;
}

}  // namespace gpuproj
