#include "model/csv.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "model/error.hpp"

namespace gpuproj {
namespace {

struct Record {
    std::vector<std::string> cells;
    int line;
};

std::vector<Record> records(std::string_view text, const std::string& where, std::size_t most) {
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.remove_prefix(3);
    }
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
        } else if (c == ',') {
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

std::vector<std::string> csv_header(std::string_view text) {
    std::vector<Record> all = records(text, {}, 1);
    return all.empty() ? std::vector<std::string>{} : std::move(all.front().cells);
}

std::vector<CsvRow> read_csv(std::string_view text, const std::string& where) {
    const std::vector<Record> all = records(text, where, text.size() + 1);
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
        rows.emplace_back(std::move(cells), all[i].line);
    }
    return rows;
}

}  // namespace gpuproj
