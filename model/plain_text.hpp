// Text files as other systems write them.
#pragma once

#include <filesystem>
#include <string>

namespace gpuproj {

/// The text of a file in UTF-8: UTF-16 with a byte-order mark, as PowerShell and spreadsheets write it, is converted,
/// the mark of UTF-8 is removed, and where lines end in carriage returns alone these become newlines. Bytes that are no
/// UTF-8 stay what they are.
std::string plain_text(std::string bytes);

/// The same of a file. Throws Error as read_file does.
std::string read_text(const std::filesystem::path& file);

}  // namespace gpuproj
