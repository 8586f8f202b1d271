// The list of GPUs as one HTML page that needs nothing but itself.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/gpu.hpp"

namespace gpuproj {

/// A page with every parameter of every GPU and how it is known: sorted, filtered, divided by another GPU's, and shown
/// side by side with it (reports/gpu_list).
std::string gpus_page(std::span<const Gpu> gpus, std::string_view tool_version);

}  // namespace gpuproj
