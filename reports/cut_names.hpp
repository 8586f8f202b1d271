// Names that stand in too little room.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj {

/// On one line: a blank for every control character.
std::string printable(std::string_view text);

/// Every text as shortened() cuts it to that width; those that would read alike so, and are not, keep both of their
/// ends: "solve_ste...eight". Where these are alike, too, they keep their beginning and what stands from their first
/// difference on: "solve_s...caching...".
std::vector<std::string> shortened_apart(std::span<const std::string> texts, std::size_t width);

}  // namespace gpuproj
