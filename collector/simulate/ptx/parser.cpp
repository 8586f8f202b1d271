#include "collector/simulate/ptx/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <ranges>
#include <unordered_map>

#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/ptx/lexer.hpp"
#include "collector/simulate/ptx/parameters_on_stack.hpp"

namespace gpuproj::simulate::ptx {

namespace {

/// What a name means inside a function body; innermost scope first.
struct Symbol {
    bool is_register = false;
    std::uint32_t index = 0;  // of Function::registers or Function::variables
    std::uint32_t element_bytes = 0;
    std::uint32_t registers = 1;  // of a vector, one after the other
};

/// ".reg .b32 %r<5>" declares %r0 to %r4 without naming them one by one.
struct RegisterRange {
    std::string_view prefix;
    std::uint32_t count = 0, first = 0;
};

struct Scope {
    std::unordered_map<std::string_view, Symbol> names;
    std::vector<RegisterRange> ranges;
};

class Parser {
public:
    explicit Parser(ParsedModule& module) : module_(module), tokens_(tokenize(module.text)) {}

    void run() {
        while (peek().kind != TokenKind::end) statement();
        if (module_.version_major == 0) fail("no .version: this is no PTX");
    }

private:
    // Tokens.
    const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    const Token& take() {
        const Token& token = peek();
        if (at_ + 1 < tokens_.size()) ++at_;
        return token;
    }
    bool at(std::string_view text) const { return peek().text == text && peek().kind != TokenKind::string; }
    bool accept(std::string_view text) {
        if (!at(text)) return false;
        take();
        return true;
    }
    void expect(std::string_view text) {
        if (!accept(text)) fail(fmt::format("expected '{}', found '{}'", text, peek().text));
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw PtxError(fmt::format("line {}: {}", peek().line, what));
    }
    std::uint64_t integer() {
        const bool negative = accept("-");
        if (peek().kind != TokenKind::integer) fail(fmt::format("expected a number, found '{}'", peek().text));
        const std::uint64_t value = take().integer;
        return negative ? ~value + 1 : value;
    }
    void skip_to(std::string_view text) {
        while (!at(text) && peek().kind != TokenKind::end) take();
        expect(text);
    }

    // Module scope.
    void statement() {
        const Token token = peek();
        if (token.kind != TokenKind::directive) fail(fmt::format("expected a directive, found '{}'", token.text));
        if (token.text.starts_with(".version")) return version();
        if (token.text == ".target") return target();
        if (token.text == ".address_size") {
            take();
            module_.address_bits = static_cast<int>(integer());
            if (module_.address_bits != 64) fail("32-bit PTX is not supported; compile for a 64-bit host");
            return;
        }
        if (token.text == ".file") return file();
        if (token.text == ".section") return section();
        if (token.text == ".alias") {
            skip_to(";");
            return;
        }
        if (token.text == ".pragma") {
            skip_to(";");
            return;
        }
        bool external = false;
        while (at(".visible") || at(".extern") || at(".weak") || at(".common")) external |= take().text == ".extern";
        if (at(".entry") || at(".func")) return function(external);
        if (at(".global") || at(".const") || at(".shared") || at(".tex")) {
            for (Variable& variable : variable_list(external)) {
                if (variable.space == Space::shared && variable.bytes == 0) variable.external = true;
                module_elements_[variable.name] = element_bytes_;
                module_.variables.push_back(std::move(variable));
            }
            return;
        }
        fail(fmt::format("'{}' is not supported", peek().text));
    }

    void version() {
        take();
        // "8.5" lexes as one floating token or, with a one-digit fraction, an integer and a directive-like rest.
        const Token number = take();
        const std::string text(number.text);
        const auto dot = text.find('.');
        try {
            module_.version_major = std::stoi(text);
            module_.version_minor = dot == std::string::npos ? 0 : std::stoi(text.substr(dot + 1));
        } catch (const std::exception&) {
            fail(fmt::format("'.version {}' is no version", text));
        }
        if (module_.version_major > newest_major ||
            (module_.version_major == newest_major && module_.version_minor > newest_minor)) {
            fail(fmt::format("PTX version {} is newer than {}.{}; build the program with an older toolkit", text,
                             newest_major, newest_minor));
        }
    }

