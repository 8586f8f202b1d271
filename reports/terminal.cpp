#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reports/cut_names.hpp"
#include "reports/format.hpp"
#include "reports/table.hpp"

namespace gpuproj {
namespace {

constexpr std::size_t gap = 2;          // between columns
constexpr std::size_t least_text = 16;  // a text column is not cut below this
constexpr std::string_view bold = "\033[1m", dim = "\033[2m", normal = "\033[0m";

using Texts = std::vector<std::string>;

std::string cell_text(const Cell& cell, Unit unit) {
    if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
    if (const auto* value = std::get_if<double>(&cell)) return for_people(*value, unit);
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return for_people(static_cast<double>(*whole), unit);
    if (const auto* truth = std::get_if<bool>(&cell)) return *truth ? "yes" : "no";
    return "-";
}

std::string padded(const std::string& text, std::size_t width, bool right) {
    const auto length = display_width(text);
    const std::string fill(width > length ? width - length : 0, ' ');
    return fmt::format("{}{}", right ? fill : text, right ? text : fill);
}

/// Which columns stand side by side: the key columns in every group, the others in order.
std::vector<std::vector<std::size_t>> column_groups(const std::vector<std::size_t>& widths, std::size_t keys,
                                                    std::size_t screen) {
    std::vector<std::size_t> head(std::min(keys, widths.size()));
    std::iota(head.begin(), head.end(), std::size_t{0});
    const auto cost = [&](std::size_t column) { return widths[column] + gap; };
    const std::size_t head_width = std::accumulate(head.begin(), head.end(), std::size_t{0},
                                                   [&](std::size_t sum, std::size_t c) { return sum + cost(c); });
    std::vector<std::vector<std::size_t>> groups(1, head);
    std::size_t used = head_width;
    for (std::size_t column = head.size(); column < widths.size(); ++column) {
        if (used + cost(column) > screen + gap && groups.back().size() > head.size()) {
            groups.push_back(head);
            used = head_width;
        }
        groups.back().push_back(column);
        used += cost(column);
    }
    return groups;
}

/// Key columns give way, down to `least_text`, where that lets the table stand in one piece. Where it cannot, they keep
/// at most a third of the screen, and the other text columns what is left beside them.
void fit(std::vector<std::size_t>& widths, const Table& table, std::size_t screen) {
    const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1)); };
    if (total() <= screen) return;
    const auto is_text = [&](std::size_t column) { return table.columns[column].unit == Unit::none; };
    const auto keys = std::min(table.key_columns, widths.size());
    const auto original = widths;
    for (std::size_t key = 0; key < keys; ++key) {
        if (!is_text(key)) continue;
        const auto missing = total() > screen ? total() - screen : 0;
        const auto spare = widths[key] > least_text ? widths[key] - least_text : 0;
        widths[key] -= std::min(missing, spare);
    }
    if (total() <= screen) return;
    widths = original;
    std::size_t head = 0;
    for (std::size_t key = 0; key < keys; ++key) {
        if (is_text(key)) widths[key] = std::min(widths[key], std::max(least_text, screen / 3));
        head += widths[key] + gap;
    }
    const auto beside = std::max(least_text, screen > head ? screen - head : 0);
    for (std::size_t column = keys; column < widths.size(); ++column) {
        if (is_text(column)) widths[column] = std::min(widths[column], beside);
    }
}

/// Cuts the texts of a key column to its width, so that rows stay different.
void keep_apart(std::vector<Texts>& rows, std::size_t column, std::size_t width) {
    Texts texts;
    texts.reserve(rows.size());
    for (const auto& row : rows) texts.push_back(row[column]);
    texts = shortened_apart(texts, width);
    for (std::size_t at = 0; at < rows.size(); ++at) rows[at][column] = std::move(texts[at]);
}

std::string line_of(const Texts& texts, const std::vector<std::size_t>& group, const std::vector<std::size_t>& widths,
                    const Table& table) {
    std::string line;
    for (const auto column : group) {
        if (!line.empty()) line += std::string(gap, ' ');
        line +=
            padded(shortened(texts[column], widths[column]), widths[column], table.columns[column].unit != Unit::none);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

}  // namespace

std::string to_terminal(const Table& table, const Screen& screen) {
    Texts headings;
    for (const auto& column : table.columns) headings.push_back(column.heading);
    std::vector<Texts> rows;
    for (const auto& row : table.rows) {
        Texts texts;
        for (std::size_t at = 0; at < row.size(); ++at) texts.push_back(cell_text(row[at], table.columns[at].unit));
        rows.push_back(std::move(texts));
    }
    std::vector<std::size_t> widths;
    for (std::size_t at = 0; at < headings.size(); ++at) {
        widths.push_back(display_width(headings[at]));
        for (const auto& row : rows) widths.back() = std::max(widths.back(), display_width(row[at]));
    }
    if (widths.empty()) return {};
    fit(widths, table, screen.width);
    for (std::size_t key = 0; key < std::min(table.key_columns, widths.size()); ++key) {
        if (table.columns[key].unit == Unit::none) keep_apart(rows, key, widths[key]);
    }

    const auto styled = [&](std::string_view style, const std::string& text) {
        return screen.colours ? fmt::format("{}{}{}", style, text, normal) : text;
    };
    std::string out;
    if (!table.title.empty()) out += fmt::format("{}\n", styled(bold, wrapped(table.title, screen.width, 0)));
    bool first = true;
    for (const auto& group : column_groups(widths, table.key_columns, screen.width)) {
        if (!first) out += "\n";
        first = false;
        const std::size_t width = std::accumulate(group.begin(), group.end(), gap * (group.size() - 1),
                                                  [&](std::size_t sum, std::size_t c) { return sum + widths[c]; });
        const std::string rule = fmt::format("{}\n", styled(dim, std::string(width, '-')));
        out += fmt::format("{}\n{}", styled(bold, line_of(headings, group, widths, table)), rule);
        for (std::size_t at = 0; at < rows.size(); ++at) {
            const bool footer = at + table.footer_rows >= rows.size();
            if (footer && at + table.footer_rows == rows.size() && at > 0) out += rule;
            const auto line = line_of(rows[at], group, widths, table);
            out += fmt::format("{}\n", footer ? styled(bold, line) : line);
        }
    }
    return out;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
    std::string out;
    std::size_t column = indent;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto end = std::min(text.find(' ', at), text.size());
        const auto word = text.substr(at, end - at);
        const auto length = display_width(word);
        if (column > indent && column + 1 + length > width) {
            out += '\n';
            out.append(indent, ' ');
            column = indent;
        } else if (at > 0) {
            out += " ";
            ++column;
        }
        out += word;
        column += length;
        at = end + 1;
    }
    return out;
}

}  // namespace gpuproj
