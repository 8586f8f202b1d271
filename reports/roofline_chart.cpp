#include "reports/roofline_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/quantitative_roofline.hpp"
#include "model/warnings.hpp"
#include "reports/kernel_names.hpp"

namespace gpuproj {
namespace {

constexpr double bytes_per_shared_access = 4;

/// Times of all kernels on one GPU: measured where the profile has them and this is its GPU.
struct Timed {
    std::size_t kernel = 0;
    Seconds duration;
    bool measured = false;
    std::optional<Limiter> limiter;
};

std::vector<Timed> times_on(const EvaluationInput& input, const Evaluation& evaluation, std::size_t target,
                            std::size_t model, RooflineChart& chart) {
    const auto& kernels = input.profile.kernels;
    const bool own = input.targets[target]->name == input.profile.gpu;
    std::vector<Timed> times;
    for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
        const auto& outcome = evaluation.rows[(target * input.models.size() + model) * kernels.size() + kernel].outcome;
        const auto* p = std::get_if<Prediction>(&outcome);
        const auto limiter = p != nullptr ? std::optional(p->limiter) : std::nullopt;
        if (const auto measured = measured_duration(kernels[kernel]); own && measured) {
            times.push_back({kernel, *measured, true, limiter});
        } else if (p != nullptr) {
            times.push_back({kernel, p->duration, false, limiter});
        } else {
            chart.left_out.push_back({kernel, target, std::get<Inapplicable>(outcome).reason});
        }
    }
    return times;
}

/// Null, with a reason on the chart, where the kernel has no place on it.
std::optional<RooflinePoint> point_of(const EvaluationInput& input, const Timed& timed, std::size_t target,
                                      RooflineChart& chart) {
    const auto refuse = [&](std::string reason) {
        chart.left_out.push_back({timed.kernel, target, std::move(reason)});
        return std::nullopt;
    };
    const auto found = kernel_parameters(input.profile.kernels[timed.kernel].metrics, input.options);
    if (const auto* no = std::get_if<Inapplicable>(&found)) return refuse(no->reason);
    const auto& k = std::get<KernelParameters>(found);
    if (k.w_comp.value <= 0) return refuse("the kernel has no operations of any type");
    const auto rates = intermediates(k, *input.targets[target], input.options);
    if (const auto* no = std::get_if<Inapplicable>(&rates)) return refuse(no->reason);
    const auto& i = std::get<Intermediates>(rates);

    RooflinePoint point;
    point.kernel = timed.kernel;
    point.gpu = target;
    point.k_type = k.k_type;
    point.intensity = k.o_krn;
    point.duration = timed.duration;
    point.attained = k.w_comp / timed.duration;
    point.measured = timed.measured;
    point.sustained = i.t_op;
    point.after_mix = k.e_mix * i.t_op;
    point.adjusted = i.t_op_adjusted;
    point.e_mix = k.e_mix;
    point.e_instr = i.e_instr;
    point.roof = point.adjusted;
    if (const auto& bandwidth = input.targets[target]->dram_bandwidth; k.o_krn && bandwidth) {
        const OperationsPerSecond by_memory = *k.o_krn * bandwidth->value;
        if (by_memory <= point.roof) {  // equal counts as memory bound, as in (4.18)
            point.roof = by_memory;
            point.binding = Limiter::memory;
        }
    }
    point.gain = ratio(point.roof, point.attained);
    point.model_limiter = timed.limiter;
    return point;
}

}  // namespace

RooflineGpu roofline_gpu(const Gpu& gpu) {
    RooflineGpu roofline{.name = gpu.name, .compute = {}, .memory = {}};
    const auto compute = [&](std::string name, const MaybeKnown<OperationsPerSecond>& rate, bool peak) {
        if (rate) roofline.compute.push_back({std::move(name), rate->value, rate->quality, peak});
    };
    compute("fp64", gpu.fp64, false);
    compute("fp32", gpu.fp32, false);
    compute("fp16", gpu.fp16, false);
    compute("int", gpu.int_mad, false);
    compute("int add", gpu.int_add, false);
    compute("special", gpu.special, false);
    compute("tensor fp64", gpu.tensor_fp64, false);
    compute("tensor tf32", gpu.tensor_tf32, false);
    compute("tensor bf16", gpu.tensor_bf16, false);
    compute("tensor fp16", gpu.tensor_fp16, false);
    compute("tensor fp8", gpu.tensor_fp8, false);
    compute("tensor int8", gpu.tensor_int8, false);
    compute("fp64", gpu.fp64_peak, true);
    compute("fp32", gpu.fp32_peak, true);
    compute("fp16", gpu.fp16_peak, true);
    const auto memory = [&](std::string name, const MaybeKnown<BytesPerSecond>& bandwidth, bool peak) {
        if (bandwidth) roofline.memory.push_back({std::move(name), bandwidth->value, bandwidth->quality, peak});
    };
    memory("DRAM", gpu.dram_bandwidth, false);
    memory("DRAM", gpu.dram_bandwidth_peak, true);
    memory("L2", gpu.l2_bandwidth, false);
    memory("L1", gpu.l1_bandwidth, false);
    if (gpu.shared_rate) {
        const BytesPerSecond bandwidth{bytes_per_shared_access * gpu.shared_rate->value.value};
        roofline.memory.push_back({"shared", bandwidth, gpu.shared_rate->quality, false});
    }
    return roofline;
}

RooflineChart roofline_chart(const EvaluationInput& input, const Evaluation& evaluation, std::size_t model,
                             std::size_t most_kernels) {
    RooflineChart chart;
    chart.model = input.models[model]->name;
    std::vector<std::string> names;
    names.reserve(input.profile.kernels.size());
    for (const auto& kernel : input.profile.kernels) names.push_back(kernel.kernel);
    chart.kernels = short_kernel_names(names);
    for (std::size_t target = 0; target < input.targets.size(); ++target) {
        chart.gpus.push_back(roofline_gpu(*input.targets[target]));
        auto times = times_on(input, evaluation, target, model, chart);
        std::stable_sort(times.begin(), times.end(),
                         [](const Timed& a, const Timed& b) { return a.duration > b.duration; });
        const auto total = std::accumulate(times.begin(), times.end(), Seconds{},
                                           [](Seconds sum, const Timed& timed) { return sum + timed.duration; });
        double not_drawn = 0;
        for (std::size_t at = 0; at < times.size(); ++at) {
            const double share = total.value > 0 ? ratio(times[at].duration, total) : 0;
            if (at >= most_kernels) {
                not_drawn += share;
                continue;
            }
            auto point = point_of(input, times[at], target, chart);
            if (!point) continue;
            point->share = share;
            chart.points.push_back(*point);
        }
        chart.share_not_drawn.push_back(not_drawn);
        chart.not_drawn.push_back(times.size() - std::min(times.size(), most_kernels));
    }
    return chart;
}

}  // namespace gpuproj
