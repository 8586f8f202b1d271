#include "collector/simulate/ptx/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/ptx/lexer.hpp"

namespace gpuproj::simulate::ptx {

namespace {

enum class Linkage { local, global, shareable, external };  // none, .visible, .weak or .common, .extern

/// A statement at module scope: tokens [first, last) of its unit.
struct Statement {
    std::size_t first = 0, last = 0;
    std::string_view name;  // of a function or variable, else empty
    bool function = false, body = false;
    Linkage linkage = Linkage::local;
};

struct Unit {
    std::vector<Token> tokens;
    std::vector<Statement> statements;
    std::map<std::string_view, std::string> renamed;
    std::uint64_t first_file = 0;  // added to the numbers of its source files
};

class Splitter {
public:
    explicit Splitter(const std::vector<Token>& tokens) : tokens_(tokens) {}

    std::vector<Statement> run() {
        std::vector<Statement> statements;
        while (tokens_[at_].kind != TokenKind::end) statements.push_back(statement());
        return statements;
    }

private:
    bool at(std::string_view text) const { return tokens_[at_].text == text; }
    bool at_end() const { return tokens_[at_].kind == TokenKind::end; }

    void skip_line() {
        for (const auto line = tokens_[at_].line; !at_end() && tokens_[at_].line == line;) ++at_;
    }
    // Past the bracket that closes the one here.
    void skip_brackets() {
        int depth = 0;
        do {
            if (at("{") || at("(") || at("[")) ++depth;
            if (at("}") || at(")") || at("]")) --depth;
            ++at_;
        } while (depth > 0 && !at_end());
        if (depth > 0) throw PtxError("bracket without end");
    }

    Statement statement() {
        Statement found;
        found.first = at_;
        if (at(".section")) {
            while (!at("{") && !at_end()) ++at_;
            if (!at_end()) skip_brackets();
        } else if (tokens_[at_].text.starts_with(".version") || at(".target") || at(".address_size") || at(".file")) {
            skip_line();
        } else {
            symbol(found);
        }
        found.last = at_;
        return found;
    }

    void symbol(Statement& found) {
        for (;; ++at_) {
            if (at(".visible"))
                found.linkage = Linkage::global;
            else if (at(".weak") || at(".common"))
                found.linkage = Linkage::shareable;
            else if (at(".extern"))
                found.linkage = Linkage::external;
            else
                break;
        }
        found.function = at(".entry") || at(".func");
        const bool variable = at(".global") || at(".const") || at(".shared") || at(".tex");
        if (!found.function && !variable && !at(".pragma") && !at(".alias"))
            throw PtxError(fmt::format("line {}: '{}' is not supported", tokens_[at_].line, tokens_[at_].text));
        while (!at_end() && !at(";")) {
            if (tokens_[at_].kind == TokenKind::identifier && found.name.empty()) found.name = tokens_[at_].text;
            const bool braces = at("{");
            if (braces || at("(") || at("["))
                skip_brackets();
            else
                ++at_;
            if (braces && found.function) {
                found.body = true;
                return;
            }
        }
        if (at_end()) throw PtxError("statement without end");
        ++at_;
        if (at_ - found.first > 0 && (tokens_[found.first].text == ".pragma" || tokens_[found.first].text == ".alias"))
            found.name = {};
    }

    const std::vector<Token>& tokens_;
    std::size_t at_ = 0;
};

bool is_definition(const Statement& s) {
    return !s.name.empty() && s.linkage != Linkage::external && (!s.function || s.body);
}

// Who defines what over all units: the statement that stays.
using Definitions = std::map<std::string_view, const Statement*>;

Definitions definitions_of(const std::vector<Unit>& units) {
    Definitions definitions;
    for (const auto& unit : units)
        for (const auto& s : unit.statements) {
            if (!is_definition(s) || s.linkage == Linkage::local) continue;
            const auto [at, fresh] = definitions.emplace(s.name, &s);
            if (fresh || s.linkage == Linkage::shareable) continue;
            if (at->second->linkage != Linkage::shareable) throw PtxError(fmt::format("'{}' is defined twice", s.name));
            at->second = &s;  // a strong one goes before a weak one
        }
    return definitions;
}

void rename_private_symbols(std::vector<Unit>& units) {
    std::set<std::string_view> taken;
    for (const auto& [name, statement] : definitions_of(units)) taken.insert(name);
    for (std::size_t i = 0; i < units.size(); ++i) {
        std::set<std::string_view> own;
        for (const auto& s : units[i].statements)
            if (!s.name.empty() && s.linkage == Linkage::local) own.insert(s.name);
        for (const auto name : own)
            if (!taken.insert(name).second) units[i].renamed[name] = fmt::format("{}$unit{}", name, i);
    }
}

// Is the token behind this one the number of a source file? ".file 1", ".loc 1 12 3, ..., inlined_at 1 4 2".
bool precedes_file(const Token& token) {
    return token.text == ".file" || token.text == ".loc" || token.text == "inlined_at";
}

void append(std::string& out, const Unit& unit, const Statement& statement) {
    std::uint32_t line = unit.tokens[statement.first].line;
    for (std::size_t i = statement.first; i < statement.last; ++i) {
        const Token& token = unit.tokens[i];
        out += token.line == line ? ' ' : '\n';  // .loc and .file end with their line
        line = token.line;
        const auto renamed = token.kind == TokenKind::identifier ? unit.renamed.find(token.text) : unit.renamed.end();
        if (renamed != unit.renamed.end())
            out += renamed->second;
        else if (token.kind == TokenKind::string)
            out += fmt::format("\"{}\"", token.text);
        else if (token.kind == TokenKind::integer && i > statement.first && precedes_file(unit.tokens[i - 1]))
            out += std::to_string(token.integer + unit.first_file);
        else
            out += token.text;
    }
    out += '\n';
}

bool is_file(const Unit& unit, const Statement& s) {
    return unit.tokens[s.first].text == ".file";
}

// Every unit counts its source files from 1.
void number_files(std::vector<Unit>& units) {
    std::uint64_t next = 0;
    for (Unit& unit : units) {
        unit.first_file = next;
        for (const Statement& s : unit.statements) {
            if (is_file(unit, s) && s.last - s.first > 1)
                next = std::max(next, unit.first_file + unit.tokens[s.first + 1].integer);
        }
    }
}

bool is_header(const Unit& unit, const Statement& s) {
    const auto text = unit.tokens[s.first].text;
    return text.starts_with(".version") || text == ".target" || text == ".address_size";
}

}  // namespace

std::string link(std::span<const std::string> texts) {
    std::vector<Unit> units(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        units[i].tokens = tokenize(texts[i]);
        units[i].statements = Splitter(units[i].tokens).run();
    }
    const auto definitions = definitions_of(units);
    rename_private_symbols(units);
    number_files(units);
    std::string headers, files, variables, functions;
    std::set<std::string_view> declared;
    for (const auto& unit : units)
        for (const auto& s : unit.statements) {
            if (is_header(unit, s)) {
                if (&unit == &units.front()) append(headers, unit, s);
                continue;
            }
            if (is_file(unit, s)) append(files, unit, s);
            if (s.name.empty()) continue;  // files, debug sections
            if (s.linkage != Linkage::local) {
                const auto definition = definitions.find(s.name);
                const bool stays =
                    definition != definitions.end() ? definition->second == &s : declared.insert(s.name).second;
                if (!stays) continue;
            }
            append(s.function ? functions : variables, unit, s);
        }
    return headers + files + variables + functions;
}

}  // namespace gpuproj::simulate::ptx