    void target() {
        take();
        for (;;) {
            const std::string_view name = take().text;
            if (name.starts_with("sm_")) {
                std::uint64_t value = 0;
                for (const char c : name.substr(3)) {
                    if (c >= '0' && c <= '9') value = value * 10 + static_cast<std::uint64_t>(c - '0');
                }
                module_.target = static_cast<int>(value);
            }
            if (!accept(",")) break;
        }
    }

    void file() {
        take();
        const auto index = static_cast<std::size_t>(integer());
        if (index > 100000) fail(".file index out of range");
        if (module_.files.size() <= index) module_.files.resize(index + 1);
        module_.files[index] = std::string(take().text);
        while (accept(",")) integer();
    }

    void section() {
        take();
        take();
        if (at(".") || peek().kind == TokenKind::directive) take();
        int depth = 0;
        do {
            if (at("{")) ++depth;
            if (at("}")) --depth;
            take();
        } while (depth > 0 && peek().kind != TokenKind::end);
    }

    // Variables.
    static Space space_of(std::string_view name) {
        if (name == ".global" || name == ".tex") return Space::global;
        if (name == ".shared" || name.starts_with(".shared::")) return Space::shared;
        if (name == ".local") return Space::local;
        if (name == ".const") return Space::constant;
        if (name == ".param") return Space::param;
        if (name == ".reg") return Space::reg;
        return Space::none;
    }

