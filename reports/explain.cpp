#include "reports/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/format.hpp"

namespace gpuproj {
namespace {

/// One equation per line: the symbol, the equation with symbols and numbers, its result, its number in the thesis.
class Lines {
public:
    void add(std::string_view symbol, const std::string& equation, const std::string& result, std::string_view number) {
        text_ += fmt::format("    {:<9} = {}{}{}{}\n", symbol, equation, equation.empty() ? "" : " = ", result,
                             number.empty() ? "" : fmt::format("   {}", number));
    }
    std::string text() const { return text_; }

private:
    std::string text_;
};

template <Dimension D>
std::string full(Quantity<D> quantity) {
    return in_full(quantity.value);
}
template <Dimension D>
std::string full(const Maybe<Quantity<D>>& quantity) {
    return quantity ? full(*quantity) : "unknown";
}
template <class Q>
std::string full(const MaybeKnown<Q>& parameter) {
    return parameter ? full(parameter->value) : "unknown";
}

struct TypeNames {
    std::string_view instructions, multiply_adds, rate;
};
constexpr TypeNames type_names(KType type) {
    switch (type) {
        case KType::fp32:
            return {"M_fp32", "M_fma32", "T_SP"};
        case KType::fp64:
            return {"M_fp64", "M_fma64", "T_DP"};
        case KType::integer:
            break;
    }
    return {"M_int", "", "T_int"};
}

std::string_view bound_equation(const Prediction& p, const Model& model, Limiter limiter) {
    if (model.name == "roofline") return limiter == Limiter::memory ? "W_traf / B_peak" : "W_comp / peak";
    if (!p.kernel) return "";
    if (limiter == Limiter::memory) return "W_traf / B_mem";
    return p.kernel->w_comp.value == 0 ? "t_instr" : "W_comp / T'_op";
}

}  // namespace

std::string explain_kernel(const KernelRecord& kernel, const KernelParameters& k) {
    const auto& m = kernel.metrics;
    const auto names = type_names(k.k_type);
    const auto& of_type = k.k_type == KType::fp64   ? m.thread_inst_fp64
                          : k.k_type == KType::fp32 ? m.thread_inst_fp32
                                                    : m.thread_inst_integer;
    const auto& fma = k.k_type == KType::fp64 ? m.thread_inst_fp64_fma : m.thread_inst_fp32_fma;
    Lines lines;
    lines.add("K_type", "",
              fmt::format("{} (M_fp64 {}, M_fp32 {}, M_int {})", name_of(k.k_type), full(m.thread_inst_fp64),
                          full(m.thread_inst_fp32), full(m.thread_inst_integer)),
              "");
    if (k.k_type == KType::integer) {
        lines.add("W_comp", "M_int", fmt::format("{} op", full(k.w_comp)), "(4.1)");
    } else {
        lines.add("W_comp",
                  fmt::format("{} + {} = {} + {}", names.instructions, names.multiply_adds, full(of_type), full(fma)),
                  fmt::format("{} op", full(k.w_comp)), "(4.1)");
    }
    lines.add("W_traf", fmt::format("32 (M_r + M_w) = 32 ({} + {})", full(m.dram_read), full(m.dram_write)),
              fmt::format("{} byte", full(k.w_traf)), "(4.2)");
    if (k.k_type == KType::integer) {
        lines.add("E_mix", "", in_full(k.e_mix), "(4.3)");
    } else {
        lines.add("E_mix", fmt::format("W_comp / (2 I_ops) = {} / (2 x {})", full(k.w_comp), full(of_type)),
                  in_full(k.e_mix), "(4.3)");
    }
    lines.add("I_ops", std::string(names.instructions), full(of_type), "(4.4)");
    lines.add("I_total", fmt::format("32 M_inst = 32 x {}", full(m.warp_inst)), full(k.i_total), "(4.5)");
    lines.add("D_ops", fmt::format("I_ops / I_total = {} / {}", full(of_type), full(k.i_total)), in_full(k.d_ops),
              "(4.6)");
    lines.add("D_ldst", fmt::format("M_ldst / I_total = {} / {}", full(m.thread_inst_load_store), full(k.i_total)),
              in_full(k.d_ldst), "(4.7)");
    lines.add("D_other", "1 - D_ops - D_ldst", in_full(k.d_other), "(4.8)");
    if (k.o_krn) {
        lines.add("O_krn", fmt::format("W_comp / W_traf = {} / {}", full(k.w_comp), full(k.w_traf)),
                  fmt::format("{} op/byte", full(*k.o_krn)), "");
    } else {
        lines.add("O_krn", "", "no DRAM traffic", "");
    }
    return lines.text();
}

std::string explain_prediction(const Prediction& p, const Model& model, const Gpu& gpu, const ModelOptions& options) {
    Lines lines;
    if (p.kernel && p.intermediates) {
        const auto& k = *p.kernel;
        const auto& i = *p.intermediates;
        const bool additions = k.k_type == KType::integer && options.integer_as_additions;
        const auto half = fmt::format("({} / 2)", full(gpu.fp32));
        lines.add(
            "T_op",
            additions ? fmt::format("2 T_add = 2 x {}", full(gpu.int_add)) : std::string(type_names(k.k_type).rate),
            fmt::format("{} op/s", full(i.t_op)), additions ? "(6.2.1)" : "(4.9)");
        lines.add("W_op", fmt::format("T_SP / T_op = {} / {}", full(gpu.fp32), full(i.t_op)), in_full(i.w_op),
                  "(4.10)");
        lines.add("W_ldst", fmt::format("(T_SP / 2) / T_ldst = {} / {}", half, full(gpu.shared_rate)),
                  in_full(i.w_ldst), "(4.11)");
        lines.add("W_other", fmt::format("(T_SP / 2) / T_add = {} / {}", half, full(gpu.int_add)), in_full(i.w_other),
                  "(4.12)");
        lines.add("C_op", fmt::format("D_ops W_op = {} x {}", in_full(k.d_ops), in_full(i.w_op)), in_full(i.c_op),
                  "(4.13)");
        lines.add("C_ldst", fmt::format("D_ldst W_ldst = {} x {}", in_full(k.d_ldst), in_full(i.w_ldst)),
                  in_full(i.c_ldst), "(4.14)");
        lines.add("C_other", fmt::format("D_other W_other = {} x {}", in_full(k.d_other), in_full(i.w_other)),
                  in_full(i.c_other), "(4.15)");
        lines.add("E_instr", "C_op / (C_op + C_ldst + C_other)", in_full(i.e_instr), "(4.16)");
        lines.add("T'_op",
                  fmt::format("E_mix E_instr T_op = {} x {} x {}", in_full(k.e_mix), in_full(i.e_instr), full(i.t_op)),
                  fmt::format("{} op/s", full(i.t_op_adjusted)), "(4.17)");
        lines.add("B_mem", "", fmt::format("{} byte/s", full(gpu.dram_bandwidth)), "");
        if (i.o_dev) {
            lines.add("O_dev", "T'_op / B_mem", fmt::format("{} op/byte", full(*i.o_dev)), "");
        }
        if (k.w_comp.value == 0) {
            lines.add("t_instr", "I_total (D_ldst / T_ldst + D_other / T_add)", "", "no operations of its type");
        }
    }
    if (model.name == "roofline") {
        lines.add("peak", "",
                  fmt::format("fp32 {} op/s, fp64 {} op/s (datasheet)", full(gpu.fp32_peak), full(gpu.fp64_peak)),
                  "(2.1)");
        lines.add("B_peak", "", fmt::format("{} byte/s (datasheet)", full(gpu.dram_bandwidth_peak)), "(2.1)");
    }
    for (const auto& bound : p.bounds) {
        const auto equation = bound_equation(p, model, bound.limiter);
        lines.add(fmt::format("t_{}", name_of(bound.limiter)),
                  fmt::format("{}{}", equation, p.intermediates && p.intermediates->e_util ? " x E_util" : ""),
                  fmt::format("{} s", full(bound.duration)), p.kernel ? "(4.18)" : "");
    }
    if (p.intermediates && p.intermediates->e_util) {
        lines.add("E_util", "measured / predicted time on the reference GPU", in_full(*p.intermediates->e_util),
                  "(5.13)");
    }
    lines.add("time", "", fmt::format("{} s, limited by {}", full(p.duration), name_of(p.limiter)), "");
    return lines.text();
}

std::string explain_steps(const Explanation& steps) {
    std::size_t width = 0;
    for (const auto& step : steps) width = std::max(width, step.symbol.size());
    std::string text;
    for (const auto& step : steps) {
        text += fmt::format("    {:<{}} = {}{}{}{}{}{}{}\n", step.symbol, width, step.equation,
                            step.equation.empty() ? "" : " = ", in_full(step.value), step.unit.empty() ? "" : " ",
                            step.unit, step.number.empty() ? "" : "   ", step.number);
    }
    return text;
}

}  // namespace gpuproj
