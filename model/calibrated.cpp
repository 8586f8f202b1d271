#include "model/calibrated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

/// What a kernel is, whatever it is to run on.
struct PreparedKernel {
    Work work;
    std::optional<Times> on_reference;  // where the reference time is used
    double measured = 0;                // seconds per launch, there
};

std::variant<PreparedKernel, Inapplicable> prepare(const KernelRecord& kernel, const Chip& reference,
                                                   const ModelOptions& options) {
    auto work = work_of(kernel, reference);
    if (const auto* no = std::get_if<Inapplicable>(&work)) return *no;
    PreparedKernel prepared{std::get<Work>(std::move(work)), std::nullopt, 0};
    if (!options.use_reference_time) return prepared;
    const auto measured = measured_duration(kernel);
    if (!measured) return Inapplicable{"the reference time is not known: the profile has no measured durations"};
    prepared.measured = measured->value / static_cast<double>(kernel.launches);
    prepared.on_reference = times_on(prepared.work, reference, reference, fitted.constants);
    return prepared;
}

Outcome predict_prepared(const KernelRecord& kernel, const PreparedKernel& prepared, const Chip& reference,
                         const Chip& target, const Gpu& gpu) {
    const Work& work = prepared.work;
    if (work.tensor > 0 && target.rates.tensor == 0)
        return Inapplicable{fmt::format("{} has no tensor units", gpu.name)};
    const Times times = times_on(work, reference, target, fitted.constants);
    const bool same = same_architecture(reference, target);
    const auto launches = static_cast<double>(kernel.launches);
    double correction = 1;
    if (prepared.on_reference) {
        const double alpha = transfer(*prepared.on_reference, times, work, same, fitted.constants);
        correction = std::pow(prepared.measured / prepared.on_reference->total, alpha);
    }
    Outcome outcome;
    auto& p = std::get<Prediction>(outcome);
    p.duration = Seconds{times.total * correction * launches};
    const double factor =
        std::exp(half_width({limiter_class(times.limiter), same, prepared.on_reference.has_value(),
                             work.weak_counters || reference.uncertain || target.uncertain, work.partial_counters},
                            fitted));
    p.low = p.duration / factor;
    p.high = factor * p.duration;
    list_bounds(p, times, correction * launches);
    p.limiter = 2 * launch_overhead > times.total ? Limiter::launch : limiter_name(times.limiter, times);
    add_warnings(p, kernel, gpu);
    return outcome;
}

constexpr std::string_view unknown_reference = "the parameters of the profile's own GPU are not known";

}  // namespace

Outcome predict_calibrated(const ModelInput& input) {
    Outcome outcome;
    const Gpu* const target = &input.target;
    prepare_calibrated({&target, 1}, input.reference, input.options)(input.kernel, {&outcome, 1});
    return outcome;
}

KernelPredictor prepare_calibrated(std::span<const Gpu* const> targets, const Gpu* reference,
                                   const ModelOptions& options) {
    using MaybeChip = std::variant<Chip, Inapplicable>;
    MaybeChip here = reference ? chip_of(*reference) : MaybeChip{Inapplicable{std::string(unknown_reference)}};
    std::vector<std::pair<const Gpu*, MaybeChip>> there;
    for (const Gpu* const target : targets) there.emplace_back(target, chip_of(*target));
    return [here = std::move(here), there = std::move(there), options](const KernelRecord& kernel,
                                                                       std::span<Outcome> outcomes) {
        const auto refuse_all = [&](const Inapplicable& no) { std::fill(outcomes.begin(), outcomes.end(), no); };
        if (const auto* no = std::get_if<Inapplicable>(&here)) return refuse_all(*no);
        const Chip& chip = std::get<Chip>(here);
        const auto prepared = prepare(kernel, chip, options);
        if (const auto* no = std::get_if<Inapplicable>(&prepared)) return refuse_all(*no);
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const auto& [gpu, target] = there[i];
            if (const auto* no = std::get_if<Inapplicable>(&target)) {
                outcomes[i] = *no;
            } else {
                outcomes[i] =
                    predict_prepared(kernel, std::get<PreparedKernel>(prepared), chip, std::get<Chip>(target), *gpu);
            }
        }
    };
}

}  // namespace gpuproj
