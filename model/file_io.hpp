// Whole files: read, and written so that no half-written one is ever seen.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gpuproj {

/// The file's bytes. Throws Error if it is missing, a directory or not readable.
std::string read_file(const std::filesystem::path& file);

/// Throws Error if write_file would refuse `file`: it exists and `overwrite` is false, it is a directory, its directory
/// is missing or not writable, or it is "-", by which stdout is meant. To be called before long work whose result goes
/// there.
void check_writable(const std::filesystem::path& file, bool overwrite);

/// Writes `text` to a new file in the same directory, which then takes the place of `file`; on any failure `file` is
/// what it was before, and Error is thrown. Devices and pipes (/dev/stdout) are written directly.
void write_file(const std::filesystem::path& file, std::string_view text, bool overwrite);

}  // namespace gpuproj
