#include "reports/profile_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace gpuproj {
namespace {

/// What the spreads of predictions add up to, in seconds: standard deviations of errors that go together, variances of
/// those that do not.
struct Errors {
    double common = 0;
    double kernel = 0;  // of one kernel; of several in `apart`
    double apart = 0;

    void add(const Errors& more) {
        common += more.common;
        apart += more.kernel * more.kernel + more.apart;
    }
};

/// The records of one kernel name in one version.
struct Side {
    std::uint64_t launches = 0, refused = 0;
    Seconds duration;
    Bound longest;
    std::string reason;
    std::vector<double> durations;  // of its records
    Errors errors;
    bool has_spread = true;
};

using Sides = std::map<std::string, Side>;

Sides sides_of(const Profile& profile, const Gpu* reference, const Gpu& target, const Model& model,
               const ModelOptions& options) {
    const Gpu* const targets = &target;
    const Model* const models = &model;
    Sides sides;
    for (const auto& row : evaluate({profile, {&targets, 1}, {&models, 1}, reference, options}).rows) {
        const auto& kernel = profile.kernels[row.kernel];
        Side& side = sides[kernel.kernel];
        side.launches += kernel.launches;
        if (const auto* p = std::get_if<Prediction>(&row.outcome)) {
            side.duration += p->duration;
            side.durations.push_back(p->duration.value);
            if (p->spread) {
                const double seconds = p->duration.value;
                side.errors.common += seconds * p->spread->common;
                side.errors.kernel += seconds * p->spread->kernel;
                side.errors.apart += std::pow(seconds * p->spread->own, 2);
            } else {
                side.has_spread = false;
            }
            if (p->duration > side.longest.duration) side.longest = {p->limiter, p->duration};
        } else {
            ++side.refused;
            side.reason = std::get<Inapplicable>(row.outcome).reason;
        }
    }
    for (auto& [name, side] : sides) std::sort(side.durations.begin(), side.durations.end());
    return sides;
}

/// Variance of the difference, and of the logarithm of the ratio, of two sums of predictions. `same_gpu`: their common
/// errors are the same ones.
DifferenceInterval interval_of(Seconds before, Seconds after, const Errors& b, const Errors& a, bool same_gpu) {
    const auto all = [&](double scale_b, double scale_a) {
        const double common_b = scale_b * b.common, common_a = scale_a * a.common;
        const double common = same_gpu ? std::pow(common_a - common_b, 2) : common_a * common_a + common_b * common_b;
        return common + scale_b * scale_b * (b.kernel * b.kernel + b.apart) +
               scale_a * scale_a * (a.kernel * a.kernel + a.apart);
    };
    const double width = normal_90 * std::sqrt(all(1, 1));
    const Seconds change = after - before;
    DifferenceInterval interval{.change_low = change - Seconds{width},
                                .change_high = change + Seconds{width},
                                .speed_up_low = {},
                                .speed_up_high = {},
                                .probability_faster = {}};
    if (before.value <= 0 || after.value <= 0) return interval;
    const double sd = std::sqrt(all(1 / before.value, 1 / after.value)), speed_up = ratio(before, after);
    interval.speed_up_low = speed_up * std::exp(-normal_90 * sd);
    interval.speed_up_high = speed_up * std::exp(normal_90 * sd);
    if (sd > 0) interval.probability_faster = std::erfc(-std::log(speed_up) / sd / std::sqrt(2.0)) / 2;
    return interval;
}

/// Of a kernel whose errors are the same in both versions.
constexpr Errors no_errors;

/// Adds the interval of every kernel and of the whole.
void add_intervals(ProfileDifference& result, const Sides& old_sides, const Sides& new_sides, bool same_gpu) {
    static const Side nothing;
    const auto side_of = [](const Sides& sides, const std::string& name) -> const Side& {
        const auto found = sides.find(name);
        return found == sides.end() ? nothing : found->second;
    };
    Errors before, after;
    bool all_known = true;
    for (auto& kernel : result.kernels) {
        const Side& b = side_of(old_sides, kernel.kernel);
        const Side& a = side_of(new_sides, kernel.kernel);
        if (!b.has_spread || !a.has_spread || b.refused + a.refused > 0) {
            all_known = false;
            continue;
        }
        const bool unchanged = same_gpu && b.durations == a.durations;
        const Errors& of_b = unchanged ? no_errors : b.errors;
        const Errors& of_a = unchanged ? no_errors : a.errors;
        kernel.interval = interval_of(b.duration, a.duration, of_b, of_a, same_gpu);
        before.add(of_b), after.add(of_a);
    }
    if (all_known) result.interval = interval_of(result.before, result.after, before, after, same_gpu);
}

double change_of(const KernelDifference& kernel) {
    return std::abs((kernel.after.value_or(Seconds{}) - kernel.before.value_or(Seconds{})).value);
}

Cell seconds(const std::optional<Seconds>& duration) {
    return duration ? Cell{duration->value} : Cell{};
}

Cell limiter(const std::optional<Limiter>& limiter) {
    return limiter ? Cell{std::string(name_of(*limiter))} : Cell{};
}

}  // namespace

