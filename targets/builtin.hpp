// The GPU files of targets/, compiled in. The table is written by targets/embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace gpuproj {

struct BuiltinGpu {
    std::string_view file;  // name of the JSON file
    std::string_view name;
    std::string_view aliases;  // one per line
    std::string_view json;
};

std::span<const BuiltinGpu> builtin_gpus();

}  // namespace gpuproj
