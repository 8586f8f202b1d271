// The report as one HTML page that needs nothing but itself: template, style and script of reports/page, Plotly, data.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gpuproj {

/// Was Plotly there when gpuproj was built? Without it the page shows the data of its charts as tables, and says so.
bool html_has_charts();

/// `text` with the characters that mean something in HTML replaced; for element content and quoted attributes.
std::string html_escaped(std::string_view text);

/// JSON that may stand inside a <script> element: "<" of texts is written as \u003c.
std::string json_for_script(const nlohmann::ordered_json& json);

/// `text` with every {{name}} replaced by what `parts` has under that name, or by nothing. What is put in is not looked
/// through again.
std::string filled(std::string_view text, std::span<const std::pair<std::string_view, std::string_view>> parts);

/// The page of a `gpuproj.report` (html_data.hpp).
std::string html_page(const nlohmann::ordered_json& report);

}  // namespace gpuproj
