// Reading PTX word by word.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/ptx/lexer.hpp"

namespace gpuproj::simulate::ptx {

/// The tokens of a module's text. What is not as expected is a PtxError with the line.
class TokenStream {
public:
    explicit TokenStream(std::string_view text) : tokens_(tokenize(text)) {}

    const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    /// The last token, of kind end, stays.
    const Token& take() {
        const Token& token = peek();
        if (at_ + 1 < tokens_.size()) ++at_;
        return token;
    }
    /// Whether the next token is on another line than the one before it.
    bool begins_line() const { return at_ == 0 || tokens_[at_ - 1].line != peek().line; }
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
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

}  // namespace gpuproj::simulate::ptx
