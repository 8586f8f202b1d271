#include <fmt/format.h>
#include <algorithm>

#include <bit>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "collector/simulate/ptx/parser_parts.hpp"

namespace gpuproj::simulate::ptx {

namespace {

bool is_register_of(const Operand& operand, std::span<const Operand> others) {
    return operand.kind == OperandKind::reg && std::ranges::any_of(others, [&](const Operand& other) {
               return other.kind == OperandKind::reg && other.reg == operand.reg;
           });
}

}  // namespace

const Parser::Symbol* Parser::lookup(std::string_view name) {
    for (Scope& scope : std::views::reverse(scopes_)) {
        if (const auto found = scope.names.find(name); found != scope.names.end()) return &found->second;
        for (const RegisterRange& range : scope.ranges) {
            if (!name.starts_with(range.prefix)) continue;
            const std::string_view rest = name.substr(range.prefix.size());
            if (rest.empty() || rest.size() > 9 ||
                !std::ranges::all_of(rest, [](char c) { return c >= '0' && c <= '9'; }))
                continue;
            std::uint32_t number = 0;
            for (const char c : rest) number = number * 10 + static_cast<std::uint32_t>(c - '0');
            if (number >= range.count) continue;
            return &(scope.names[name] = {true, range.first + number});
        }
    }
    return nullptr;
}

void Parser::instruction() {
    Instruction instruction;
    instruction.line = peek().line;
    instruction.source = source_;
    if (accept("@")) {
        instruction.guard_negated = accept("!");
        const Symbol* symbol = lookup(peek().text);
        if (symbol == nullptr || !symbol->is_register) fail(fmt::format("'{}' is no register", peek().text));
        instruction.guard = symbol->index;
        take();
    }
    if (peek().kind != TokenKind::identifier) fail(fmt::format("expected an instruction, found '{}'", peek().text));
    instruction.opcode = take().text;
    if (peek().kind == TokenKind::directive) instruction.opcode = spaced_opcode(instruction.opcode);
    lists_ = instruction.opcode.starts_with("call");
    while (!at(";")) {
        if (peek().kind == TokenKind::end) fail("instruction without end");
        instruction.operands.push_back(operand_or_pair());
        if (!accept(",")) break;
    }
    expect(";");
    if (instruction.opcode.starts_with("mov.v")) return moves_of_vectors(instruction);
    if (lists_ && !instruction.operands.empty()) return call_with_registers(std::move(instruction));
    if (instruction.opcode.starts_with("ret")) store_results(instruction);
    function_->instructions.push_back(std::move(instruction));
}

void Parser::moves_of_vectors(const Instruction& whole) {
    constexpr std::size_t before_type = std::string_view("mov.v2").size();
    const auto& words = whole.operands;
    const bool vectors = words.size() == 2 && words[0].kind == OperandKind::vector &&
                         words[1].kind == OperandKind::vector && words[0].elements.size() == words[1].elements.size();
    if (!vectors || whole.opcode.size() < before_type) fail("a move of vectors of two lengths");
    const std::string_view opcode =
        module_.made_texts.emplace_back("mov" + std::string(whole.opcode.substr(before_type)));
    const auto move = [&](const Operand& to, const Operand& from) {
        Instruction one = whole;
        one.opcode = opcode;
        one.operands = {to, from};
        function_->instructions.push_back(std::move(one));
    };
    std::vector<Operand> sources = words[1].elements;
    for (std::size_t i = 1; i < sources.size(); ++i) {  // all are read before any is written
        if (!is_register_of(sources[i], std::span(words[0].elements).first(i))) continue;
        const Operand read = sources[i];
        sources[i].reg = static_cast<std::uint32_t>(function_->registers.size());
        const Type type = function_->registers[read.reg].type;
        function_->registers.push_back({type});
        move(sources[i], read);
    }
    for (std::size_t i = 0; i < sources.size(); ++i) move(words[0].elements[i], sources[i]);
}

std::string_view Parser::spaced_opcode(std::string_view root) {
    std::string joined(root);
    while (peek().kind == TokenKind::directive) joined += take().text;
    return module_.made_texts.emplace_back(std::move(joined));
}

Operand Parser::operand_or_pair() {
    Operand first = operand();
    if (!accept("|")) return first;
    Operand pair;
    pair.kind = OperandKind::vector;
    pair.pair = true;
    pair.elements.push_back(std::move(first));
    pair.elements.push_back(operand());
    return pair;
}

bool Parser::begins_constant() const {
    if (at("(")) return !lists_;
    if (at("~")) return true;
    if (at("-") || at("+") || at("!")) return peek(1).kind == TokenKind::integer || peek(1).text == "(";
    return peek().kind == TokenKind::integer;
}

Operand Parser::operand() {
    Operand operand;
    if (begins_constant()) {
        operand.kind = OperandKind::integer;
        operand.bits = constant();
        return operand;
    }
    if (accept("!")) operand.negated = true;
    if (accept("{")) return list(OperandKind::vector, "}");
    if (accept("(")) return list(OperandKind::list, ")");
    if (accept("[")) return address();
    const bool negative = at("-") && peek(1).kind == TokenKind::floating;
    if (negative) take();
    if (!negative && at("-") && peek(1).kind == TokenKind::identifier) {
        take();
        operand.minus = true;
    }
    const Token token = peek();
    if (token.kind == TokenKind::floating) {
        operand.kind = OperandKind::floating;
        const auto value = std::bit_cast<double>(take().integer);
        operand.bits = std::bit_cast<std::uint64_t>(negative ? -value : value);
        return operand;
    }
    if (token.kind != TokenKind::identifier) fail(fmt::format("'{}' is no operand", token.text));
    take();
    name_operand(operand, token.text);
    if (operand.minus && operand.kind != OperandKind::reg)
        fail(fmt::format("a minus before '{}', which is no register", token.text));
    if (operand.kind == OperandKind::variable || operand.kind == OperandKind::label) variable_offset(operand);
    return operand;
}

void Parser::variable_offset(Operand& operand) {
    if (accept("[")) {
        const std::uint64_t index = constant();
        expect("]");
        const Symbol* symbol = operand.variable >= 0 ? lookup(operand.symbol) : nullptr;
        const auto found = module_elements_.find(operand.symbol);
        if (symbol == nullptr && found == module_elements_.end())
            fail(fmt::format("an index of '{}', which is no array", operand.symbol));
        operand.offset = static_cast<std::int64_t>(index * (symbol != nullptr ? symbol->element_bytes : found->second));
    } else if (at("+") || at("-")) {
        const bool minus = take().text == "-";
        const std::uint64_t value = term();
        operand.offset = static_cast<std::int64_t>(minus ? ~value + 1 : value);
    }
}

void Parser::name_operand(Operand& operand, std::string_view name) {
    operand.symbol = name;
    if (name == "_") {
        operand.kind = OperandKind::sink;
    } else if (const Symbol* symbol = lookup(name); symbol != nullptr && symbol->is_register) {
        operand.kind = symbol->registers == 1 ? OperandKind::reg : OperandKind::vector;
        operand.reg = symbol->index;
        operand.symbol = name.substr(0, name.find('.'));  // "%r.x" of a vector is whole, unlike "%r.b0"
        for (std::uint32_t i = 0; i < symbol->registers && symbol->registers > 1; ++i) {
            Operand& element = operand.elements.emplace_back();
            element.kind = OperandKind::reg;
            element.reg = symbol->index + i;
        }
    } else if (symbol != nullptr && !symbol->in_module.empty()) {
        operand.kind = OperandKind::label;
        operand.symbol = symbol->in_module;
    } else if (symbol != nullptr) {
        operand.kind = symbol->index == ~0U ? OperandKind::label : OperandKind::variable;
        operand.variable = static_cast<std::int32_t>(symbol->index);
    } else if (const Symbol* whole = part_of_register(name); whole != nullptr) {
        operand.kind = OperandKind::reg;
        operand.reg = whole->index;
    } else if ((name.front() == '%' && !is_parameter(name)) || name == "WARP_SZ") {
        operand.kind = OperandKind::special;
    } else {
        operand.kind = OperandKind::label;  // a label, a parameter, a module variable or a function: the decoder knows
    }
}

bool Parser::is_parameter(std::string_view name) const {
    const auto has_name = [&](const Variable& variable) { return variable.name == name; };
    return function_ != nullptr &&
           (std::ranges::any_of(function_->parameters, has_name) || std::ranges::any_of(function_->results, has_name));
}

const Parser::Symbol* Parser::part_of_register(std::string_view name) {
    const std::size_t dot = name.size() < 3 ? 0 : name.size() - 3;
    if (dot == 0 || name[dot] != '.') return nullptr;
    const char kind = name[dot + 1], number = name[dot + 2];
    const char most = kind == 'b' ? '3' : '1';
    if ((kind != 'b' && kind != 'h') || number < '0' || number > most) return nullptr;
    const Symbol* const symbol = lookup(name.substr(0, dot));
    return symbol != nullptr && symbol->is_register ? symbol : nullptr;
}

Operand Parser::list(OperandKind kind, std::string_view close) {
    Operand operand;
    operand.kind = kind;
    while (!at(close)) {
        operand.elements.push_back(this->operand());
        if (!accept(",")) break;
    }
    expect(close);
    return operand;
}

Operand Parser::address() {
    Operand operand;
    operand.kind = OperandKind::address;
    if (peek().kind == TokenKind::integer || at("-") || at("(")) {
        operand.offset = static_cast<std::int64_t>(constant());
    } else {
        if (peek().kind != TokenKind::identifier) fail(fmt::format("'{}' is no address", peek().text));
        const std::string_view name = take().text;
        Operand base;
        name_operand(base, name);
        if (base.kind == OperandKind::special) fail(fmt::format("'{}' was not declared", name));
        operand.has_base = base.kind == OperandKind::reg;
        operand.reg = base.reg;
        operand.symbol = operand.has_base ? std::string_view{} : base.symbol;
        operand.variable = base.variable;
        while (at("+") || at("-")) {
            const bool minus = take().text == "-";
            const std::uint64_t value = term();
            operand.offset =
                static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.offset) + (minus ? ~value + 1 : value));
        }
    }
    while (accept(",")) operand.elements.push_back(this->operand());  // texture coordinates
    expect("]");
    return operand;
}

}  // namespace gpuproj::simulate::ptx
