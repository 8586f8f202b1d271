#include "reports/kernel_names.hpp"

#include <algorithm>
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
        } else if (name.substr(at).starts_with("operator") && (at == 0 || name[at - 1] == ':' || name[at - 1] == ' ')) {
            break;  // operators are spelled with brackets; they are no kernels
        } else if (c == '<') {
            const auto close = closing(name, at);
            arguments = name.substr(at, close + 1 - at);
            end = at;
            at = close;
        } else if (c == '(' || c == '[') {
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
            while (!text.empty() &&
                   (std::isalnum(static_cast<unsigned char>(text.back())) != 0 || text.back() == '_')) {
                text.pop_back();
            }
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

std::vector<std::string> short_kernel_names(std::span<const std::string> demangled) {
    using Shorten = std::string (*)(std::string_view);
    const Shorten with_all_arguments = [](std::string_view name) {
        const auto [base, arguments] = parts_of(name);
        return std::string(base) + std::string(arguments);
    };
    const Shorten whole = [](std::string_view name) { return std::string(name); };

    std::vector<std::string> names;
    for (const auto& name : demangled) names.push_back(short_kernel_name(name));
    for (const Shorten longer : {with_all_arguments, whole}) {
        std::map<std::string, std::string> first;
        std::vector<std::string> shared;
        for (std::size_t at = 0; at < names.size(); ++at) {
            const auto [entry, is_new] = first.try_emplace(names[at], demangled[at]);
            if (!is_new && entry->second != demangled[at]) shared.push_back(names[at]);
        }
        for (std::size_t at = 0; at < names.size(); ++at) {
            if (std::find(shared.begin(), shared.end(), names[at]) != shared.end()) names[at] = longer(demangled[at]);
        }
    }
    return names;
}

}  // namespace gpuproj
