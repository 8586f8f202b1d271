// Parameters and results of functions that are registers, and registers that are passed to functions: as PTX was before
// functions had stacks, and as ptxas still takes it. They go by parameter variables of the same names.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collector/simulate/ptx/operands.hpp"
#include "collector/simulate/ptx/parser_parts.hpp"

namespace gpuproj::simulate::ptx {

namespace {

struct Opcodes {
    std::string_view load, store;
};
Opcodes opcodes_of(std::uint32_t bytes) {
    switch (bytes) {
        case 1:
            return {"ld.param.b8", "st.param.b8"};
        case 2:
            return {"ld.param.b16", "st.param.b16"};
        case 4:
            return {"ld.param.b32", "st.param.b32"};
        case 8:
            return {"ld.param.b64", "st.param.b64"};
        default:
            return {"ld.param.b128", "st.param.b128"};
    }
}

std::uint32_t bytes_of(Type type) {
    return type == Type::pred ? 1 : size_of(type);
}

Operand integer_operand(std::uint64_t bits) {
    Operand operand;
    operand.kind = OperandKind::integer;
    operand.bits = bits;
    return operand;
}

}  // namespace

void Parser::append(const Instruction& like, std::string_view opcode, std::vector<Operand>&& operands) {
    Instruction made = like;
    made.opcode = opcode;
    made.operands = std::move(operands);
    function_->instructions.push_back(std::move(made));
}

std::uint32_t Parser::made_register(Type type) {
    function_->registers.push_back({type});
    return static_cast<std::uint32_t>(function_->registers.size() - 1);
}

void Parser::load_passed(const Instruction& like, std::uint32_t reg, const Operand& place) {
    const Type type = function_->registers[reg].type;
    const std::string_view load = opcodes_of(bytes_of(type)).load;
    if (type != Type::pred) return append(like, load, {reg_operand(reg), place});
    const std::uint32_t number = made_register(Type::b16);
    append(like, load, {reg_operand(number), place});
    append(like, "setp.ne.u16", {reg_operand(reg), reg_operand(number), integer_operand(0)});
}

void Parser::store_passed(const Instruction& like, const Operand& value, std::uint32_t bytes, const Operand& place) {
    const std::string_view store = opcodes_of(bytes).store;
    if (value.kind == OperandKind::floating)
        return append(like, bytes == 8 ? "st.param.f64" : "st.param.f32", {place, value});
    if (value.kind != OperandKind::reg || function_->registers[value.reg].type != Type::pred)
        return append(like, store, {place, value});
    const std::uint32_t number = made_register(Type::b16);
    append(like, "selp.b16", {reg_operand(number), integer_operand(1), integer_operand(0), value});
    append(like, store, {place, reg_operand(number)});
}

void Parser::declare_passed() {
    auto& names = scopes_.back().names;
    for (std::vector<Passed>* const list : {&results_passed_, &parameters_passed_})
        for (Passed& passed : *list) {
            passed.first = static_cast<std::uint32_t>(function_->registers.size());
            if (passed.count > 1) {
                declare_vector(passed.name, passed.type, passed.count);
            } else {
                names[passed.name] = {true, made_register(passed.type)};
            }
        }
    Instruction like;
    like.line = function_->line;
    for (const Passed& passed : parameters_passed_)
        for (std::uint32_t i = 0; i < passed.count; ++i)
            load_passed(like, passed.first + i,
                        address_operand(passed.name, -1, std::uint64_t{i} * bytes_of(passed.type)));
}

void Parser::store_results(const Instruction& before) {
    for (const Passed& passed : results_passed_)
        for (std::uint32_t i = 0; i < passed.count; ++i) {
            const std::uint32_t bytes = bytes_of(passed.type);
            store_passed(before, reg_operand(passed.first + i), bytes,
                         address_operand(passed.name, -1, std::uint64_t{i} * bytes));
        }
}

void Parser::end_with_results() {
    const auto& instructions = function_->instructions;
    const bool returns =
        !instructions.empty() && instructions.back().opcode.starts_with("ret") && !instructions.back().guard;
    const bool jumps_here = std::ranges::any_of(
        function_->labels, [&](const Label& label) { return label.instruction == instructions.size(); });
    if (returns && !jumps_here) return;
    Instruction like;
    like.line = function_->line;
    store_results(like);
}

Operand Parser::made_parameter(std::uint32_t bytes, std::uint32_t align) {
    Variable variable;
    variable.name = fmt::format("{}@", function_->variables.size());
    variable.space = Space::param;
    variable.bytes = bytes;
    variable.align = align;
    Operand operand;
    operand.kind = OperandKind::variable;
    operand.variable = static_cast<std::int32_t>(function_->variables.size());
    operand.symbol = module_.made_texts.emplace_back(variable.name);
    function_->variables.push_back(std::move(variable));
    return operand;
}

std::uint32_t Parser::bytes_passed(const Operand& element, std::string_view callee, std::size_t number) const {
    if (element.kind == OperandKind::reg) return bytes_of(function_->registers[element.reg].type);
    if (element.kind == OperandKind::vector && !element.elements.empty())
        return bytes_passed(element.elements.front(), callee, number);
    if (element.kind != OperandKind::integer && element.kind != OperandKind::floating) return 0;
    const auto found = std::ranges::find(module_.functions, callee, &Function::name);
    const bool known = found != module_.functions.end() && number < found->parameters.size();
    return known ? static_cast<std::uint32_t>(found->parameters[number].bytes) : 0;
}

void Parser::call_with_registers(Instruction call) {
    const bool has_results = call.operands.front().kind == OperandKind::list;
    const std::size_t callee = has_results ? 1 : 0;
    const std::string_view name = callee < call.operands.size() ? call.operands[callee].symbol : std::string_view();
    struct Back {
        std::uint32_t reg;
        Operand place;
    };
    std::vector<Back> back;
    for (std::size_t which = 0; which < call.operands.size(); ++which) {
        Operand& list = call.operands[which];
        if (list.kind != OperandKind::list) continue;
        for (std::size_t i = 0; i < list.elements.size(); ++i) {
            const Operand passed = list.elements[i];
            const std::uint32_t bytes = bytes_passed(passed, name, i);
            if (bytes == 0) continue;  // a parameter variable
            const std::vector<Operand> parts =
                passed.kind == OperandKind::vector ? passed.elements : std::vector{passed};
            const auto all = static_cast<std::uint32_t>(parts.size()) * bytes;
            const Operand& variable = list.elements[i] = made_parameter(all, all);
            for (std::uint32_t part = 0; part < parts.size(); ++part) {
                const Operand place = address_operand(variable.symbol, variable.variable, std::uint64_t{part} * bytes);
                if (which < callee) {
                    back.push_back({parts[part].reg, place});
                } else {
                    store_passed(call, parts[part], bytes, place);
                }
            }
        }
    }
    const Instruction like = call;
    function_->instructions.push_back(std::move(call));
    for (const Back& one : back) load_passed(like, one.reg, one.place);
}

}  // namespace gpuproj::simulate::ptx
