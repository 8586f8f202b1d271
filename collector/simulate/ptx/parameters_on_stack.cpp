#include "collector/simulate/ptx/parameters_on_stack.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/simulate/ptx/operands.hpp"

namespace gpuproj::simulate::ptx {

namespace {

struct Piece {
    std::uint32_t bytes;
    Type type;
    std::string_view load, store;
};
constexpr std::array pieces{
    Piece{8, Type::b64, "ld.param.b64", "st.local.b64"}, Piece{4, Type::b32, "ld.param.b32", "st.local.b32"},
    Piece{2, Type::b16, "ld.param.b16", "st.local.b16"}, Piece{1, Type::b16, "ld.param.b8", "st.local.b8"}};

bool is_address_of(const Operand& operand, const Variable& parameter) {
    return operand.kind == OperandKind::label && operand.variable < 0 && operand.symbol == parameter.name;
}

/// Whether an operand has a register's value for something.
bool reads(const Operand& operand, std::uint32_t reg) {
    if (operand.kind == OperandKind::reg) return operand.reg == reg;
    if (operand.kind == OperandKind::address) return operand.has_base && operand.reg == reg;
    return std::ranges::any_of(operand.elements, [&](const Operand& element) { return reads(element, reg); });
}

bool is_move(const Instruction& instruction) {
    return instruction.opcode.starts_with("mov.") && instruction.operands.size() == 2 &&
           instruction.operands.front().kind == OperandKind::reg;
}

/// Whether anybody but who moves something there has a register's value.
bool is_used(const Function& function, std::uint32_t reg) {
    return std::ranges::any_of(function.instructions, [&](const Instruction& instruction) {
        const std::size_t first = is_move(instruction) ? 1 : 0;
        return std::any_of(instruction.operands.begin() + static_cast<std::ptrdiff_t>(first),
                           instruction.operands.end(), [&](const Operand& operand) { return reads(operand, reg); });
    });
}

/// Appends what copies a parameter to a variable.
void append_copy(std::vector<Instruction>& to, Function& function, const Variable& parameter, std::string_view symbol,
                 std::int32_t variable) {
    for (std::uint64_t offset = 0; offset < parameter.bytes;) {
        const auto* const piece = std::ranges::find_if(pieces, [&](const Piece& of) {
            return of.bytes <= parameter.bytes - offset && (offset | parameter.align) % of.bytes == 0;
        });
        const auto reg = static_cast<std::uint32_t>(function.registers.size());
        function.registers.push_back({piece->type});
        Instruction load, store;
        load.line = store.line = function.line;
        load.opcode = piece->load;
        load.operands = {reg_operand(reg), address_operand(symbol, -1, offset)};
        store.opcode = piece->store;
        store.operands = {address_operand(symbol, variable, offset), reg_operand(reg)};
        to.push_back(std::move(load));
        to.push_back(std::move(store));
        offset += piece->bytes;
    }
}

/// An operand that is the address of a parameter; forgotten: it is moved somewhere, and nobody looks there.
struct Address {
    Operand* operand;
    bool forgotten;
};
std::vector<Address> addresses_of(const Variable& parameter, Function& function) {
    std::vector<Address> found;
    for (Instruction& instruction : function.instructions)
        for (Operand& operand : instruction.operands)
            if (is_address_of(operand, parameter))
                found.push_back(
                    {&operand, is_move(instruction) && !is_used(function, instruction.operands.front().reg)});
    return found;
}

}  // namespace

void put_parameters_on_stack(Function& function) {
    if (function.entry) return;
    std::vector<Instruction> copies;
    for (const Variable& parameter : function.parameters) {
        const std::vector<Address> addresses = addresses_of(parameter, function);
        const auto variable = static_cast<std::int32_t>(function.variables.size());
        if (!std::ranges::all_of(addresses, &Address::forgotten)) {
            Variable& copy = function.variables.emplace_back();
            copy.space = Space::local;
            copy.align = parameter.align;
            copy.bytes = parameter.bytes;
            append_copy(copies, function, parameter, addresses.front().operand->symbol, variable);
        }
        for (const auto& [operand, forgotten] : addresses) {
            operand->kind = forgotten ? OperandKind::integer : OperandKind::variable;
            operand->variable = forgotten ? -1 : variable;
        }
    }
    for (Label& label : function.labels) label.instruction += static_cast<std::uint32_t>(copies.size());
    function.instructions.insert(function.instructions.begin(), std::make_move_iterator(copies.begin()),
                                 std::make_move_iterator(copies.end()));
}

}  // namespace gpuproj::simulate::ptx
