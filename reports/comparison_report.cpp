#include "reports/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/format.hpp"
#include "reports/kernel_names.hpp"

namespace gpuproj {
namespace {

template <Dimension D>
Cell cell(const std::optional<Quantity<D>>& quantity) {
    return quantity ? Cell{quantity->value} : Cell{};
}
Cell cell(const std::optional<double>& value) {
    return value ? Cell{*value} : Cell{};
}

Cell count(const std::optional<std::uint64_t>& value) {
    return value ? Cell{static_cast<std::int64_t>(*value)} : Cell{};
}

/// " (interval)" of a time for a sentence.
std::string interval(const ComparedGpu& row) {
    if (!row.low || !row.high) return "";
    return fmt::format(", 80 % between {} and {}", for_people(row.low->value, Unit::seconds),
                       for_people(row.high->value, Unit::seconds));
}

std::string status(const Comparison& comparison, std::size_t at) {
    const auto& row = comparison.rows[at];
    if (!row.ruled_out.empty()) return fmt::format("ruled out: {}", fmt::join(row.ruled_out, "; "));
    std::string said;
    const auto add = [&](std::string_view what) { said += fmt::format("{}{}", said.empty() ? "" : "; ", what); };
    if (row.owned)
        add(row.measured ? "owned, measured: doing nothing" : "the profiles' own GPU, predicted: doing nothing");
    if (std::find(comparison.too_close.begin(), comparison.too_close.end(), at) != comparison.too_close.end())
        add("too close to call");
    if (row.kernels_refused > 0) add(fmt::format("{} kernels not predicted: its time lacks them", row.kernels_refused));
    return said;
}

}  // namespace

Table ranking_table(const Comparison& comparison) {
    const auto money = [&](std::string_view what) {
        return comparison.currency.empty() ? std::string(what) : fmt::format("{} {}", what, comparison.currency);
    };
    Table table{.title = fmt::format("The mix on each GPU by {}, fastest first", comparison.model),
                .columns = {{"gpu", "GPU"},
                            {"duration_s", "time", Unit::seconds},
                            {"low_s", "80 % from", Unit::seconds},
                            {"high_s", "to", Unit::seconds},
                            {"speed_up", "speed-up", Unit::factor},
                            {"speed_up_low", "80 % from", Unit::factor},
                            {"speed_up_high", "to", Unit::factor},
                            {"probability_fastest", "fastest", Unit::fraction},
                            {"gpus_needed", "GPUs needed", Unit::count},
                            {"nodes_needed", "nodes", Unit::count},
                            {"memory_byte", "memory", Unit::capacity},
                            {"fits", "fits"},
                            {"power_w", "power", Unit::watts},
                            {"power_is", "power is"},
                            {"mixes_per_kilojoule", "mixes/kJ", Unit::number},
                            {"energy_per_mix_j", "energy (J)", Unit::number},
                            {"price", money("price"), Unit::number},
                            {"mixes_per_hour_and_1000", money("mixes/h per 1000"), Unit::number},
                            {"cost_per_mix", money("cost per mix"), Unit::number},
                            {"pareto", "Pareto"},
                            {"covered_share", "covered", Unit::fraction},
                            {"rates", "rates are"},
                            {"status", "notes"}}};
    for (std::size_t at = 0; at < comparison.rows.size(); ++at) {
        const auto& row = comparison.rows[at];
        constexpr double hour_and_thousand = 3600.0 * 1000.0;
        const auto scaled = [](const std::optional<double>& value, double factor) {
            return value ? Cell{*value * factor} : Cell{};
        };
        table.rows.push_back({row.gpu->name,
                              cell(row.duration),
                              cell(row.low),
                              cell(row.high),
                              cell(row.speed_up),
                              cell(row.speed_up_low),
                              cell(row.speed_up_high),
                              cell(row.probability_fastest),
                              count(row.gpus_needed),
                              count(row.nodes_needed),
                              cell(row.memory),
                              row.fits ? Cell{*row.fits} : Cell{},
                              cell(row.power),
                              row.power ? Cell{std::string(row.power_is_tdp ? "TDP, a bound" : "given")} : Cell{},
                              scaled(row.mixes_per_joule, 1000),
                              cell(row.energy_per_mix),
                              cell(row.price),
                              scaled(row.mixes_per_s_and_price, hour_and_thousand),
                              cell(row.cost_per_mix),
                              row.price ? Cell{row.pareto} : Cell{},
                              row.covered_share,
                              row.rates_quality,
                              status(comparison, at)});
    }
    return table;
}

Table part_table(const Comparison& comparison, std::span<const WorkloadPart> parts) {
    Table table{.title = "Programs of the mix",
                .columns = {{"program", "program"},
                            {"gpu", "GPU"},
                            {"jobs", "jobs", Unit::number},
                            {"duration_s", "time of all", Unit::seconds},
                            {"low_s", "80 % from", Unit::seconds},
                            {"high_s", "to", Unit::seconds},
                            {"share", "of the mix", Unit::fraction}}};
    table.key_columns = 2;
    for (std::size_t part = 0; part < parts.size(); ++part) {
        for (const auto& row : comparison.rows) {
            const auto& time = row.parts[part];
            table.rows.push_back({parts[part].name, row.gpu->name, comparison.jobs[part], cell(time.duration),
                                  row.measured ? Cell{} : cell(time.low), row.measured ? Cell{} : cell(time.high),
                                  time.duration && row.duration ? Cell{ratio(*time.duration, *row.duration)} : Cell{}});
        }
    }
    return table;
}

Table price_sensitivity_table(const Comparison& comparison) {
    Table table{.title = "Prices at which a GPU gives as much for the money as the best other one",
                .columns = {{"gpu", "GPU"},
                            {"price", "price", Unit::number},
                            {"break_even_price", "break-even", Unit::number},
                            {"change", "change", Unit::fraction},
                            {"rival", "as much as"}}};
    for (const auto& found : comparison.prices) {
        const auto& row = comparison.rows[found.row];
        const double price = row.price.value_or(0);
        table.rows.push_back({row.gpu->name, price, found.break_even, found.break_even / price - 1,
                              comparison.rows[found.rival].gpu->name});
    }
    return table;
}

Table weight_sensitivity_table(const Comparison& comparison, std::span<const WorkloadPart> parts) {
    Table table{.title = "Weights at which another GPU becomes the fastest",
                .columns = {{"program", "program"},
                            {"jobs", "jobs", Unit::number},
                            {"falls_to", "falls to", Unit::number},
                            {"then_falling", "then"},
                            {"rises_to", "rises to", Unit::number},
                            {"then_rising", "then"}}};
    const auto gpu = [&](const std::optional<std::size_t>& row) {
        return row ? Cell{comparison.rows[*row].gpu->name} : Cell{};
    };
    for (const auto& found : comparison.weights) {
        if (!found.falls_to && !found.rises_to) continue;
        const double jobs = comparison.jobs[found.part];
        table.rows.push_back({parts[found.part].name, jobs, found.falls_to ? Cell{*found.falls_to * jobs} : Cell{},
                              gpu(found.then_falling), found.rises_to ? Cell{*found.rises_to * jobs} : Cell{},
                              gpu(found.then_rising)});
    }
    return table;
}

Table joint_sensitivity_table(const Comparison& comparison) {
    Table table{
        .title = "If everything may be off at once, each by up to a factor",
        .columns = {
            {"what", "what"}, {"leader", "leader"}, {"factor", "off by", Unit::factor}, {"rival", "then it can be"}}};
    const bool mix = !comparison.rows.empty() && comparison.rows.front().parts.size() > 1;
    for (const auto& found : comparison.joint) {
        table.rows.push_back({std::string(!found.money ? "fastest, all weights"
                                          : mix        ? "most for the money, all weights and prices"
                                                       : "most for the money, all prices"),
                              comparison.rows[found.leader].gpu->name, found.factor,
                              comparison.rows[found.rival].gpu->name});
    }
    return table;
}

Table acceptance_table(std::span<const WorkloadPart> parts, std::span<const Gpu* const> gpus, const Model& model,
                       const ModelOptions& options, const AcceptanceHashes& hashes) {
    Table table{.title = "Acceptance: the time each kernel takes at most, with a probability of 90 %",
                .columns = {{"program", "program"},
                            {"kernel", "kernel"},
                            {"grid", "grid"},
                            {"block", "block"},
                            {"launches", "launches", Unit::count},
                            {"gpu", "GPU"},
                            {"upper_s", "at most", Unit::seconds},
                            {"reason", "reason"},
                            {"profile_sha256", "profile"},
                            {"gpu_sha256", "parameters"},
                            {"tool", "gpuproj"}}};
    table.key_columns = 2;
    const auto size = [](const std::optional<Dim3>& d) {
        return d ? Cell{fmt::format("{}x{}x{}", (*d)[0], (*d)[1], (*d)[2])} : Cell{};
    };
    const Model* const models = &model;
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const auto& profile = *parts[part].profile;
        const auto evaluation = evaluate({profile, gpus, {&models, 1}, parts[part].reference, options});
        for (const auto& row : evaluation.rows) {
            const auto& kernel = profile.kernels[row.kernel];
            const auto* p = std::get_if<Prediction>(&row.outcome);
            const bool bounded = p != nullptr && p->high;
            table.rows.push_back({parts[part].name, kernel.kernel, size(kernel.grid), size(kernel.block),
                                  static_cast<std::int64_t>(kernel.launches), gpus[row.target]->name,
                                  bounded ? Cell{p->high->value} : Cell{},
                                  bounded        ? Cell{}
                                  : p != nullptr ? Cell{fmt::format("{} gives no interval", model.name)}
                                                 : Cell{std::get<Inapplicable>(row.outcome).reason},
                                  hashes.profiles[part], hashes.gpu(*gpus[row.target]), hashes.tool});
        }
    }
    return table;
}

