#include <fmt/format.h>
#include <algorithm>

#include <bit>
#include <cstring>
#include <utility>

#include "collector/simulate/ptx/parser_parts.hpp"

namespace gpuproj::simulate::ptx {

Space Parser::space_of(std::string_view name) {
    if (name == ".global" || name == ".tex") return Space::global;
    if (name == ".shared" || name.starts_with(".shared::")) return Space::shared;
    if (name == ".local") return Space::local;
    if (name == ".const") return Space::constant;
    if (name == ".param") return Space::param;
    if (name == ".reg") return Space::reg;
    return Space::none;
}

std::vector<Variable> Parser::variable_list(bool external) {
    std::vector<Variable> list;
    Variable pattern;
    pattern.space = space_of(take().text);
    pattern.external = external;
    std::uint32_t element_bytes = 0;
    std::uint32_t vector = 1;
    while (peek().kind == TokenKind::directive) {
        const std::string_view name = take().text;
        if (name == ".align") {
            pattern.align = static_cast<std::uint32_t>(integer());
        } else if (name == ".v2") {
            vector = 2;
        } else if (name == ".v4") {
            vector = 4;
        } else if (name == ".ptr" || space_of(name) != Space::none || name.starts_with(".attribute") ||
                   name == ".noretain") {
            if (name.starts_with(".attribute") && accept("(")) skip_to(")");
        } else if (name == ".texref" || name == ".surfref" || name == ".samplerref") {
            element_bytes = 8;
        } else {
            const Type type = parse_type(name);
            if (type == Type::none) fail(fmt::format("'{}' is no type of a variable", name));
            element_bytes = size_of(type);
        }
    }
    if (element_bytes == 0) fail("variable without a type");
    element_bytes_ = element_bytes * vector;
    do {
        Variable variable = pattern;
        declarator(variable, element_bytes_);
        add_numbered(list, std::move(variable), accept("<") ? several() : 0);
    } while (accept(","));
    expect(";");
    return list;
}

std::uint32_t Parser::several() {
    const std::uint64_t count = integer();
    expect(">");
    if (count == 0 || count > 10'000) fail("a number of variables that is none, or too large");
    return static_cast<std::uint32_t>(count);
}

void Parser::add_numbered(std::vector<Variable>& list, Variable&& variable, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        list.push_back(variable);
        list.back().name += std::to_string(i);
    }
    if (count == 0) list.push_back(std::move(variable));
}

void Parser::declarator(Variable& variable, std::uint32_t element_bytes) {
    if (peek().kind != TokenKind::identifier) fail(fmt::format("expected a name, found '{}'", peek().text));
    variable.name = std::string(take().text);
    variable.align = std::max({variable.align, std::uint32_t{1}, std::min<std::uint32_t>(element_bytes, 16)});
    std::uint64_t count = 1;
    bool open = false;
    while (accept("[")) {
        if (at("]")) {
            open = true;
        } else {
            count *= constant();
        }
        expect("]");
    }
    if (count > (std::uint64_t{1} << 34)) fail("variable too large");
    variable.bytes = open ? 0 : count * element_bytes;
    if (accept("=")) initializer(variable, element_bytes);
    if (open) variable.bytes = variable.initial.size();
}

void Parser::initializer(Variable& variable, std::uint32_t element_bytes) {
    std::vector<std::byte> data;
    initializer_value(variable, element_bytes, data);
    if (data.size() < variable.bytes) data.resize(variable.bytes);
    if (variable.bytes != 0 && data.size() > variable.bytes) fail("initialiser longer than its variable");
    variable.initial = std::move(data);
}

void Parser::initializer_value(Variable& variable, std::uint32_t element_bytes, std::vector<std::byte>& data) {
    if (accept("{")) {
        while (!at("}")) {
            initializer_value(variable, element_bytes, data);
            if (!accept(",")) break;
        }
        expect("}");
        return;
    }
    std::uint64_t bits = 0;
    if (peek().kind == TokenKind::floating || (at("-") && peek(1).kind == TokenKind::floating)) {
        const bool negative = accept("-");
        auto value = std::bit_cast<double>(take().integer);
        if (negative) value = -value;
        bits = element_bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                  : std::bit_cast<std::uint64_t>(value);
    } else if (peek().kind == TokenKind::identifier) {
        reference(variable, data.size(), element_bytes);
    } else {
        bits = constant();
        if (accept("(")) {
            if (bits == 0) fail("a mask of no bits");
            reference(variable, data.size(), element_bytes, bits);
            expect(")");
        }
    }
    const std::size_t old = data.size();
    data.resize(old + element_bytes);
    std::memcpy(data.data() + old, &bits, std::min<std::size_t>(element_bytes, 8));
}

void Parser::reference(Variable& variable, std::uint64_t offset, std::uint32_t bytes, std::uint64_t mask) {
    Variable::Reference found{.offset = offset, .symbol = {}, .mask = mask, .bytes = std::min(bytes, 8U)};
    std::string_view name = take().text;
    if (name == "generic" && accept("(")) {
        name = take().text;
        if (accept("+")) found.addend += static_cast<std::int64_t>(constant());
        expect(")");
    }
    found.symbol = std::string(name);
    if (accept("+")) found.addend += static_cast<std::int64_t>(constant());
    variable.references.push_back(std::move(found));
}

void Parser::parameter_list(std::vector<Variable>& list, std::vector<Passed>& passed) {
    expect("(");
    while (!at(")")) {
        if (!at(".param") && !at(".reg")) fail(fmt::format("expected a parameter, found '{}'", peek().text));
        Variable parameter;
        const bool in_registers = take().text == ".reg";
        parameter.space = Space::param;
        std::uint32_t element_bytes = 0;
        Passed as_registers;
        while (peek().kind == TokenKind::directive) {
            const std::string_view name = take().text;
            if (name == ".align") {
                // The second .align, behind .ptr, is of what it points to.
                const auto align = static_cast<std::uint32_t>(integer());
                if (parameter.align == 1 && element_bytes == 0) parameter.align = align;
            } else if (name == ".v2" || name == ".v4") {
                as_registers.count = name == ".v2" ? 2 : 4;
            } else if (const Type type = parse_type(name); type != Type::none) {
                as_registers.type = type;
                element_bytes = type == Type::pred ? 1 : size_of(type);
            }
        }
        if (element_bytes == 0) fail("parameter without a type");
        as_registers.name = peek().text;
        declarator(parameter, element_bytes * as_registers.count);
        if (in_registers) passed.push_back(as_registers);
        list.push_back(std::move(parameter));
        if (!accept(",")) break;
    }
    expect(")");
}

}  // namespace gpuproj::simulate::ptx
