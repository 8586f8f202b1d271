#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "collector/simulate/ptx/parameters_on_stack.hpp"
#include "collector/simulate/ptx/parser_parts.hpp"

namespace gpuproj::simulate::ptx {

void Parser::function(bool external) {
    module_.functions.emplace_back();
    function_ = &module_.functions.back();
    Function& function = *function_;
    function.line = peek().line;
    function.entry = take().text == ".entry";
    parameters_passed_.clear();
    results_passed_.clear();
    if (at("(")) parameter_list(function.results, results_passed_);
    function.name = std::string(take().text);
    if (at("(")) parameter_list(function.parameters, parameters_passed_);
    while (!at("{") && !at(";") && !begins_statement() && peek().kind != TokenKind::end) tuning(function);
    if (accept(";") || begins_statement()) {  // before CUDA 4, nvcc's declarations had no semicolon
        function.declared_only = true;
        return;
    }
    function.declared_only = external;
    scopes_.clear();
    scopes_.emplace_back();
    source_ = {};
    declare_passed();
    body();
    end_with_results();
    put_parameters_on_stack(function);
    function_ = nullptr;
}

bool Parser::begins_statement() const {
    constexpr std::array<std::string_view, 11> begins{".visible", ".extern", ".weak",   ".common", ".entry",  ".func",
                                                      ".global",  ".const",  ".shared", ".file",   ".section"};
    return std::ranges::find(begins, peek().text) != begins.end();
}

void Parser::tuning(Function& function) {
    const std::string_view name = take().text;
    if (name == ".maxntid" || name == ".reqntid") {
        std::uint64_t product = 1;
        do product *= integer();
        while (accept(","));
        (name == ".maxntid" ? function.max_threads : function.required_threads) = static_cast<std::uint32_t>(product);
    } else if (name == ".reqnctapercluster") {
        function.cluster = {1, 1, 1};
        std::size_t dimension = 0;
        do function.cluster.at(std::min<std::size_t>(dimension++, 2)) = static_cast<std::uint32_t>(integer());
        while (accept(","));
    } else if (name == ".minnctapersm" || name == ".maxnreg") {
        (name == ".maxnreg" ? function.max_registers : function.min_blocks) = static_cast<std::uint32_t>(integer());
    } else if (name == ".noreturn" || name.starts_with(".blocksareclusters")) {
    } else if (name == ".pragma") {
        skip_to(";");
    } else {
        while (peek().kind == TokenKind::integer || at(",")) take();  // .maxnctapersm 2, ...
    }
}

void Parser::body() {
    expect("{");
    const std::size_t first_label = function_->labels.size(), first_instruction = function_->instructions.size(),
                      first_table = function_->branch_targets.size();
    scopes_.emplace_back();
    while (!at("}")) {
        if (peek().kind == TokenKind::end) fail("function without end");
        if (at("{")) {
            body();
        } else if (peek().kind == TokenKind::directive) {
            body_directive();
        } else if (peek().kind == TokenKind::identifier && peek(1).text == ":" &&
                   peek(1).kind == TokenKind::punctuation) {
            label();
        } else {
            instruction();
        }
    }
    expect("}");
    scopes_.pop_back();
    constexpr std::size_t of_function = 1;  // scopes around its body
    if (scopes_.size() > of_function && function_->labels.size() > first_label)
        keep_labels_apart(first_label, first_instruction, first_table);
}

void Parser::keep_labels_apart(std::size_t first_label, std::size_t first_instruction, std::size_t first_table) {
    std::map<std::string, std::string_view, std::less<>> made;
    for (std::size_t i = first_label; i < function_->labels.size(); ++i) {
        std::string& name = function_->labels[i].name;
        if (name.find('@') != std::string::npos) continue;  // of a block in the block
        const std::string& text = module_.made_texts.emplace_back(fmt::format("{}@{}", name, i));
        made.emplace(name, text);
        name = text;
    }
    for (std::size_t i = first_instruction; i < function_->instructions.size(); ++i) {
        Instruction& instruction = function_->instructions[i];
        if (!instruction.opcode.starts_with("bra") || instruction.operands.empty()) continue;
        Operand& target = instruction.operands.front();
        if (const auto found = made.find(target.symbol); found != made.end()) target.symbol = found->second;
    }
    for (std::size_t i = first_table; i < function_->branch_targets.size(); ++i)
        for (std::string& label : function_->branch_targets[i].labels)
            if (const auto found = made.find(label); found != made.end()) label = found->second;
}

void Parser::pragma() {
    take();
    if (peek().text.find("nounroll") != std::string_view::npos)
        function_->not_unrolled.push_back(static_cast<std::uint32_t>(function_->instructions.size()));
    skip_to(";");
}

void Parser::body_directive() {
    const std::string_view name = peek().text;
    if (name == ".reg") return registers();
    if (name == ".loc") {
        take();
        source_.file = static_cast<std::uint32_t>(integer());
        source_.line = static_cast<std::uint32_t>(integer());
        if (peek().kind == TokenKind::integer) integer();
        while (accept(",")) {  // function_name symbol+offset, inlined_at file line column
            while (!at(",") && !begins_line() && !at(";")) take();
        }
        return;
    }
    if (name == ".pragma") return pragma();
    if (name == ".callprototype" || name == ".calltargets") return skip_to(";");
    if (space_of(name) != Space::none) {
        for (Variable& variable : variable_list(false)) {
            if (variable.space == Space::shared && variable.bytes == 0) variable.external = true;
            if (variable.space == Space::global || variable.space == Space::constant) {
                declare_in_module(std::move(variable));
            } else {
                declare_variable(std::move(variable));
            }
        }
        return;
    }
    if (name == ".file") return file();
    fail(fmt::format("'{}' is not supported", name));
}

void Parser::declare_variable(Variable&& variable) {
    const auto index = static_cast<std::uint32_t>(function_->variables.size());
    function_->variables.push_back(std::move(variable));
    // The map's key must outlive vector growth, and the text has no word "name0" for "name<2>".
    const std::string_view name = module_.made_texts.emplace_back(function_->variables.back().name);
    scopes_.back().names[name] = {false, index, element_bytes_};
}

void Parser::declare_in_module(Variable&& variable) {
    const std::string_view name = module_.made_texts.emplace_back(variable.name);
    variable.name = fmt::format("{}@{}@{}", variable.name, function_->name, module_.variables.size());
    const std::string_view in_module = module_.made_texts.emplace_back(variable.name);
    module_elements_[variable.name] = element_bytes_;
    scopes_.back().names[name] = {.element_bytes = element_bytes_, .in_module = in_module};
    module_.variables.push_back(std::move(variable));
}

void Parser::registers() {
    take();
    std::uint32_t vector = 1;
    Type type = Type::none;
    while (peek().kind == TokenKind::directive) {
        const std::string_view name = take().text;
        if (name == ".v2")
            vector = 2;
        else if (name == ".v4")
            vector = 4;
        else
            type = parse_type(name);
    }
    if (type == Type::none) fail("a register without a type");
    do {
        const std::string_view name = take().text;
        const auto first = static_cast<std::uint32_t>(function_->registers.size());
        if (vector > 1 && accept("<")) {
            const std::uint32_t count = several();
            for (std::uint32_t i = 0; i < count; ++i)
                declare_vector(module_.made_texts.emplace_back(fmt::format("{}{}", name, i)), type, vector);
        } else if (vector > 1) {
            declare_vector(name, type, vector);
        } else if (accept("<")) {
            const auto count = static_cast<std::uint32_t>(integer());
            expect(">");
            if (count > 10'000'000) fail("too many registers");
            function_->registers.resize(first + count, Register{type});
            scopes_.back().ranges.push_back({name, count, first});
        } else {
            function_->registers.push_back({type});
            scopes_.back().names[name] = {true, first};
        }
    } while (accept(","));
    expect(";");
}

void Parser::declare_vector(std::string_view name, Type type, std::uint32_t count) {
    const auto first = static_cast<std::uint32_t>(function_->registers.size());
    function_->registers.resize(first + count, Register{type});
    auto& names = scopes_.back().names;
    names[name] = {true, first, 0, count};
    for (std::uint32_t i = 0; i < count; ++i)
        names[module_.made_texts.emplace_back(std::string(name) + '.' + "xyzw"[i])] = {true, first + i};
}

void Parser::label() {
    const std::string_view name = take().text;
    expect(":");
    const bool targets = at(".branchtargets");
    if (targets) {
        take();
        BranchTargets table{std::string(name), {}};
        do table.labels.emplace_back(take().text);
        while (accept(","));
        expect(";");
        function_->branch_targets.push_back(std::move(table));
        return;
    }
    if (at(".callprototype") || at(".calltargets")) {
        scopes_.front().names[name] = {false, ~0U};
        skip_to(";");
        return;
    }
    function_->labels.push_back({std::string(name), static_cast<std::uint32_t>(function_->instructions.size())});
}

}  // namespace gpuproj::simulate::ptx