std::vector<std::pair<std::string, Table>> comparison_tables(const Comparison& comparison,
                                                             std::span<const WorkloadPart> parts) {
    return {{"ranking", ranking_table(comparison)},
            {"programs", part_table(comparison, parts)},
            {"price_sensitivity", price_sensitivity_table(comparison)},
            {"weight_sensitivity", weight_sensitivity_table(comparison, parts)},
            {"joint_sensitivity", joint_sensitivity_table(comparison)}};
}

std::string chance_text(double chance) {
    if (chance < 0.01) return "under 1 %";
    return chance > 0.99 ? "over 99 %" : fmt::format("{:.0f} %", 100 * chance);
}

std::vector<std::string> comparison_summary(const Comparison& comparison) {
    if (!comparison.best) return {"No GPU is left: every one is ruled out, for the reasons in the table."};
    const auto& best = comparison.rows[*comparison.best];
    std::vector<std::string> sentences;
    const auto left = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                    [](const ComparedGpu& row) { return row.ruled_out.empty(); });
    std::string chance;
    if (left > 1 && best.probability_fastest) {
        chance = fmt::format(" It is the fastest with a probability of {}.", chance_text(*best.probability_fastest));
    } else if (left == 1 && comparison.rows.size() > 1) {
        chance = " It is the only one that is not ruled out.";
    }
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): only a predicted one is best
    const auto seconds = best.duration->value;
    sentences.push_back(fmt::format("Fastest: {}, {}{}.{}", best.gpu->name, for_people(seconds, Unit::seconds),
                                    interval(best), chance));
    if (!comparison.too_close.empty()) {
        std::vector<std::string> names;
        names.reserve(comparison.too_close.size());
        for (const auto at : comparison.too_close) names.push_back(comparison.rows[at].gpu->name);
        sentences.push_back(fmt::format("Too close to call between it and {}.", first_of(names, 6)));
    }
    const auto best_for_money = std::max_element(
        comparison.rows.begin(), comparison.rows.end(), [](const ComparedGpu& a, const ComparedGpu& b) {
            const auto value = [](const ComparedGpu& row) {
                return row.ruled_out.empty() ? row.mixes_per_s_and_price.value_or(-1) : -1;
            };
            return value(a) < value(b);
        });
    if (best_for_money->mixes_per_s_and_price && best_for_money->ruled_out.empty())
        sentences.push_back(fmt::format("Most for the money: {}.", best_for_money->gpu->name));
    return sentences;
}

