#include "model/calibrated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "model/calibrated_chip.hpp"
#include "model/calibrated_constants.hpp"
#include "model/calibrated_interval.hpp"
#include "model/calibrated_time.hpp"
#include "model/calibrated_transfer.hpp"
#include "model/calibrated_work.hpp"
#include "model/other_gpus.hpp"
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
        case Resource::atomic:
            return Limiter::atomic;
        case Resource::blocks:
            return Limiter::launch;
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

/// The type of which the kernel has tensor operations and the GPU no tensor units; empty if there is none.
std::string_view lacking_tensor_type(const Work& work, const CycleRates& rates) {
    struct Type {
        std::string_view name;
        double operations, rate;
    };
    const std::array types{Type{"fp16", work.tensor_fp16, rates.tensor},
                           Type{"bf16", work.tensor_bf16, rates.tensor_bf16},
                           Type{"tf32", work.tensor_tf32, rates.tensor_tf32},
                           Type{"fp8", work.tensor_fp8, rates.tensor_fp8},
                           Type{"int8", work.tensor_integer, rates.tensor_integer},
                           Type{"fp64", work.tensor_fp64, rates.tensor_fp64}};
    const auto* const found =
        std::ranges::find_if(types, [](const Type& type) { return type.operations > 0 && type.rate == 0; });
    return found == types.end() ? std::string_view{} : found->name;
}

/// Why the kernel cannot run there, whatever the compiler does; empty if it can.
std::string misfit(const Work& work, const Chip& chip, const Gpu& gpu) {
    if (work.tensor() > 0) {
        if (chip.rates.tensor == 0) return gpu.name + " has no tensor units";
        if (const auto type = lacking_tensor_type(work, chip.rates); !type.empty())
            return fmt::format("{} has no tensor units for {}", gpu.name, type);
    }
    if (work.fp64 > 0 && chip.rates.fp64 == 0) return gpu.name + " has no fp64 units";
    const OccupancyRules& rules = chip.occupancy;
    if (work.threads_per_block > rules.max_threads_per_block()) {
        return fmt::format("a block of {} threads does not fit on {}", work.threads_per_block, gpu.name);
    }
    if (const std::uint64_t shared = work.shared_bytes.value_or(0); shared > rules.shared_per_block) {
        return fmt::format("{} bytes of shared memory per block do not fit on {}", shared, gpu.name);
    }
    return {};
}

/// No kernel of the data is limited by it.
bool not_fitted_on(Resource limiter) {
    return limiter == Resource::fp64 || limiter == Resource::fp16 || limiter == Resource::tensor ||
           limiter == Resource::special || limiter == Resource::atomic || limiter == Resource::blocks;
}

/// What a kernel is, whatever it is to run on.
struct PreparedKernel {
    PreparedWork prepared;
    Times on_reference;
    TransferOfError transfer;
    double launches = 1;
    std::optional<double> ln_missed;  // ln(measured / predicted) on the reference, where its time is used
    double measured = 0;              // there, s, of all launches
};

/// One kernel on one target.
struct Answer {
    const Times& times;
    double scale = 1;  // launches, and the correction by the reference time
    const Interval* interval = nullptr;
    std::optional<double> from_l2;  // as times.total, if L2 had what DRAM gives on the reference; where that may be
};

const Intervals& intervals() {
    static const Intervals all(fitted);
    return all;
}

/// The GPUs of many predictions.
class Predictor {
public:
    Predictor(std::span<const Gpu* const> targets, const Gpu* reference, const ModelOptions& options)
        : options_(options), reference_gpu_(reference), reference_(prepared_reference(reference)) {
        for (const Gpu* const gpu : targets) {
            Target target{gpu, chip_of(*gpu)};
            if (gpu->l2_size) target.l2_bytes = gpu->l2_size->value.value;
            if (const auto* const chip = std::get_if<Chip>(&target.chip)) {
                target.costs = costs_of(*chip, fitted.constants);
                target.rules = add_rules(chip->occupancy);
                target.relation = relation(reference, *chip, *gpu);
            }
            targets_.push_back(std::move(target));
        }
    }

