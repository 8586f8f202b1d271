// Where variables of modules are.
#pragma once

#include "collector/simulate/runtime/runtime.hpp"

namespace gpuproj::simulate {

/// `bytes` at `offset` of the variable with this host shadow; nullptr if there is none, or it is smaller.
void* symbol_address(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t bytes);

}  // namespace gpuproj::simulate
