// What a model answers.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/quantity.hpp"

namespace gpuproj {

/// What limits a kernel. The roofline models know compute and memory; `calibrated` names the unit.
enum class Limiter { compute, memory, fp64, fp32, fp16, integer, special, tensor, issue, load_store, shared, l1, l2, dram, latency, launch };

/// The time the record would take if this alone limited it.
struct Bound {
    Limiter limiter = Limiter::compute;
    Seconds duration;
};

enum class KType { fp32, fp64, integer };

/// Konstantinidis 2017, equations (4.1)-(4.8). D_* and E_mix are fractions.
struct KernelParameters {
    KType k_type = KType::fp32;
    Operations w_comp;
    Bytes w_traf;
    double e_mix = 0, d_ops = 0, d_ldst = 0, d_other = 0;
    std::optional<OperationsPerByte> o_krn;  // absent without traffic
};

/// Konstantinidis 2017, equations (4.9)-(4.18), (5.13), on one target.
struct Intermediates {
    OperationsPerSecond t_op;
    double w_op = 0, w_ldst = 0, w_other = 0;
    double c_op = 0, c_ldst = 0, c_other = 0;
    double e_instr = 0;
    OperationsPerSecond t_op_adjusted;
    std::optional<OperationsPerByte> o_dev;
    std::optional<double> e_util;  // measured / predicted on the reference, where it was applied
};

/// For all launches of one record on one GPU.
struct Prediction {
    Seconds duration;
    std::optional<Seconds> low, high;  // 80 % interval, where one is known
    Limiter limiter = Limiter::compute;
    std::vector<Bound> bounds;  // every bound the model looked at, longest first
    std::optional<KernelParameters> kernel;
    std::optional<Intermediates> intermediates;
    std::vector<std::string> warnings;  // where the model's conditions do not hold
};

/// The model cannot answer for this pair, and says why and which quantity it lacks.
struct Inapplicable {
    std::string reason;
};

using Outcome = std::variant<Prediction, Inapplicable>;

}  // namespace gpuproj
