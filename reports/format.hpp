// Numbers as text, with prefixes for people, to the last bit for machines; and texts that have to be short.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/unit.hpp"

namespace gpuproj {

/// Four significant digits, an SI prefix and the unit: "2.084 ms", "42.26 MB", "1.049 Gop", "97.4 %". Numbers without
/// a unit get no prefix. `value` is in the base unit; not finite gives "-".
std::string for_people(double value, Unit unit);

/// The shortest text that reads back as the same number; empty if it is not finite.
std::string for_machines(double value);

/// Six significant digits without a prefix, whole numbers in full; empty if it is not finite.
std::string in_six_digits(double value);

/// Whole numbers with thousands separators, "1,048,576,000"; others to 15 significant digits. Not finite gives "-".
std::string in_full(double value);

/// `text` cut to `width` characters, the last three being dots where something was cut.
std::string shortened(std::string_view text, std::size_t width);

/// The first `most` of the names and how many there are besides: "A, B, C and 5 more".
std::string first_of(std::span<const std::string> names, std::size_t most, std::string_view between = ", ");

/// Characters a UTF-8 text takes on a terminal, wide characters not considered.
std::size_t display_width(std::string_view text);

}  // namespace gpuproj
