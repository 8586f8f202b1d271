// Choosing kernels of a profile by name.
#pragma once

#include <string>

#include "model/profile.hpp"

namespace gpuproj {

/// Keeps the kernels whose base name is `name`, or whose whole name matches RE if it is "regex:RE", as -k does while
/// profiling. Throws UsageError for no regular expression and Error naming near names where nothing is left.
void select_kernels(Profile& profile, const std::string& name);

}  // namespace gpuproj
