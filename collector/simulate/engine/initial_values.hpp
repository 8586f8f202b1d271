// What the variables of a module hold before anything has run.
#pragma once

#include <string_view>

#include "collector/simulate/engine/engine.hpp"

namespace gpuproj::simulate {

bool has_variables(const Module& module);

/// Gives the variables of `module`, whose text is `ptx`, their initial values once more. Throws PtxError.
void set_variables_back(const Module& module, std::string_view ptx);

}  // namespace gpuproj::simulate
