// Where reports go: stdout, in the format asked for.
#pragma once

#include <span>
#include <string_view>

#include "reports/table.hpp"
#include "tools/gpuproj/command_line.hpp"

namespace gpuproj {

enum class OutputFormat { terminal, json, csv, markdown };

/// --json, --csv and --md, of which one may be given.
class OutputOptions {
public:
    void declare(CommandLine& line);
    OutputFormat format() const;

private:
    bool json_ = false;
    bool csv_ = false;
    bool markdown_ = false;
};

/// Width from $COLUMNS, else of the terminal, else 120; colours only on a terminal and without $NO_COLOR.
Screen stdout_screen();

/// Writes all of `text` to stdout. Throws Error if it cannot (a full disk).
void print_report(std::string_view text);

/// Tables in one format: JSON is the array of the first table's rows, CSV the first table alone.
void print_tables(std::span<const Table> tables, OutputFormat format);

}  // namespace gpuproj
