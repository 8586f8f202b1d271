#include "collector/simulate/ptx/lexer.hpp"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <charconv>

#include "collector/simulate/engine/engine.hpp"

namespace gpuproj::simulate::ptx {

namespace {

bool starts_word(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}
bool continues_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

void Lexer::fail(const std::string& what) const {
    throw PtxError(fmt::format("line {}: {}", line_, what));
}

void Lexer::skip_blanks() {
    while (at_ < source_.size()) {
        const char c = source_[at_];
        if (c == '\n') {
            ++line_;
            ++at_;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
            ++at_;
        } else if (c == '/' && peek(1) == '/') {
            while (at_ < source_.size() && source_[at_] != '\n') ++at_;
        } else if (c == '/' && peek(1) == '*') {
            const std::size_t close = source_.find("*/", at_ + 2);
            if (close == std::string_view::npos) fail("comment without end");
            for (; at_ < close + 2; ++at_) line_ += source_[at_] == '\n';
        } else {
            break;
        }
    }
}

Token Lexer::next() {
    skip_blanks();
    if (at_ >= source_.size()) return {.text = {}, .line = line_, .kind = TokenKind::end};
    const char c = peek();
    if (starts_word(c) || (c == '.' && (std::isalpha(static_cast<unsigned char>(peek(1))) || peek(1) == '_')))
        return word();
    if (is_digit(c)) return number();
    if (c == '"') return string();
    if (std::string_view("{}[]();:,<>+-=!|@~.*/&^?").find(c) == std::string_view::npos) {
        fail(fmt::format("unexpected character '{}'", std::isprint(static_cast<unsigned char>(c)) ? c : '?'));
    }
    return {.text = source_.substr(at_++, 1), .line = line_, .kind = TokenKind::punctuation};
}

Token Lexer::word() {
    const std::size_t begin = at_;
    const bool directive = peek() == '.';
    ++at_;
    for (;;) {
        while (continues_word(peek())) ++at_;
        // "ld.global", "cp.async.bulk.shared::cluster", but not "label:" and not "v.x" of a new statement;
        // ".reg.b32" is two directives.
        if (!directive && peek() == '.' && continues_word(peek(1))) {
            ++at_;
        } else if (peek() == ':' && peek(1) == ':' && continues_word(peek(2))) {
            at_ += 2;
        } else {
            break;
        }
    }
    return {.text = source_.substr(begin, at_ - begin),
            .line = line_,
            .kind = directive ? TokenKind::directive : TokenKind::identifier};
}

Token Lexer::string() {
    const std::size_t begin = ++at_;
    while (at_ < source_.size() && source_[at_] != '"' && source_[at_] != '\n') ++at_;
    if (peek() != '"') fail("string without end");
    return {.text = source_.substr(begin, at_++ - begin), .line = line_, .kind = TokenKind::string};
}

std::uint64_t Lexer::digits(int base) {
    std::uint64_t value = 0;
    const char* first = source_.data() + at_;
    const auto [last, error] = std::from_chars(first, source_.data() + source_.size(), value, base);
    if (error != std::errc{} || last == first) fail("malformed number");
    at_ += static_cast<std::size_t>(last - first);
    return value;
}

Token Lexer::number() {
    const std::size_t begin = at_;
    Token token{.text = {}, .line = line_, .kind = TokenKind::integer};
    const char second = peek(1);
    if (peek() == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
        const bool single = second == 'f' || second == 'F';
        at_ += 2;
        const std::uint64_t bits = digits(16);
        token.kind = TokenKind::floating;
        token.is_single = single;
        token.integer = single ? std::bit_cast<std::uint64_t>(
                                     static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))))
                               : bits;
    } else if (peek() == '0' && (second == 'x' || second == 'X')) {
        at_ += 2;
        token.integer = digits(16);
    } else if (peek() == '0' && (second == 'b' || second == 'B')) {
        at_ += 2;
        token.integer = digits(2);
    } else {
        std::size_t end = at_;
        while (end < source_.size() && is_digit(source_[end])) ++end;
        const bool fraction =
            end < source_.size() && source_[end] == '.' && end + 1 < source_.size() && is_digit(source_[end + 1]);
        const bool exponent = end < source_.size() && (source_[end] == 'e' || source_[end] == 'E');
        if (fraction || exponent) {
            double value = 0;
            const auto [last, error] = std::from_chars(source_.data() + at_, source_.data() + source_.size(), value);
            if (error != std::errc{}) fail("malformed number");
            at_ += static_cast<std::size_t>(last - (source_.data() + at_));
            token.kind = TokenKind::floating;
            token.integer = std::bit_cast<std::uint64_t>(value);
        } else {
            token.integer = peek() == '0' && is_digit(second) ? digits(8) : digits(10);
        }
    }
    if (peek() == 'U') ++at_;
    token.text = source_.substr(begin, at_ - begin);
    return token;
}

std::vector<Token> tokenize(std::string_view source) {
    std::vector<Token> tokens;
    tokens.reserve(source.size() / 4);  // of PTX by nvcc and clang: more than four characters each
    Lexer lexer(source);
    do tokens.push_back(lexer.next());
    while (tokens.back().kind != TokenKind::end);
    return tokens;
}

}  // namespace gpuproj::simulate::ptx
