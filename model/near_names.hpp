// "Did you mean": the known names nearest to one that is not known.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj {

/// Number of insertions, deletions and replacements that turn one into the other (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// At most five of `known`, nearest first: those within a third of the length of `wanted` in edits, and those that
/// contain it or are contained in it, and of these none much farther than the nearest. Case, spaces, '-' and '_' do not
/// matter.
std::vector<std::string> near_names(std::string_view wanted, std::span<const std::string> known);

/// `text` in lower case, without spaces, '-' and '_': how names are compared.
std::string folded(std::string_view text);

/// For an error message: "; did you mean A, B or C?", or nothing if no name is near.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> known);

}  // namespace gpuproj
