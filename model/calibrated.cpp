#include "model/calibrated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/calibrated_chip.hpp"
#include "model/calibrated_constants.hpp"
#include "model/calibrated_interval.hpp"
#include "model/calibrated_time.hpp"
#include "model/calibrated_transfer.hpp"
#include "model/calibrated_work.hpp"
#include "model/warnings.hpp"

namespace gpuproj {

namespace {

using namespace calibrated;

Limiter limiter_name(Resource resource, const Times& times) {
    switch (resource) {
        case Resource::alu:
            return times.integer_bound ? Limiter::integer : Limiter::fp32;
        case Resource::fp64:
            return Limiter::fp64;
        case Resource::fp16:
            return Limiter::fp16;
        case Resource::tensor:
            return Limiter::tensor;
        case Resource::special:
            return Limiter::special;
        case Resource::conversion:
            return Limiter::integer;
        case Resource::issue:
            return Limiter::issue;
        case Resource::shared:
            return Limiter::shared;
        case Resource::l1:
            return times.line_bound ? Limiter::load_store : Limiter::l1;
        case Resource::l2:
            return Limiter::l2;
        case Resource::dram:
            return Limiter::dram;
        case Resource::latency:
            return Limiter::latency;
    }
    return Limiter::latency;
}

/// The times of all resources in use, scaled, longest first. Two resources of one name: the longer.
void list_bounds(Prediction& p, const Times& times, double scale) {
    const auto add = [&](Limiter limiter, double seconds) {
        if (seconds <= 0) return;
        for (Bound& bound : p.bounds) {
            if (bound.limiter == limiter) {
                bound.duration = std::max(bound.duration, Seconds{scale * seconds});
                return;
            }
        }
        p.bounds.push_back({limiter, Seconds{scale * seconds}});
    };
    for (std::size_t i = 0; i < resources; ++i) add(limiter_name(static_cast<Resource>(i), times), times.of[i]);
    add(Limiter::launch, launch_overhead);
    std::sort(p.bounds.begin(), p.bounds.end(), [](const Bound& a, const Bound& b) { return a.duration > b.duration; });
}

}  // namespace

Outcome predict_calibrated(const ModelInput& input) {
    if (!input.reference) return Inapplicable{"the parameters of the profile's own GPU are not known"};
    const auto reference_outcome = chip_of(*input.reference);
    if (const auto* no = std::get_if<Inapplicable>(&reference_outcome)) return *no;
    const auto target_outcome = chip_of(input.target);
    if (const auto* no = std::get_if<Inapplicable>(&target_outcome)) return *no;
    const Chip& reference = std::get<Chip>(reference_outcome);
    const Chip& target = std::get<Chip>(target_outcome);
    const auto work_outcome = work_of(input.kernel, reference);
    if (const auto* no = std::get_if<Inapplicable>(&work_outcome)) return *no;
    const Work& work = std::get<Work>(work_outcome);
    if (work.tensor > 0 && target.rates.tensor == 0) {
        return Inapplicable{fmt::format("{} has no tensor units", input.target.name)};
    }

    const Constants& constants = fitted.constants;
    const Times times = times_on(work, reference, target, constants);
    const bool same = same_architecture(reference, target);
    const double launches = static_cast<double>(input.kernel.launches);
    double correction = 1;
    if (input.options.use_reference_time) {
        const auto measured = measured_duration(input.kernel);
        if (!measured) return Inapplicable{"the reference time is not known: the profile has no measured durations"};
        const Times there = times_on(work, reference, reference, constants);
        const double alpha = transfer(there, times, work, same, constants);
        correction = std::pow(measured->value / launches / there.total, alpha);
    }

    Prediction p;
    p.duration = Seconds{times.total * correction * launches};
    const double width =
        half_width({limiter_class(times.limiter), same, input.options.use_reference_time,
                    work.weak_counters || reference.uncertain || target.uncertain, work.partial_counters},
                   fitted);
    p.low = p.duration / std::exp(width);
    p.high = std::exp(width) * p.duration;
    list_bounds(p, times, correction * launches);
    p.limiter = 2 * launch_overhead > times.total ? Limiter::launch : limiter_name(times.limiter, times);
    add_warnings(p, input.kernel, input.target);
    return p;
}

}  // namespace gpuproj
