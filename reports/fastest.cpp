#include "reports/fastest.hpp"

#include <cmath>
#include <variant>

#include "model/calibrated_chip.hpp"

namespace gpuproj {
namespace {

/// Scale of the logistic distribution of ln(time on A / time on B), from the probability at one ratio of times.
std::optional<double> scale(const ComparedTotal& a, const ComparedTotal& b, const Gpu& reference, bool reference_time) {
    constexpr double at = 0.1;  // ln of the ratio
    const auto p = probability_faster({a.gpu, Seconds{1}, a.concentration},
                                      {b.gpu, Seconds{std::exp(at)}, b.concentration}, reference, reference_time);
    if (!p) return std::nullopt;
    return at / std::log(*p / (1 - *p));
}

/// ln(sum of exp(x)) without overflow.
double log_sum(const std::vector<double>& xs) {
    double most = xs.front();
    for (const double x : xs) most = std::max(most, x);
    double sum = 0;
    for (const double x : xs) sum += std::exp(x - most);
    return most + std::log(sum);
}

/// GPUs of one architecture. `scale` is of the pairs in it; of no use where there is one GPU.
struct Nest {
    std::vector<std::size_t> members;
    double scale = 1;
    double value = 0;  // inclusive value: -ln(time) of the nest's fastest, smoothed
};

}  // namespace

std::vector<double> probabilities_fastest(std::span<const ComparedTotal> totals, const Gpu& reference,
                                          bool reference_time) {
    std::vector<calibrated::Chip> chips;
    for (const auto& total : totals) {
        const auto chip = calibrated::chip_of(total.gpu);
        if (!std::holds_alternative<calibrated::Chip>(chip)) return {};
        chips.push_back(std::get<calibrated::Chip>(chip));
    }
    std::vector<Nest> nests;
    double between = 1;
    for (std::size_t at = 0; at < totals.size(); ++at) {
        Nest* own = nullptr;
        for (Nest& nest : nests) {
            const std::size_t first = nest.members.front();
            const auto found = scale(totals[first], totals[at], reference, reference_time);
            if (!found) return {};
            if (calibrated::same_architecture(chips[first], chips[at])) {
                own = &nest;
                nest.scale = *found;
            } else {
                between = *found;
            }
        }
        if (own == nullptr) own = &nests.emplace_back();
        own->members.push_back(at);
    }
    std::vector<double> values;
    for (Nest& nest : nests) {
        // A nest that is wider than the space between nests would not be a nest: the distribution asks for this.
        nest.scale = nests.size() > 1 ? std::min(nest.scale, between) : nest.scale;
        std::vector<double> inside;
        for (const auto at : nest.members) inside.push_back(-std::log(totals[at].duration.value) / nest.scale);
        nest.value = nest.scale * log_sum(inside);
        values.push_back(nest.value / between);
    }
    const double all = log_sum(values);
    std::vector<double> probabilities(totals.size());
    for (const Nest& nest : nests) {
        for (const auto at : nest.members) {
            const double within = (-std::log(totals[at].duration.value) - nest.value) / nest.scale;
            probabilities[at] = std::exp(within + nest.value / between - all);
        }
    }
    return probabilities;
}

std::optional<double> ratio_interval(const Gpu& a, const Gpu& b, const Gpu& reference, bool reference_time) {
    const auto found = scale({a, Seconds{1}}, {b, Seconds{1}}, reference, reference_time);
    if (!found) return std::nullopt;
    return std::pow(9.0, *found);  // the logistic distribution's 10 % and 90 % quantiles are at -+ ln 9 scales
}

}  // namespace gpuproj
