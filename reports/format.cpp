#include "reports/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuproj {
namespace {

struct Suffix {
    std::string_view unit;
    bool prefixed;
};

constexpr Suffix suffix(Unit unit) {
    switch (unit) {
        case Unit::none:
        case Unit::number:
            return {"", false};
        case Unit::count:
            return {"", true};
        case Unit::seconds:
            return {"s", true};
        case Unit::bytes:
        case Unit::capacity:
            return {"B", true};
        case Unit::operations:
            return {"op", true};
        case Unit::operations_per_second:
            return {"op/s", true};
        case Unit::instructions_per_second:
            return {"inst/s", true};
        case Unit::bytes_per_second:
            return {"B/s", true};
        case Unit::operations_per_byte:
            return {"op/B", false};
        case Unit::hertz:
            return {"Hz", true};
        case Unit::watts:
            return {"W", false};
        case Unit::cycles:
            return {"cycles", false};
        case Unit::fraction:
            return {"%", false};
        case Unit::factor:
            return {"x", false};
    }
    return {"", false};
}

/// A value with fewer whole digits than `digits` keeps that many significant ones; a larger one is rounded to a whole.
std::string significant(double value, int digits) {
    if (value == 0.0) return "0";
    // Rounded first: 99.996 has three whole digits.
    const auto scientific = fmt::format("{:.{}e}", value, digits - 1);
    const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
    return fmt::format("{:.{}f}", value, std::clamp(digits - 1 - exponent, 0, 12));
}

/// Inserts a comma before every third digit from the end.
std::string grouped(std::string digits) {
    const auto first = static_cast<std::ptrdiff_t>(digits.starts_with('-'));
    for (auto at = std::ssize(digits) - 3; at > first; at -= 3) digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

bool is_whole(double value) {
    return value == std::trunc(value) && std::fabs(value) < 9007199254740992.0;
}

std::string with_binary_prefix(double bytes) {
    static constexpr std::array prefixes = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t at = 0;
    while (bytes >= 1024 && at + 1 < prefixes.size()) {
        bytes /= 1024;
        ++at;
    }
    return fmt::format("{} {}", fmt::format("{:.4g}", bytes), prefixes[at]);
}

}  // namespace

Unit unit_of_key(std::string_view key) {
    struct Row {
        std::string_view end;
        Unit unit;
    };
    static constexpr std::array rows = {Row{"_op_per_s", Unit::operations_per_second},
                                        Row{"_inst_per_s", Unit::instructions_per_second},
                                        Row{"_byte_per_s", Unit::bytes_per_second},
                                        Row{"_op_per_byte", Unit::operations_per_byte},
                                        Row{"_s", Unit::seconds},
                                        Row{"_byte", Unit::bytes},
                                        Row{"_op", Unit::operations},
                                        Row{"_hz", Unit::hertz},
                                        Row{"_w", Unit::watts},
                                        Row{"_cycle", Unit::cycles},
                                        Row{"_factor", Unit::factor}};
    const auto* const row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return key.ends_with(r.end); });
    return row == rows.end() ? Unit::count : row->unit;
}

std::string for_people(double value, Unit unit) {
    if (!std::isfinite(value)) return "-";
    if (unit == Unit::capacity) return with_binary_prefix(value);
    if (unit == Unit::factor) return fmt::format("{:.2f} x", value);
    if (unit == Unit::fraction) return fmt::format("{:.1f} %", value * 100.0);
    const Suffix end = suffix(unit);
    if (unit == Unit::count && is_whole(value) && std::fabs(value) < 10000) return fmt::format("{:.0f}", value);
    if (!end.prefixed) {
        return end.unit.empty() ? significant(value, 4) : fmt::format("{} {}", significant(value, 4), end.unit);
    }
    struct Prefix {
        double scale;
        std::string_view letter;
    };
    static constexpr std::array prefixes = {Prefix{1e18, "E"}, Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},
                                            Prefix{1e6, "M"},  Prefix{1e3, "k"},  Prefix{1, ""},     Prefix{1e-3, "m"},
                                            Prefix{1e-6, "u"}, Prefix{1e-9, "n"}, Prefix{1e-12, "p"}};
    Prefix chosen{1, ""};
    if (value != 0.0) {
        // 0.99996 of a prefix prints as 1.000 of it, not as 1000 of the one below.
        const auto fits = [&](const Prefix& prefix) { return std::fabs(value) >= prefix.scale * 0.99995; };
        const auto* const found = std::find_if(prefixes.begin(), prefixes.end(), fits);
        chosen = found == prefixes.end() ? prefixes.back() : *found;
        if (unit != Unit::seconds && chosen.scale < 1) chosen = {1, ""};  // a byte or an operation has no thousandth
    }
    const auto number = significant(value / chosen.scale, 4);
    return end.unit.empty() && chosen.letter.empty() ? number : fmt::format("{} {}{}", number, chosen.letter, end.unit);
}

std::string for_machines(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string{};
}

std::string in_six_digits(double value) {
    if (!std::isfinite(value)) return {};
    return is_whole(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

std::string in_full(double value) {
    if (!std::isfinite(value)) return "-";
    return is_whole(value) ? grouped(fmt::format("{:.0f}", value)) : fmt::format("{:.15g}", value);
}

std::string first_of(std::span<const std::string> names, std::size_t most, std::string_view between) {
    const auto shown = names.first(std::min(names.size(), most));
    const auto more = names.size() - shown.size();
    return fmt::format("{}{}", fmt::join(shown, between), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::size_t display_width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string shortened(std::string_view text, std::size_t width) {
    if (display_width(text) <= width) return std::string(text);
    const std::size_t dots = std::min<std::size_t>(3, width);
    std::size_t kept = 0;
    std::size_t end = 0;
    while (end < text.size()) {
        std::size_t next = end + 1;
        while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U) ++next;
        if (kept == width - dots) break;
        ++kept;
        end = next;
    }
    return std::string(text.substr(0, end)) + std::string(dots, '.');
}

}  // namespace gpuproj
