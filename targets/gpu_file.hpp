// How a GPU file looks.
#pragma once

#include <string>

#include "model/gpu.hpp"

namespace gpuproj {

/// The JSON of schema `gpuproj.gpu`, one parameter per line.
std::string gpu_file_text(const Gpu& gpu);

/// Name of its file: "GeForce GTX 480" -> "geforce-gtx-480.json".
std::string gpu_file_name(const std::string& name);

}  // namespace gpuproj
