// A table's CSV in parts, for tables too long to be held as a whole.
#pragma once

#include <string>

#include "reports/table.hpp"

namespace gpuproj {

/// The first line of to_csv, and all others.
std::string csv_header(const Table& table);
std::string csv_rows(const Table& table);

}  // namespace gpuproj
