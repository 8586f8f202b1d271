// What to do about a program that was built without PTX.
#pragma once

#include <span>
#include <string>

namespace gpuproj::simulate {

/// How a user gets PTX into a program that has machine code for `targets` (80 for sm_80; none, or 0: not known) alone,
/// whatever build system it has: an imperative without a full stop.
std::string rebuild_with_ptx(std::span<const int> targets);

}  // namespace gpuproj::simulate
