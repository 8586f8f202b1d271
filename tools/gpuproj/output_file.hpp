// Where a verb's one result goes that prints no report beside it: a file, or "-", which is stdout. All other outputs
// take files only: check_writable refuses "-".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "model/profile.hpp"

namespace gpuproj {

bool is_stdout(const std::string& file);

/// How messages call it.
std::string output_name(const std::string& file);

/// As check_writable, for a file. Throws Error.
void check_output(const std::string& file, bool overwrite);

/// Makes a folder and those above it, where they are not there. Throws Error.
void make_folder(const std::filesystem::path& folder);

/// As write_file, for a file. Throws Error, also where stdout cannot be written.
void write_output(const std::string& file, std::string_view text, bool overwrite);
void write_profile_output(const Profile& profile, const std::string& file, bool overwrite);

}  // namespace gpuproj
