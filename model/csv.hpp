// Reading comma-separated values (RFC 4180) by column name, and what spreadsheets make of them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj {

/// One row: column name -> cell. Absent columns read as empty.
class CsvRow {
public:
    CsvRow(std::map<std::string, std::string, std::less<>> cells, int line, bool decimal_commas)
        : cells_(std::move(cells)), line_(line), decimal_commas_(decimal_commas) {}
    const std::string& text(std::string_view column) const;
    /// The same for a number, with a decimal point: where semicolons separate cells, a comma between digits is one.
    std::string number(std::string_view column) const;
    int line() const { return line_; }

private:
    std::map<std::string, std::string, std::less<>> cells_;
    int line_;
    bool decimal_commas_;
};

/// Rows under a header row, their cells separated as its are: by commas, semicolons or tabs; the text as plain_text
/// takes it. `where` names the file in an Error: unclosed quote, a row of another length than the header, two columns
/// of one name. Columns without a name may be several: nobody reads them.
std::vector<CsvRow> read_csv(std::string_view text, const std::string& where);

/// The column names of the header row.
std::vector<std::string> csv_header(std::string_view text);

}  // namespace gpuproj
