// Tokens to a module.
#pragma once

#include <memory>
#include <string_view>

#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate::ptx {

/// Newest PTX ISA the parser knows; a newer module is refused.
inline constexpr int newest_major = 9, newest_minor = 9;

/// Throws PtxError with the line for text that is no PTX, a newer version, or a name nobody declared. Instructions are
/// as written, but for parameters of functions that have an address (parameters_on_stack.hpp).
std::unique_ptr<ParsedModule> parse(std::string_view ptx);

}  // namespace gpuproj::simulate::ptx
