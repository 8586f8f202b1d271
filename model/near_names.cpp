#include "model/near_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace gpuproj {

namespace {
constexpr std::size_t most_names = 5;
constexpr std::size_t spread = 2;  // how many edits farther than the nearest a name may be
}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

std::string folded(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == ' ' || c == '-' || c == '_') continue;
        result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return result;
}

std::vector<std::string> near_names(std::string_view wanted, std::span<const std::string> known) {
    const std::string key = folded(wanted);
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const std::string& name : known) {
        const std::string other = folded(name);
        const std::size_t distance = edit_distance(key, other);
        const bool contains = !key.empty() && other.find(key) != std::string::npos;
        const bool contained = other.size() >= 3 && key.find(other) != std::string::npos;
        if (contains || contained || distance <= std::max<std::size_t>(1, key.size() / 3))
            found.emplace_back(distance, name);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> names;
    for (auto& [distance, name] : found) {
        if (names.size() == most_names || distance > found.front().first + spread) break;
        names.push_back(std::move(name));
    }
    return names;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> known) {
    const auto names = near_names(wanted, known);
    if (names.empty()) return "";
    if (names.size() == 1) return fmt::format("; did you mean {}?", names.front());
    return fmt::format("; did you mean {} or {}?", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

}  // namespace gpuproj
