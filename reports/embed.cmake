# cmake -DPAGE=reports/page -DLIST=reports/gpu_list -DPLOTLY=file or empty -DOUTPUT=folder -P embed.cmake: writes the parts of the HTML page into
# OUTPUT/page_parts.cpp (html_parts.hpp). They are taken in by the assembler: compilers are slow with megabytes of text.
cmake_minimum_required(VERSION 3.25)

# join(FILE SCRIPT...): one script of several, whose names are its own.
function(join file)
    set(text "")
    foreach(script ${ARGN})
        file(READ ${script} one)
        string(APPEND text "${one}\n")
    endforeach()
    file(WRITE ${file} "(() => {\n'use strict';\n${text}})();\n")
endfunction()
file(GLOB scripts ${PAGE}/*.js)
list(SORT scripts)  # their names begin with a number where the order matters
join(${OUTPUT}/script.js ${scripts})
# The list of GPUs shares with the report how elements, numbers and tables are made, light and dark.
join(${OUTPUT}/gpu_list.js ${PAGE}/05-elements.js ${PAGE}/20-format.js ${PAGE}/30-table.js ${PAGE}/35-theme.js ${LIST}/list.js)

set(parts page.html ${PAGE}/page.html style.css ${PAGE}/style.css script.js ${OUTPUT}/script.js
    gpu_list.html ${LIST}/page.html gpu_list.js ${OUTPUT}/gpu_list.js)
if(PLOTLY)
    cmake_path(GET PLOTLY PARENT_PATH folder)
    file(READ ${PLOTLY} plotly)
    if(EXISTS ${folder}/LICENSE)
        file(READ ${folder}/LICENSE license)
        string(REPLACE "*/" "* /" license "${license}")
        set(plotly "/*\n${license}*/\n${plotly}")
    endif()
    file(WRITE ${OUTPUT}/plotly.js "${plotly}")
    list(APPEND parts plotly.js ${OUTPUT}/plotly.js)
endif()

set(symbols "")
set(rows "")
set(at 0)
while(parts)
    list(POP_FRONT parts name file)
    file(READ ${file} text)
    if(name MATCHES "js$" AND text MATCHES "</script|<!--")
        message(FATAL_ERROR "${file}: </script and <!-- cannot stand inside a script element")
    endif()
    file(SHA256 ${file} hash)  # so that this file changes when a part does
    string(APPEND symbols "    \".global gpuproj_part_${at}\\ngpuproj_part_${at}: .incbin \\\"${file}\\\"\\n\"\n"
        "    \".global gpuproj_part_${at}_end\\ngpuproj_part_${at}_end: .byte 0\\n\"\n")
    string(APPEND declarations "extern const char gpuproj_part_${at}[];\nextern const char gpuproj_part_${at}_end[];\n")
    string(APPEND rows "    // ${hash}\n"
        "    if (name == \"${name}\") return {gpuproj_part_${at}, static_cast<std::size_t>(gpuproj_part_${at}_end - gpuproj_part_${at})};\n")
    math(EXPR at "${at} + 1")
endwhile()
file(CONFIGURE OUTPUT ${OUTPUT}/page_parts.cpp @ONLY CONTENT [[
// Written by reports/embed.cmake.
#include "reports/html_parts.hpp"

__asm__(
    ".pushsection .rodata\n"
@symbols@    ".popsection\n");

extern "C" {
@declarations@}

namespace gpuproj {
std::string_view html_part(std::string_view name) {
@rows@    return {};
}
}  // namespace gpuproj
]])
