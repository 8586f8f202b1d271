#include "tools/dev/fit/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <set>

namespace gpuproj::fit {

namespace {

using calibrated::Constants;

/// The pairs that were predicted, as validate reports them.
std::vector<PredictedPair> predicted(const Data& data, const std::vector<double>& errors) {
    std::vector<PredictedPair> pairs;
    for (std::size_t i = 0; i < data.pairs.size(); ++i) {
        if (!std::isfinite(errors[i])) continue;
        const Pair& pair = data.pairs[i];
        PredictedPair p;
        p.pair = data.observed_pairs[pair.observed];
        p.predicted = Seconds{std::exp(pair.target->ln_time + errors[i])};
        p.same_architecture = pair.same_architecture;
        pairs.push_back(p);
    }
    return pairs;
}

std::vector<PredictedPair> only(const std::vector<PredictedPair>& pairs, bool same) {
    std::vector<PredictedPair> kept;
    for (const auto& pair : pairs) {
        if (pair.same_architecture == same) kept.push_back(pair);
    }
    return kept;
}

double percent(double fraction) {
    return 100 * fraction;
}

std::string figures_row(const Data& data, const Protocol& protocol) {
    const auto pairs = predicted(data, protocol.errors);
    const auto f = figures(data.observations, pairs);
    return fmt::format(
        "| {} | {:.3f} | {:.3f} | {:.3f} | {:.1f} % | {:+.3f} | {:.3f} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n",
        protocol.name, f.macro_abs_ln, figures(data.observations, only(pairs, true)).macro_abs_ln,
        figures(data.observations, only(pairs, false)).macro_abs_ln, percent(f.macro_mape), f.bias_ln, f.r.value_or(0),
        percent(f.within_25), percent(f.faster_gpu_right.value_or(0)), percent(f.best_gpu_hit_rate.value_or(0)),
        percent(f.regret.value_or(0)));
}

/// Mean |e| by kernel, or by family: the mean over its kernels.
std::map<std::string, double> means(const Data& data, const std::vector<double>& errors, std::string Row::*group) {
    std::map<std::string, std::map<std::string, std::pair<double, double>>> sums;
    for (std::size_t i = 0; i < data.pairs.size(); ++i) {
        if (!std::isfinite(errors[i])) continue;
        auto& [sum, count] = sums[data.pairs[i].reference->*group][data.pairs[i].reference->kernel];
        sum += std::abs(errors[i]);
        ++count;
    }
    std::map<std::string, double> result;
    for (const auto& [name, kernels] : sums) {
        double sum = 0;
        for (const auto& [kernel, s] : kernels) sum += s.first / s.second;
        result[name] = sum / static_cast<double>(kernels.size());
    }
    return result;
}

std::string comparison_row(const Data& data, const Protocol& ours, const Protocol& theirs, std::string Row::*group,
                           std::string_view unit) {
    const auto a = means(data, ours.errors, group), b = means(data, theirs.errors, group);
    std::vector<double> differences;
    for (const auto& [name, value] : a) differences.push_back(value - b.at(name));
    const auto wins = std::count_if(differences.begin(), differences.end(), [](double d) { return d < 0; });
    const auto draw = bootstrap(differences);
    return fmt::format("| {} | {} | {} | {:+.3f} | {:+.3f} to {:+.3f} | {:.1f} % | {} of {} |\n", ours.name,
                       theirs.name, unit, draw.mean, draw.low, draw.high, percent(draw.below_0), wins,
                       differences.size());
}

std::string kernel_rows(const Data& data, const Results& r) {
    std::string text;
    std::vector<std::map<std::string, PairGroup>> columns;
    for (const std::size_t i : {r.baseline_time, r.one_ratio, r.time, r.counters}) {
        std::map<std::string, PairGroup> by_kernel;
        for (auto& group : grouped(predicted(data, r.protocols[i].errors),
                                   [&](const PredictedPair& p) { return data.observations[p.pair.target].kernel; })) {
            by_kernel[group.name] = group;
        }
        columns.push_back(std::move(by_kernel));
    }
    for (const auto& [kernel, group] : columns[2]) {
        text += fmt::format("| {} |", kernel);
        for (auto& column : columns) {
            const auto& pairs = column[kernel].pairs;
            const auto f = figures(data.observations, pairs);
            text += fmt::format(" {:.3f} ({:.2f} / {:.2f}) {:+.2f} |", f.macro_abs_ln,
                                figures(data.observations, only(pairs, true)).macro_abs_ln,
                                figures(data.observations, only(pairs, false)).macro_abs_ln, f.bias_ln);
        }
        text += "\n";
    }
    return text;
}

std::string gpu_rows(const Data& data, const Results& r) {
    std::set<std::string> gpus;
    for (const Pair& pair : data.pairs) gpus.insert(pair.target->gpu);
    std::string text;
    for (const auto& gpu : gpus) {
        text += fmt::format("| {} |", gpu);
        for (const std::size_t i : {r.baseline_time, r.time, r.counters}) {
            std::vector<double> errors = r.protocols[i].errors;
            for (std::size_t n = 0; n < errors.size(); ++n) {
                if (data.pairs[n].target->gpu != gpu) errors[n] = NAN;
            }
            text += fmt::format(" {:.3f} |", figures(data.observations, predicted(data, errors)).macro_abs_ln);
        }
        text += "\n";
    }
    return text;
}

/// Of the pairs that differ by more than 10 % and that the datasheets' fp32 peaks rank wrongly, the share ranked right.
std::string ranked_wrongly(const Data& data, const Results& r) {
    std::size_t wrong = 0;
    std::map<std::size_t, std::size_t> right;
    for (std::size_t i = 0; i < data.pairs.size(); ++i) {
        const Pair& pair = data.pairs[i];
        const double measured = pair.target->ln_time - pair.reference->ln_time;
        const auto peak = [&](const std::string& gpu) { return data.gpus.at(gpu).fp32_peak->value; };
        const double peaks = std::log(ratio(peak(pair.reference->gpu), peak(pair.target->gpu)));
        if (std::abs(measured) <= std::log(1.1) || peaks * measured >= 0) continue;
        ++wrong;
        for (const std::size_t p : {r.time, r.counters, r.baseline_time, r.baseline_counters}) {
            const double error = r.protocols[p].errors[i];
            if (std::isfinite(error) && (error + measured) * measured > 0) ++right[p];
        }
    }
    std::string text = fmt::format("{} pairs. Ranked right:", wrong);
    for (const std::size_t p : {r.time, r.counters, r.baseline_time, r.baseline_counters}) {
        text += fmt::format(" {} {:.1f} %;", r.protocols[p].name,
                            percent(static_cast<double>(right[p]) / static_cast<double>(wrong)));
    }
    text.back() = '.';
    return text + "\n";
}

std::string interval_rows(std::string_view name, const IntervalFigures& f) {
    std::string text;
    for (const auto& family : f.families) {
        text += fmt::format("| {} | {} | {:.1f} % | {:.2f} | {:.2f} |\n", name, family.name, percent(family.coverage),
                            family.width, family.score);
    }
    return text + fmt::format(
                      "| {} | **mean of families** | {:.1f} % | {:.2f} | {:.2f} |\n"
                      "| {} | one width for all | {:.1f} % | | {:.2f} |\n",
                      name, percent(f.coverage), f.width, f.score, name, percent(f.one_width_coverage),
                      f.one_width_score);
}

std::string list(const calibrated::HalfWidths& widths) {
    return fmt::format("{{.same = {:.4f}, .other = {:.4f}}}", widths.same, widths.other);
}

std::string list(const calibrated::RatioScales& scales) {
    return fmt::format("{{.both_same = {:.4f}, .both_other = {:.4f}, .different = {:.4f}, .common = {:.4f}}}",
                       scales.both_same, scales.both_other, scales.different, scales.common);
}

std::string list(const calibrated::Shares& shares) {
    return fmt::format("{{.common = {:.4f}, .kernel = {:.4f}}}", shares.common, shares.kernel);
}

}  // namespace

std::string constants_source(const calibrated::Calibration& c) {
    std::string text = fmt::format(
        "// Written by gpuproj_fit (tools/dev/fit); do not edit.\n"
        "#include \"model/calibrated_constants.hpp\"\n\n// clang-format off\nnamespace gpuproj::calibrated {{\n\n"
        "const Calibration fitted{{\n    .version = {},\n    .provenance = \"{}\",\n    .constants = {{\n",
        c.version, c.provenance);
    std::apply(
        [&](const auto&... field) {
            ((text += fmt::format("        .{} = {:.4f},\n", field.key, c.constants.*field.member)), ...);
        },
        Constants::fields);
    text += fmt::format(
        "    }},\n    .interval_counters = {},\n    .interval_time = {},\n    .shares_counters = {},\n"
        "    .shares_time = {},\n    .ratio_counters = {},\n    .ratio_time = {},\n}};\n\n}}  // namespace "
        "gpuproj::calibrated\n",
        list(c.interval_counters), list(c.interval_time), list(c.shares_counters), list(c.shares_time),
        list(c.ratio_counters), list(c.ratio_time));
    return text;
}

std::string validation_page(const Data& data, const calibrated::Calibration& calibration, const Results& r) {
    std::set<std::string> kernels, families, gpus;
    for (const Pair& pair : data.pairs) {
        kernels.insert(pair.reference->kernel);
        families.insert(pair.reference->family);
        gpus.insert(pair.reference->gpu);
    }
    std::string text = fmt::format(
        "# `calibrated`: cross-validated errors\n\n"
        "Written by `{}`; do not edit. {} ordered pairs of GPUs, {} kernels in {} families, {} GPUs; both times 100 us "
        "and more, the median of repeated rows. |ln| is the macro mean over kernels of |ln(predicted/measured)|.\n\n"
        "**How to read this.** These are development figures. The constants are fitted without what is left out, but "
        "the "
        "form of the model was revised about twenty times with the errors of all families in view, and the constants' "
        "priors were set by hand with them in view too. The fit is held close to the priors (shrinkage {:g}), so "
        "leaving "
        "something out changes little: it measures hardly more than the error in sample. The first complete version of "
        "the model, before any revision, had 0.320 with the reference time and 0.402 from counters alone. Expect 0.17 "
        "to 0.22 with time and 0.25 to 0.35 from counters on kernels and GPUs not seen (judgement).\n\n"
        "## All pairs\n\n| prediction | \\|ln\\| | same architecture | other | MAPE | bias ln | r | within 25 % | "
        "faster "
        "GPU right | best GPU hit | regret |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        r.command, data.pairs.size(), kernels.size(), families.size(), gpus.size(), r.shrinkage);
    for (const auto& protocol : r.protocols) text += figures_row(data, protocol);
    text +=
        "\nGPU left out: fitted without any pair that touches the GPU, tested on pairs whose target it is. "
        "Architecture "
        "left out: fitted inside the others alone.\n\n"
        "Aims, with the family left out: 0.15 with time, 0.09 of it within an architecture, 0.25 from counters.\n\n"
        "## By kernel\n\n|ln| (same / other architecture) and bias.\n\n"
        "| kernel | quantitative-roofline with time | one ratio | calibrated with time | calibrated, counters |\n"
        "|---|---|---|---|---|\n" +
        kernel_rows(data, r) +
        "\n## By target GPU\n\n| GPU | quantitative-roofline with time | calibrated with time | calibrated, counters "
        "|\n"
        "|---|---|---|---|\n" +
        gpu_rows(data, r) +
        "\n## Ahead of the baselines?\n\nPaired bootstrap: the difference of |ln|, negative is better.\n\n"
        "| model | against | drawn | difference | 95 % | better in draws | wins |\n|---|---|---|---|---|---|---|\n";
    for (const auto& [unit, member] : {std::pair{"kernels", &Row::kernel}, std::pair{"families", &Row::family}}) {
        text += comparison_row(data, r.protocols[r.time], r.protocols[r.baseline_time], member, unit);
        text += comparison_row(data, r.protocols[r.time], r.protocols[r.one_ratio], member, unit);
        text += comparison_row(data, r.protocols[r.counters], r.protocols[r.baseline_counters], member, unit);
    }
    text += "\n## Pairs that the datasheet's fp32 peak ranks wrongly\n\n" + ranked_wrongly(data, r) +
            "\n## 80 % intervals, made without the family\n\nThe score is the width plus 10 times what a measured time "
            "lies outside, in ln (Gneiting & Raftery 2007): small is good.\n\n"
            "| from | family | coverage | width | score |\n|---|---|---|---|---|\n" +
            interval_rows("counters", r.interval_counters) + interval_rows("with time", r.interval_time) +
            fmt::format(
                "\n## P(A faster than B), made without the family\n\nTwo targets of one reference row. Counters: "
                "Brier score {:.3f}, wrong order {:.1f} %. With time: {:.3f}, {:.1f} %.\n",
                r.interval_counters.brier, percent(r.interval_counters.wrong_order), r.interval_time.brier,
                percent(r.interval_time.wrong_order)) +
            fmt::format(
                "\n## What errors have in common\n\nShares of their variance (the rest is a launch configuration's "
                "own), from products of errors of two families, and of two rows of one kernel, on one ordered pair of "
                "GPUs. The intervals of totals follow from them.\n\n| from | all kernels | all rows of a kernel "
                "|\n|---|---|---|\n| counters | {:.1f} % | {:.1f} % |\n| with time | {:.1f} % | {:.1f} % |\n",
                percent(calibration.shares_counters.common), percent(calibration.shares_counters.kernel),
                percent(calibration.shares_time.common), percent(calibration.shares_time.kernel)) +
            "\n## Constants\n\n| constant | prior | fitted | reading |\n|---|---|---|---|\n";
    std::map<std::string_view, std::string_view> meanings;
    std::apply([&](const auto&... field) { ((meanings[field.key] = field.meaning), ...); }, Constants::fields);
    for (const Prior& prior : priors()) {
        text += fmt::format("| {} | {:g} (x or / {:.2f}) | {:.3f} | {} |\n", prior.name, prior.median,
                            std::exp(prior.sd), calibration.constants.*prior.constant, meanings[prior.name]);
    }
    return text;
}

}  // namespace gpuproj::fit
