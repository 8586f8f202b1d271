// Numbers and units as vendor tools print them, turned into base units.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpuproj {

/// What a unit counts, once its prefix is gone: byte, second, hertz (cycles per second), byte_per_second, fraction
/// (percentages as 0.01 each), or a plain count (instructions, sectors, registers, cycles, and ratios of counts).
enum class Measure { count, byte, second, hertz, byte_per_second, fraction };

struct VendorUnit {
    Measure measure = Measure::count;
    double factor = 1;  // to the base unit
};

/// What K, M, G mean in front of bytes: 1000 to ncu, 1024 to nvprof.
enum class BytePrefix { decimal, binary };

/// "Mbyte", "MB", "us", "usecond", "Ghz", "Gbyte/second", "GB/s", "%", "inst", "byte/block", "". None for a unit that
/// no tool is known to print.
std::optional<VendorUnit> vendor_unit(std::string_view text, BytePrefix bytes = BytePrefix::decimal);

/// Which character is the decimal point, and which separate thousands.
struct NumberStyle {
    char decimal = '.';
};

/// As most of `cells` that leave no doubt are written; a point where none tells ("5,760" is then 5760).
NumberStyle number_style(std::span<const std::string_view> cells);

/// A finite number, at most 1e30, with or without separated thousands (comma or point, blank, apostrophe), sign and
/// exponent. None for anything else.
std::optional<double> vendor_number(std::string_view text, NumberStyle style);

/// "n/a", "nan", "inf", "-", "" and ncu's "(!)" before them: the tool has no value.
bool is_no_value(std::string_view text);

/// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace gpuproj
