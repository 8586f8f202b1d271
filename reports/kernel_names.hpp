// Kernel names that can be read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj {

/// The function's own name: "void ns::(anonymous namespace)::tile<float, 32>(float*, int)" -> "tile". What ncu calls
/// the base name.
std::string base_kernel_name(std::string_view demangled);

/// The name with its template arguments, without return type, namespaces and parameters:
/// "tile<float, 32>". Template arguments longer than 32 characters become "...".
std::string short_kernel_name(std::string_view demangled);

/// Short names for a list of kernels. Where different kernels would read the same, theirs keep more: all template
/// arguments, or, where these are long, the part in which they differ ("reduce<...7, std::tuple<float...>"); then the
/// whole name.
std::vector<std::string> short_kernel_names(std::span<const std::string> demangled);

}  // namespace gpuproj
