#include "reports/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/error.hpp"
#include "model/warnings.hpp"
#include "reports/fastest.hpp"
#include "reports/format.hpp"
#include "reports/gpus.hpp"

namespace gpuproj {
namespace {

constexpr double joules_per_kwh = 3.6e6;
constexpr double sure_enough = 0.8;
constexpr std::size_t most_contenders = 4;  // whose kernels are looked at one by one

/// Sum of the measured times of a profile's kernels; absent if one was not timed.
std::optional<Seconds> measured_total(const Profile& profile) {
    Seconds sum;
    for (const auto& kernel : profile.kernels) {
        const auto measured = measured_duration(kernel);
        if (!measured) return std::nullopt;
        sum += *measured;
    }
    return profile.kernels.empty() ? std::nullopt : std::optional(sum);
}

/// The GPU that all profiles come from; null if they differ or one is not known.
const Gpu* common_reference(std::span<const WorkloadPart> parts) {
    for (const auto& part : parts) {
        if (part.reference == nullptr || part.reference->name != parts.front().reference->name) return nullptr;
    }
    return parts.empty() ? nullptr : parts.front().reference;
}

/// Everything the steps below share.
struct Work {
    std::span<const WorkloadPart> parts;
    const Model& model;
    const ModelOptions& options;
    const ComparisonTerms& terms;
    const Gpu* owned;
};

EvaluationTotal total_of(const Work& work, const WorkloadPart& part, const Gpu& gpu) {
    const Gpu* const target = &gpu;
    const Model* const model = &work.model;
    return evaluate_totals({*part.profile, {&target, 1}, {&model, 1}, part.reference, work.options}).front();
}

/// How many jobs a weight of hours is.
double jobs_of(const Work& work, const WorkloadPart& part) {
    if (!work.terms.weights_are_hours) return part.weight;
    auto duration = measured_total(*part.profile);
    if (!duration && part.reference != nullptr) duration = total_of(work, part, *part.reference).duration;
    if (!duration || duration->value <= 0) {
        throw Error(
            fmt::format("{}: weights as hours need the time of a job on {}, which is neither measured nor to be "
                        "predicted; give weights as jobs",
                        part.name, part.profile->gpu));
    }
    return part.weight * 3600 / duration->value;
}

void add_part(ComparedGpu& row, const EvaluationTotal& total, double jobs, double weight_share) {
    PartTime time;
    const auto all_jobs = [&](const std::optional<Seconds>& one) {
        return one ? std::optional(jobs * *one) : std::nullopt;
    };
    time = {all_jobs(total.duration), all_jobs(total.low), all_jobs(total.high), total.concentration};
    row.covered_share += weight_share * total.covered_share;
    row.kernels_refused += total.kernels_refused;
    row.parts.push_back(time);
}

/// The sum over the parts; absent as soon as one is.
std::optional<Seconds> sum_of(const std::vector<PartTime>& parts, std::optional<Seconds> PartTime::*member) {
    Seconds sum;
    for (const auto& part : parts) {
        if (!(part.*member)) return std::nullopt;
        sum += *(part.*member);
    }
    return sum;
}

/// The mean of the parts', by their durations: an upper bound of the mix's.
double concentration_of(const ComparedGpu& row) {
    if (!row.duration) return 1;
    double mean = 0;
    for (const auto& part : row.parts) mean += ratio(*part.duration, *row.duration) * part.concentration;
    return mean;
}

/// Totals of all targets for one part, in one pass over its kernels.
std::vector<EvaluationTotal> totals_of(const Work& work, const WorkloadPart& part, std::span<const Gpu* const> gpus) {
    const Model* const model = &work.model;
    return evaluate_totals({*part.profile, gpus, {&model, 1}, part.reference, work.options});
}

/// The owned GPU's measured times take the place of its predictions.
void use_measured_times(ComparedGpu& row, const Work& work, const std::vector<double>& jobs) {
    std::vector<PartTime> parts;
    for (std::size_t at = 0; at < work.parts.size(); ++at) {
        const auto measured = measured_total(*work.parts[at].profile);
        if (!measured) return;
        const Seconds all = jobs[at] * *measured;
        parts.push_back({all, all, all, row.parts[at].concentration});
    }
    row.parts = std::move(parts);
    row.measured = true;
    row.covered_share = 1;
    row.kernels_refused = 0;
}

void add_power_and_price(ComparedGpu& row, std::span<const Offer> offers, const ComparisonTerms& terms) {
    const auto offer =
        std::find_if(offers.begin(), offers.end(), [&](const Offer& o) { return o.gpu == row.gpu->name; });
    const bool offered = offer != offers.end();
    if (offered && offer->power) {
        row.power = offer->power;
    } else if (row.gpu->tdp) {
        row.power = row.gpu->tdp->value;
        row.power_is_tdp = true;
    }
    const double per_node = offered ? offer->gpus_per_node.value_or(1) : 1;
    row.gpus_per_node = per_node;
    if (offered && offer->price) row.price = *offer->price + offer->node_price.value_or(0) / per_node;
    if (row.duration) {
        const double jobs_per_s = 1 / row.duration->value;
        if (terms.mixes_per_s) row.gpus_needed = std::max(1.0, std::ceil(*terms.mixes_per_s / jobs_per_s - 1e-9));
        if (terms.deadline) row.gpus_needed = std::max(1.0, std::ceil(ratio(*row.duration, *terms.deadline) - 1e-9));
        if (row.gpus_needed) row.nodes_needed = std::ceil(static_cast<double>(*row.gpus_needed) / per_node - 1e-9);
        if (row.power) row.mixes_per_joule = jobs_per_s / row.power->value;
        if (row.price && *row.price > 0) row.mixes_per_s_and_price = jobs_per_s / *row.price;
        const Watts node_power = (offered && offer->node_power) ? *offer->node_power / per_node : Watts{};
        if (row.power) row.energy_per_mix = terms.pue * (*row.power + node_power).value * row.duration->value;
        if (row.price && terms.lifetime) {
            double cost = *row.price * ratio(*row.duration, *terms.lifetime) / terms.utilisation;
            if (terms.per_kwh && row.energy_per_mix) cost += *terms.per_kwh * *row.energy_per_mix / joules_per_kwh;
            row.cost_per_mix = cost;
        }
    }
    if (terms.most_nodes && row.nodes_needed && static_cast<double>(*row.nodes_needed) > *terms.most_nodes) {
        row.ruled_out.push_back(fmt::format("{} nodes are needed for {} of them, {:.0f} are the most",
                                            *row.nodes_needed, *row.gpus_needed, *terms.most_nodes));
    }
    if (terms.most_power && row.power) {
        const Watts node_power = (offered && offer->node_power) ? *offer->node_power / per_node : Watts{};
        const auto count = static_cast<double>(row.gpus_needed.value_or(1));
        const Watts needed = count * (*row.power + node_power);
        if (needed > *terms.most_power) {
            row.ruled_out.push_back(fmt::format(
                "{:.0f} of them draw {} of {}{}", count, for_people(needed.value, Unit::watts),
                for_people(terms.most_power->value, Unit::watts), row.power_is_tdp ? " (by TDP, a bound)" : ""));
        }
    } else if (terms.most_power) {
        row.ruled_out.emplace_back("its power is not known; give it in the price file (power_w)");
    }
}

void add_memory_and_requirements(ComparedGpu& row, const Work& work) {
    const auto& terms = work.terms;
    const Gpu& gpu = *row.gpu;
    std::optional<Bytes> needed;
    for (const auto& part : work.parts) {
        if (part.profile->peak_device_memory)
            needed = std::max(needed.value_or(Bytes{}), *part.profile->peak_device_memory);
    }
    if (gpu.memory) row.memory = gpu.memory->value;
    if (needed && row.memory) row.fits = *needed <= *row.memory;
    const auto rule_out = [&](std::string reason) { row.ruled_out.push_back(std::move(reason)); };
    if (terms.least_memory) needed = terms.least_memory;
    if (needed && row.memory && *needed > *row.memory) {
        rule_out(fmt::format("{} of memory, {} are needed", for_people(row.memory->value, Unit::capacity),
                             for_people(needed->value, Unit::capacity)));
    }
    if (terms.least_memory && !row.memory) rule_out("its memory is not known");
    if (terms.least_fp64) {
        const auto& rate = gpu.fp64 ? gpu.fp64 : gpu.fp64_peak;
        if (!rate) {
            rule_out("its fp64 rate is not known");
        } else if (rate->value < *terms.least_fp64) {
            rule_out(fmt::format("fp64 at {}, {} are asked for",
                                 for_people(rate->value.value, Unit::operations_per_second),
                                 for_people(terms.least_fp64->value, Unit::operations_per_second)));
        }
    }
    if (terms.least_link) {
        if (!gpu.link_bandwidth) {
            rule_out("its host link is not known");
        } else if (gpu.link_bandwidth->value < *terms.least_link) {
            rule_out(fmt::format("host link of {}, {} are asked for",
                                 for_people(gpu.link_bandwidth->value.value, Unit::bytes_per_second),
                                 for_people(terms.least_link->value, Unit::bytes_per_second)));
        }
    }
    if (terms.needs_ecc && !(gpu.ecc && gpu.ecc->value)) rule_out("not known to have ECC memory");
    if (!row.duration) rule_out("the model answers for none of the kernels of a program");
}

/// Fastest first; times that lack kernels behind those that do not, ruled-out GPUs last.
bool before(const ComparedGpu& a, const ComparedGpu& b) {
    if (a.ruled_out.empty() != b.ruled_out.empty()) return a.ruled_out.empty();
    if (a.kernels_refused != b.kernels_refused) return a.kernels_refused < b.kernels_refused;
    if (a.duration.has_value() != b.duration.has_value()) return a.duration.has_value();
    return a.duration && b.duration && *a.duration < *b.duration;
}

void add_probabilities(Comparison& result, const Gpu& reference) {
    const auto& best = result.rows[*result.best];
    std::vector<ComparedTotal> totals;
    std::vector<std::size_t> rows;
    for (std::size_t at = 0; at < result.rows.size(); ++at) {
        const auto& row = result.rows[at];
        if (!is_candidate(row, best)) continue;
        totals.push_back({*row.gpu, *row.duration, row.concentration});
        rows.push_back(at);
        const auto wins = probability_faster(totals.front(), totals.back(), reference, result.reference_time);
        if (at != *result.best && wins && *wins < sure_enough) result.too_close.push_back(at);
    }
    const auto probabilities = probabilities_fastest(totals, reference, result.reference_time);
    for (std::size_t at = 0; at < probabilities.size(); ++at)
        result.rows[rows[at]].probability_fastest = probabilities[at];
}

void add_speed_ups(Comparison& result, const Gpu& reference, bool by_calibrated) {
    const auto owned = std::find_if(result.rows.begin(), result.rows.end(), [](const auto& row) { return row.owned; });
    if (owned == result.rows.end() || !owned->duration) return;
    const ComparedGpu base = *owned;
    for (auto& row : result.rows) {
        if (!row.duration || row.kernels_refused != base.kernels_refused) continue;
        row.speed_up = ratio(*base.duration, *row.duration);
        if (row.owned) continue;
        if (base.measured && row.low && row.high) {
            row.speed_up_low = ratio(*base.duration, *row.high);
            row.speed_up_high = ratio(*base.duration, *row.low);
        } else if (by_calibrated) {
            if (const auto factor = ratio_interval(*row.gpu, *base.gpu, reference, result.reference_time)) {
                row.speed_up_low = *row.speed_up / *factor;
                row.speed_up_high = *row.speed_up * *factor;
            }
        }
    }
}

void add_pareto_front(Comparison& result) {
    const auto comparable = [&](const ComparedGpu& row) {
        return row.price && is_candidate(row, result.rows[*result.best]);
    };
    for (auto& row : result.rows) {
        if (!comparable(row)) continue;
        row.pareto = std::none_of(result.rows.begin(), result.rows.end(), [&](const ComparedGpu& other) {
            if (!comparable(other)) return false;
            const bool as_good = *other.price <= *row.price && *other.duration <= *row.duration;
            return as_good && (*other.price < *row.price || *other.duration < *row.duration);
        });
    }
}

/// The best for the money, but for row `without`.
std::optional<std::size_t> best_value(const Comparison& result, std::size_t without) {
    std::optional<std::size_t> best;
    for (std::size_t at = 0; at < result.rows.size(); ++at) {
        const auto& row = result.rows[at];
        if (at == without || !row.mixes_per_s_and_price || !is_candidate(row, result.rows[*result.best])) continue;
        if (!best || *row.mixes_per_s_and_price > *result.rows[*best].mixes_per_s_and_price) best = at;
    }
    return best;
}

void add_price_sensitivity(Comparison& result) {
    for (std::size_t at = 0; at < result.rows.size(); ++at) {
        const auto& row = result.rows[at];
        if (!row.mixes_per_s_and_price || !is_candidate(row, result.rows[*result.best])) continue;
        const auto rival = best_value(result, at);
        if (!rival) continue;
        const double break_even = 1 / row.duration->value / *result.rows[*rival].mixes_per_s_and_price;
        result.prices.push_back({at, *rival, break_even});
    }
}

void add_weight_sensitivity(Comparison& result) {
    const auto& best = result.rows[*result.best];
    if (best.parts.size() < 2) return;
    for (std::size_t part = 0; part < best.parts.size(); ++part) {
        WeightSensitivity found{.part = part, .falls_to = {}, .rises_to = {}, .then_falling = {}, .then_rising = {}};
        for (std::size_t at = 0; at < result.rows.size(); ++at) {
            const auto& row = result.rows[at];
            if (at == *result.best || !is_candidate(row, best)) continue;
            // With a factor f on this weight the lead is rest + f own; it is lost where that is 0.
            const double own = (*row.parts[part].duration - *best.parts[part].duration).value;
            const double rest = (*row.duration - *best.duration).value - own;
            if (own == 0) continue;
            const double factor = -rest / own;
            if (factor > 1 && (!found.rises_to || factor < *found.rises_to)) {
                found.rises_to = factor;
                found.then_rising = at;
            } else if (factor >= 0 && factor < 1 && (!found.falls_to || factor > *found.falls_to)) {
                found.falls_to = factor;
                found.then_falling = at;
            }
        }
        result.weights.push_back(found);
    }
}

/// By how much the rival's mix takes longer, or costs more, with each weight and price moved against the leader by up
/// to the factor. Not above 0: it can be ahead.
double worst_lead(const ComparedGpu& leader, const ComparedGpu& rival, double factor, bool money) {
    const double of_leader = money ? *leader.price * factor : 1, of_rival = money ? *rival.price / factor : 1;
    double lead = 0;
    for (std::size_t part = 0; part < leader.parts.size(); ++part) {
        const double own =
            of_rival * rival.parts[part].duration->value - of_leader * leader.parts[part].duration->value;
        lead += own > 0 ? own / factor : own * factor;
    }
    return lead;
}

/// The rival that needs the least; by bisection, since the lead falls with the factor.
std::optional<JointSensitivity> least_joint_change(const Comparison& result, std::size_t leader, bool money) {
    constexpr double most = 1000;  // beyond it nobody is wrong
    std::optional<JointSensitivity> found;
    for (std::size_t at = 0; at < result.rows.size(); ++at) {
        const auto& row = result.rows[at];
        if (at == leader || !is_candidate(row, result.rows[leader]) || (money && !row.price)) continue;
        const auto lead = [&](double factor) { return worst_lead(result.rows[leader], row, factor, money); };
        double low = 0, high = std::log(found ? found->factor : most);
        if (lead(std::exp(high)) > 0) continue;
        for (int step = 0; step < 60; ++step) {
            const double middle = (low + high) / 2;
            (lead(std::exp(middle)) > 0 ? low : high) = middle;
        }
        found = JointSensitivity{money, leader, at, std::exp(high)};
    }
    return found;
}

void add_joint_sensitivity(Comparison& result) {
    const auto add = [&](std::optional<JointSensitivity> found) {
        if (found) result.joint.push_back(*found);
    };
    if (result.rows[*result.best].parts.size() > 1) add(least_joint_change(result, *result.best, false));
    if (const auto leader = best_value(result, result.rows.size())) add(least_joint_change(result, *leader, true));
}

double normal_cdf(double x) {
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}

/// A measurement of kernel k on GPU g moves ln(time of the mix on g) by a normal amount of standard deviation share x
/// (half width of the kernel's interval / 1.28). It changes the leader if that exceeds the lead: of the best over g, or
/// of the best over the next where g is the best.
void add_measurement(Comparison& result, const Work& work) {
    const auto& best = result.rows[*result.best];
    std::vector<std::size_t> contenders;
    for (std::size_t at = 0; at < result.rows.size() && contenders.size() < most_contenders; ++at) {
        if (is_candidate(result.rows[at], best)) contenders.push_back(at);
    }
    if (contenders.size() < 2) return;
    const double next = std::log(ratio(*result.rows[contenders[1]].duration, *best.duration));
    for (const auto at : contenders) {
        const auto& row = result.rows[at];
        if (row.measured) continue;
        const double lead = at == *result.best ? next : std::log(ratio(*row.duration, *best.duration));
        for (std::size_t part = 0; part < work.parts.size(); ++part) {
            const auto& p = work.parts[part];
            const Model* const model = &work.model;
            const auto evaluation = evaluate({*p.profile, {&row.gpu, 1}, {&model, 1}, p.reference, work.options});
            for (const auto& outcome : evaluation.rows) {
                const auto* prediction = std::get_if<Prediction>(&outcome.outcome);
                if (prediction == nullptr || !prediction->high) continue;
                const double share = result.jobs[part] * prediction->duration.value / row.duration->value;
                const double sd = share * std::log(ratio(*prediction->high, prediction->duration)) / normal_90;
                const double change = sd > 0 ? normal_cdf(-lead / sd) : 0;
                if (!result.measurement || change > result.measurement->probability_change)
                    result.measurement = FurtherMeasurement{part, outcome.kernel, at, share, change};
            }
        }
    }
}

}  // namespace

bool is_candidate(const ComparedGpu& row, const ComparedGpu& best) {
    return row.ruled_out.empty() && row.duration && row.kernels_refused == best.kernels_refused;
}

Comparison compare(std::span<const WorkloadPart> parts, std::span<const Gpu* const> targets, const Model& model,
                   const ModelOptions& options, std::span<const Offer> offers, const ComparisonTerms& terms) {
    Comparison result;
    result.model = model.name;
    result.reference_time = options.use_reference_time;
    const Work work{parts, model, options, terms, common_reference(parts)};
    double all_weights = 0;
    for (const auto& part : parts) {
        result.jobs.push_back(jobs_of(work, part));
        all_weights += part.weight;
    }
    std::vector<const Gpu*> gpus(targets.begin(), targets.end());
    const auto is_owned = [&](const Gpu* gpu) { return work.owned != nullptr && gpu->name == work.owned->name; };
    if (work.owned != nullptr && std::none_of(gpus.begin(), gpus.end(), is_owned)) gpus.push_back(work.owned);
    for (const Gpu* gpu : gpus) {
        ComparedGpu row;
        row.gpu = gpu;
        row.owned = is_owned(gpu);
        row.rates_quality = rates_quality(*gpu);
        result.rows.push_back(std::move(row));
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const auto totals = totals_of(work, parts[part], gpus);
        for (std::size_t at = 0; at < gpus.size(); ++at)
            add_part(result.rows[at], totals[at], result.jobs[part], parts[part].weight / all_weights);
    }
    for (auto& row : result.rows) {
        if (row.owned) use_measured_times(row, work, result.jobs);
        row.duration = sum_of(row.parts, &PartTime::duration);
        row.concentration = concentration_of(row);
        if (!row.measured) {
            row.low = sum_of(row.parts, &PartTime::low);
            row.high = sum_of(row.parts, &PartTime::high);
        }
        add_power_and_price(row, offers, terms);
        add_memory_and_requirements(row, work);
    }
    std::stable_sort(result.rows.begin(), result.rows.end(), before);
    for (const auto& offer : offers) {
        if (!offer.currency.empty()) result.currency = offer.currency;
        if (!offer.date.empty() &&
            std::find(result.price_dates.begin(), result.price_dates.end(), offer.date) == result.price_dates.end()) {
            result.price_dates.push_back(offer.date);
        }
    }
    const bool by_calibrated = model.name == default_model;
    if (work.owned != nullptr) add_speed_ups(result, *work.owned, by_calibrated);
    if (result.rows.empty() || !result.rows.front().ruled_out.empty()) return result;
    result.best = 0;
    if (work.owned != nullptr && by_calibrated) {
        add_probabilities(result, *work.owned);
        add_measurement(result, work);
    }
    add_pareto_front(result);
    add_price_sensitivity(result);
    add_weight_sensitivity(result);
    add_joint_sensitivity(result);
    return result;
}

}  // namespace gpuproj
