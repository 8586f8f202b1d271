// Separated values as profilers and the programs under them leave them: banners anywhere, quoted cells over several
// lines, ends cut off.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj::import {

/// One row of a file.
struct Row {
    std::vector<std::string> cells;
    int line = 0;           // of its first character, from 1
    std::size_t begin = 0;  // its first character
    bool damaged = false;   // a quote that is never closed
    bool quoted = false;    // begins with a quote
    bool last = false;      // the file ends in it, without a newline

    /// Removes blanks at both ends of every cell.
    void trim();
};

/// Goes through a text row by row.
class RowReader {
public:
    explicit RowReader(std::string_view text) : text_(text) {}

    /// The next row that is no banner of the profiler ("==PROF== ...", "========= ...") and not empty; none at the end.
    std::optional<Row> next();
    /// The next physical line, whatever it is; none at the end.
    std::optional<std::string_view> next_line();
    /// Back to the physical line behind the first one of `row`: what a lost quote swallowed is read again.
    void resume_behind_first_line(const Row& row);

    void set_separator(char separator) { separator_ = separator; }
    int line() const { return line_; }

private:
    Row read_row(std::size_t end_of_text) const;

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    char separator_ = ',';
    int damaged_ = 0;
};

/// The cells of one line.
std::vector<std::string> split_row(std::string_view line, char separator);

/// The names of the columns, and where each stands.
class Header {
public:
    Header() = default;
    Header(std::vector<std::string> names, int line) : names_(std::move(names)), line_(line) {}

    std::optional<std::size_t> find(std::string_view name) const;
    /// The column `name`, which the caller knows is there; behind the last where it is not.
    std::size_t at(std::string_view name) const { return find(name).value_or(size()); }
    bool has(std::string_view name) const { return find(name).has_value(); }
    std::span<const std::string> names() const { return names_; }
    /// The names, for something else: the header is empty then.
    std::vector<std::string> release() { return std::move(names_); }
    std::size_t size() const { return names_.size(); }
    int line() const { return line_; }
    /// The cell under `name`, empty where there is none.
    std::string_view cell(const Row& row, std::string_view name) const;

private:
    std::vector<std::string> names_;
    int line_ = 0;
};

/// How a format's header is told from other lines.
struct HeaderKind {
    /// Every header has one of these in it: most lines of a long file are passed over without being taken apart.
    std::span<const std::string_view> words;
    bool (*is_header)(const Header&);
};

/// Goes to the first line that is such a header, whatever separates its cells (comma, semicolon, tab) and whatever
/// stands before it, also on its line. The reader is left behind it, set to its separator.
std::optional<Header> find_header(RowReader& reader, const HeaderKind& kind);

/// Whether the text has such a header anywhere.
bool has_header(std::string_view text, const HeaderKind& kind);

/// `row` as another header of the same file, with its cells; none, and the row as it was, where it is not.
std::optional<Header> repeated_header(Row& row, const HeaderKind& kind);

/// Joins cells that a name without quotes was broken into at its commas: cells from `column` on, while its brackets are
/// open and there are more cells than `wanted`.
void mend_name(Row& row, std::size_t column, std::size_t wanted);

/// The text as UTF-8 (plain_text), other bytes that are no UTF-8 replaced by '?'.
std::string as_utf8(std::string_view bytes);

}  // namespace gpuproj::import
