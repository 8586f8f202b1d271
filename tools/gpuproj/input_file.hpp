// The files that verbs read: profiles, tables, what other profilers wrote. "-" is stdin.
#pragma once

#include <string>

#include "model/profile.hpp"
#include "tools/gpuproj/words.hpp"

namespace gpuproj {

bool is_stdin(const std::string& file);

/// How messages call it: <stdin>, or the file as it was given.
std::string input_name(const std::string& file);

/// Its bytes. What stdin had is kept: it may be asked for again. Throws Error.
std::string read_input(const std::string& file);

/// As read_profile. Throws Error.
Profile read_profile_input(const std::string& file);

/// Throws UsageError if more than one of a verb's inputs is stdin, which can be read but once.
void refuse_stdin_twice(const Words& files);

}  // namespace gpuproj
