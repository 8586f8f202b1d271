#include "collector/metric_names/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace gpuproj {
namespace {

struct BaseUnit {
    std::string_view name;
    VendorUnit unit;
};

constexpr auto base_units = std::to_array<BaseUnit>({
    {"byte", {Measure::byte, 1}},
    {"bytes", {Measure::byte, 1}},
    {"b", {Measure::byte, 1}},
    {"bit", {Measure::byte, 1.0 / 8}},
    {"s", {Measure::second, 1}},
    {"sec", {Measure::second, 1}},
    {"second", {Measure::second, 1}},
    {"seconds", {Measure::second, 1}},
    {"min", {Measure::second, 60}},
    {"minute", {Measure::second, 60}},
    {"h", {Measure::second, 3600}},
    {"hz", {Measure::hertz, 1}},
    {"cycle/second", {Measure::hertz, 1}},
    {"cycle/s", {Measure::hertz, 1}},
    {"byte/second", {Measure::byte_per_second, 1}},
    {"byte/s", {Measure::byte_per_second, 1}},
    {"b/s", {Measure::byte_per_second, 1}},
    {"byte/block", {Measure::byte, 1}},
    {"byte/thread", {Measure::byte, 1}},
    {"%", {Measure::fraction, 0.01}},
    {"", {Measure::count, 1}},
    {"inst", {Measure::count, 1}},
    {"instruction", {Measure::count, 1}},
    {"sector", {Measure::count, 1}},
    {"cycle", {Measure::count, 1}},
    {"warp", {Measure::count, 1}},
    {"thread", {Measure::count, 1}},
    {"block", {Measure::count, 1}},
    {"register/thread", {Measure::count, 1}},
    {"request", {Measure::count, 1}},
    {"tag", {Measure::count, 1}},
    {"wavefront", {Measure::count, 1}},
    {"op", {Measure::count, 1}},
    {"operation", {Measure::count, 1}},
    {"branch", {Measure::count, 1}},
    {"branches", {Measure::count, 1}},
    {"sectors", {Measure::count, 1}},
    {"sample", {Measure::count, 1}},
    {"pass", {Measure::count, 1}},
    {"sm", {Measure::count, 1}},
    {"cluster", {Measure::count, 1}},
    {"inst/cycle", {Measure::count, 1}},
    {"inst/second", {Measure::hertz, 1}},
    {"inst/s", {Measure::hertz, 1}},
    {"sector/second", {Measure::hertz, 1}},
    {"sector/s", {Measure::hertz, 1}},
    {"op/second", {Measure::hertz, 1}},
    {"op/s", {Measure::hertz, 1}},
    {"thread/inst", {Measure::count, 1}},
    {"warp/cycle", {Measure::count, 1}},
    {"byte/cycle", {Measure::byte, 1}},
    {"sector/cycle", {Measure::count, 1}},
    {"unitless", {Measure::count, 1}},
    {"n/a", {Measure::count, 1}},
    // Cycles per scaled second, as ncu writes clocks.
    {"cycle/nsecond", {Measure::hertz, 1e9}},
    {"cycle/usecond", {Measure::hertz, 1e6}},
    {"cycle/msecond", {Measure::hertz, 1e3}},
    {"cycle/ns", {Measure::hertz, 1e9}},
    {"cycle/us", {Measure::hertz, 1e6}},
    {"cycle/ms", {Measure::hertz, 1e3}},
    {"byte/nsecond", {Measure::byte_per_second, 1e9}},
    {"inst/nsecond", {Measure::hertz, 1e9}},
    {"inst/usecond", {Measure::hertz, 1e6}},
});

constexpr double factor_of_prefix(char c) {
    switch (c) {
        case 'n':
            return 1e-9;
        case 'u':
            return 1e-6;
        case 'm':
            return 1e-3;
        case 'k':
        case 'K':
            return 1e3;
        case 'M':
            return 1e6;
        case 'G':
            return 1e9;
        case 'T':
            return 1e12;
        case 'P':
            return 1e15;
        default:
            return 0;
    }
}

std::optional<VendorUnit> base_unit(std::string_view text) {
    const auto equal = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    const auto found = std::ranges::find_if(base_units, [&](const BaseUnit& base) {
        return std::equal(text.begin(), text.end(), base.name.begin(), base.name.end(), equal);
    });
    return found == base_units.end() ? std::nullopt : std::optional(found->unit);
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// +1: the cell can only be read with a decimal point, -1: only with a decimal comma, 0: with either, or no number.
int evidence(std::string_view cell) {
    const auto numeric = [](char c) { return is_digit(c) || c == '.' || c == ','; };
    if (!std::ranges::all_of(cell, numeric)) return 0;
    const auto point = cell.rfind('.'), comma = cell.rfind(',');
    constexpr auto none = std::string_view::npos;
    if (point == none && comma == none) return 0;
    if (point != none && comma != none) return point > comma ? 1 : -1;
    const char mark = point != none ? '.' : ',';
    const auto at = point != none ? point : comma;
    const int as_decimal = mark == '.' ? 1 : -1;
    if (std::ranges::count(cell, mark) > 1) return -as_decimal;
    const bool could_be_thousands = cell.size() - at == 4 && at >= 1 && at <= 3 && cell[0] != '0';
    return could_be_thousands ? 0 : as_decimal;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const auto first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::optional<VendorUnit> vendor_unit(std::string_view text, BytePrefix bytes) {
    text = trimmed(text);
    // The micro sign, in both of its encodings.
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto pair = text.substr(i, 2);
        if (pair == "\xC2\xB5" || pair == "\xCE\xBC") {
            plain += 'u';
            ++i;
        } else {
            plain += text[i];
        }
    }
    if (const auto unit = base_unit(plain)) return unit;
    const double factor = factor_of_prefix(plain.front());
    auto unit = base_unit(std::string_view(plain).substr(1));
    if (factor == 0 || !unit || plain.size() == 1) return std::nullopt;
    const bool of_bytes = unit->measure == Measure::byte || unit->measure == Measure::byte_per_second;
    const bool binary = of_bytes && bytes == BytePrefix::binary && factor > 1;
    unit->factor *= binary ? std::pow(1024, std::round(std::log10(factor) / 3)) : factor;
    return unit;
}

NumberStyle number_style(std::span<const std::string_view> cells) {
    long balance = 0;
    for (const auto cell : cells) balance += evidence(trimmed(cell));
    return {balance < 0 ? ',' : '.'};
}

std::optional<double> vendor_number(std::string_view text, NumberStyle style) {
    constexpr double most = 1e30;
    constexpr std::size_t longest = 64;
    text = trimmed(text);
    if (text.empty() || text.size() > longest) return std::nullopt;
    const char thousands = style.decimal == '.' ? ',' : '.';
    const std::size_t whole_end = std::min(text.find(style.decimal), text.find_first_of("eE"));
    std::string plain;
    std::size_t since_mark = 0;
    bool marked = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (i < whole_end && (c == thousands || c == '\'' || c == ' ')) {
            if (since_mark == 0 || since_mark > 3 || (marked && since_mark != 3)) return std::nullopt;
            marked = true;
            since_mark = 0;
            continue;
        }
        if (i < whole_end && is_digit(c)) ++since_mark;
        if (c == style.decimal) {
            plain += '.';
        } else if (is_digit(c) || c == '-' || c == 'e' || c == 'E' || (c == '+' && i > 0)) {
            plain += c;
        } else if (c != '+') {
            return std::nullopt;
        }
    }
    if (marked && since_mark != 3) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    if (error != std::errc{} || end != plain.data() + plain.size() || !(std::abs(value) <= most)) return std::nullopt;
    return value;
}

bool is_no_value(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with("(!)")) text = trimmed(text.substr(3));
    constexpr auto names = std::to_array<std::string_view>(
        {"", "-", "n/a", "na", "nan", "-nan", "inf", "-inf", "none", "null", "not available"});
    const auto equal = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    return std::ranges::any_of(names, [&](std::string_view name) {
        return std::equal(text.begin(), text.end(), name.begin(), name.end(), equal);
    });
}

}  // namespace gpuproj
