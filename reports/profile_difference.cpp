#include "reports/profile_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace gpuproj {
namespace {

/// The records of one kernel name in one version.
struct Side {
    std::uint64_t launches = 0, refused = 0;
    Seconds duration;
    Bound longest;
    std::string reason;
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
            if (p->duration > side.longest.duration) side.longest = {p->limiter, p->duration};
        } else {
            ++side.refused;
            side.reason = std::get<Inapplicable>(row.outcome).reason;
        }
    }
    return sides;
}

double change(const KernelDifference& kernel) {
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
    std::stable_sort(result.kernels.begin(), result.kernels.end(),
                     [](const KernelDifference& a, const KernelDifference& b) { return change(a) > change(b); });
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
                            {"speed_up", "speed-up", Unit::factor},
                            {"limiter_before", "limited by"},
                            {"limiter_after", "after"},
                            {"reason", "not predicted"}}};
    for (const auto& kernel : difference.kernels) {
        const bool both = kernel.before && kernel.after;
        const bool gone_or_new = kernel.launches_before == 0 || kernel.launches_after == 0;
        const bool known = both || (gone_or_new && kernel.reason.empty());
        const auto delta = kernel.after.value_or(Seconds{}) - kernel.before.value_or(Seconds{});
        table.rows.push_back({kernel.kernel, static_cast<std::int64_t>(kernel.launches_before),
                              static_cast<std::int64_t>(kernel.launches_after), seconds(kernel.before),
                              seconds(kernel.after), known ? Cell{delta.value} : Cell{},
                              both && kernel.after->value > 0 ? Cell{ratio(*kernel.before, *kernel.after)} : Cell{},
                              limiter(kernel.limiter_before), limiter(kernel.limiter_after),
                              kernel.reason.empty() ? Cell{} : Cell{kernel.reason}});
    }
    const bool comparable = difference.refused_before == 0 && difference.refused_after == 0;
    table.rows.push_back(
        {std::string("total"), Cell{}, Cell{}, difference.before.value, difference.after.value,
         (difference.after - difference.before).value,
         comparable && difference.after.value > 0 ? Cell{ratio(difference.before, difference.after)} : Cell{},
         std::string{}, std::string{}, Cell{}});
    table.footer_rows = 1;
    return table;
}

}  // namespace gpuproj
