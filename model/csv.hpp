// Reading comma-separated values (RFC 4180) by column name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj {

/// One row: column name -> cell. Absent columns read as empty.
class CsvRow {
public:
    explicit CsvRow(std::map<std::string, std::string, std::less<>> cells, int line)
        : cells_(std::move(cells)), line_(line) {}
    const std::string& text(std::string_view column) const;
    int line() const { return line_; }

private:
    std::map<std::string, std::string, std::less<>> cells_;
    int line_;
};

/// Rows under a header row. `where` names the file in an Error: unclosed quote, a row of another length than the
/// header, two columns of one name. Columns without a name may be several: nobody reads them.
std::vector<CsvRow> read_csv(std::string_view text, const std::string& where);

/// The column names of the header row.
std::vector<std::string> csv_header(std::string_view text);

}  // namespace gpuproj
