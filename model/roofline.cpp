#include "model/roofline.hpp"

#include <fmt/format.h>

#include "model/quantitative_roofline.hpp"
#include "model/warnings.hpp"

namespace gpuproj {

Outcome predict_roofline(const ModelInput& input) {
    const auto outcome = kernel_work(input.kernel.metrics, input.options);
    if (const auto* no = std::get_if<Inapplicable>(&outcome)) return *no;
    const auto& work = std::get<KernelWork>(outcome);
    if (work.k_type == KType::integer)
        return Inapplicable{"datasheets state no integer peak; the kernel is of type int"};

    const Gpu& gpu = input.target;
    const auto& peak = work.k_type == KType::fp64 ? gpu.fp64_peak : gpu.fp32_peak;
    if (!peak) return Inapplicable{fmt::format("{} has no {}_peak_op_per_s", gpu.name, name_of(work.k_type))};
    if (!gpu.dram_bandwidth_peak)
        return Inapplicable{fmt::format("{} has no dram_bandwidth_peak_byte_per_s", gpu.name)};

    const Bound compute{Limiter::compute, work.w_comp / peak->value};
    const Bound memory{Limiter::memory, work.w_traf / gpu.dram_bandwidth_peak->value};
    const bool compute_is_longer = compute.duration > memory.duration;
    Prediction prediction;
    prediction.bounds.push_back(compute_is_longer ? compute : memory);
    prediction.bounds.push_back(compute_is_longer ? memory : compute);
    prediction.limiter = prediction.bounds[0].limiter;
    prediction.duration = prediction.bounds[0].duration;
    add_warnings(prediction, input.kernel, gpu);
    return prediction;
}

}  // namespace gpuproj
