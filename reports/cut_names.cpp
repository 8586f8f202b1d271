#include "reports/cut_names.hpp"

#include <algorithm>
#include <map>
#include <utility>

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

/// The beginning, and what stands from that byte on.
std::string cut_around(std::string_view text, std::size_t at, std::size_t width) {
    const std::size_t second = width > dots.size() ? (width - dots.size()) / 2 : 0;
    const std::string_view rest = text.substr(at);
    if (second <= dots.size() || display_width(rest) <= second) return cut_in_the_middle(text, width);
    return shortened(text, width - second) + shortened(rest, second);
}

/// The places of texts that differ and are cut to the same, group by group.
std::vector<std::vector<std::size_t>> read_alike(std::span<const std::string> texts, std::span<const std::string> cut) {
    std::map<std::string_view, std::vector<std::size_t>> places;
    for (std::size_t at = 0; at < texts.size(); ++at) places[cut[at]].push_back(at);
    std::vector<std::vector<std::size_t>> groups;
    for (auto& [name, group] : places) {
        const auto& first = texts[group.front()];
        if (std::ranges::any_of(group, [&](std::size_t at) { return texts[at] != first; })) {
            groups.push_back(std::move(group));
        }
    }
    return groups;
}

/// Where the first of these texts begins to differ from another, in bytes: at the beginning of a character.
std::size_t first_difference(std::span<const std::string> texts, std::span<const std::size_t> group) {
    const std::string_view first = texts[group.front()];
    std::size_t same = first.size();
    for (const std::size_t at : group) {
        same = static_cast<std::size_t>(std::ranges::mismatch(first.substr(0, same), texts[at]).in1 - first.begin());
    }
    while (same > 0 && same < first.size() && (static_cast<unsigned char>(first[same]) & 0xC0U) == 0x80U) --same;
    return same;
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
    for (const auto& text : texts) cut.push_back(shortened(text, width));
    for (const auto& group : read_alike(texts, cut)) {
        for (const std::size_t at : group) cut[at] = cut_in_the_middle(texts[at], width);
    }
    // A group that is shown from its first difference on falls apart there; parts of it may differ further on.
    for (std::size_t round = 0; round < texts.size(); ++round) {
        const auto before = cut;
        for (const auto& group : read_alike(texts, before)) {
            const std::size_t difference = first_difference(texts, group);
            for (const std::size_t at : group) cut[at] = cut_around(texts[at], difference, width);
        }
        if (cut == before) break;
    }
    return cut;
}

}  // namespace gpuproj
