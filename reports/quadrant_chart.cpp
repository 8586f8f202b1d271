#include "reports/quadrant_chart.hpp"

#include <algorithm>

#include "model/quantitative_roofline.hpp"
#include "model/warnings.hpp"
#include "reports/kernel_names.hpp"

namespace gpuproj {
namespace {

/// The datasheet's corner of the roofline; none for integer work, which datasheets do not state.
std::optional<RatePoint> peak_of(const Gpu& gpu, KType k_type) {
    if (k_type == KType::integer || !gpu.dram_bandwidth_peak) return std::nullopt;
    const auto& peak = k_type == KType::fp64 ? gpu.fp64_peak : gpu.fp32_peak;
    if (!peak) return std::nullopt;
    return RatePoint{gpu.dram_bandwidth_peak->value, peak->value};
}

Quality throughput_quality(const Gpu& gpu, KType k_type, const ModelOptions& options) {
    const auto& rate = k_type == KType::fp64          ? gpu.fp64
                       : k_type == KType::fp32        ? gpu.fp32
                       : options.integer_as_additions ? gpu.int_add
                                                      : gpu.int_mad;
    return rate ? rate->quality : Quality::unverified;
}

RatePoint at_duration(const KernelParameters& k, Seconds duration) {
    return {k.w_traf / duration, k.w_comp / duration};
}

}  // namespace

QuadrantChart quadrant_chart(const EvaluationInput& input, const Evaluation& evaluation, std::size_t model,
                             std::size_t kernel) {
    const auto& record = input.profile.kernels[kernel];
    QuadrantChart chart;
    chart.kernel = kernel;
    chart.name = short_kernel_name(record.kernel);
    chart.model = input.models[model]->name;
    const auto found = kernel_parameters(record.metrics, input.options);
    if (const auto* no = std::get_if<Inapplicable>(&found)) {
        chart.reason = no->reason;
        return chart;
    }
    const auto& k = std::get<KernelParameters>(found);
    chart.k_type = k.k_type;
    chart.slope = k.o_krn;
    chart.e_mix = k.e_mix;
    chart.w_comp = k.w_comp;
    chart.w_traf = k.w_traf;
    if (k.w_comp.value <= 0) {
        chart.reason = "the kernel has no operations of any type: its half-line is the axis of bandwidth";
        return chart;
    }
    auto options = input.options;
    options.use_reference_time = false;  // the chart is of rates
    for (std::size_t target = 0; target < input.targets.size(); ++target) {
        const Gpu& gpu = *input.targets[target];
        const auto outcome = predict_kernel(k, gpu, options);
        if (const auto* no = std::get_if<Inapplicable>(&outcome)) {
            chart.left_out.push_back({gpu.name, no->reason});
            continue;
        }
        const auto& p = std::get<Prediction>(outcome);
        if (!p.intermediates || !gpu.dram_bandwidth) continue;  // predict_kernel gives the one, and needs the other
        const Intermediates& i = *p.intermediates;
        const BytesPerSecond bandwidth = gpu.dram_bandwidth->value;
        QuadrantGpu on;
        on.target = target;
        on.name = gpu.name;
        on.quality = std::max(gpu.dram_bandwidth->quality, throughput_quality(gpu, k.k_type, options));
        on.peak = peak_of(gpu, k.k_type);
        on.sustained = {bandwidth, i.t_op};
        on.after_mix = {bandwidth, k.e_mix * i.t_op};
        on.adjusted = {bandwidth, i.t_op_adjusted};
        on.e_instr = i.e_instr;
        on.attained = at_duration(k, p.duration);
        on.limiter = p.limiter;
        on.duration = p.duration;
        if (on.peak) {
            on.peak_utilized = p.limiter == Limiter::memory ? ratio(on.attained.bandwidth, on.peak->bandwidth)
                                                            : ratio(on.attained.throughput, on.peak->throughput);
        }
        if (gpu.name == input.profile.gpu) {
            if (const auto measured = measured_duration(record)) on.measured = at_duration(k, *measured);
        }
        const auto& row =
            evaluation.rows[(target * input.models.size() + model) * input.profile.kernels.size() + kernel];
        const auto* shown = std::get_if<Prediction>(&row.outcome);
        if (shown != nullptr && input.models[model]->name != "quantitative-roofline")
            on.predicted = at_duration(k, shown->duration);
        chart.gpus.push_back(std::move(on));
    }
    return chart;
}

bool add_measured(QuadrantChart& chart, const std::string& name, Seconds duration) {
    const auto gpu = std::find_if(chart.gpus.begin(), chart.gpus.end(),
                                  [&](const QuadrantGpu& candidate) { return candidate.name == name; });
    if (gpu == chart.gpus.end()) return false;
    gpu->measured = RatePoint{chart.w_traf / duration, chart.w_comp / duration};
    return true;
}

}  // namespace gpuproj
