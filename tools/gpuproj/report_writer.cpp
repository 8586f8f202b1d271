#include "tools/gpuproj/report_writer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/schema.hpp"

namespace gpuproj {
namespace {

std::string as_json(const ReportDocument& document) {
    nlohmann::ordered_json json;
    json["schema"] = document.schema;
    json["version"] = document.version;
    json["facts"] = nlohmann::ordered_json::object();
    for (const auto& [what, value] : document.facts) {
        auto& known = json["facts"][what];
        known = known.is_null() ? value : known.get<std::string>() + "; " + value;  // several notes
    }
    json["summary"] = document.summary;
    for (const auto& part : document.parts) json[part.key] = to_json(part.table);
    json["notes"] = document.notes;
    return json_text(json);
}

std::string as_markdown(const ReportDocument& document) {
    std::string out;
    for (const auto& sentence : document.summary) out += fmt::format("{}\n\n", sentence);
    out += to_markdown(fact_table(document.facts));
    for (const auto& part : document.parts) {
        if (!part.table.rows.empty()) out += fmt::format("\n{}", to_markdown(without_empty_columns(part.table)));
    }
    for (const auto& note : document.notes) out += fmt::format("\n{}\n", note);
    return out;
}

std::string for_screen(const ReportDocument& document) {
    const auto screen = stdout_screen();
    constexpr std::size_t indent = 16;
    std::string out;
    for (const auto& sentence : document.summary) out += fmt::format("{}\n", wrapped(sentence, screen.width, 0));
    if (!out.empty()) out += "\n";
    for (const auto& [what, value] : document.facts)
        out += fmt::format("{:<15} {}\n", what, wrapped(value, screen.width, indent));
    for (const auto& part : document.parts) {
        if (part.on_screen && !part.table.rows.empty())
            out += fmt::format("\n{}", to_terminal(without_empty_columns(part.table), screen));
    }
    if (!document.notes.empty()) out += "\n";
    for (const auto& note : document.notes) out += fmt::format("{}\n", wrapped(note, screen.width, 0));
    return out;
}

}  // namespace

void print_document(const ReportDocument& document, OutputFormat format) {
    switch (format) {
        case OutputFormat::json:
            print_report(as_json(document));
            return;
        case OutputFormat::csv:
            print_report(to_csv(document.parts.front().table));
            return;
        case OutputFormat::markdown:
            print_report(as_markdown(document));
            return;
        case OutputFormat::terminal:
            print_report(for_screen(document));
            return;
    }
}

}  // namespace gpuproj
