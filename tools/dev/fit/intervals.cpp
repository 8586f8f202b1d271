#include "tools/dev/fit/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/calibrated_interval.hpp"

namespace gpuproj::fit {

namespace {

using calibrated::HalfWidths;
using calibrated::RatioScales;
using calibrated::Shares;

constexpr double quantile = 0.85;
constexpr double level = 0.8;

struct Weighted {
    double value, weight;
};

double weighted_quantile(std::vector<Weighted> all, double q) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    double total = 0, sum = 0;
    for (const auto& x : all) total += x.weight;
    for (const auto& x : all) {
        sum += x.weight;
        if (sum >= q * total) return x.value;
    }
    return all.empty() ? 0 : all.back().value;
}

double expected_sd(const Errors& e, Which which) {
    return which == &Errors::time ? e.sd_time : e.sd_counters;
}

double width_of(const HalfWidths& widths, const Pair& pair, const Errors& e, Which which) {
    return (pair.same_architecture ? widths.same : widths.other) * expected_sd(e, which);
}

/// A and B: two targets of one reference row.
struct Choice {
    const Pair* a;
    const Pair* b;
    double error;      // of ln(A/B)
    double predicted;  // ln(A/B)
    bool a_faster;
};

std::vector<Choice> choices(std::span<const Pair> pairs, std::span<const Errors> errors, Which which) {
    std::map<const Row*, std::vector<std::size_t>> by_reference;
    for (std::size_t i = 0; i < pairs.size(); ++i) by_reference[pairs[i].reference].push_back(i);
    std::vector<Choice> all;
    for (const auto& [reference, indices] : by_reference) {
        for (std::size_t x = 0; x < indices.size(); ++x) {
            for (std::size_t y = x + 1; y < indices.size(); ++y) {
                const Pair& a = pairs[indices[x]];
                const Pair& b = pairs[indices[y]];
                const double error = errors[indices[x]].*which - errors[indices[y]].*which;
                const double measured = a.target->ln_time - b.target->ln_time;
                all.push_back({&a, &b, error, error + measured, measured < 0});
            }
        }
    }
    return all;
}

calibrated::Comparison comparison(const Choice& choice) {
    return {calibrated::same_architecture(*choice.a->target->chip, *choice.b->target->chip),
            choice.a->same_architecture && choice.b->same_architecture, false};
}

/// Errors by what they may have in common (two GPUs), family and kernel.
using Grouped = std::map<std::string, std::map<std::string, std::map<std::string, std::vector<double>>>>;

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

/// The mean over pairs of GPUs of the products of errors: of two families, of two rows of one kernel, of one row.
Shares shares_of(const Grouped& grouped) {
    double between = 0, within = 0, all = 0;
    for (const auto& [gpus, families] : grouped) {
        std::vector<double> means, products, squares;
        for (const auto& [family, kernels] : families) {
            std::vector<double> kernel_means, kernel_products, kernel_squares;
            for (const auto& [kernel, errors] : kernels) {
                double sum = 0, square = 0;
                for (const double e : errors) {
                    sum += e;
                    square += e * e;
                }
                const auto n = static_cast<double>(errors.size());
                kernel_means.push_back(sum / n);
                kernel_squares.push_back(square / n);
                kernel_products.push_back(n > 1 ? (sum * sum - square) / (n * (n - 1)) : square);
            }
            means.push_back(mean_of(kernel_means));
            products.push_back(mean_of(kernel_products));
            squares.push_back(mean_of(kernel_squares));
        }
        const auto n = static_cast<double>(means.size());
        if (n < 2) continue;
        double sum = 0, square = 0;
        for (const double m : means) {
            sum += m;
            square += m * m;
        }
        between += (sum * sum - square) / (n * (n - 1));
        within += mean_of(products);
        all += mean_of(squares);
    }
    const double common = std::clamp(between / all, 0.0, 1.0);
    return {common, std::clamp(within / all - common, 0.0, 1 - common)};
}

RatioScales scales_of(const std::vector<Choice>& all) {
    const auto scale = [&](bool same, bool reference) {
        std::map<std::string, std::vector<double>> by_kernel;
        for (const Choice& choice : all) {
            const auto c = comparison(choice);
            if (c.same_architecture == same && (!same || c.reference_architecture == reference)) {
                by_kernel[choice.a->reference->kernel].push_back(std::abs(choice.error));
            }
        }
        std::vector<Weighted> weighted;
        for (const auto& [kernel, values] : by_kernel) {
            for (const double value : values) weighted.push_back({value, 1 / static_cast<double>(values.size())});
        }
        return weighted_quantile(std::move(weighted), level) / std::log(9);
    };
    Grouped grouped;
    for (const Choice& choice : all) {
        const Row& reference = *choice.a->reference;
        const std::string gpus = reference.gpu + "|" + choice.a->target->gpu + "|" + choice.b->target->gpu;
        // One order of A and B for all kernels.
        const bool ordered = choice.a->target->gpu < choice.b->target->gpu;
        const std::string turned = reference.gpu + "|" + choice.b->target->gpu + "|" + choice.a->target->gpu;
        grouped[ordered ? gpus : turned][reference.family][reference.kernel].push_back(ordered ? choice.error
                                                                                               : -choice.error);
    }
    return {scale(true, true), scale(true, false), scale(false, false), shares_of(grouped).common};
}

double score_of(double half_width, double error) {
    return 2 * half_width + 2 / (1 - level) * std::max(error - half_width, 0.0);
}

}  // namespace

