#include "collector/import/rows.hpp"

#include <algorithm>

#include "collector/metric_names/units.hpp"
#include "model/plain_text.hpp"

namespace gpuproj::import {

namespace {

// A row longer than this is one whose closing quote was lost; where that happens often no row spans lines.
constexpr std::size_t longest_row = std::size_t{64} * 1024;
constexpr int most_damaged = 100;
constexpr std::string_view banner = "==";

/// Bytes of the UTF-8 character at `at`; 0: none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned c = byte(at);
    if (c < 0x80) return 1;
    if (c >= 0xC2 && c < 0xE0) return follows(at + 1) ? 2 : 0;
    if (c >= 0xE0 && c < 0xF0) {
        const bool overlong = c == 0xE0 && byte(at + 1) < 0xA0;
        const bool surrogate = c == 0xED && byte(at + 1) >= 0xA0;
        return follows(at + 1) && follows(at + 2) && !overlong && !surrogate ? 3 : 0;
    }
    if (c >= 0xF0 && c < 0xF5) {
        const bool overlong = c == 0xF0 && byte(at + 1) < 0x90;
        const bool too_large = c == 0xF4 && byte(at + 1) >= 0x90;
        return follows(at + 1) && follows(at + 2) && follows(at + 3) && !overlong && !too_large ? 4 : 0;
    }
    return 0;
}

}  // namespace

Row RowReader::read_row(std::size_t end_of_text) const {
    Row row;
    row.line = line_;
    row.begin = at_;
    row.quoted = at_ < text_.size() && text_[at_] == '"';
    row.cells.emplace_back();
    const auto text = text_.substr(0, end_of_text);
    bool quoted = false;
    bool fresh = true;  // nothing of the cell was read
    for (std::size_t i = at_; i < text.size();) {
        const char c = text[i];
        std::size_t end = i + 1;
        if (quoted) {
            end = std::min(text.find('"', i), text.size());
            row.cells.back() += text.substr(i, end - i);
            if (text.substr(end, 2) == "\"\"") {
                row.cells.back() += '"';
                ++end;
            } else if (end < text.size()) {
                quoted = false;
            }
            ++end;
        } else if (c == '"' && fresh) {
            quoted = true;
            fresh = false;
        } else if (c == separator_) {
            row.cells.emplace_back();
            fresh = true;
        } else if (c != '\r' && (c != ' ' || !fresh)) {
            while (end < text.size() && text[end] != separator_ && text[end] != '\r') ++end;
            row.cells.back() += text.substr(i, end - i);
            fresh = false;
        }
        i = end;
    }
    row.damaged = quoted;
    return row;
}

std::optional<Row> RowReader::next() {
    while (at_ < text_.size()) {
        const auto rest = text_.substr(at_);
        const auto line_end = std::min(rest.find('\n'), rest.size());
        if (rest.starts_with(banner) || trimmed(rest.substr(0, line_end)).empty()) {
            next_line();
            continue;
        }
        // The row ends at the first newline outside quotes.
        bool quoted = std::ranges::count(rest.substr(0, line_end), '"') % 2 == 1;
        std::size_t length = line_end;
        const auto most = damaged_ < most_damaged ? std::max(longest_row, line_end) : line_end;
        const auto limit = std::min(rest.size(), most);
        if (quoted) ++length;
        for (; length < limit && (quoted || rest[length] != '\n'); ++length) quoted ^= rest[length] == '"';
        length = std::min(length, limit);
        const bool lost_quote = quoted;
        if (lost_quote) length = line_end;
        Row row = read_row(at_ + length);
        row.damaged = row.damaged || lost_quote;
        damaged_ += row.damaged ? 1 : 0;
        row.last = at_ + length == text_.size();
        line_ += static_cast<int>(std::ranges::count(rest.substr(0, length), '\n')) + 1;
        at_ = std::min(at_ + length + 1, text_.size());
        return row;
    }
    return std::nullopt;
}

std::optional<std::string_view> RowReader::next_line() {
    if (at_ >= text_.size()) return std::nullopt;
    const auto rest = text_.substr(at_);
    const auto length = std::min(rest.find('\n'), rest.size());
    at_ = std::min(at_ + length + 1, text_.size());
    ++line_;
    return rest.substr(0, length);
}

void RowReader::resume_behind_first_line(const Row& row) {
    at_ = row.begin;
    line_ = row.line;
    next_line();
}

void Row::trim() {
    for (auto& cell : cells) {
        const auto text = trimmed(cell);
        if (text.size() != cell.size()) cell = std::string(text);
    }
}

std::vector<std::string> split_row(std::string_view line, char separator) {
    RowReader reader(line);
    reader.set_separator(separator);
    auto row = reader.next();
    return row ? std::move(row->cells) : std::vector<std::string>{};
}

std::optional<std::size_t> Header::find(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    return found == names_.end() ? std::nullopt : std::optional<std::size_t>(found - names_.begin());
}

std::string_view Header::cell(const Row& row, std::string_view name) const {
    const auto column = find(name);
    return column && *column < row.cells.size() ? trimmed(row.cells[*column]) : std::string_view{};
}

std::optional<Header> find_header(RowReader& reader, const HeaderKind& kind) {
    constexpr std::size_t longest_header = std::size_t{256} * 1024;
    for (;;) {
        const int line_number = reader.line();
        const auto line = reader.next_line();
        if (!line) return std::nullopt;
        if (line->size() > longest_header) continue;
        const auto has = [&](std::string_view word) { return line->find(word) != std::string_view::npos; };
        if (std::ranges::none_of(kind.words, has)) continue;
        const auto quote = line->find('"');
        const auto quoted = quote == 0 ? std::string_view() : line->substr(std::min(quote, line->size()));
        for (const auto& part : {*line, quoted}) {
            for (const char separator : {',', ';', '\t'}) {
                if (part.find(separator) == std::string_view::npos) continue;
                auto names = split_row(part, separator);
                for (auto& name : names) name = trimmed(name);
                const Header header(std::move(names), line_number);
                if (!kind.is_header(header)) continue;
                reader.set_separator(separator);
                return header;
            }
        }
    }
}

bool has_header(std::string_view text, const HeaderKind& kind) {
    RowReader reader(text);
    return find_header(reader, kind).has_value();
}

std::optional<Header> repeated_header(Row& row, const HeaderKind& kind) {
    Header header(std::move(row.cells), row.line);
    if (kind.is_header(header)) return header;
    row.cells = header.release();
    return std::nullopt;
}

void mend_name(Row& row, std::size_t column, std::size_t wanted) {
    if (column >= row.cells.size()) return;
    const auto open = [](std::string_view text) {
        long depth = 0;
        for (const char c : text)
            depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
        return depth > 0;
    };
    while (row.cells.size() > wanted && column + 1 < row.cells.size() && open(row.cells[column])) {
        row.cells[column] += ", " + std::string(trimmed(row.cells[column + 1]));
        row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(column) + 1);
    }
}

std::string as_utf8(std::string_view bytes) {
    const std::string decoded = plain_text(std::string(bytes));
    bytes = decoded;
    std::string text;
    text.reserve(bytes.size());
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    for (std::size_t i = 0; i < bytes.size();) {
        std::size_t plain = i;
        while (plain < bytes.size() && is_ascii(bytes[plain])) ++plain;
        text.append(bytes.substr(i, plain - i));
        i = plain;
        if (i == bytes.size()) break;
        const auto length = utf8_length(bytes, i);
        if (length == 0) {
            text += '?';
            ++i;
        } else {
            text.append(bytes.substr(i, length));
            i += length;
        }
    }
    return text;
}

}  // namespace gpuproj::import
