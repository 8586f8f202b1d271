#include "targets/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "targets/rates.hpp"

namespace gpuproj {
namespace {

// Arithmetic benchmarks reach this much of lanes x clock where the clock is known: the median of T_SP, T_DP and T_int
// of Konstantinidis 2017, table 5.2, on the cards that keep their reported clock (without T_SP of Kepler, which cannot
// feed all its lanes).
constexpr double arithmetic_efficiency = 0.99;

constexpr auto calibrated_keys = std::to_array<std::string_view>({
    "fp32_op_per_s",
    "fp64_op_per_s",
    "int_mad_op_per_s",
    "int_add_op_per_s",
    "dram_bandwidth_byte_per_s",
    "shared_inst_per_s",
    "fp16_op_per_s",
    "l2_bandwidth_byte_per_s",
    "l1_bandwidth_byte_per_s",
    "launch_overhead_s",
});

// An empty kernel, in order of magnitude; the factor does the rest.
constexpr double nominal_launch_s = 5e-6;

// HBM2 and HBM2e behave alike, so do GDDR5 and GDDR5X.
std::string memory_family(const std::string& type) {
    if (type.starts_with("HBM")) return "HBM";
    if (type.starts_with("GDDR5")) return "GDDR5";
    if (type.starts_with("GDDR6")) return "GDDR6";
    return type;
}

std::array<std::string, 3> groups_of(const Card& card, std::string_view key) {
    const std::string board(board_class_names[static_cast<std::size_t>(card.board_class)]);
    if (key == "clock") {
        return {card.vendor + " " + card.architecture + " " + board, card.vendor + " " + board, board};
    }
    if (key == "dram_bandwidth_byte_per_s") {
        const std::string ecc = card.ecc ? " with ECC" : "";
        return {card.vendor + " " + card.dram_type + ecc, memory_family(card.dram_type) + ecc,
                memory_family(card.dram_type)};
    }
    return {card.vendor + " " + card.compute_capability, card.vendor + " " + card.architecture, card.vendor};
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double square(double x) {
    return x * x;
}

double median_square_distance(const std::vector<double>& ratios, double middle) {
    constexpr double deviations = 1.4826;  // standard deviation of a normal distribution per median absolute deviation
    std::vector<double> distances;
    std::ranges::transform(ratios, std::back_inserter(distances), [&](double r) { return std::abs(r - middle); });
    return square(deviations * median(distances));
}

using Groups = std::map<std::string, std::vector<double>>;

// Variance of samples about the median of their own group, over groups of two and more.
double variance_within(const Groups& groups) {
    double sum = 0;
    double degrees = 0;
    for (const auto& [name, ratios] : groups) {
        const double middle = median(ratios);
        for (const double ratio : ratios) sum += square(ratio - middle);
        degrees += static_cast<double>(ratios.size()) - 1;
    }
    return degrees > 0 ? sum / degrees : 0;
}

// Variance of the groups' medians about their mean.
double variance_between(const Groups& groups) {
    double mean = 0;
    for (const auto& [name, ratios] : groups) mean += median(ratios) / static_cast<double>(groups.size());
    double sum = 0;
    for (const auto& [name, ratios] : groups) sum += square(median(ratios) - mean);
    return groups.size() > 1 ? sum / static_cast<double>(groups.size() - 1) : 0;
}

std::vector<CardValue> values_of(const Card& card, std::span<const CardValue> values) {
    std::vector<CardValue> own;
    std::ranges::copy_if(values, std::back_inserter(own),
                         [&](const CardValue& value) { return value.gpu == card.name; });
    return own;
}

// Kepler issues at most 7 warp instructions of its 6 units' worth with register conflicts: T_SP says nothing of its
// clock.
bool tells_clock(const Card& card, std::string_view key) {
    if (key == "fp32_op_per_s") return card.architecture != "Kepler";
    return key == "fp64_op_per_s" || key == "int_mad_op_per_s";
}

/// Of cards that have nothing in common with the one in question: the median of the widest groups' medians.
Factor factor_of_others(const Calibration& calibration, std::string_view key, std::string_view leave_out) {
    constexpr double least_spread = 0.1;
    Groups groups;
    for (const Sample& sample : calibration.samples)
        if (sample.key == key && sample.gpu != leave_out) groups[sample.groups.back()].push_back(sample.ratio);
    if (groups.empty()) return {};
    std::vector<double> medians;
    for (const auto& [name, ratios] : groups) medians.push_back(median(ratios));
    const double value = median(medians);
    return {value, std::max(std::sqrt(variance_between(groups)) / value, least_spread), 0, {}};
}

}  // namespace

std::optional<double> nominal(const Card& card, std::string_view key, Hertz clock) {
    const std::optional<Rates> rates = find_rates(card.compute_capability);
    const double cycles = card.sm_count * clock.value;
    const auto per_cycle = [&](double results) { return results > 0 ? std::optional(results * cycles) : std::nullopt; };
    if (key == "dram_bandwidth_byte_per_s") return card.dram_peak.value;
    if (key == "launch_overhead_s") return nominal_launch_s;
    if (key == "fp32_op_per_s") return per_cycle(2 * card.lanes_per_sm);
    if (!rates) return std::nullopt;
    if (key == "fp64_op_per_s") return per_cycle(2 * card.fp64_per_sm.value_or(rates->fp64));
    if (key == "int_mad_op_per_s") return per_cycle(2 * rates->int_mad);
    if (key == "int_add_op_per_s") return per_cycle(rates->int_add);
    if (key == "shared_inst_per_s") return per_cycle(rates->shared_words);
    if (key == "fp16_op_per_s") return per_cycle(2 * rates->fp16);
    if (key == "special_op_per_s") return per_cycle(rates->special);
    if (key == "l1_bandwidth_byte_per_s") return per_cycle(rates->l1_byte);
    if (key == "l2_bandwidth_byte_per_s" && card.bus_bit) {
        constexpr double channel_bit = 32;
        return rates->l2_byte_channel * *card.bus_bit / channel_bit * clock.value;
    }
    return std::nullopt;
}

std::optional<Hertz> measured_clock(const Card& card, std::span<const CardValue> values) {
    std::optional<Hertz> clock;
    for (const CardValue& value : values_of(card, values)) {
        if (value.parameter == "core_clock_hz") return Hertz{value.value};
        if (value.quality != Quality::measured || !tells_clock(card, value.parameter)) continue;
        if (const auto at_one_hertz = nominal(card, value.parameter, Hertz{1})) {
            const Hertz needed{value.value / *at_one_hertz / arithmetic_efficiency};
            clock = clock ? std::max(*clock, needed) : needed;
        }
    }
    return clock;
}

Calibration calibrate(std::span<const Card> cards, std::span<const CardValue> values) {
    Calibration calibration;
    for (const Card& card : cards) {
        std::vector<CardValue> own = values_of(card, values);
        // Of several measurements of a card some may be for itself alone: they say nothing of its clock either.
        const auto for_others = [](const CardValue& value) { return value.calibrates; };
        const bool only_own = std::ranges::none_of(own, for_others);
        if (!only_own) std::erase_if(own, std::not_fn(for_others));
        if (own.empty()) continue;
        const std::optional<Hertz> clock = measured_clock(card, own);
        const auto reported = std::ranges::find_if(own, [](const CardValue& value) { return value.clock.has_value(); });
        if (clock) {
            const Hertz base = reported == own.end() ? card.boost : reported->clock.value_or(card.boost);
            calibration.samples.push_back({card.name, "clock", groups_of(card, "clock"), ratio(*clock, base)});
        }
        for (const CardValue& value : own) {
            const auto* key = std::ranges::find(calibrated_keys, value.parameter);
            if (value.quality != Quality::measured || !value.calibrates || key == calibrated_keys.end()) continue;
            if (const auto table = nominal(card, value.parameter, clock.value_or(card.boost))) {
                calibration.samples.push_back({card.name, *key, groups_of(card, *key), value.value / *table});
            }
        }
    }
    return calibration;
}

Factor factor(const Calibration& calibration, std::string_view key, const Card& card, std::string_view leave_out) {
    constexpr double least_spread = 0.03;
    const std::array<std::string, 3> own = groups_of(card, key);
    Factor result;
    for (std::size_t level = own.size(); level-- > 0;) {
        const bool widest = level + 1 == own.size();
        Groups groups;  // of this level, within the group one level up
        for (const Sample& sample : calibration.samples) {
            const bool related = widest || sample.groups[level + 1] == own[level + 1];
            if (sample.key == key && related && sample.gpu != leave_out)
                groups[sample.groups[level]].push_back(sample.ratio);
        }
        const auto found = groups.find(own[level]);
        if (found == groups.end()) continue;
        const std::vector<double>& ratios = found->second;
        const auto count = static_cast<double>(ratios.size());
        const double middle = median(ratios);
        double value = middle;
        double variance = median_square_distance(ratios, middle);
        if (result.samples > 0) {
            // How much a group tells beyond the wider one: its variance among groups against that of its samples.
            const double within = variance_within(groups);
            const double between = count * variance_between(groups);
            const double weight = between > 0 ? between / (between + within) : 0;
            value = weight * middle + (1 - weight) * result.value;
            variance = ratios.size() == 1 ? within : variance;
            variance = weight * variance + (1 - weight) * square(result.spread * result.value);
        }
        result = {value, std::max(std::sqrt(variance) / value, least_spread), static_cast<int>(ratios.size()),
                  own[level]};
    }
    return result.samples > 0 ? result : factor_of_others(calibration, key, leave_out);
}

Factor bandwidth_without_ecc(const Calibration& calibration, Card card, std::string_view leave_out) {
    card.ecc = false;
    return factor(calibration, "dram_bandwidth_byte_per_s", card, leave_out);
}

}  // namespace gpuproj
