// The GPU files and tables of targets/, compiled in. Written by targets/embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace gpuproj {

// Plain pointers: two megabytes of text must cost nothing when the program starts.
struct BuiltinGpu {
    const char* name;
    const char* aliases;  // one per line
    const char* json;
};

std::span<const BuiltinGpu> builtin_gpus();

// targets/data/cards.csv, values.csv and mpd_cpd.json.
std::string_view builtin_cards_csv();
std::string_view builtin_values_csv();
std::string_view builtin_mpd_cpd_json();

}  // namespace gpuproj
