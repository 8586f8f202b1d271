// Tables as the HTML page takes them: by column, so that thousands of rows stay small and quick to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reports/table.hpp"

namespace gpuproj {

/// The cell as JSON; unknown and not finite are null. Numbers keep all their digits, or with `brief` seven.
nlohmann::ordered_json cell_to_json(const Cell& cell, bool brief = false);

/// {"title","footer_rows","columns":[{"key","heading","unit","values":[...]}]}. Texts that repeat are written once:
/// "words":[...], and the values are places in it. Unknown is null. Numbers keep all their digits, or with `brief`
/// seven.
nlohmann::ordered_json columns_to_json(const Table& table, bool brief = false);

/// The unit's name on the page: "s", "op/B", "fraction"; empty for text.
std::string_view unit_name(Unit unit);

/// The number with seven significant digits, or null if it is absent or not finite: with all their digits fifty
/// thousand predictions would take twice the space.
nlohmann::ordered_json brief_number(std::optional<double> value);

/// The bytes in base 64 (RFC 4648, with padding).
std::string base64(std::span<const std::uint8_t> bytes);

/// Numbers as the page takes many of them: single precision (seven digits), little-endian, in base 64; absent is not a
/// number. A third less room than digits, and read at once.
std::string packed(std::span<const std::optional<double>> values);

/// Whole numbers of `width` bytes each (1, 2 or 4), little-endian, in base 64.
std::string packed(std::span<const std::uint32_t> values, std::size_t width);

/// Texts, each kept once.
class TextPool {
public:
    std::size_t place(const std::string& text);
    const std::vector<std::string>& all() const { return all_; }

private:
    std::vector<std::string> all_;
    std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace gpuproj
