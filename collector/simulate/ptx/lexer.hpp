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
    TokenKind kind = TokenKind::end;
    std::string_view text;
    std::uint32_t line = 0;
    std::uint64_t integer = 0;  // integer: its value; floating: the bits of the double
    bool is_single = false;     // 0f...: the value was given as a float's bits
};

/// Throws PtxError naming the line for a character that no PTX has, or a number out of range.
std::vector<Token> tokenize(std::string_view source);

}  // namespace gpuproj::simulate::ptx