    void predict(const KernelRecord& kernel, std::span<Outcome> outcomes) const {
        for_each_target(
            kernel, [&](std::size_t i, const Answer& answer) { outcomes[i] = prediction(answer, kernel, targets_[i]); },
            [&](std::size_t i, std::string why) { outcomes[i] = Inapplicable{std::move(why)}; });
    }

    void estimate(const KernelRecord& kernel, std::span<Estimate> estimates) const {
        for_each_target(
            kernel,
            [&](std::size_t i, const Answer& answer) {
                const double total = answer.times.total;
                estimates[i] = {true, true, total * answer.scale, answer.interval->spread,
                                answer.from_l2.value_or(total) * answer.scale};
            },
            [&](std::size_t i, const std::string&) { estimates[i] = {}; });
    }

    /// Of the first target.
    Explanation explain(const KernelRecord& kernel) const {
        const Target& target = targets_.front();
        const auto maybe = prepare_kernel(kernel);
        const auto* const k = std::get_if<PreparedKernel>(&maybe);
        if (k == nullptr || std::holds_alternative<Inapplicable>(target.chip)) return {};
        const double possible = possible_blocks(k->prepared.work, rules_[target.rules]);
        const auto metrics = metrics_of_target(k->prepared.work, kernel, target, possible);
        if (!metrics) return {};
        Explanation steps;
        const auto add = [&](const auto& field) {
            const auto &here = kernel.metrics.*field.member, &there = (*metrics).*field.member;
            if (here == there) return;
            if constexpr (requires { there->value; }) {
                steps.push_back({std::string(field.key),
                                 fmt::format("as {} would count it; {} counted {}", target.gpu->name,
                                             reference_gpu_->name, here->value),
                                 there->value, "", ""});
            }
        };
        std::apply([&](const auto&... field) { (add(field), ...); }, KernelMetrics::fields);
        return steps;
    }

private:
    struct Target {
        const Gpu* gpu;
        std::variant<Chip, Inapplicable> chip;
        Costs costs{};
        std::size_t rules = 0;
        Relation relation = Relation::other;
        double l2_bytes = 0;  // 0: not known
    };

    static std::variant<Chip, Inapplicable> prepared_reference(const Gpu* gpu) {
        if (gpu == nullptr) return Inapplicable{"the parameters of the profile's own GPU are not known"};
        return chip_of(*gpu);
    }

    Relation relation(const Gpu* reference, const Chip& chip, const Gpu& gpu) const {
        const auto* const here = std::get_if<Chip>(&reference_);
        if (here == nullptr) return Relation::other;
        // What if names its GPUs after the one they were made of.
        const bool same_name = gpu.name == reference->name || gpu.name.starts_with(reference->name + " (");
        if (same_name && here->sm_count == chip.sm_count) {
            // One with other units or limits (what if) is another GPU.
            if (here->rates != chip.rates || here->occupancy != chip.occupancy) return Relation::same_architecture;
            const bool as_it_ran = here->clock == chip.clock && here->dram_bandwidth == chip.dram_bandwidth;
            return as_it_ran ? Relation::itself : Relation::itself_at_other_clocks;
        }
        return same_architecture(*here, chip) ? Relation::same_architecture : Relation::other;
    }

    std::size_t add_rules(const OccupancyRules& rules) {
        const auto found = std::find(rules_.begin(), rules_.end(), rules);
        if (found != rules_.end()) return static_cast<std::size_t>(found - rules_.begin());
        rules_.push_back(rules);
        return rules_.size() - 1;
    }

    std::variant<PreparedKernel, Inapplicable> prepare_kernel(const KernelRecord& kernel) const {
        if (const auto* const no = std::get_if<Inapplicable>(&reference_)) return *no;
        const Chip& reference = std::get<Chip>(reference_);
        const auto work = work_of(kernel, reference);
        if (const auto* const no = std::get_if<Inapplicable>(&work)) return *no;
        const PreparedWork prepared = prepare(std::get<Work>(work), reference, fitted.constants);
        const Times times = times_on(prepared, reference, fitted.constants);
        PreparedKernel k{prepared,
                         times,
                         TransferOfError(times, prepared.work, fitted.constants),
                         static_cast<double>(kernel.launches),
                         std::nullopt,
                         0};
        if (!options_.use_reference_time) return k;
        const auto measured = measured_duration(kernel);
        if (!measured) return Inapplicable{"the reference time is not known: the profile has no measured durations"};
        k.measured = measured->value;
        k.ln_missed = std::log(measured->value / k.launches / times.total);
        return k;
    }

