// What `gpuproj --help` prints, and how help texts fit the screen.
#pragma once

#include <string>
#include <string_view>

namespace gpuproj {

/// In one line.
inline constexpr std::string_view purpose =
    "run a GPU program once, learn how long each of its kernels takes on any other GPU";

std::string overview();

/// The text with lines broken at spaces to end by `width`. What stands behind a name (two spaces or more before it, and
/// the name two from the left) goes on below its own first letter, where that leaves room for words.
std::string fitted(const std::string& help, std::size_t width);

}  // namespace gpuproj
