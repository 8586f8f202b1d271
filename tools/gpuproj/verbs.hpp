// The verbs: gpuproj VERB ...
#pragma once

#include <span>
#include <string_view>

#include "tools/gpuproj/words.hpp"

namespace gpuproj {

/// One row of the table in verbs.cpp. `run` takes the words behind the verb and gives the exit code; it throws Error,
/// UsageError, HelpAsked.
struct Verb {
    std::string_view name;
    std::string_view words;  // what follows, for the overview
    std::string_view does;
    int (*run)(const Words& words);
};

std::span<const Verb> verbs();

/// Throws UsageError naming near verbs.
const Verb& find_verb(std::string_view name);

int run_verb(const Words& words);
int profile_verb(const Words& words);
int import_verb(const Words& words);
int merge_verb(const Words& words);
int predict_verb(const Words& words);
int report_verb(const Words& words);
int compare_verb(const Words& words);
int headroom_verb(const Words& words);
int diff_verb(const Words& words);
int plot_verb(const Words& words);
int validate_verb(const Words& words);
int targets_verb(const Words& words);
int models_verb(const Words& words);
int doctor_verb(const Words& words);

}  // namespace gpuproj
