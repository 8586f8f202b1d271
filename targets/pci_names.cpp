#include "targets/pci_names.hpp"

#include <algorithm>
#include <cctype>

#include "targets/names.hpp"

namespace gpuproj {
namespace {

constexpr std::size_t device_digits = 4;
constexpr std::size_t revision_digits = 2;

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
    return result;
}

// `count` hexadecimal digits at `at`, and none behind them.
bool number_at(std::string_view text, std::size_t at, std::size_t count) {
    const auto digit = [&](std::size_t i) {
        return i < text.size() && std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
    };
    for (std::size_t i = at; i < at + count; ++i) {
        if (!digit(i)) return false;
    }
    return !digit(at + count);
}

// The first `count` words, each with a space behind it.
std::string joined(const std::vector<std::string>& words, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += words[i] + ' ';
    return text;
}

}  // namespace

std::optional<PciId> pci_id(std::string_view name) {
    const std::string text = lower(name);
    for (std::size_t colon = text.rfind(':'); colon != std::string::npos && colon > 0;
         colon = text.rfind(':', colon - 1)) {
        const std::size_t begin = colon - device_digits;
        const bool starts = colon == device_digits ||
                            (colon > device_digits && std::isalnum(static_cast<unsigned char>(text[begin - 1])) == 0);
        if (!starts || !number_at(text, begin, device_digits) || !number_at(text, colon + 1, device_digits)) continue;
        const std::size_t end = colon + 1 + device_digits;
        const bool said = end < text.size() && text[end] == ':' && number_at(text, end + 1, revision_digits);
        return PciId{text.substr(begin, end - begin),
                     said ? text.substr(end + 1, revision_digits) : pci_revision(text.substr(end))};
    }
    return std::nullopt;
}

std::string pci_revision(std::string_view text) {
    constexpr std::string_view mark = "(rev ";
    const std::size_t found = text.find(mark);
    if (found == std::string_view::npos || !number_at(text, found + mark.size(), revision_digits)) return {};
    return lower(text.substr(found + mark.size(), revision_digits));
}

std::vector<std::string_view> bracketed(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t end = text.rfind(']'); end != std::string_view::npos; end = text.rfind(']', end - 1)) {
        const std::size_t begin = text.rfind('[', end);
        if (begin == std::string_view::npos) break;
        parts.push_back(text.substr(begin + 1, end - begin - 1));
        if (begin == 0) break;
        end = begin;
    }
    return parts;
}

std::vector<std::vector<std::string>> boards_named(std::string_view text) {
    const std::vector<std::string> parts = split(text, '/');
    if (parts.size() < 2) return {{std::string(text)}};
    // What the boards have in common is said once, in front of the first.
    const std::vector<std::string> common = split(parts.front(), ' ');
    std::vector<std::vector<std::string>> boards;
    for (const std::string& part : parts) {
        std::vector<std::string> own = split(part, ' ');
        if (own.size() > 1 && own.back() == "Series") own.pop_back();
        auto& spellings = boards.emplace_back();
        for (std::size_t words = 0; words < common.size(); ++words) {
            spellings.push_back(joined(common, words) + joined(own, own.size()));
        }
    }
    return boards;
}

}  // namespace gpuproj
