// Reading PTX word by word.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/ptx/lexer.hpp"

namespace gpuproj::simulate::ptx {

/// The tokens of a module's text. What is not as expected is a PtxError with the line.
class TokenStream {
public:
    explicit TokenStream(std::string_view text) : lexer_(text), coming_{lexer_.next(), lexer_.next()} {}

    /// The next token, or the one behind it.
    const Token& peek(std::size_t ahead = 0) const { return coming_.at(ahead); }
    /// The last token, of kind end, stays.
    Token take() {
        const Token token = coming_[0];
        line_before_ = token.line;
        coming_ = {coming_[1], lexer_.next()};
        return token;
    }
    /// Whether the next token is on another line than the one before it.
    bool begins_line() const { return line_before_ != peek().line; }
    bool at(std::string_view text) const { return peek().text == text && peek().kind != TokenKind::string; }
    /// Takes the token if it is the next.
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
    /// With a sign or without.
    std::uint64_t integer() {
        const bool negative = accept("-");
        if (peek().kind != TokenKind::integer) fail(fmt::format("expected a number, found '{}'", peek().text));
        const std::uint64_t value = take().integer;
        return negative ? ~value + 1 : value;
    }
    /// Behind the next such token.
    void skip_to(std::string_view text) {
        while (!at(text) && peek().kind != TokenKind::end) take();
        expect(text);
    }

private:
    Lexer lexer_;
    std::array<Token, 2> coming_;
    std::uint32_t line_before_ = 0;  // of the token taken last
};

}  // namespace gpuproj::simulate::ptx
