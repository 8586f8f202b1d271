# cmake -DDIRECTORY=... -DOUTPUT=... -P embed.cmake: writes every *.json of DIRECTORY into a C++ table (builtin.hpp), with
# the names taken out, so that looking one up parses nothing.
cmake_minimum_required(VERSION 3.25)
file(GLOB files ${DIRECTORY}/*.json)
set(rows "")
foreach(file ${files})
    file(READ ${file} text)
    string(JSON name ERROR_VARIABLE error GET "${text}" name)
    if(error)
        message(FATAL_ERROR "${file}: ${error}")
    endif()
    string(JSON count ERROR_VARIABLE error LENGTH "${text}" aliases)
    set(aliases "")
    if(NOT error AND count GREATER 0)
        math(EXPR last "${count} - 1")
        foreach(i RANGE ${last})
            string(JSON alias GET "${text}" aliases ${i})
            string(APPEND aliases "${alias}\\n")
        endforeach()
    endif()
    string(APPEND rows "    {\"${name}\", \"${aliases}\", R\"gpu(${text})gpu\"},\n")
endforeach()
file(READ ${DIRECTORY}/data/cards.csv cards)
file(READ ${DIRECTORY}/data/values.csv values)
file(READ ${DIRECTORY}/data/mpd_cpd.json mpd_cpd)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Written by targets/embed.cmake.
#include "targets/builtin.hpp"

namespace gpuproj {
namespace {
const BuiltinGpu table[] = {
@rows@};
}  // namespace

std::span<const BuiltinGpu> builtin_gpus() {
    return table;
}

std::string_view builtin_cards_csv() {
    return R"csv(@cards@)csv";
}

std::string_view builtin_values_csv() {
    return R"csv(@values@)csv";
}

std::string_view builtin_mpd_cpd_json() {
    return R"json(@mpd_cpd@)json";
}
}  // namespace gpuproj
]])
