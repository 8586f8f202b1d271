// Operands that no text was parsed for.
#pragma once

#include <cstdint>
#include <string_view>

#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate::ptx {

inline Operand reg_operand(std::uint32_t reg) {
    Operand operand;
    operand.kind = OperandKind::reg;
    operand.reg = reg;
    return operand;
}

/// variable: index of a function-scope variable, or -1.
inline Operand address_operand(std::string_view symbol, std::int32_t variable, std::uint64_t offset) {
    Operand operand;
    operand.kind = OperandKind::address;
    operand.symbol = symbol;
    operand.variable = variable;
    operand.offset = static_cast<std::int64_t>(offset);
    return operand;
}

}  // namespace gpuproj::simulate::ptx
