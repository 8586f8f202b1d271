// The collector `simulate`: runs the application with a simulated GPU under it.
#pragma once

#include <optional>
#include <string>

#include "collector/collect.hpp"

namespace gpuproj::simulate {

/// See collect().
CollectResult collect(const CollectRequest& request);

/// Empty if the libraries to inject are there, else what to do.
std::optional<std::string> unavailable();

}  // namespace gpuproj::simulate
