#include "collector/simulate/ptx/parser.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "collector/simulate/ptx/parser_parts.hpp"

namespace gpuproj::simulate::ptx {

void Parser::run() {
    while (peek().kind != TokenKind::end) statement();
    if (module_.version_major == 0) fail("no .version: this is no PTX");
}

void Parser::statement() {
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

void Parser::version() {
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

void Parser::target() {
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

void Parser::file() {
    take();
    const auto index = static_cast<std::size_t>(integer());
    if (index > 100000) fail(".file index out of range");
    if (module_.files.size() <= index) module_.files.resize(index + 1);
    module_.files[index] = std::string(take().text);
    while (accept(",")) integer();
}

void Parser::section() {
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

std::unique_ptr<ParsedModule> parse(std::string_view ptx) {
    auto module = std::make_unique<ParsedModule>();
    module->text = std::string(ptx);
    Parser(*module).run();
    return module;
}

}  // namespace gpuproj::simulate::ptx
