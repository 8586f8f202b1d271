// Names of output files that differ from process to process.
#pragma once

#include <string>
#include <string_view>

namespace gpuproj {

/// Replaces %p by the id of this process, %h by the name of the host, %q{VAR} by that variable of the environment and
/// %% by %, as NVIDIA's profilers do. Throws UsageError for any other %, and for a variable that is not set.
std::string fill_placeholders(std::string_view text);

}  // namespace gpuproj