std::vector<std::string> comparison_notes(const Comparison& comparison, std::span<const WorkloadPart> parts,
                                          const ComparisonTerms& terms) {
    std::vector<std::string> notes;
    notes.emplace_back(
        "Single GPU; scaling to several is not modelled. Transfers, host and idle time are not in these times.");
    const auto says_peak = [](const WorkloadPart& part) { return part.profile->peak_device_memory.has_value(); };
    if (!std::all_of(parts.begin(), parts.end(), says_peak))
        notes.emplace_back(
            "Some profile does not say how much device memory its program needs: whether it fits is not known.");
    const auto by_tdp = [](const ComparedGpu& row) { return row.power_is_tdp; };
    if (std::any_of(comparison.rows.begin(), comparison.rows.end(), by_tdp))
        notes.emplace_back("Power that is the TDP is an upper bound; give measured power in the price file (power_w).");
    const auto without_price = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                             [](const ComparedGpu& row) { return !row.price; });
    if (!comparison.currency.empty() && without_price > 0)
        notes.push_back(fmt::format("GPUs without a price, not ranked by money: {}.", without_price));
    if (!comparison.price_dates.empty())
        notes.push_back(fmt::format("Prices of {}.", fmt::join(comparison.price_dates, ", ")));
    if (terms.lifetime) {
        notes.push_back(
            fmt::format("Cost: the price written off over {:.3g} years at {} use{}, PUE {:.3g}.",
                        terms.lifetime->value / (365.25 * 86400), for_people(terms.utilisation, Unit::fraction),
                        terms.per_kwh ? fmt::format(", energy at {:.4g} per kWh", *terms.per_kwh) : "", terms.pue));
    }
    const auto at_any_weight = [](const WeightSensitivity& w) { return !w.falls_to && !w.rises_to; };
    if (!comparison.weights.empty() && std::all_of(comparison.weights.begin(), comparison.weights.end(), at_any_weight))
        notes.emplace_back("The same GPU is the fastest at any weight of a single program.");
    constexpr double worth_measuring = 0.005;
    if (const auto& m = comparison.measurement; m && m->probability_change < worth_measuring) {
        notes.emplace_back("No measurement of a single kernel is likely to change which GPU leads.");
    } else if (m) {
        notes.push_back(fmt::format(
            "Worth measuring next: {} of {} on {} ({} of the mix there); with a probability of {} another GPU leads "
            "afterwards.",
            shortened(short_kernel_name(parts[m->part].profile->kernels[m->kernel].kernel), 80), parts[m->part].name,
            comparison.rows[m->row].gpu->name, for_people(m->share, Unit::fraction),
            for_people(m->probability_change, Unit::fraction)));
    }
    const auto has_chance = [](const ComparedGpu& row) { return row.probability_fastest.has_value(); };
    if (comparison.best && std::none_of(comparison.rows.begin(), comparison.rows.end(), has_chance)) {
        notes.emplace_back(
            "Probabilities are not known: they come from calibrated, for NVIDIA GPUs and profiles of one known GPU.");
    }
    return notes;
}

}  // namespace gpuproj
