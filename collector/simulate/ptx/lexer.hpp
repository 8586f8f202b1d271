// PTX text to tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj::simulate::ptx {

enum class TokenKind : std::uint8_t { identifier, directive, integer, floating, string, punctuation, end };

/// `text` points into the source. An identifier keeps its dotted suffixes ("ld.global.f32", "%tid.x"), a directive its
/// leading dot (".visible", ".param").
struct Token {
    std::string_view text;
    std::uint64_t integer = 0;  // integer: its value; floating: the bits of the double
    std::uint32_t line = 0;
    TokenKind kind = TokenKind::end;
    bool is_single = false;  // 0f...: the value was given as a float's bits
};

/// Tokens one after the other. What parses a whole program takes them from here: a list of millions would cost more
/// than to make them, by the pages of memory that it takes.
class Lexer {
public:
    explicit Lexer(std::string_view source) : source_(source) {}
    /// The next token, `end` behind the last. Throws PtxError naming the line for a character that no PTX has, or a
    /// number out of range.
    Token next();

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
    [[noreturn]] void fail(const std::string& what) const;
    void skip_blanks();
    Token word();
    Token string();
    std::uint64_t digits(int base);
    Token number();

    std::string_view source_;
    std::size_t at_ = 0;
    std::uint32_t line_ = 1;
};

/// All of them, `end` the last. Throws as Lexer does.
std::vector<Token> tokenize(std::string_view source);

}  // namespace gpuproj::simulate::ptx
