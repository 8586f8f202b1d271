#include "reports/html_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/json_fields.hpp"

namespace gpuproj {
namespace {

using Json = nlohmann::ordered_json;

/// Worth a pool: texts that repeat.
bool repeats(const Table& table, std::size_t column, TextPool& pool) {
    std::size_t texts = 0;
    for (const auto& row : table.rows) {
        if (const auto* text = std::get_if<std::string>(&row[column])) {
            pool.place(*text);
            ++texts;
        }
    }
    return texts > 8 && pool.all().size() * 2 < texts;
}

}  // namespace

Json cell_to_json(const Cell& cell, bool brief) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
    if (const auto* truth = std::get_if<bool>(&cell)) return *truth;
    if (const auto* number = std::get_if<double>(&cell); number != nullptr && std::isfinite(*number)) {
        return brief ? brief_number(*number) : amount_to_json(*number);
    }
    return nullptr;
}

std::size_t TextPool::place(const std::string& text) {
    const auto [entry, is_new] = places_.try_emplace(text, all_.size());
    if (is_new) all_.push_back(text);
    return entry->second;
}

std::string_view unit_name(Unit unit) {
    switch (unit) {
        case Unit::none:
            return "";
        case Unit::number:
            return "number";
        case Unit::count:
            return "count";
        case Unit::seconds:
            return "s";
        case Unit::bytes:
            return "B";
        case Unit::capacity:
            return "capacity";
        case Unit::operations:
            return "op";
        case Unit::operations_per_second:
            return "op/s";
        case Unit::instructions_per_second:
            return "inst/s";
        case Unit::bytes_per_second:
            return "B/s";
        case Unit::operations_per_byte:
            return "op/B";
        case Unit::hertz:
            return "Hz";
        case Unit::watts:
            return "W";
        case Unit::cycles:
            return "cycles";
        case Unit::fraction:
            return "fraction";
        case Unit::factor:
            return "factor";
    }
    return "";
}

Json brief_number(std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return nullptr;
    fmt::memory_buffer digits;
    fmt::format_to(std::back_inserter(digits), "{:.7g}", *value);
    digits.push_back('\0');
    return amount_to_json(std::strtod(digits.data(), nullptr));
}

std::string base64(std::span<const std::uint8_t> bytes) {
    static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t three = 0;
        for (std::size_t i = 0; i < 3; ++i) three = three << 8U | (at + i < bytes.size() ? bytes[at + i] : 0U);
        const std::size_t digits_of_it = std::min<std::size_t>(bytes.size() - at, 3) + 1;
        for (std::size_t i = 0; i < 4; ++i) out += i < digits_of_it ? digits[three >> (18 - 6 * i) & 63U] : '=';
    }
    return out;
}

std::string packed(std::span<const std::uint32_t> values, std::size_t width) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(values.size() * width);
    for (const auto value : values) {
        for (std::size_t byte = 0; byte < width; ++byte) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * byte));
    }
    return base64(bytes);
}

std::string packed(std::span<const std::optional<double>> values) {
    std::vector<std::uint32_t> bits;
    bits.reserve(values.size());
    for (const auto& value : values) {
        bits.push_back(
            std::bit_cast<std::uint32_t>(static_cast<float>(value.value_or(std::numeric_limits<double>::quiet_NaN()))));
    }
    return packed(bits, 4);
}

Json columns_to_json(const Table& table, bool brief) {
    Json columns = Json::array();
    for (std::size_t at = 0; at < table.columns.size(); ++at) {
        const auto& column = table.columns[at];
        Json json = {{"key", column.key}, {"heading", column.heading}, {"unit", unit_name(column.unit)}};
        TextPool pool;
        const bool pooled = repeats(table, at, pool);
        if (pooled) json["words"] = pool.all();
        Json values = Json::array();
        for (const auto& row : table.rows) {
            const auto* text = pooled ? std::get_if<std::string>(&row[at]) : nullptr;
            values.push_back(text != nullptr ? Json(pool.place(*text)) : cell_to_json(row[at], brief));
        }
        json["values"] = std::move(values);
        columns.push_back(std::move(json));
    }
    return {{"title", table.title}, {"footer_rows", table.footer_rows}, {"columns", std::move(columns)}};
}

}  // namespace gpuproj
