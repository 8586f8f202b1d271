// Tables: computed once, written many ways. Every writer prints the same numbers.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "reports/unit.hpp"

namespace gpuproj {

/// A value in its column's base unit; monostate is "unknown" or "does not apply": empty in CSV, null in JSON.
using Cell = std::variant<std::monostate, std::string, double, std::int64_t, bool>;

struct Column {
    std::string key;      // in CSV, JSON and Markdown; ends in its unit: duration_s
    std::string heading;  // on the terminal, where values carry their unit
    Unit unit = Unit::none;
};

struct Table {
    std::string title;  // on the terminal and in Markdown; may be empty
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows = {};  // each as long as `columns`
    std::size_t footer_rows = 0;               // how many of the last rows are totals
    std::size_t key_columns = 1;               // the first columns name the row; a table too wide repeats them
};

/// The terminal written to.
struct Screen {
    std::size_t width = 100;  // columns
    bool colours = false;
};

/// The table without the columns that are empty in every row; the key columns stay.
Table without_empty_columns(const Table& table);

/// RFC 4180: one header row, lines end in CR LF, fields quoted where they must be.
std::string to_csv(const Table& table);

/// An array of objects, one per row, keyed by column.
nlohmann::ordered_json to_json(const Table& table);

/// A GitHub-style table under its title; numbers in base units as in CSV.
std::string to_markdown(const Table& table);

/// Aligned columns with prefixes and units. Text is shortened, then columns are wrapped, to fit the screen.
std::string to_terminal(const Table& table, const Screen& screen);

/// Text that starts at column `indent`, broken at spaces so that lines end by `width`; lines after the first start with
/// `indent` spaces.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace gpuproj
