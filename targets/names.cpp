#include "targets/names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

namespace gpuproj {
namespace {

bool kept(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+';
}

constexpr std::array<std::string_view, 10> brands{"nvidia", "geforce", "tesla",    "quadro",  "amd",
                                                  "ati",    "radeon",  "instinct", "firepro", "intel"};

bool is_variant(std::string_view word) {
    const auto all_digits = [](std::string_view text) {
        return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    };
    if (word.ends_with("gb")) {
        return all_digits(word.substr(0, word.size() - 2));
    }
    if (word.starts_with("sxm")) {
        return word.size() == 3 || all_digits(word.substr(3));
    }
    return word == "pcie" || word == "oam" || word == "nvl" || word == "generation" || word == "hbm2" ||
           word == "hbm2e" || word == "hbm3" || word == "hbm3e" || word == "gpu";
}

std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    for (const char c : name) {
        if (kept(c)) {
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    if (words.back().empty()) {
        words.pop_back();
    }
    return words;
}

std::string without_brands(std::string name) {
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view brand : brands) {
            if (name.size() > brand.size() && name.starts_with(brand)) {
                name.erase(0, brand.size());
                again = true;
            }
        }
    }
    return name;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in{std::string(text)};
    for (std::string part; std::getline(in, part, separator);) {
        if (!part.empty()) parts.push_back(part);
    }
    return parts;
}

std::string canonical_name(std::string_view name) {
    std::string result;
    for (const char c : name) {
        if (kept(c)) {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return result;
}

std::string bare_name(std::string_view name) {
    return without_brands(canonical_name(name));
}

NameParts name_parts(std::string_view name) {
    NameParts parts;
    for (std::string& word : words_of(name)) {
        if (is_variant(word)) {
            parts.variants.push_back(std::move(word));
        } else {
            parts.family += word;
        }
    }
    parts.family = without_brands(std::move(parts.family));
    return parts;
}

std::string spoken_name(std::string_view name) {
    for (std::size_t space = name.find(' '); space != std::string_view::npos; space = name.find(' ')) {
        if (std::ranges::find(brands, canonical_name(name.substr(0, space))) == brands.end()) {
            break;
        }
        name.remove_prefix(space + 1);
    }
    return std::string(name);
}

}  // namespace gpuproj
