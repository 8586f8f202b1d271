#include "model/plain_text.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace {

using gpuproj::plain_text;

std::string bytes(std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text += static_cast<char>(value);
    return text;
}

}  // namespace

TEST_CASE("UTF-16 of either order becomes UTF-8") {
    // "aé€😀" is U+0061, U+00E9, U+20AC and U+1F600, a pair of surrogates.
    const std::string expected = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    CHECK(plain_text(bytes({0xFF, 0xFE, 'a', 0, 0xE9, 0, 0xAC, 0x20, 0x3D, 0xD8, 0x00, 0xDE})) == expected);
    CHECK(plain_text(bytes({0xFE, 0xFF, 0, 'a', 0, 0xE9, 0x20, 0xAC, 0xD8, 0x3D, 0xDE, 0x00})) == expected);
    // Half a pair, half a character.
    CHECK(plain_text(bytes({0xFF, 0xFE, 0x3D, 0xD8, 'b', 0})) == "?b");
    CHECK(plain_text(bytes({0xFF, 0xFE, 0x00, 0xDE, 'b', 0})) == "?b");
    CHECK(plain_text(bytes({0xFF, 0xFE, 0x3D, 0xD8})) == "?");
    CHECK(plain_text(bytes({0xFF, 0xFE, 'b', 0, 'c'})) == "b");
    CHECK(plain_text(bytes({0xFF, 0xFE})).empty());
}

TEST_CASE("marks of UTF-8 go, other bytes stay, and carriage returns alone end lines") {
    CHECK(plain_text("\xEF\xBB\xBF"
                     "a,b\r\n1,2\r\n") == "a,b\r\n1,2\r\n");
    CHECK(plain_text("a,b\r1,2\r") == "a,b\n1,2\n");
    CHECK(plain_text("\xE9\xFF") == "\xE9\xFF");
    CHECK(plain_text("").empty());
}
