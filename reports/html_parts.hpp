// The files of reports/page and Plotly, as built into the program (reports/embed.cmake).
#pragma once

#include <string_view>

namespace gpuproj {

/// page.html, style.css, script.js (all scripts of reports/page in one), gpu_list.html, gpu_list.js, plotly.js; empty
/// where there is none.
std::string_view html_part(std::string_view name);

}  // namespace gpuproj
