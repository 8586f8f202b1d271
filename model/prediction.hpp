// What a model answers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "model/enum_names.hpp"
#include "model/inline_vector.hpp"
#include "model/quantity.hpp"
#include "model/spread.hpp"

namespace gpuproj {

/// What limits a kernel. The roofline models know compute and memory; `calibrated` names the unit.
enum class Limiter : std::uint8_t {
    compute,
    memory,
    fp64,
    fp32,
    fp16,
    integer,
    special,
    tensor,
    issue,
    load_store,
    shared,
    l1,
    l2,
    dram,
    latency,
    launch,
    atomic
};
inline constexpr auto limiter_names =
    std::to_array<std::string_view>({"compute", "memory", "fp64", "fp32", "fp16", "int", "sfu", "tensor", "issue",
                                     "ldst", "shared", "l1", "l2", "dram", "latency", "launch", "atomic"});
constexpr std::span<const std::string_view> enum_names(Limiter) {
    return limiter_names;
}

/// The time the record would take if this alone limited it.
struct Bound {
    Limiter limiter = Limiter::compute;
    Seconds duration;
};

enum class KType : std::uint8_t { fp32, fp64, integer };
inline constexpr auto k_type_names = std::to_array<std::string_view>({"fp32", "fp64", "int"});
constexpr std::span<const std::string_view> enum_names(KType) {
    return k_type_names;
}

/// Konstantinidis 2017, equations (4.1)-(4.8). D_* and E_mix are fractions.
struct KernelParameters {
    KType k_type = KType::fp32;
    Operations w_comp;
    Bytes w_traf;
    Instructions i_total;  // 32 M_inst
    double e_mix = 0, d_ops = 0, d_ldst = 0, d_other = 0;
    double type_share = 1;                   // of the floating-point operations, by those of k_type; 1 for int
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

/// Where a model's conditions do not hold.
enum class Warning : std::uint8_t {
    rare_type,
    no_operations,
    short_launch,
    small_block,
    few_blocks,
    low_utilization,
    outside_fit,
    larger_l2
};
inline constexpr auto warning_names =
    std::to_array<std::string_view>({"rare_type", "no_operations", "short_launch", "small_block", "few_blocks",
                                     "low_utilization", "outside_fit", "larger_l2"});
constexpr std::span<const std::string_view> enum_names(Warning) {
    return warning_names;
}
/// One sentence for the user: what does not hold, and what it means for the prediction.
std::string_view explanation(Warning warning);

/// For all launches of one record on one GPU.
struct Prediction {
    Seconds duration;
    std::optional<Seconds> low, high;  // 80 % interval, where one is known
    std::optional<Spread> spread;      // what the interval consists of
    std::optional<Seconds> from_l2;    // the duration if L2 had what DRAM gave on the reference; where that may be
    Limiter limiter = Limiter::compute;
    InlineVector<Bound, limiter_names.size()> bounds;  // every bound the model looked at, longest first
    std::optional<KernelParameters> kernel;
    std::optional<Intermediates> intermediates;
    InlineVector<Warning, warning_names.size()> warnings;
};

/// The model cannot answer for this pair, and says why and which quantity it lacks.
struct Inapplicable {
    std::string reason;
};

using Outcome = std::variant<Prediction, Inapplicable>;

}  // namespace gpuproj
