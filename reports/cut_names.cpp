#include "reports/cut_names.hpp"

#include <map>

#include "reports/format.hpp"

namespace gpuproj {
namespace {

constexpr std::string_view dots = "...";

/// The last `count` characters.
std::string_view end_of(std::string_view text, std::size_t count) {
    std::size_t at = text.size();
    while (at > 0 && count > 0) {
        --at;
        if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U) --count;
    }
    return text.substr(at);
}

std::string cut_in_the_middle(std::string_view text, std::size_t width) {
    if (display_width(text) <= width || width < dots.size() + 2) return shortened(text, width);
    const std::size_t end = (width - dots.size()) / 2;
    return shortened(text, width - end) + std::string(end_of(text, end));  // whose dots stand at its end
}

}  // namespace

std::string printable(std::string_view text) {
    std::string clean(text);
    for (char& c : clean) {
        if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F) c = ' ';
    }
    return clean;
}

std::vector<std::string> shortened_apart(std::span<const std::string> texts, std::size_t width) {
    std::vector<std::string> cut;
    cut.reserve(texts.size());
    struct Whole {
        const std::string* first;
        bool several = false;
    };
    std::map<std::string, Whole, std::less<>> wholes;
    for (const auto& text : texts) {
        cut.push_back(shortened(text, width));
        const auto [entry, is_new] = wholes.try_emplace(cut.back(), Whole{&text});
        if (!is_new && *entry->second.first != text) entry->second.several = true;
    }
    for (std::size_t at = 0; at < cut.size(); ++at) {
        if (wholes.find(cut[at])->second.several) cut[at] = cut_in_the_middle(texts[at], width);
    }
    return cut;
}

}  // namespace gpuproj
