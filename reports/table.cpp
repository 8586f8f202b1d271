#include "reports/table.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/format.hpp"

namespace gpuproj {
namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

/// The text of machine-readable tables.
std::string plain(const Cell& cell) {
    return std::visit(
        Overloaded{[](std::monostate) { return std::string{}; }, [](const std::string& text) { return text; },
                   [](double value) { return for_machines(value); },
                   [](std::int64_t value) { return fmt::format("{}", value); },
                   [](bool value) { return std::string(value ? "true" : "false"); }},
        cell);
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string markdown_field(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '|' || c == '\\' || c == '<') escaped += '\\';  // a template argument list is not an HTML tag
        escaped += c == '\n' || c == '\r' ? ' ' : c;
    }
    return escaped;
}

using FieldWriter = std::string (*)(const std::string&);

std::string joined(const std::vector<Cell>& row, FieldWriter write, std::string_view between) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) {
        if (at > 0) line += between;
        line += write(plain(row[at]));
    }
    return line;
}

}  // namespace

std::string to_csv(const Table& table) {
    std::string out;
    for (std::size_t at = 0; at < table.columns.size(); ++at) {
        if (at > 0) out += ',';
        out += csv_field(table.columns[at].key);
    }
    out += "\r\n";
    for (const auto& row : table.rows) out += fmt::format("{}\r\n", joined(row, csv_field, ","));
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
    for (const auto& row : table.rows) out += fmt::format("| {} |\n", joined(row, markdown_field, " | "));
    return out;
}

}  // namespace gpuproj
