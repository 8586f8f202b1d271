#include "reports/kernel_names.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace gpuproj {
namespace {

constexpr std::size_t longest_arguments = 32;
constexpr std::string_view anonymous = "(anonymous namespace)::";

/// Where the brackets opened at `open` close; the end if they do not.
std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
        // "->" in a decltype and operator names are not brackets
        if (c == '>' && at > 0 && text[at - 1] == '-') continue;
        if ((c == '>' || c == ')' || c == ']' || c == '}') && --depth == 0) return at;
    }
    return text.size();
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

struct Parts {
    std::string_view base;
    std::string_view arguments;  // with their angle brackets, or empty
};

/// Walks over the name outside of brackets: a space ends a return type, "::" a namespace, "(" the name.
Parts parts_of(std::string_view name) {
    std::size_t begin = 0;
    std::size_t end = 0;  // of the base name; 0: still in it
    std::string_view arguments;
    for (std::size_t at = 0; at < name.size(); ++at) {
        const char c = name[at];
        if (name.substr(at).starts_with(anonymous)) {
            at += anonymous.size() - 1;
            begin = at + 1;
            end = 0;
        } else if (name.substr(at).starts_with("operator()")) {  // of a lambda
            at += std::string_view("operator()").size() - 1;
        } else if (name.substr(at).starts_with("operator") && (at == 0 || name[at - 1] == ':' || name[at - 1] == ' ')) {
            break;  // operators are spelled with brackets; they are no kernels
        } else if (c == '<') {
            const auto close = closing(name, at);
            arguments = name.substr(at, close + 1 - at);
            end = at;
            at = close;
        } else if (c == '{') {  // {lambda(int)#1}
            at = closing(name, at);
        } else if (c == '(' || c == '[' || name.substr(at).starts_with(" [clone ")) {
            if (end == 0) end = at;
            break;
        } else if (c == ' ' || c == ':') {
            begin = at + 1;
            end = 0;
            arguments = {};
        }
    }
    if (end <= begin) end = name.size();
    return {name.substr(begin, end - begin), arguments};
}

std::string without_namespaces(std::string_view arguments) {
    std::string text;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        if (arguments.substr(at).starts_with("::")) {
            // Takes back the identifier just written.
            constexpr std::string_view unnamed = "(anonymous namespace)";
            if (text.ends_with(unnamed)) text.resize(text.size() - unnamed.size());
            while (!text.empty() && is_word(text.back())) text.pop_back();
            ++at;
        } else {
            text += arguments[at];
        }
    }
    return text;
}

}  // namespace

std::string base_kernel_name(std::string_view demangled) {
    return std::string(parts_of(demangled).base);
}

std::string short_kernel_name(std::string_view demangled) {
    const auto [base, arguments] = parts_of(demangled);
    if (arguments.empty()) return std::string(base);
    const auto shorter = without_namespaces(arguments);
    return std::string(base) + (shorter.size() > longest_arguments ? "<...>" : shorter);
}

namespace {

/// What tells argument lists apart: as much of each as not all of them have in front and behind, in whole words. Lists
/// that are short enough stay whole.
std::vector<std::string> told_apart(const std::vector<std::string_view>& lists) {
    constexpr std::size_t longest_whole = 64;
    const std::string_view first = lists.front();
    std::size_t front = first.size(), back = first.size();
    for (const auto list : lists) {
        const auto in_front = std::ranges::mismatch(first, list).in1 - first.begin();
        front = std::min(front, static_cast<std::size_t>(in_front));
    }
    for (const auto list : lists) {
        std::size_t same = 0;
        while (same < std::min({back, first.size() - front, list.size() - front}) &&
               first[first.size() - 1 - same] == list[list.size() - 1 - same])
            ++same;
        back = std::min(back, same);
    }
    while (front > 0 && is_word(first[front - 1])) --front;
    while (back > 0 && is_word(first[first.size() - back])) --back;
    if (std::ranges::any_of(lists, [&](auto list) { return list.size() == front + back; })) {
        // One has nothing of its own: the word before is shown, too.
        while (front > 0 && !is_word(first[front - 1])) --front;
        while (front > 0 && is_word(first[front - 1])) --front;
    }
    std::vector<std::string> parts;
    for (const auto list : lists) {
        if (list.size() <= longest_whole) {
            parts.emplace_back(list);
            continue;
        }
        const auto middle = list.substr(front, list.size() - front - back);
        parts.push_back((front > 1 ? "<..." : std::string(list.substr(0, front))) + std::string(middle) +
                        (back > 1 ? "...>" : std::string(list.substr(list.size() - back))));
    }
    return parts;
}

/// Gives names that different kernels share as much more of their template arguments as tells these apart.
void add_arguments(std::vector<std::string>& names, std::span<const std::string> demangled,
                   const std::vector<std::size_t>& sharing) {
    std::vector<std::string_view> lists;
    lists.reserve(sharing.size());
    for (const auto at : sharing) lists.push_back(parts_of(demangled[at]).arguments);
    const auto parts = told_apart(lists);
    for (std::size_t i = 0; i < sharing.size(); ++i)
        names[sharing[i]] = std::string(parts_of(demangled[sharing[i]]).base) + parts[i];
}

}  // namespace

std::vector<std::string> short_kernel_names(std::span<const std::string> demangled) {
    std::vector<std::string> names;
    names.reserve(demangled.size());
    for (const auto& name : demangled) names.push_back(short_kernel_name(name));
    for (const bool by_arguments : {true, false}) {
        std::map<std::string, std::vector<std::size_t>> places;
        for (std::size_t at = 0; at < names.size(); ++at) places[names[at]].push_back(at);
        for (const auto& [name, sharing] : places) {
            const auto same = [&](std::size_t at) { return demangled[at] == demangled[sharing.front()]; };
            if (std::ranges::all_of(sharing, same)) continue;
            if (by_arguments) {
                add_arguments(names, demangled, sharing);
            } else {
                for (const auto at : sharing) names[at] = demangled[at];
            }
        }
    }
    return names;
}

}  // namespace gpuproj