    template <class Take, class Refuse>
    void for_each_target(const KernelRecord& kernel, const Take& take, const Refuse& refuse) const {
        const auto maybe = prepare_kernel(kernel);
        if (const auto* const no = std::get_if<Inapplicable>(&maybe)) {
            for (std::size_t i = 0; i < targets_.size(); ++i) refuse(i, no->reason);
            return;
        }
        const auto& k = std::get<PreparedKernel>(maybe);
        const Work& work = k.prepared.work;
        std::vector<double> possible;
        possible.reserve(rules_.size());
        for (const OccupancyRules& rules : rules_) possible.push_back(possible_blocks(work, rules));
        const double beyond = beyond_l2(work, kernel);
        const bool uncertain = work.weak_counters || std::get<Chip>(reference_).uncertain;
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            const Target& target = targets_[i];
            if (const auto* const no = std::get_if<Inapplicable>(&target.chip)) {
                refuse(i, no->reason);
                continue;
            }
            const Chip& chip = std::get<Chip>(target.chip);
            if (auto why = misfit(work, chip, *target.gpu); !why.empty()) {
                refuse(i, std::move(why));
                continue;
            }
            const double blocks = possible[target.rules];
            const Times times = kernel.other_gpus ? times_on(work_on(k, kernel, target, blocks), target.costs, blocks)
                                                  : times_on(k.prepared, target.costs, blocks);
            Answer answer{times, k.launches, nullptr, std::nullopt};
            if (beyond > 0 && beyond <= target.l2_bytes) answer.from_l2 = time_from_l2(times);
            const bool with_time = k.ln_missed.has_value();
            if (with_time) {
                answer.scale *= std::exp(k.transfer.alpha(answer.times, target.relation) * *k.ln_missed);
                answer.scale = in_order(answer.scale, k.measured / times.total, times, k.on_reference, target.relation);
            }
            answer.interval =
                &intervals().of({target.relation, with_time, uncertain || chip.uncertain, work.partial_counters},
                                k.transfer.variance(answer.times, target.relation, with_time));
            take(i, answer);
        }
    }

    Prediction prediction(const Answer& answer, const KernelRecord& kernel, const Target& target) const {
        Prediction p;
        p.duration = Seconds{answer.times.total * answer.scale};
        p.low = p.duration / answer.interval->factor;
        if (answer.from_l2) {
            p.from_l2 = Seconds{*answer.from_l2 * answer.scale};
            p.low = std::min(*p.low, *p.from_l2);
        }
        p.high = answer.interval->factor * p.duration;
        p.spread = answer.interval->spread;
        list_bounds(p, answer.times, answer.scale);
        p.limiter = 2 * launch_overhead > answer.times.total ? Limiter::launch
                                                             : limiter_name(answer.times.limiter, answer.times);
        add_warnings(p, kernel, *target.gpu);
        const bool fitted_on = std::get<Chip>(reference_).fitted_on && std::get<Chip>(target.chip).fitted_on;
        const bool is_measured = target.relation == Relation::itself && options_.use_reference_time;
        if (!is_measured && (!fitted_on || not_fitted_on(answer.times.limiter))) {
            p.warnings.push_back(Warning::outside_fit);
        }
        if (answer.from_l2) p.warnings.push_back(Warning::larger_l2);
        return p;
    }

    /// Bytes that a launch moves to and from DRAM and the reference's L2 could not hold; 0 where there are none, and
    /// where the profile says what other caches see.
    double beyond_l2(const Work& work, const KernelRecord& kernel) const {
        if (kernel.other_gpus || reference_gpu_ == nullptr || !reference_gpu_->l2_size) return 0;
        return work.dram_bytes > reference_gpu_->l2_size->value.value ? work.dram_bytes : 0;
    }
    /// They may be in the target's L2 from the launch before; counters of a smaller one do not tell. The time without
    /// that traffic, where it would matter; what waits for memory is left as it is.
    static std::optional<double> time_from_l2(const Times& times) {
        constexpr double matters = 0.8, matters_to_overlap = 0.458;  // 0.8^3.5
        static_assert(overlap == 3.5);
        const double rest = times.power_sum - times.power[static_cast<std::size_t>(Resource::dram)];
        if (rest > matters_to_overlap * times.power_sum) return std::nullopt;  // without the cost of pow
        const double from_l2 = total_of(times.of[static_cast<std::size_t>(times.limiter)], rest);
        return from_l2 < matters * times.total ? std::optional{from_l2} : std::nullopt;
    }

    /// The counters that the target would have had itself, where the collector can tell. `possible`: blocks of the
    /// kernel that are resident there.
    std::optional<KernelMetrics> metrics_of_target(const Work& work, const KernelRecord& kernel, const Target& target,
                                                   double possible) const {
        const bool itself = target.relation == Relation::itself || target.relation == Relation::itself_at_other_clocks;
        if (!kernel.other_gpus || reference_gpu_ == nullptr || itself) return std::nullopt;
        const double shared = possible * static_cast<double>(work.shared_bytes.value_or(0));
        return metrics_on(kernel.metrics, *kernel.other_gpus, *reference_gpu_, *target.gpu, shared);
    }

    /// The work as the target would have counted it, where that is known; else as the reference did.
    PreparedWork work_on(const PreparedKernel& k, const KernelRecord& kernel, const Target& target,
                         double possible) const {
        const auto metrics = metrics_of_target(k.prepared.work, kernel, target, possible);
        if (!metrics) return k.prepared;
        const Chip& reference = std::get<Chip>(reference_);
        const auto work = work_of(kernel, *metrics, reference);
        if (std::holds_alternative<Inapplicable>(work)) return k.prepared;
        PreparedWork prepared = prepare(std::get<Work>(work), reference, fitted.constants);
        if (kernel.other_gpus && !kernel.other_gpus->machine_code.empty())
            prepared.split_multiply_add = std::get<Chip>(target.chip).rates.split_multiply_add;
        return prepared;
    }

    ModelOptions options_;
    const Gpu* reference_gpu_;
    std::variant<Chip, Inapplicable> reference_;
    std::vector<Target> targets_;
    std::vector<OccupancyRules> rules_;  // those that differ
};

}  // namespace