HalfWidths half_widths(std::span<const Pair> pairs, std::span<const Errors> errors, Which which) {
    const auto weights = family_weights(pairs);
    HalfWidths widths;
    for (const bool same : {true, false}) {
        std::vector<Weighted> all;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (pairs[i].same_architecture != same) continue;
            all.push_back({std::abs(errors[i].*which) / expected_sd(errors[i], which), weights[i]});
        }
        (same ? widths.same : widths.other) = weighted_quantile(std::move(all), quantile);
    }
    return widths;
}

Shares shares(std::span<const Pair> pairs, std::span<const Errors> errors, Which which) {
    Grouped grouped;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Row& reference = *pairs[i].reference;
        grouped[reference.gpu + "|" + pairs[i].target->gpu][reference.family][reference.kernel].push_back(errors[i].*
                                                                                                          which);
    }
    return shares_of(grouped);
}

RatioScales ratio_scales(std::span<const Pair> pairs, std::span<const Errors> errors, Which which) {
    return scales_of(choices(pairs, errors, which));
}

IntervalFigures interval_figures(std::span<const Pair> pairs, std::span<const Errors> errors, Which which) {
    std::set<std::string> families;
    for (const Pair& pair : pairs) families.insert(pair.reference->family);
    const auto all_choices = choices(pairs, errors, which);
    IntervalFigures result;
    const double n = static_cast<double>(families.size());
    for (const auto& family : families) {
        std::vector<Pair> learn, left_out;
        std::vector<Errors> learn_errors, left_out_errors;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const bool out = pairs[i].reference->family == family;
            (out ? left_out : learn).push_back(pairs[i]);
            (out ? left_out_errors : learn_errors).push_back(errors[i]);
        }
        const auto widths = half_widths(learn, learn_errors, which);
        const auto learn_weights = family_weights(learn);
        std::vector<Weighted> pool;
        for (std::size_t i = 0; i < learn.size(); ++i)
            pool.push_back({std::abs(learn_errors[i].*which), learn_weights[i]});
        const double one_width = weighted_quantile(pool, level);

        IntervalFigures::Family f{family};
        double one_coverage = 0, one_score = 0;
        const double each = 1 / static_cast<double>(left_out.size());
        for (std::size_t i = 0; i < left_out.size(); ++i) {
            const double error = std::abs(left_out_errors[i].*which);
            const double half = width_of(widths, left_out[i], left_out_errors[i], which);
            f.coverage += error <= half ? each : 0;
            f.width += each * 2 * half;
            f.score += each * score_of(half, error);
            one_coverage += error <= one_width ? each : 0;
            one_score += each * score_of(one_width, error);
        }

        std::vector<Choice> learn_choices, left_out_choices;
        for (const Choice& choice : all_choices) {
            (choice.a->reference->family == family ? left_out_choices : learn_choices).push_back(choice);
        }
        calibrated::Calibration made_without;
        made_without.ratio_counters = scales_of(learn_choices);
        double brier = 0, wrong = 0;
        for (const Choice& choice : left_out_choices) {
            const double p = calibrated::probability_faster(Seconds{std::exp(choice.predicted)}, Seconds{1},
                                                            comparison(choice), made_without);
            brier += (p - choice.a_faster) * (p - choice.a_faster);
            wrong += (choice.predicted < 0) == choice.a_faster ? 0 : 1;
        }
        const auto count = static_cast<double>(left_out_choices.size());
        result.brier += brier / count / n;
        result.wrong_order += wrong / count / n;
        result.coverage += f.coverage / n;
        result.width += f.width / n;
        result.score += f.score / n;
        result.one_width_coverage += one_coverage / n;
        result.one_width_score += one_score / n;
        result.families.push_back(std::move(f));
    }
    return result;
}

}  // namespace gpuproj::fit
