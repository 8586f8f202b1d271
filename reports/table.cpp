#include "reports/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/csv_text.hpp"
#include "reports/format.hpp"

namespace gpuproj {
namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

/// Text in base units, numbers as `write_number` writes them.
std::string plain(const Cell& cell, std::string (*write_number)(double)) {
    return std::visit(
        Overloaded{[](std::monostate) { return std::string{}; }, [](const std::string& text) { return text; },
                   [&](double value) { return write_number(value); },
                   [](std::int64_t value) { return fmt::format("{}", value); },
                   [](bool value) { return std::string(value ? "true" : "false"); }},
        cell);
}

void append_csv(std::string& out, const Cell& cell) {
    const auto* const text = std::get_if<std::string>(&cell);
    if (text == nullptr) {
        out += plain(cell, for_machines);
    } else if (text->find_first_of(",\"\r\n") == std::string::npos) {
        out += *text;
    } else {
        out += '"';
        for (const char c : *text) {
            if (c == '"') out += '"';
            out += c;
        }
        out += '"';
    }
}

std::string markdown_field(const Cell& cell) {
    std::string escaped;
    for (const char c : plain(cell, in_six_digits)) {
        if (c == '|' || c == '\\' || c == '<') escaped += '\\';  // a template argument list is not an HTML tag
        escaped += c == '\n' || c == '\r' ? ' ' : c;
    }
    return escaped;
}

std::string markdown_line(const std::vector<Cell>& row) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) {
        if (at > 0) line += " | ";
        line += markdown_field(row[at]);
    }
    return line;
}

}  // namespace

Table without_empty_columns(const Table& table) {
    const auto is_empty = [](const Cell& cell) {
        const auto* text = std::get_if<std::string>(&cell);
        return std::holds_alternative<std::monostate>(cell) || (text != nullptr && text->empty());
    };
    Table kept = table;
    for (std::size_t column = table.columns.size(); column-- > table.key_columns;) {
        const auto empty_here = [&](const std::vector<Cell>& row) { return is_empty(row[column]); };
        if (!std::all_of(table.rows.begin(), table.rows.end(), empty_here)) continue;
        const auto at = static_cast<std::ptrdiff_t>(column);
        kept.columns.erase(kept.columns.begin() + at);
        for (auto& row : kept.rows) row.erase(row.begin() + at);
    }
    return kept;
}

std::string to_csv(const Table& table) {
    return csv_header(table) + csv_rows(table);
}

std::string csv_header(const Table& table) {
    std::string out;
    for (std::size_t at = 0; at < table.columns.size(); ++at) {
        if (at > 0) out += ',';
        append_csv(out, table.columns[at].key);
    }
    out += "\r\n";
    return out;
}

std::string csv_rows(const Table& table) {
    std::string out;
    for (const auto& row : table.rows) {
        for (std::size_t at = 0; at < row.size(); ++at) {
            if (at > 0) out += ',';
            append_csv(out, row[at]);
        }
        out += "\r\n";
    }
    return out;
}

nlohmann::ordered_json to_json(const Table& table) {
    auto array = nlohmann::ordered_json::array();
    for (const auto& row : table.rows) {
        auto object = nlohmann::ordered_json::object();
        for (std::size_t at = 0; at < row.size(); ++at) {
            std::visit(Overloaded{[&](std::monostate) { object[table.columns[at].key] = nullptr; },
                                  [&](const auto& value) { object[table.columns[at].key] = value; }},
                       row[at]);
        }
        array.push_back(std::move(object));
    }
    return array;
}

std::string to_markdown(const Table& table) {
    std::string out = table.title.empty() ? "" : fmt::format("### {}\n\n", table.title);
    std::string rule = "|";
    out += "|";
    for (const auto& column : table.columns) {
        out += fmt::format(" {} |", markdown_field(column.key));
        rule += column.unit == Unit::none ? " --- |" : " ---: |";
    }
    out += fmt::format("\n{}\n", rule);
    for (const auto& row : table.rows) out += fmt::format("| {} |\n", markdown_line(row));
    return out;
}

}  // namespace gpuproj
