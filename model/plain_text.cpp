#include "model/plain_text.hpp"

#include <algorithm>
#include <string_view>

#include "model/file_io.hpp"

namespace gpuproj {
namespace {

constexpr unsigned first_high = 0xD800, first_low = 0xDC00, behind_surrogates = 0xE000;

void append_utf8(std::string& text, unsigned code) {
    const auto further = [&](unsigned shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0 | code >> 6);
        further(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xE0 | code >> 12);
        further(6);
        further(0);
    } else {
        text += static_cast<char>(0xF0 | code >> 18);
        further(12);
        further(6);
        further(0);
    }
}

std::string from_utf16(std::string_view bytes, bool little_endian) {
    const auto unit = [&](std::size_t at) -> unsigned {
        if (at + 1 >= bytes.size()) return 0;
        const unsigned first = static_cast<unsigned char>(bytes[at]);
        const unsigned second = static_cast<unsigned char>(bytes[at + 1]);
        return little_endian ? second << 8 | first : first << 8 | second;
    };
    std::string text;
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
        const unsigned code = unit(at);
        if (code < first_high || code >= behind_surrogates) {
            append_utf8(text, code);
            continue;
        }
        const unsigned low = unit(at + 2);
        if (code < first_low && low >= first_low && low < behind_surrogates) {
            append_utf8(text, 0x10000 + ((code - first_high) << 10) + (low - first_low));
            at += 2;
        } else {
            text += '?';  // half of a pair
        }
    }
    return text;
}

}  // namespace

std::string plain_text(std::string bytes) {
    if (bytes.starts_with("\xFF\xFE")) {
        bytes = from_utf16(std::string_view(bytes).substr(2), true);
    } else if (bytes.starts_with("\xFE\xFF")) {
        bytes = from_utf16(std::string_view(bytes).substr(2), false);
    } else if (bytes.starts_with("\xEF\xBB\xBF")) {
        bytes.erase(0, 3);
    }
    if (bytes.find('\n') == std::string::npos) std::ranges::replace(bytes, '\r', '\n');
    return bytes;
}

std::string read_text(const std::filesystem::path& file) {
    return plain_text(read_file(file));
}

}  // namespace gpuproj
