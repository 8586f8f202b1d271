// The quantitative roofline of Konstantinidis 2017 ("Performance modelling of GPU computing", chapters 4 and 5).
#pragma once

#include <optional>
#include <variant>

#include "model/kernel_metrics.hpp"
#include "model/model.hpp"
#include "model/prediction.hpp"

namespace gpuproj {

/// What a kernel does, whatever runs it: the part of the kernel parameters that the plain roofline needs too.
struct KernelWork {
    KType k_type = KType::fp32;
    Operations w_comp;
    Bytes w_traf;
    Instructions i_ops;     // (4.4)
    double type_share = 1;  // of the floating-point operations, by those of k_type; 1 for int
};

/// K_type by the printed rule (fp64 if there is any, else fp32 if any, else int) or as the options say, W_comp (4.1),
/// W_traf (4.2), I_ops (4.4). Inapplicable if a counter is missing, named in the reason.
std::variant<KernelWork, Inapplicable> kernel_work(const KernelMetrics& metrics, const ModelOptions& options);

/// (4.1)-(4.8). Inapplicable if a counter is missing or counters contradict each other.
std::variant<KernelParameters, Inapplicable> kernel_parameters(const KernelMetrics& metrics,
                                                               const ModelOptions& options);

/// (4.9)-(4.17) and O_dev: how one GPU runs such a kernel. Inapplicable if the GPU lacks a rate, named in the reason.
std::variant<Intermediates, Inapplicable> intermediates(const KernelParameters& kernel, const Gpu& gpu,
                                                        const ModelOptions& options);

/// (4.18): bounds, limiter and duration, without warnings and without the correction by the reference time.
/// Without DRAM traffic a kernel is compute bound. Without operations of its type (only an int kernel can have none)
/// the compute bound is the time of its other instructions, 32 M_inst (D_ldst / T_ldst + D_other / T_add).
Outcome predict_kernel(const KernelParameters& kernel, const Gpu& gpu, const ModelOptions& options);

/// predict_kernel, and where the options ask for it the correction (5.13): every time x measured / predicted on the
/// reference GPU. Inapplicable then if the profile has no measured time or the reference GPU is not known.
/// Warnings say where the model's conditions (section 5.2) do not hold.
Outcome predict_quantitative_roofline(const ModelInput& input);

}  // namespace gpuproj
