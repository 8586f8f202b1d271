#include "model/quantitative_roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/warnings.hpp"

namespace gpuproj {

namespace {

/// A warp instruction stands for one instruction of each of its threads.
constexpr double slots_per_warp_inst = threads_per_warp;
/// One multiply-add counts as two operations.
constexpr double operations_per_multiply_add = 2;

Inapplicable lacks_counter(std::string_view key) {
    return {fmt::format("the profile lacks the counter {}", key)};
}

Inapplicable lacks_rate(const Gpu& gpu, std::string_view key) {
    return {fmt::format("{} has no {}", gpu.name, key)};
}

Operations as_operations(Instructions instructions) {
    return Operations{instructions.value};
}

/// (4.1) for a floating-point type.
Operations floating_point_work(Instructions all, Instructions multiply_adds) {
    return as_operations(all) + as_operations(multiply_adds);
}

/// The printed rule: a later counter is asked for only where the earlier ones leave the type open.
std::variant<KType, Inapplicable> printed_rule(const KernelMetrics& m) {
    if (!m.thread_inst_fp64) return lacks_counter("thread_inst_fp64");
    if (m.thread_inst_fp64->value > 0) return KType::fp64;
    if (!m.thread_inst_fp32) return lacks_counter("thread_inst_fp32");
    if (m.thread_inst_fp32->value > 0) return KType::fp32;
    return KType::integer;
}

/// Share of the floating-point operations that are of the chosen type, where both are counted.
double type_share(const KernelMetrics& m, KType k_type) {
    if (k_type == KType::integer || !m.thread_inst_fp32 || !m.thread_inst_fp64) return 1;
    const auto fp32 = floating_point_work(*m.thread_inst_fp32, m.thread_inst_fp32_fma.value_or(Instructions{}));
    const auto fp64 = floating_point_work(*m.thread_inst_fp64, m.thread_inst_fp64_fma.value_or(Instructions{}));
    return ratio(k_type == KType::fp64 ? fp64 : fp32, fp32 + fp64);
}

/// Passes through the shared-memory banks beyond one per instruction: bank conflicts and accesses wider than 32 bits.
/// They count as further load/store instructions (thesis 7.2.1).
std::variant<Instructions, Inapplicable> repeated_passes(const KernelMetrics& m) {
    if (!m.shared_wavefront) return lacks_counter("shared_wavefront");
    if (!m.warp_inst_shared_load) return lacks_counter("warp_inst_shared_load");
    if (!m.warp_inst_shared_store) return lacks_counter("warp_inst_shared_store");
    const Instructions repeated = *m.shared_wavefront - *m.warp_inst_shared_load - *m.warp_inst_shared_store;
    if (repeated.value < 0) return Inapplicable{"counters contradict: fewer shared_wavefront than shared accesses"};
    return repeated;
}

/// What T_op (4.9) comes from: the peak for multiply-adds of the kernel's type, or for integer work as additions
/// (thesis 6.2.1) T_add, taken twice so that E_mix = 0.5 leaves T_add.
std::pair<const MaybeKnown<OperationsPerSecond>*, std::string_view> peak_rate(const Gpu& gpu, KType k_type,
                                                                              bool additions) {
    switch (k_type) {
        case KType::fp64:
            return {&gpu.fp64, "fp64_op_per_s"};
        case KType::fp32:
            return {&gpu.fp32, "fp32_op_per_s"};
        case KType::integer:
            break;
    }
    if (additions) return {&gpu.int_add, "int_add_op_per_s"};
    return {&gpu.int_mad, "int_mad_op_per_s"};
}

/// The rates of one GPU that a kernel of one type is held against.
struct Rates {
    OperationsPerSecond t_op, t_sp, t_add;
    InstructionsPerSecond t_ldst;
    BytesPerSecond b_mem;
};

std::variant<Rates, Inapplicable> rates_of(const Gpu& gpu, KType k_type, const ModelOptions& options) {
    const bool additions = k_type == KType::integer && options.integer_as_additions;
    const auto [peak, peak_key] = peak_rate(gpu, k_type, additions);
    if (!*peak) return lacks_rate(gpu, peak_key);
    if (!gpu.fp32) return lacks_rate(gpu, "fp32_op_per_s");
    if (!gpu.int_add) return lacks_rate(gpu, "int_add_op_per_s");
    if (!gpu.shared_rate) return lacks_rate(gpu, "shared_inst_per_s");
    if (!gpu.dram_bandwidth) return lacks_rate(gpu, "dram_bandwidth_byte_per_s");
    return Rates{(additions ? operations_per_multiply_add : 1.0) * (*peak)->value, gpu.fp32->value, gpu.int_add->value,
                 gpu.shared_rate->value, gpu.dram_bandwidth->value};
}

Intermediates intermediates_at(const KernelParameters& kernel, const Rates& rates) {
    Intermediates i;
    i.t_op = rates.t_op;
    // Instructions are weighed in units of an fp32 multiply-add, T_SP / 2 of which are issued in a second.
    const double multiply_adds_per_s = rates.t_sp.value / operations_per_multiply_add;
    i.w_op = ratio(rates.t_sp, rates.t_op);                 // (4.10)
    i.w_ldst = multiply_adds_per_s / rates.t_ldst.value;    // (4.11)
    i.w_other = multiply_adds_per_s / rates.t_add.value;    // (4.12)
    i.c_op = kernel.d_ops * i.w_op;                         // (4.13)
    i.c_ldst = kernel.d_ldst * i.w_ldst;                    // (4.14)
    i.c_other = kernel.d_other * i.w_other;                 // (4.15)
    i.e_instr = i.c_op / (i.c_op + i.c_ldst + i.c_other);   // (4.16)
    i.t_op_adjusted = (kernel.e_mix * i.e_instr) * i.t_op;  // (4.17)
    if (i.t_op_adjusted.value > 0) i.o_dev = i.t_op_adjusted / rates.b_mem;
    return i;
}

/// Without operations there is no rate of them: the time of the kernel's instructions, one type after the other.
Seconds other_instructions_time(const KernelParameters& kernel, const Rates& rates) {
    const Instructions load_store = kernel.d_ldst * kernel.i_total;
    const Instructions other = kernel.d_other * kernel.i_total;
    return load_store / rates.t_ldst + as_operations(other) / rates.t_add;
}

void scale(Prediction& prediction, double factor) {
    prediction.duration = factor * prediction.duration;
    for (Bound& bound : prediction.bounds) bound.duration = factor * bound.duration;
}

}  // namespace

std::variant<KernelWork, Inapplicable> kernel_work(const KernelMetrics& m, const ModelOptions& options) {
    if (!m.dram_read) return lacks_counter("dram_read_sector");
    if (!m.dram_write) return lacks_counter("dram_write_sector");
    KernelWork work;
    if (options.k_type) {
        work.k_type = *options.k_type;
    } else {
        const auto rule = printed_rule(m);
        if (const auto* no = std::get_if<Inapplicable>(&rule)) return *no;
        work.k_type = std::get<KType>(rule);
    }
    switch (work.k_type) {
        case KType::fp64:
            if (!m.thread_inst_fp64) return lacks_counter("thread_inst_fp64");
            if (!m.thread_inst_fp64_fma) return lacks_counter("thread_inst_fp64_fma");
            work.i_ops = *m.thread_inst_fp64;
            work.w_comp = floating_point_work(*m.thread_inst_fp64, *m.thread_inst_fp64_fma);
            break;
        case KType::fp32:
            if (!m.thread_inst_fp32) return lacks_counter("thread_inst_fp32");
            if (!m.thread_inst_fp32_fma) return lacks_counter("thread_inst_fp32_fma");
            work.i_ops = *m.thread_inst_fp32;
            work.w_comp = floating_point_work(*m.thread_inst_fp32, *m.thread_inst_fp32_fma);
            break;
        case KType::integer:
            if (!m.thread_inst_integer) return lacks_counter("thread_inst_integer");
            work.i_ops = *m.thread_inst_integer;
            work.w_comp = as_operations(*m.thread_inst_integer);
            break;
    }
    if (options.k_type && work.w_comp.value == 0) {
        return Inapplicable{fmt::format("the kernel has no {} operations", name_of(work.k_type))};
    }
    work.w_traf = (*m.dram_read + *m.dram_write) * bytes_per_sector;
    work.type_share = type_share(m, work.k_type);
    return work;
}

std::variant<KernelParameters, Inapplicable> kernel_parameters(const KernelMetrics& m, const ModelOptions& options) {
    const auto outcome = kernel_work(m, options);
    if (const auto* no = std::get_if<Inapplicable>(&outcome)) return *no;
    const auto& work = std::get<KernelWork>(outcome);
    if (!m.warp_inst) return lacks_counter("warp_inst");
    if (!m.thread_inst_load_store) return lacks_counter("thread_inst_load_store");
    if (m.warp_inst->value == 0) return Inapplicable{"the profile says that no instruction was executed (warp_inst)"};

    const std::variant<Instructions, Inapplicable> passes =
        options.shared_wavefronts ? repeated_passes(m) : Instructions{};
    if (const auto* no = std::get_if<Inapplicable>(&passes)) return *no;
    const Instructions repeated = slots_per_warp_inst * std::get<Instructions>(passes);

    KernelParameters k;
    k.k_type = work.k_type;
    k.w_comp = work.w_comp;
    k.w_traf = work.w_traf;
    k.type_share = work.type_share;
    k.i_total = slots_per_warp_inst * *m.warp_inst + repeated;
    // (4.3); an integer kernel counts every instruction as one operation of a multiply-add's two.
    k.e_mix = work.k_type == KType::integer
                  ? 1 / operations_per_multiply_add
                  : ratio(work.w_comp, operations_per_multiply_add * as_operations(work.i_ops));
    k.d_ops = ratio(work.i_ops, k.i_total);
    k.d_ldst = ratio(*m.thread_inst_load_store + repeated, k.i_total);
    k.d_other = 1 - k.d_ops - k.d_ldst;
    if (k.w_traf.value > 0) k.o_krn = k.w_comp / k.w_traf;
    if (k.e_mix > 1) return Inapplicable{"counters contradict: more multiply-adds than instructions of their type"};
    if (k.d_other < 0) return Inapplicable{"counters contradict: more operations, loads and stores than 32 warp_inst"};
    return k;
}

std::variant<Intermediates, Inapplicable> intermediates(const KernelParameters& kernel, const Gpu& gpu,
                                                        const ModelOptions& options) {
    const auto rates = rates_of(gpu, kernel.k_type, options);
    if (const auto* no = std::get_if<Inapplicable>(&rates)) return *no;
    return intermediates_at(kernel, std::get<Rates>(rates));
}

Outcome predict_kernel(const KernelParameters& kernel, const Gpu& gpu, const ModelOptions& options) {
    const auto found = rates_of(gpu, kernel.k_type, options);
    if (const auto* no = std::get_if<Inapplicable>(&found)) return *no;
    const auto& rates = std::get<Rates>(found);
    const Intermediates i = intermediates_at(kernel, rates);

    Prediction p;
    p.kernel = kernel;
    p.intermediates = i;
    // (4.18) as times: W_comp / min(T'_op, O_krn B_mem) is the longer of the two; equal counts as memory bound, as
    // compute bound asks for O_krn > O_dev.
    const Seconds compute =
        kernel.w_comp.value > 0 ? kernel.w_comp / i.t_op_adjusted : other_instructions_time(kernel, rates);
    const Bound compute_bound{Limiter::compute, compute};
    if (kernel.w_traf.value > 0) {
        const Bound memory_bound{Limiter::memory, kernel.w_traf / rates.b_mem};
        const bool compute_is_longer = compute_bound.duration > memory_bound.duration;
        p.bounds.push_back(compute_is_longer ? compute_bound : memory_bound);
        p.bounds.push_back(compute_is_longer ? memory_bound : compute_bound);
    } else {
        p.bounds.push_back(compute_bound);
    }
    p.limiter = p.bounds[0].limiter;
    p.duration = p.bounds[0].duration;
    return p;
}

Outcome predict_quantitative_roofline(const ModelInput& input) {
    const auto parameters = kernel_parameters(input.kernel.metrics, input.options);
    if (const auto* no = std::get_if<Inapplicable>(&parameters)) return *no;
    const auto& kernel = std::get<KernelParameters>(parameters);
    Outcome outcome = predict_kernel(kernel, input.target, input.options);
    auto* prediction = std::get_if<Prediction>(&outcome);
    if (!prediction) return outcome;

    if (input.options.use_reference_time) {
        const auto measured = measured_duration(input.kernel);
        if (!measured) return Inapplicable{"the reference time is not known: the profile has no measured durations"};
        if (!input.reference) return Inapplicable{"the parameters of the profile's own GPU are not known"};
        const Outcome there = predict_kernel(kernel, *input.reference, input.options);
        if (const auto* no = std::get_if<Inapplicable>(&there)) return *no;
        const double e_util = ratio(*measured, std::get<Prediction>(there).duration);  // (5.13)
        scale(*prediction, e_util);
        if (auto& values = prediction->intermediates) values->e_util = e_util;
    }
    add_warnings(*prediction, input.kernel, input.target);
    return outcome;
}

}  // namespace gpuproj
