#include "collector/records/kernel_names.hpp"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "model/error.hpp"

namespace gpuproj::records {

namespace {

constexpr std::string_view regex_prefix = "regex:";

}  // namespace

std::string demangle(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                           &std::free);
    return status == 0 && text ? std::string(text.get()) : name;
}

std::string base_name(const std::string& demangled) {
    const auto in_identifier = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
    };
    std::string_view name;  // the last identifier outside all brackets
    int depth = 0;
    char before = ' ';
    for (std::size_t i = 0; i < demangled.size(); ++i) {
        const char c = demangled[i];
        // The parameter list, unlike "(anonymous namespace)", follows a name or its template arguments.
        if (c == '(' && depth == 0 && (in_identifier(before) || before == '>')) break;
        if (c == '<' || c == '(') ++depth;
        if (c == '>' || c == ')') --depth;
        if (depth == 0 && in_identifier(c))
            name = in_identifier(before) && !name.empty() ? std::string_view(name.data(), name.size() + 1)
                                                          : std::string_view(demangled).substr(i, 1);
        before = c;
    }
    return name.empty() ? demangled : std::string(name);
}

LaunchSelector::LaunchSelector(const KernelFilter& filter) : filter_(filter) {
    if (!filter.name || !filter.name->starts_with(regex_prefix)) return;
    const std::string pattern = filter.name->substr(regex_prefix.size());
    try {
        regex_.emplace(pattern);
    } catch (const std::regex_error&) {
        throw UsageError("--kernel-name: '" + pattern + "' is not a regular expression (ECMAScript syntax)");
    }
}

bool LaunchSelector::name_matches(const std::string& demangled) const {
    if (!filter_.name) return true;
    if (regex_) return std::regex_search(demangled, *regex_);
    return base_name(demangled) == *filter_.name;
}

bool LaunchSelector::selects(const std::string& demangled) {
    if (!name_matches(demangled)) return false;
    const std::uint64_t index = matching_++;
    return index >= filter_.launch_skip &&
           (!filter_.launch_count || index - filter_.launch_skip < *filter_.launch_count);
}

}  // namespace gpuproj::records
