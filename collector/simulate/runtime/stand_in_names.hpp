// Which of our files takes the place of a library of NVIDIA's, told by its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpuproj::simulate {

/// The path of the stand-in, in `directory` or its folder of closed libraries, for the library that the loader is about
/// to look for: a name ("libcublas.so.12") or a path ("/opt/cuda/lib64/libcudart.so.12.4.99"); a path without a version
/// is followed to the file that it is a link to. Nothing if there is no stand-in of that library and major version, or
/// `wanted` is a stand-in already.
std::optional<std::string> stand_in_for(std::string_view wanted, const std::string& directory);

}  // namespace gpuproj::simulate