ProfileDifference difference(const Profile& before, const Gpu* reference_before, const Profile& after,
                             const Gpu* reference_after, const Gpu& target, const Model& model,
                             const ModelOptions& options) {
    ProfileDifference result;
    result.gpu = target.name;
    result.model = model.name;
    const auto old_sides = sides_of(before, reference_before, target, model, options);
    const auto new_sides = sides_of(after, reference_after, target, model, options);
    std::map<std::string, KernelDifference> kernels;
    for (const auto& [name, side] : old_sides) {
        auto& kernel = kernels[name];
        kernel.launches_before = side.launches;
        kernel.reason = side.reason;
        result.refused_before += side.refused;
        result.before += side.duration;
        if (side.refused == 0) kernel.before = side.duration, kernel.limiter_before = side.longest.limiter;
    }
    for (const auto& [name, side] : new_sides) {
        auto& kernel = kernels[name];
        kernel.launches_after = side.launches;
        if (kernel.reason.empty()) kernel.reason = side.reason;
        result.refused_after += side.refused;
        result.after += side.duration;
        if (side.refused == 0) kernel.after = side.duration, kernel.limiter_after = side.longest.limiter;
    }
    for (auto& [name, kernel] : kernels) {
        kernel.kernel = name;
        result.kernels.push_back(std::move(kernel));
    }
    add_intervals(result, old_sides, new_sides, before.gpu == after.gpu);
    std::stable_sort(result.kernels.begin(), result.kernels.end(),
                     [](const KernelDifference& a, const KernelDifference& b) { return change_of(a) > change_of(b); });
    return result;
}

Table difference_table(const ProfileDifference& difference) {
    Table table{.title = fmt::format("Before and after on {} by {}", difference.gpu, difference.model),
                .columns = {{"kernel", "kernel"},
                            {"launches_before", "launches", Unit::count},
                            {"launches_after", "after", Unit::count},
                            {"before_s", "time before", Unit::seconds},
                            {"after_s", "after", Unit::seconds},
                            {"change_s", "change", Unit::seconds},
                            {"change_low_s", "80 % from", Unit::seconds},
                            {"change_high_s", "to", Unit::seconds},
                            {"speed_up", "speed-up", Unit::factor},
                            {"speed_up_low", "80 % from", Unit::factor},
                            {"speed_up_high", "to", Unit::factor},
                            {"probability_faster", "faster", Unit::fraction},
                            {"limiter_before", "limited by"},
                            {"limiter_after", "after"},
                            {"reason", "not predicted"}}};
    // The columns from `change_s` to `probability_faster`.
    const auto add_change = [](std::vector<Cell>& cells, bool known, Seconds change, std::optional<double> speed_up,
                               const std::optional<DifferenceInterval>& interval) {
        const auto* i = known && interval ? &*interval : nullptr;
        const auto number = [](const std::optional<double>& value) { return value ? Cell{*value} : Cell{}; };
        cells.push_back(known ? Cell{change.value} : Cell{});
        cells.push_back(i != nullptr ? Cell{i->change_low.value} : Cell{});
        cells.push_back(i != nullptr ? Cell{i->change_high.value} : Cell{});
        cells.push_back(number(speed_up));
        cells.push_back(i != nullptr ? number(i->speed_up_low) : Cell{});
        cells.push_back(i != nullptr ? number(i->speed_up_high) : Cell{});
        cells.push_back(i != nullptr ? number(i->probability_faster) : Cell{});
    };
    for (const auto& kernel : difference.kernels) {
        const bool both = kernel.before && kernel.after;
        const bool gone_or_new = kernel.launches_before == 0 || kernel.launches_after == 0;
        const bool known = both || (gone_or_new && kernel.reason.empty());
        const auto change = kernel.after.value_or(Seconds{}) - kernel.before.value_or(Seconds{});
        std::vector<Cell> cells = {kernel.kernel, static_cast<std::int64_t>(kernel.launches_before),
                                   static_cast<std::int64_t>(kernel.launches_after), seconds(kernel.before),
                                   seconds(kernel.after)};
        const bool has_ratio = both && kernel.after->value > 0;
        add_change(cells, known, change, has_ratio ? std::optional(ratio(*kernel.before, *kernel.after)) : std::nullopt,
                   kernel.interval);
        cells.push_back(limiter(kernel.limiter_before));
        cells.push_back(limiter(kernel.limiter_after));
        cells.push_back(kernel.reason.empty() ? Cell{} : Cell{kernel.reason});
        table.rows.push_back(std::move(cells));
    }
    const bool comparable = difference.refused_before == 0 && difference.refused_after == 0;
    std::vector<Cell> total = {std::string("total"), Cell{}, Cell{}, difference.before.value, difference.after.value};
    const bool has_ratio = comparable && difference.after.value > 0;
    add_change(total, true, difference.after - difference.before,
               has_ratio ? std::optional(ratio(difference.before, difference.after)) : std::nullopt,
               difference.interval);
    total.insert(total.end(), {Cell{std::string{}}, Cell{std::string{}}, Cell{}});
    table.rows.push_back(std::move(total));
    table.footer_rows = 1;
    return table;
}

}  // namespace gpuproj
