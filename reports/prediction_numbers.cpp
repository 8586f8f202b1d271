#include "reports/prediction_numbers.hpp"

namespace gpuproj {
namespace {

std::optional<double> value_of(const std::optional<OperationsPerByte>& density) {
    return density ? std::optional(density->value) : std::nullopt;
}

}  // namespace

std::array<NamedNumber, 7> numbers_of(const KernelParameters* parameters) {
    const auto of = [&](auto get) {
        return parameters != nullptr ? std::optional<double>(get(*parameters)) : std::nullopt;
    };
    return {{
        {"w_comp", "W_comp", Unit::operations, of([](const auto& p) { return p.w_comp.value; })},
        {"w_traf_byte", "W_traf", Unit::bytes, of([](const auto& p) { return p.w_traf.value; })},
        {"e_mix", "E_mix", Unit::fraction, of([](const auto& p) { return p.e_mix; })},
        {"d_ops", "D_ops", Unit::fraction, of([](const auto& p) { return p.d_ops; })},
        {"d_ldst", "D_ldst", Unit::fraction, of([](const auto& p) { return p.d_ldst; })},
        {"d_other", "D_other", Unit::fraction, of([](const auto& p) { return p.d_other; })},
        {"o_krn", "O_krn", Unit::operations_per_byte,
         value_of(parameters != nullptr ? parameters->o_krn : std::nullopt)},
    }};
}

std::array<NamedNumber, 10> numbers_of(const Intermediates* intermediates) {
    const auto of = [&](auto get) {
        return intermediates != nullptr ? std::optional<double>(get(*intermediates)) : std::nullopt;
    };
    return {{
        {"w_op", "W_op", Unit::number, of([](const auto& p) { return p.w_op; })},
        {"w_ldst", "W_ldst", Unit::number, of([](const auto& p) { return p.w_ldst; })},
        {"w_other", "W_other", Unit::number, of([](const auto& p) { return p.w_other; })},
        {"c_op", "C_op", Unit::number, of([](const auto& p) { return p.c_op; })},
        {"c_ldst", "C_ldst", Unit::number, of([](const auto& p) { return p.c_ldst; })},
        {"c_other", "C_other", Unit::number, of([](const auto& p) { return p.c_other; })},
        {"e_instr", "E_instr", Unit::fraction, of([](const auto& p) { return p.e_instr; })},
        {"t_op_adjusted_per_s", "T'_op", Unit::operations_per_second,
         of([](const auto& p) { return p.t_op_adjusted.value; })},
        {"o_dev", "O_dev", Unit::operations_per_byte,
         value_of(intermediates != nullptr ? intermediates->o_dev : std::nullopt)},
        {"e_util", "E_util", Unit::number, intermediates != nullptr ? intermediates->e_util : std::nullopt},
    }};
}

}  // namespace gpuproj