    /// ".global .align 4 .b8 name[16] = {...}, other;" with the final semicolon.
    std::vector<Variable> variable_list(bool external) {
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

    /// The N of "name<N>".
    std::uint32_t several() {
        const std::uint64_t count = integer();
        expect(">");
        if (count == 0 || count > 10'000) fail("a number of variables that is none, or too large");
        return static_cast<std::uint32_t>(count);
    }
    /// name0, name1 ... for "name<count>", else the variable itself.
    static void add_numbered(std::vector<Variable>& list, Variable&& variable, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            list.push_back(variable);
            list.back().name += std::to_string(i);
        }
        if (count == 0) list.push_back(std::move(variable));
    }

    void declarator(Variable& variable, std::uint32_t element_bytes) {
        if (peek().kind != TokenKind::identifier) fail(fmt::format("expected a name, found '{}'", peek().text));
        variable.name = std::string(take().text);
        variable.align = std::max({variable.align, std::uint32_t{1}, std::min<std::uint32_t>(element_bytes, 16)});
        std::uint64_t count = 1;
        bool open = false;
        while (accept("[")) {
            if (at("]")) {
                open = true;
            } else {
                count *= integer();
            }
            expect("]");
        }
        if (count > (std::uint64_t{1} << 34)) fail("variable too large");
        variable.bytes = open ? 0 : count * element_bytes;
        if (accept("=")) initializer(variable, element_bytes);
        if (open) variable.bytes = variable.initial.size();
    }

    void initializer(Variable& variable, std::uint32_t element_bytes) {
        std::vector<std::byte> data;
        initializer_value(variable, element_bytes, data);
        if (data.size() < variable.bytes) data.resize(variable.bytes);
        if (variable.bytes != 0 && data.size() > variable.bytes) fail("initialiser longer than its variable");
        variable.initial = std::move(data);
    }

    void initializer_value(Variable& variable, std::uint32_t element_bytes, std::vector<std::byte>& data) {
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
            bits = integer();
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

    /// "symbol", "symbol+4", "generic(symbol)+4" as an initial value; or, behind "0xFF00(", what has part of it.
    void reference(Variable& variable, std::uint64_t offset, std::uint32_t bytes,
                   std::uint64_t mask = ~std::uint64_t{0}) {
        Variable::Reference found{.offset = offset, .symbol = {}, .mask = mask, .bytes = std::min(bytes, 8U)};
        std::string_view name = take().text;
        if (name == "generic" && accept("(")) {
            name = take().text;
            if (accept("+")) found.addend += static_cast<std::int64_t>(integer());
            expect(")");
        }
        found.symbol = std::string(name);
        if (accept("+")) found.addend += static_cast<std::int64_t>(integer());
        variable.references.push_back(std::move(found));
    }

    // Functions.
    void parameter_list(std::vector<Variable>& list) {
        expect("(");
        while (!at(")")) {
            if (!at(".param") && !at(".reg")) fail(fmt::format("expected a parameter, found '{}'", peek().text));
            Variable parameter;
            take();
            parameter.space = Space::param;
            std::uint32_t element_bytes = 0;
            while (peek().kind == TokenKind::directive) {
                const std::string_view name = take().text;
                if (name == ".align") {
                    // The second .align, behind .ptr, is of what it points to.
                    const auto align = static_cast<std::uint32_t>(integer());
                    if (parameter.align == 1 && element_bytes == 0) parameter.align = align;
                } else if (const Type type = parse_type(name); type != Type::none) {
                    element_bytes = type == Type::pred ? 1 : size_of(type);
                }
            }
            if (element_bytes == 0) fail("parameter without a type");
            declarator(parameter, element_bytes);
            list.push_back(std::move(parameter));
            if (!accept(",")) break;
        }
        expect(")");
    }

    void function(bool external) {
        module_.functions.emplace_back();
        function_ = &module_.functions.back();
        Function& function = *function_;
        function.line = peek().line;
        function.entry = take().text == ".entry";
        if (at("(")) parameter_list(function.results);
        function.name = std::string(take().text);
        if (at("(")) parameter_list(function.parameters);
        while (!at("{") && !at(";") && peek().kind != TokenKind::end) tuning(function);
        if (accept(";")) {
            function.declared_only = true;
            return;
        }
        function.declared_only = external;
        scopes_.clear();
        scopes_.emplace_back();
        source_ = {};
        body();
        put_parameters_on_stack(function);
        function_ = nullptr;
    }

    void tuning(Function& function) {
        const std::string_view name = take().text;
        if (name == ".maxntid" || name == ".reqntid") {
            std::uint64_t product = 1;
            do product *= integer();
            while (accept(","));
            (name == ".maxntid" ? function.max_threads : function.required_threads) =
                static_cast<std::uint32_t>(product);
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

    void body() {
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

    /// Labels of a block are known in it alone: others may have the same names elsewhere. Those from these places on
    /// get names that no label in the text has, and so does what goes to them.
    void keep_labels_apart(std::size_t first_label, std::size_t first_instruction, std::size_t first_table) {
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

    void pragma() {
        take();
        if (peek().text.find("nounroll") != std::string_view::npos)
            function_->not_unrolled.push_back(static_cast<std::uint32_t>(function_->instructions.size()));
        skip_to(";");
    }

    void body_directive() {
        const std::string_view name = peek().text;
        if (name == ".reg") return registers();
        if (name == ".loc") {
            take();
            source_.file = static_cast<std::uint32_t>(integer());
            source_.line = static_cast<std::uint32_t>(integer());
            if (peek().kind == TokenKind::integer) integer();
            while (accept(",")) {  // function_name symbol+offset, inlined_at file line column
                while (!at(",") && peek().line == tokens_[at_ == 0 ? 0 : at_ - 1].line && !at(";")) take();
            }
            return;
        }
        if (name == ".pragma") return pragma();
        if (name == ".callprototype" || name == ".calltargets") return skip_to(";");
        if (space_of(name) != Space::none) {
            for (Variable& variable : variable_list(false)) {
                if (variable.space == Space::shared && variable.bytes == 0) variable.external = true;
                declare_variable(std::move(variable));
            }
            return;
        }
        if (name == ".file") return file();
        fail(fmt::format("'{}' is not supported", name));
    }

    void declare_variable(Variable&& variable) {
        const auto index = static_cast<std::uint32_t>(function_->variables.size());
        function_->variables.push_back(std::move(variable));
        // The map's key must outlive vector growth, and the text has no word "name0" for "name<2>".
        const std::string_view name = module_.made_texts.emplace_back(function_->variables.back().name);
        scopes_.back().names[name] = {false, index, element_bytes_};
    }

    void registers() {
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
            if (vector > 1) {
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

    /// ".reg .v2 .u32 %r": registers %r.x and %r.y, and %r for both.
    void declare_vector(std::string_view name, Type type, std::uint32_t count) {
        const auto first = static_cast<std::uint32_t>(function_->registers.size());
        function_->registers.resize(first + count, Register{type});
        auto& names = scopes_.back().names;
        names[name] = {true, first, 0, count};
        for (std::uint32_t i = 0; i < count; ++i)
            names[module_.made_texts.emplace_back(std::string(name) + '.' + "xyzw"[i])] = {true, first + i};
    }

    void label() {
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

    // Instructions.
    const Symbol* lookup(std::string_view name) {
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

    void instruction() {
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
        while (!at(";")) {
            if (peek().kind == TokenKind::end) fail("instruction without end");
            instruction.operands.push_back(operand_or_pair());
            if (!accept(",")) break;
        }
        expect(";");
        if (instruction.opcode.starts_with("mov.v")) return moves_of_vectors(instruction);
        function_->instructions.push_back(std::move(instruction));
    }

    /// "mov.v2.u32 %a, %b": a move for each element.
    void moves_of_vectors(const Instruction& whole) {
        constexpr std::size_t before_type = std::string_view("mov.v2").size();
        const auto& words = whole.operands;
        const bool vectors = words.size() == 2 && words[0].kind == OperandKind::vector &&
                             words[1].kind == OperandKind::vector &&
                             words[0].elements.size() == words[1].elements.size();
        if (!vectors || whole.opcode.size() < before_type) fail("a move of vectors of two lengths");
        const std::string_view opcode =
            module_.made_texts.emplace_back("mov" + std::string(whole.opcode.substr(before_type)));
        for (std::size_t i = 0; i < words[0].elements.size(); ++i) {
            Instruction one = whole;
            one.opcode = opcode;
            one.operands = {words[0].elements[i], words[1].elements[i]};
            function_->instructions.push_back(std::move(one));
        }
    }

    /// "mov .u32": blanks between the parts of an opcode are allowed.
    std::string_view spaced_opcode(std::string_view root) {
        std::string joined(root);
        while (peek().kind == TokenKind::directive) joined += take().text;
        return module_.made_texts.emplace_back(std::move(joined));
    }

    Operand operand_or_pair() {
        Operand first = operand();
        if (!accept("|")) return first;
        Operand pair;
        pair.kind = OperandKind::vector;
        pair.pair = true;
        pair.elements.push_back(std::move(first));
        pair.elements.push_back(operand());
        return pair;
    }

    Operand operand() {
        Operand operand;
        if (accept("!")) operand.negated = true;
        if (accept("{")) return list(OperandKind::vector, "}");
        if (accept("(")) return list(OperandKind::list, ")");
        if (accept("[")) return address();
        const bool negative = at("-") && (peek(1).kind == TokenKind::integer || peek(1).kind == TokenKind::floating);
        if (negative) take();
        if (!negative && at("-") && peek(1).kind == TokenKind::identifier) {
            take();
            operand.minus = true;
        }
        const Token token = peek();
        if (token.kind == TokenKind::integer) {
            operand.kind = OperandKind::integer;
            operand.bits = negative ? ~take().integer + 1 : take().integer;
            return operand;
        }
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

    /// "name+8", in bytes, and "name[2]", in elements: PTX ISA, arrays as operands.
    void variable_offset(Operand& operand) {
        if (accept("[")) {
            const std::uint64_t index = integer();
            expect("]");
            const Symbol* symbol = operand.variable >= 0 ? lookup(operand.symbol) : nullptr;
            const auto found = module_elements_.find(operand.symbol);
            if (symbol == nullptr && found == module_elements_.end())
                fail(fmt::format("an index of '{}', which is no array", operand.symbol));
            operand.offset =
                static_cast<std::int64_t>(index * (symbol != nullptr ? symbol->element_bytes : found->second));
        } else if (at("+") || at("-")) {
            const bool minus = take().text == "-";
            const auto value = static_cast<std::int64_t>(integer());
            operand.offset = minus ? -value : value;
        }
    }

    void name_operand(Operand& operand, std::string_view name) {
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
        } else if (symbol != nullptr) {
            operand.kind = symbol->index == ~0U ? OperandKind::label : OperandKind::variable;
            operand.variable = static_cast<std::int32_t>(symbol->index);
        } else if (const Symbol* whole = part_of_register(name); whole != nullptr) {
            operand.kind = OperandKind::reg;
            operand.reg = whole->index;
        } else if ((name.front() == '%' && !is_parameter(name)) || name == "WARP_SZ") {
            operand.kind = OperandKind::special;
        } else {
            operand.kind =
                OperandKind::label;  // a label, a parameter, a module variable or a function: the decoder knows
        }
    }

    /// GCC's parameters have names like registers'.
    bool is_parameter(std::string_view name) const {
        const auto has_name = [&](const Variable& variable) { return variable.name == name; };
        return function_ != nullptr && (std::ranges::any_of(function_->parameters, has_name) ||
                                        std::ranges::any_of(function_->results, has_name));
    }

    /// "%r1.b2" and "%r1.h0": the symbol stays as written; nullptr if it is nothing of the kind.
    const Symbol* part_of_register(std::string_view name) {
        const std::size_t dot = name.size() < 3 ? 0 : name.size() - 3;
        if (dot == 0 || name[dot] != '.') return nullptr;
        const char kind = name[dot + 1], number = name[dot + 2];
        const char most = kind == 'b' ? '3' : '1';
        if ((kind != 'b' && kind != 'h') || number < '0' || number > most) return nullptr;
        const Symbol* const symbol = lookup(name.substr(0, dot));
        return symbol != nullptr && symbol->is_register ? symbol : nullptr;
    }

    Operand list(OperandKind kind, std::string_view close) {
        Operand operand;
        operand.kind = kind;
        while (!at(close)) {
            operand.elements.push_back(this->operand());
            if (!accept(",")) break;
        }
        expect(close);
        return operand;
    }

    Operand address() {
        Operand operand;
        operand.kind = OperandKind::address;
        if (peek().kind == TokenKind::integer || at("-")) {
            operand.offset = static_cast<std::int64_t>(integer());
        } else {
            if (peek().kind != TokenKind::identifier) fail(fmt::format("'{}' is no address", peek().text));
            const std::string_view name = take().text;
            Operand base;
            name_operand(base, name);
            if (base.kind == OperandKind::special) fail(fmt::format("'{}' was not declared", name));
            operand.has_base = base.kind == OperandKind::reg;
            operand.reg = base.reg;
            operand.symbol = operand.has_base ? std::string_view{} : name;
            operand.variable = base.variable;
            while (at("+") || at("-")) {
                const bool minus = take().text == "-";
                const auto value = static_cast<std::int64_t>(integer());
                operand.offset += minus ? -value : value;
            }
        }
        while (accept(",")) operand.elements.push_back(this->operand());  // texture coordinates
        expect("]");
        return operand;
    }

    ParsedModule& module_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    Function* function_ = nullptr;
    std::vector<Scope> scopes_;
    SourceLine source_;
    std::uint32_t element_bytes_ = 0;  // of the variables declared last
    std::map<std::string, std::uint32_t, std::less<>> module_elements_;
};

}  // namespace

std::unique_ptr<ParsedModule> parse(std::string_view ptx) {
    auto module = std::make_unique<ParsedModule>();
    module->text = std::string(ptx);
    Parser(*module).run();
    return module;
}

}  // namespace gpuproj::simulate::ptx