Outcome predict_calibrated(const ModelInput& input) {
    Outcome outcome;
    const Gpu* const target = &input.target;
    Predictor({&target, 1}, input.reference, input.options).predict(input.kernel, {&outcome, 1});
    return outcome;
}

Explanation explain_calibrated(const ModelInput& input) {
    const Gpu* const target = &input.target;
    return Predictor({&target, 1}, input.reference, input.options).explain(input.kernel);
}

bool calibrated_follows(const Gpu& changed) {
    if (!changed.before_changes) return true;
    const Gpu& before = *changed.before_changes;
    const auto same_size = [](const MaybeKnown<Bytes>& a, const MaybeKnown<Bytes>& b) {
        return a.has_value() == b.has_value() && (!a || a->value == b->value);
    };
    if (!same_size(changed.l1_size, before.l1_size) || !same_size(changed.l2_size, before.l2_size)) return true;
    const auto now = chip_of(changed), then = chip_of(before);
    const auto* const chip = std::get_if<Chip>(&now);
    const auto* const chip_before = std::get_if<Chip>(&then);
    return chip == nullptr || chip_before == nullptr || *chip != *chip_before;
}

KernelPredictor prepare_calibrated(std::span<const Gpu* const> targets, const Gpu* reference,
                                   const ModelOptions& options) {
    return [predictor = Predictor(targets, reference, options)](
               const KernelRecord& kernel, std::span<Outcome> outcomes) { predictor.predict(kernel, outcomes); };
}

KernelEstimator prepare_calibrated_estimates(std::span<const Gpu* const> targets, const Gpu* reference,
                                             const ModelOptions& options) {
    return [predictor = Predictor(targets, reference, options)](
               const KernelRecord& kernel, std::span<Estimate> estimates) { predictor.estimate(kernel, estimates); };
}

}  // namespace gpuproj
