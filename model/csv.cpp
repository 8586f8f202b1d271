#include "model/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "model/error.hpp"
#include "model/plain_text.hpp"

namespace gpuproj {
namespace {

struct Record {
    std::vector<std::string> cells;
    int line;
};

/// What stands between the cells of the header: of commas, semicolons and tabs outside quotes the most frequent.
char separator_of(std::string_view text) {
    constexpr std::string_view separators = ",;\t";
    std::array<std::size_t, separators.size()> counts{};
    bool quoted = false;
    for (const char c : text) {
        if (c == '"') quoted = !quoted;
        if (c == '\n' && !quoted && std::ranges::any_of(counts, [](auto count) { return count > 0; })) break;
        const auto at = separators.find(c);
        if (at != std::string_view::npos && !quoted) ++counts[at];
    }
    return separators[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

std::vector<Record> records(std::string_view text, char separator, const std::string& where, std::size_t most) {
    std::vector<Record> all;
    Record record{{""}, 1};
    int line = 1;
    bool quoted = false;
    const auto finish = [&] {
        if (record.cells.size() > 1 || !record.cells.front().empty()) {
            all.push_back(std::move(record));
        }
        record = {{""}, line};
    };
    for (std::size_t i = 0; i < text.size() && all.size() < most; ++i) {
        const char c = text[i];
        line += c == '\n' ? 1 : 0;
        if (quoted) {
            if (c != '"') {
                record.cells.back() += c;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                record.cells.back() += c;
                ++i;
            } else {
                quoted = false;
            }
        } else if (c == '"' && record.cells.back().empty()) {
            quoted = true;
        } else if (c == separator) {
            record.cells.emplace_back();
        } else if (c == '\n') {
            finish();
        } else if (c != '\r') {
            record.cells.back() += c;
        }
    }
    if (quoted) {
        throw Error(fmt::format("{}: line {}: a quoted cell is not closed", where, record.line));
    }
    finish();
    return all;
}

void refuse_repeated_columns(const Record& header, const std::string& where) {
    std::set<std::string_view> names;
    for (const auto& name : header.cells) {
        if (!name.empty() && !names.insert(name).second) {
            throw Error(fmt::format("{}: line {}: there are two columns \"{}\"; remove or rename one of them", where,
                                    header.line, name));
        }
    }
}

}  // namespace

const std::string& CsvRow::text(std::string_view column) const {
    static const std::string nothing;
    const auto found = cells_.find(column);
    return found == cells_.end() ? nothing : found->second;
}

std::string CsvRow::number(std::string_view column) const {
    std::string cell = text(column);
    const auto comma = cell.find(',');
    if (!decimal_commas_ || comma == std::string::npos || comma == 0 || comma + 1 == cell.size()) return cell;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const bool between_digits = is_digit(cell[comma - 1]) && is_digit(cell[comma + 1]);
    if (between_digits && cell.find_first_of(".,", comma + 1) == std::string::npos && cell.find('.') > comma)
        cell[comma] = '.';
    return cell;
}

std::vector<std::string> csv_header(std::string_view bytes) {
    const std::string text = plain_text(std::string(bytes));
    std::vector<Record> all = records(text, separator_of(text), {}, 1);
    return all.empty() ? std::vector<std::string>{} : std::move(all.front().cells);
}

std::vector<CsvRow> read_csv(std::string_view bytes, const std::string& where) {
    const std::string text = plain_text(std::string(bytes));
    const char separator = separator_of(text);
    const std::vector<Record> all = records(text, separator, where, text.size() + 1);
    if (!all.empty()) refuse_repeated_columns(all.front(), where);
    std::vector<CsvRow> rows;
    for (std::size_t i = 1; i < all.size(); ++i) {
        const std::vector<std::string>& header = all.front().cells;
        if (all[i].cells.size() != header.size()) {
            throw Error(fmt::format("{}: line {}: {} cells, but the header has {}", where, all[i].line,
                                    all[i].cells.size(), header.size()));
        }
        std::map<std::string, std::string, std::less<>> cells;
        for (std::size_t column = 0; column < header.size(); ++column) {
            cells.emplace(header[column], all[i].cells[column]);
        }
        rows.emplace_back(std::move(cells), all[i].line, separator == ';');
    }
    return rows;
}

}  // namespace gpuproj
