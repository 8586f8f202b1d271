// Reports of several tables in the format asked for.
#pragma once

#include <string>
#include <vector>

#include "reports/facts.hpp"
#include "reports/table.hpp"
#include "tools/gpuproj/output.hpp"

namespace gpuproj {

struct ReportPart {
    std::string key;  // in JSON
    Table table;
    bool on_screen = true;
};

struct ReportDocument {
    std::string schema;  // in JSON
    int version = 1;
    std::vector<Fact> facts;
    std::vector<std::string> summary;  // sentences on top
    std::vector<ReportPart> parts;     // the first is what CSV prints
    std::vector<std::string> notes;    // sentences at the end
};

/// JSON: one object with the facts, an array per table, the sentences; CSV: the first table; Markdown and the screen:
/// everything, empty tables and columns left out.
void print_document(const ReportDocument& document, OutputFormat format);

}  // namespace gpuproj
