// The CUDA toolkit that an application finds by its PATH, with another nvcc in it.
#pragma once

#include <filesystem>
#include <optional>

namespace gpuproj::simulate {

/// Makes `directory`, all of it links, look like the toolkit whose nvcc is the first in the PATH, but for that nvcc, in
/// whose place is `nvcc`: those who look for the toolkit's other files from there on find them. Gives what has to be in
/// the PATH; none where there is no nvcc, or no such links can be made.
std::optional<std::filesystem::path> mirror_toolkit(const std::filesystem::path& directory,
                                                    const std::filesystem::path& nvcc);

}  // namespace gpuproj::simulate
